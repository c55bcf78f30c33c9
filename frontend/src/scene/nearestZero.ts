// The nearest zero of a function of the joint positions along one of its joints, or of several functions along all joints.

import { dampedSolution } from "./linear";

/** Number of intervals in which a change of sign is looked for; a factor has few zeros per turn. */
const INTERVALS = 360;
/** Bisections of an interval, until it is as small as the spacing of double-precision numbers. */
const BISECTIONS = 60;
/** Distance from a zero, relative to an interval, at which the function is larger than its rounding errors. */
const BESIDE = 1e-3;

/**
 * Return the posture with f(q) = 0 that differs from q in one joint and by the least displacement relative to the range
 * of that joint; null if f changes its sign along no joint.
 *
 * @param joints indices of the joints that may move, with their ranges
 */
export function nearestZero(
  f: (q: number[]) => number | null,
  q: readonly number[],
  joints: readonly number[],
  ranges: readonly (readonly [lower: number, upper: number])[],
): number[] | null {
  if (f([...q]) === 0) return [...q];
  let best: { q: number[]; distance: number } | null = null;
  joints.forEach((joint, n) => {
    const [lower, upper] = ranges[n]!;
    const at = (value: number): number[] => q.map((old, k) => (k === joint ? value : old));
    const value = (k: number): number => lower + ((upper - lower) * k) / INTERVALS;
    for (let k = 0; k < INTERVALS; k++) {
      const zero = bracketed((x) => f(at(x)), value(k), value(k + 1));
      if (zero === null) continue;
      const distance = Math.abs(zero - q[joint]!) / (upper - lower);
      if (!best || distance < best.distance) best = { q: at(zero), distance };
    }
  });
  return (best as { q: number[] } | null)?.q ?? null;
}

/** Return a zero between two positions by bisection; null if the function has the same sign at both. */
function bracketed(f: (x: number) => number | null, from: number, to: number): number | null {
  let [a, b] = [from, to];
  const [start, end] = [f(a), f(b)];
  if (start === null || end === null) return null;
  if (start === 0) return a;
  if (end === 0) return b;
  if (start > 0 === end > 0) return null;
  for (let k = 0; k < BISECTIONS; k++) {
    const middle = (a + b) / 2;
    const value = f(middle);
    if (value === null) return null;
    if (value > 0 === start > 0) a = middle;
    else b = middle;
  }
  const zero = (a + b) / 2;
  const [value, beside] = [f(zero), f(zero + BESIDE * (to - from))];
  // The sign also changes at a pole, where the magnitude is larger than beside it.
  return value !== null && beside !== null && Math.abs(value) < Math.abs(beside) ? zero : null;
}

/** Gauss-Newton steps; convergence is quadratic, except at double zeros, where each step halves the error. */
const MOST_STEPS = 30;
/** Longest step in the units of the joints; longer ones leave the region of the linear approximation. */
const LONGEST_STEP = 0.3;
/** Joint displacement of central differences, in the units of the joints. */
const DIFFERENCE = 1e-5;
/** Largest value of a function at its zero; the functions are relative, and rounding errors are about 1e-15. */
const AT_ZERO = 1e-12;

/**
 * Return a posture with f(q) = 0 for several functions, by the Gauss-Newton method with the smallest steps; null if it
 * does not converge.
 *
 * @param f values relative to their largest ones; null without a value
 * @param joints indices of the joints that may move
 * @param units displacements of these joints that are regarded as equal
 */
export function nearestCommonZero(
  f: (q: number[]) => number[] | null,
  q: readonly number[],
  joints: readonly number[],
  units: readonly number[],
): number[] | null {
  let posture = [...q];
  for (let step = 0; step < MOST_STEPS; step++) {
    const values = f(posture);
    if (!values?.every(Number.isFinite)) return null;
    if (Math.max(...values.map(Math.abs)) < AT_ZERO) return posture;
    const rows = values.map(() => new Float64Array(joints.length));
    for (const [n, joint] of joints.entries()) {
      const at = (by: number): number[] | null => f(posture.map((value, k) => (k === joint ? value + by * units[n]! : value)));
      const [after, before] = [at(DIFFERENCE), at(-DIFFERENCE)];
      if (!after || !before) return null;
      rows.forEach((row, i) => (row[n] = (after[i]! - before[i]!) / (2 * DIFFERENCE)));
    }
    const change = dampedSolution(rows, values, 0, joints.length);
    const shorter = Math.min(1, LONGEST_STEP / Math.hypot(...change));
    posture = [...posture];
    joints.forEach((joint, n) => (posture[joint]! -= shorter * change[n]! * units[n]!));
  }
  return null;
}
