// Names of the configurations of an arm: shoulder, elbow and wrist, by the signs of the factors of det J.
//
// For an arm with the axes z1, z2 parallel to z3, and a wrist with the centre w (Khalil & Dombre, Modeling, identification
// and control of robots, 2002, section 5.7), the Jacobian is singular where one of these factors is zero:
//
//   shoulder   (z1 x z2) . (w - p1)           w on the plane through axis 1 parallel to axis 2
//   elbow      z2 . ((p3 - p2) x (w - p3))    arm stretched or folded
//   wrist      z4 . (z5 x z6)                 axes 4 and 6 aligned
//
// The centre w is the point of axis 5 nearest to axis 6. An arm UR has z4 parallel to z3: the centre w is that of the
// shoulder, and p4 replaces it for the elbow. An arm with seven joints has these factors at its joints 2, 4 and 6.
//
// The elbow is up if p3 is above the line from p2 to w, in the plane normal to axis 2. In this plane z2 x (w - p2) is
// normal to the line; its part along the vertical axis 1 and the factor of the elbow have opposite signs if it is up.

import type { View } from "../backend/messages";
import { antecedent, endFrame } from "./extras";
import { ZERO } from "./factors";
import { axis, cross, dot, minus, origin, plus, type Point } from "./polyline";

/** Word in the label of a part of the arm that is singular. */
export const SINGULAR = "singular";
/** Largest sine of the angle between parallel axes; parameters of files have six digits or more. */
const PARALLEL = 1e-4;

/** Axes of the joints, points on them, and the origin of the end frame as the last point. */
interface Axes {
  z: Point[];
  p: Point[];
}

type Factor = (axes: Axes) => number;
/** Part of an arm; its factor is a product of unit vectors and of as many lengths as its degree. */
type Part = { name: string; factor: Factor; degree: number; words: [positive: string, negative: string] };

export class Configurations {
  private readonly chain: number[];
  private readonly kinds: string;
  /** Whether the configurations are working modes of legs: of a platform, or of a linkage whose end is its second link. */
  private readonly hasLegs: boolean;
  private parts: Part[] | null = null;

  constructor(view: View, private readonly frame = endFrame(view)) {
    const moving = new Map(view.joints.map((joint) => [joint.frame, joint.kind]));
    this.chain = [];
    for (let j = frame; j > 0; j = antecedent(view, j)) if (moving.has(j)) this.chain.unshift(j);
    this.kinds = this.chain.map((j) => moving.get(j)).join("");
    this.hasLegs = view.platform !== null || (view.loops.length > 0 && this.chain.length < 3);
  }

  /** Number of joints between the base and the frame. */
  get joints(): number {
    return this.chain.length;
  }

  /** Return the name of a configuration, such as "shoulder right, elbow up, wrist flip"; "" for other structures. */
  name(T: ArrayLike<number>): string {
    const { parts, axes } = this.partsAt(T);
    return parts.map(({ name, factor, words }) => `${name} ${factor(axes) >= 0 ? words[0] : words[1]}`).join(", ");
  }

  /** Return the name of a configuration, in which parts that are singular have no side: "shoulder right, elbow singular". */
  label(T: ArrayLike<number>): string {
    const { parts, axes } = this.partsAt(T);
    const length = axes.p.reduce((sum, p, k) => sum + (k ? Math.hypot(...minus(p, axes.p[k - 1]!)) : 0), 0);
    return parts
      .map(({ name, factor, degree, words }) => {
        const value = factor(axes);
        return `${name} ${Math.abs(value) < ZERO * length ** degree ? SINGULAR : words[value >= 0 ? 0 : 1]}`;
      })
      .join(", ");
  }

  /** Return the factors by the name of their part of the arm. */
  factors(T: ArrayLike<number>): Map<string, number> {
    const { parts, axes } = this.partsAt(T);
    return new Map(parts.map(({ name, factor }) => [name, factor(axes)]));
  }

  private partsAt(T: ArrayLike<number>): { parts: Part[]; axes: Axes } {
    const axes: Axes = { z: this.chain.map((j) => axis(T, j, 2)), p: [...this.chain, this.frame].map((j) => origin(T, j)) };
    // Which axes are parallel does not depend on the posture for neighbours.
    this.parts ??= this.hasLegs ? [] : partsOf(this.kinds, axes);
    return { parts: this.parts, axes };
  }
}

const SHOULDER = ["right", "left"] as [string, string];
const WRIST = ["no flip", "flip"] as [string, string];

function triple(a: Point, b: Point, c: Point): number {
  return dot(a, cross(b, c));
}

/** Return the point of axis 5 nearest to axis 6, which does not depend on where the frames are along their axes. */
function wristCentre({ z, p }: Axes): Point {
  const normal = cross(z[4]!, z[5]!);
  return plus(p[4]!, z[4]!, triple(minus(p[5]!, p[4]!), z[5]!, normal) / dot(normal, normal));
}

function partsOf(kinds: string, { z, p }: Axes): Part[] {
  const parallel = (i: number): boolean => Math.hypot(...cross(z[i]!, z[i + 1]!)) < PARALLEL;
  const wristAt = (i: number): Part => ({ name: "wrist", factor: ({ z }) => triple(z[i - 1]!, z[i]!, z[i + 1]!), degree: 0, words: WRIST });
  const shoulder: Factor = (axes) => triple(axes.z[0]!, axes.z[1]!, minus(wristCentre(axes), axes.p[0]!));
  const elbow = (end: (axes: Axes) => Point): Factor => (axes) => {
    const { z, p } = axes;
    const line = minus(end(axes), p[1]!);
    // Axis 1 may point downwards in frame 0; the axis of an arm on a wall defines "up" itself.
    const upwards = (z[0]![2] < -PARALLEL ? -1 : 1) * triple(z[0]!, z[1]!, line);
    return -Math.sign(upwards || 1) * triple(z[1]!, minus(p[2]!, p[1]!), line);
  };
  if (kinds === "RRRRRRR")
    return [
      { name: "shoulder", factor: ({ z }) => triple(z[0]!, z[1]!, z[2]!), degree: 0, words: SHOULDER },
      { name: "elbow", factor: ({ z }) => triple(z[2]!, z[3]!, z[4]!), degree: 0, words: ["up", "down"] },
      wristAt(5),
    ];
  if (kinds === "RRRRRR" && !parallel(0) && parallel(1) && !parallel(4)) {
    const ur = parallel(2);
    return [
      { name: "shoulder", factor: shoulder, degree: 1, words: SHOULDER },
      { name: "elbow", factor: elbow(ur ? ({ p }) => p[3]! : wristCentre), degree: 2, words: ["up", "down"] },
      wristAt(4),
    ];
  }
  if (kinds === "RRPRRR" && !parallel(0) && !parallel(4))
    return [{ name: "shoulder", factor: shoulder, degree: 1, words: SHOULDER }, wristAt(4)];
  // Axes 1 and 2 are parallel: arms SCARA and arms in a plane, whose elbow is right or left of the line to the wrist, or
  // to the end of an arm without a wrist.
  const wristless = kinds === "RR" && Math.hypot(...minus(p[2]!, p[1]!)) > 0;
  if ((wristless || /^RR[RP]{1,2}$/.test(kinds)) && parallel(0))
    return [
      { name: "elbow", factor: ({ z, p }) => triple(z[0]!, minus(p[1]!, p[0]!), minus(p[2]!, p[1]!)), degree: 2, words: ["right", "left"] },
    ];
  return [];
}

/** Return the names, with numbers in the order of their places where several are equal or empty. */
export function distinct(names: readonly string[], otherwise: string, places: readonly number[]): string[] {
  return names.map((name, k) => {
    if (!name) return `${otherwise} ${places[k]! + 1}`;
    const same = places.filter((_, i) => names[i] === name).sort((a, b) => a - b);
    return same.length > 1 ? `${name} (${same.indexOf(places[k]!) + 1})` : name;
  });
}
