// Value of a formula, and a bound of its magnitude over all joint positions, so that "almost zero" has a scale.

import type { View } from "../backend/messages";

/** Model whose factors are highlighted where they approach zero. */
export const DETERMINANT = "jacobian-determinant";
/** Relative magnitude of a factor below which it is highlighted; a sine is that small within 6 degrees. */
export const NEAR = 0.1;
/** Relative magnitude of a factor below which the configuration is singular, in double precision. */
export const ZERO = 1e-6;

/** Value of a formula, and the sum of the magnitudes of its terms with sines and cosines replaced by one. */
export interface Scaled {
  value: number;
  bound: number;
}

const FUNCTIONS: Record<string, (x: Scaled) => Scaled> = {
  sin: ({ value }) => ({ value: Math.sin(value), bound: 1 }),
  cos: ({ value }) => ({ value: Math.cos(value), bound: 1 }),
  tan: ({ value }) => ({ value: Math.tan(value), bound: 1 }),
  sqrt: ({ value, bound }) => ({ value: Math.sqrt(value), bound: Math.sqrt(bound) }),
  abs: ({ value, bound }) => ({ value: Math.abs(value), bound }),
};
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/^()]))/iy;

/**
 * Evaluate a formula with + - * / ^ and functions of one argument; null if it contains anything else, or a name without a
 * value.
 */
export function evaluated(text: string, values: (name: string) => Scaled | null): Scaled | null {
  const tokens = tokenised(text);
  if (!tokens) return null;
  let at = 0;
  const next = (): string | undefined => tokens[at];
  const take = (token: string): boolean => next() === token && ++at > 0;
  class Unreadable extends Error {}

  function sum(): Scaled {
    let left = product();
    for (;;) {
      const sign = take("+") ? 1 : take("-") ? -1 : 0;
      if (!sign) return left;
      const right = product();
      left = { value: left.value + sign * right.value, bound: left.bound + right.bound };
    }
  }
  function product(): Scaled {
    let left = signed();
    for (;;) {
      if (take("*")) {
        const right = signed();
        left = { value: left.value * right.value, bound: left.bound * right.bound };
      } else if (take("/")) {
        const right = signed();
        left = { value: left.value / right.value, bound: left.bound / Math.abs(right.value) };
      } else return left;
    }
  }
  function signed(): Scaled {
    if (take("+")) return signed();
    if (!take("-")) return power();
    const { value, bound } = signed();
    return { value: -value, bound };
  }
  function power(): Scaled {
    const base = atom();
    if (!take("^") && !take("**")) return base;
    const exponent = signed().value;
    return { value: base.value ** exponent, bound: exponent < 0 ? Math.abs(base.value) ** exponent : base.bound ** exponent };
  }
  function atom(): Scaled {
    const token = next();
    if (token === undefined) throw new Unreadable();
    at++;
    if (token === "(") {
      const inner = sum();
      if (!take(")")) throw new Unreadable();
      return inner;
    }
    if (/^[\d.]/.test(token)) return { value: Number(token), bound: Number(token) };
    const apply = FUNCTIONS[token];
    if (apply && take("(")) {
      const inner = sum();
      if (!take(")")) throw new Unreadable();
      return apply(inner);
    }
    const known = token === "pi" ? { value: Math.PI, bound: Math.PI } : values(token);
    if (!known) throw new Unreadable();
    return known;
  }
  try {
    const result = sum();
    return at === tokens.length ? result : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function tokenised(text: string): string[] | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return null;
    tokens.push((match[1] ?? match[2] ?? match[3])!);
  }
  return tokens;
}

/** Return |value| / bound, from 0 (zero) to 1; null if the formula cannot be evaluated. */
export function nearness(text: string, values: (name: string) => Scaled | null): number | null {
  const result = evaluated(text, values);
  if (!result || !Number.isFinite(result.value)) return null;
  return result.bound > 0 ? Math.min(1, Math.abs(result.value) / result.bound) : 0;
}

/** Return the numbers of joint positions and parameters; the scale of a prismatic joint is the robot's size. */
export function scaledValues(view: View, q: readonly number[], parameters: Record<string, number>, reach: number): (name: string) => Scaled | null {
  const joints = new Map(view.joints.map((joint, k) => [`q${joint.frame}`, { joint, value: q[k] }]));
  return (name) => {
    const variable = joints.get(name);
    if (!variable) {
      const value = parameters[name];
      return value === undefined ? null : { value, bound: Math.abs(value) };
    }
    const { joint, value } = variable;
    if (value === undefined) return null;
    return { value, bound: Math.max(Math.abs(value), joint.kind === "P" ? reach : 0) };
  };
}

const DEFINITION = /^(\w+) = (.+)$/gm;
const PRODUCT = /^-?\w+(?:(?:\*|\*\*|\^)\w+)*$/;

/** Return the names of the factors that are near zero in the last equation of a listing; none if it is not a product. */
export function vanishingFactors(listing: string, values: (name: string) => Scaled | null, bound = NEAR): string[] {
  const defined = new Map<string, Scaled | null>();
  const valueOf = (name: string): Scaled | null => defined.get(name) ?? values(name);
  let last = "";
  for (const [, name, text] of listing.matchAll(DEFINITION)) {
    last = text!;
    defined.set(name!, evaluated(last, valueOf));
  }
  if (!PRODUCT.test(last)) return [];
  return [...new Set(last.match(/[A-Za-z]\w*/g))].filter((name) => {
    const share = nearness(name, valueOf);
    return share !== null && share < bound;
  });
}
