// Joints as the sliders show them: ranges, units, named postures, random postures.

import type { BodyView, JointView, View } from "../backend/messages";

export interface Range {
  lower: number;
  upper: number;
  /** Whether the robot defines both limits. */
  own: boolean;
}

const TURN = 180 / Math.PI;
/** rad or m; a posture at a limit exceeds it by less, because of rounding errors in the conversion from degrees. */
const AT_LIMIT = 1e-9;

/** Return the limits of a joint; without limits a full turn, or the robot's size about the reference posture. */
export function range(joint: JointView, reach: number, about = 0): Range {
  const most = joint.kind === "P" ? reach : Math.PI;
  const middle = joint.kind === "P" ? about : 0;
  return {
    lower: joint.lower ?? Math.min(middle - most, (joint.upper ?? Infinity) - most),
    upper: joint.upper ?? Math.max(middle + most, (joint.lower ?? -Infinity) + most),
    own: joint.lower !== null && joint.upper !== null,
  };
}

/** Return the place of a joint position on its slider: that of a joint that turns without limits repeats with each turn. */
export function onSlider(joint: JointView, value: number): number {
  const endless = joint.kind === "R" && joint.lower === null && joint.upper === null;
  return endless && Math.abs(value) > Math.PI ? value - 2 * Math.PI * Math.round(value / (2 * Math.PI)) : value;
}

/** Whether a value is within the joint limits of the robot. */
export function within(joint: JointView, value: number): boolean {
  return value >= (joint.lower ?? -Infinity) - AT_LIMIT && value <= (joint.upper ?? Infinity) + AT_LIMIT;
}

/** Return the unit in which positions of a joint are compared: one radian, or the size of the robot. */
export function scaleOf(joint: JointView, size: number): number {
  return joint.kind === "P" ? size : 1;
}

/** Return a posture without special angles: positions in radians, or relative to the size of the robot. */
export function genericPosture(view: View, size: number): number[] {
  return view.joints.map((joint, k) => (0.31 + 0.173 * k) * scaleOf(joint, size));
}

export function toShown(joint: JointView, value: number, degrees: boolean): number {
  return degrees && joint.kind === "R" ? value * TURN : value;
}

export function fromShown(joint: JointView, shown: number, degrees: boolean): number {
  return degrees && joint.kind === "R" ? shown / TURN : shown;
}

export function unit(joint: JointView, degrees: boolean): string {
  return joint.kind === "P" ? "m" : degrees ? "°" : "rad";
}

/** Return a number with a fixed number of decimals; zero has no sign. */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? (0).toFixed(decimals) : text;
}

/** Return the number of decimals of joint positions: 0.1 degrees, 0.001 rad, and 1 mm or less for smaller robots. */
export function decimals(joint: JointView, size: number, degrees: boolean): number {
  if (joint.kind === "R") return degrees ? 1 : 3;
  return clamp(2 - Math.floor(Math.log10(size)), 3, 12);
}

/** Return the number of decimals of the coordinates of a point: 0.1 mm, less for smaller robots, more above 100 m. */
export function pointDecimals(size: number): number {
  const exponent = Math.floor(Math.log10(size));
  return clamp(Math.max(2 - exponent, Math.min(4, 5 - exponent)), 0, 12);
}

/** Return a joint position in the unit of the page as text; `more` is a number of additional decimals. */
export function shownText(joint: JointView, value: number, degrees: boolean, size: number, more = 0): string {
  return fixed(toShown(joint, value, degrees), decimals(joint, size, degrees) + more);
}

/** Return the indices in view.joints of the independent joints, in the order of view.coordinates. */
export function coordinateIndices(view: View): number[] {
  return view.coordinates.map((j) => view.joints.findIndex((joint) => joint.frame === j));
}

export function cutJointIndices(view: View): number[] {
  return view.joints.flatMap((joint, k) => (joint.opened ? [k] : []));
}

/** Return the joints that the user moves: the active ones if loops are closed, otherwise all that are not coupled. */
export function freeJoints(view: View, broken: boolean): number[] {
  const own = coordinateIndices(view);
  if (!view.loops.length) return own;
  return broken ? [...own, ...cutJointIndices(view)] : own.filter((k) => view.joints[k]!.active);
}

/** Return the variables of all joints of a named posture (one number per coordinate). */
export function named(view: View, posture: number[]): number[] {
  const q = view.joints.map(() => 0);
  coordinateIndices(view).forEach((k, i) => (q[k] = posture[i] ?? 0));
  return q;
}

function railOf(view: View, frame: number): BodyView | undefined {
  return view.bodies.parts.find((part) => part.shape === "rail" && part.frame === frame);
}

/**
 * Return the initial posture: 'home', the first named posture, or all joints at zero within limits. Without a named
 * posture, the carriages of rails without limits are in the middle of the drawn rails, so that they do not coincide.
 */
export function home(view: View): number[] {
  const posture = view.postures["home"] ?? Object.values(view.postures)[0];
  if (posture) return named(view, posture);
  return view.joints.map((joint) => {
    const rail = view.loops.length || joint.lower !== null || joint.upper !== null ? undefined : railOf(view, joint.frame);
    return rail ? (rail.high - rail.low) / 2 : clamp(0, joint.lower ?? -Infinity, joint.upper ?? Infinity);
  });
}

export function clamp(value: number, lower: number, upper: number): number {
  return Math.min(Math.max(value, lower), upper);
}

/** Return random values of the free joints within their limits; `share` scales the distance from `q`. */
export function random(
  view: View,
  q: number[],
  places: number[],
  reach: number,
  share = 1,
  chance: () => number = Math.random,
): number[] {
  const posture = [...q];
  for (const k of places) {
    const joint = view.joints[k]!;
    const { lower, upper } = range(joint, reach, q[k]);
    const target = lower + (upper - lower) * chance();
    posture[k] = q[k]! + share * (target - q[k]!);
  }
  return posture;
}
