// Joints as sliders show them: ranges, units, postures by name, random ones.

import type { JointView, View } from "../back/messages";

export interface Range {
  lower: number;
  upper: number;
  /** Whether the robot itself sets both limits. */
  own: boolean;
}

const TURN = 180 / Math.PI;

/** Limits of a joint; where the robot has none, a turn, or as far as the robot is large about where it was put. */
export function range(joint: JointView, reach: number, about = 0): Range {
  const most = joint.kind === "P" ? reach : Math.PI;
  const middle = joint.kind === "P" ? about : 0;
  return {
    lower: joint.lower ?? Math.min(middle - most, (joint.upper ?? Infinity) - most),
    upper: joint.upper ?? Math.max(middle + most, (joint.lower ?? -Infinity) + most),
    own: joint.lower !== null && joint.upper !== null,
  };
}

/** Whether a value is within the limits that the robot sets. */
export function within(joint: JointView, value: number): boolean {
  return value >= (joint.lower ?? -Infinity) - 1e-9 && value <= (joint.upper ?? Infinity) + 1e-9;
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

export function digits(joint: JointView, degrees: boolean): number {
  return joint.kind === "R" && degrees ? 1 : 3;
}

/** Places in view.joints of the joints with a coordinate of their own, in the order of view.coordinates. */
export function coordinatePlaces(view: View): number[] {
  return view.coordinates.map((j) => view.joints.findIndex((joint) => joint.frame === j));
}

export function openedPlaces(view: View): number[] {
  return view.joints.flatMap((joint, k) => (joint.opened ? [k] : []));
}

/** Joints that a user moves: the active ones where loops are closed, else all that follow no other. */
export function free(view: View, broken: boolean): number[] {
  const own = coordinatePlaces(view);
  if (!view.loops.length) return own;
  return broken ? [...own, ...openedPlaces(view)] : own.filter((k) => view.joints[k]!.active);
}

/** A named posture (one number a coordinate) as variables of all joints. */
export function named(view: View, posture: number[]): number[] {
  const q = view.joints.map(() => 0);
  coordinatePlaces(view).forEach((k, i) => (q[k] = posture[i] ?? 0));
  return q;
}

/** Where a robot is put first: its posture 'home', the first that it names, or all joints at zero within limits. */
export function home(view: View): number[] {
  const posture = view.postures["home"] ?? Object.values(view.postures)[0];
  if (posture) return named(view, posture);
  return view.joints.map((joint) => clamp(0, joint.lower ?? -Infinity, joint.upper ?? Infinity));
}

export function clamp(value: number, lower: number, upper: number): number {
  return Math.min(Math.max(value, lower), upper);
}

/** Values of the free joints anywhere within their limits, nearer to `q` the smaller `share` is. */
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
    const aim = lower + (upper - lower) * chance();
    posture[k] = q[k]! + share * (aim - q[k]!);
  }
  return posture;
}
