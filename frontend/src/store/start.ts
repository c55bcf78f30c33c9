// Where posture and parameters begin: with what the robot brings, or with what the robot before had where they fit.

import type { View } from "../back/messages";

/** A robot's first posture, which names its own coordinates; what it does not name is zero. */
export function firstPosture(view: View): number[] {
  const named = Object.values(view.postures).find((values) => values.length === view.coordinates.length) ?? [];
  const values = new Map(view.coordinates.map((j, i) => [j, named[i] ?? 0]));
  return view.joints.map((joint) => values.get(joint.frame) ?? 0);
}

/** The posture of a robot that was edited: joints keep their values by their names. */
export function carriedPosture(next: View, before: View, q: number[]): number[] {
  const old = new Map(before.joints.map((joint, i) => [joint.name, q[i] ?? 0]));
  return next.joints.map((joint) => old.get(joint.name) ?? 0);
}

/** Parameters of a robot that was edited: what a slider set stays, unless the nominal value was edited. */
export function carriedParameters(
  next: View,
  before: View,
  parameters: Record<string, number>,
): Record<string, number> {
  const first = { ...next.values };
  for (const name of next.symbols) {
    const kept = parameters[name];
    if (kept !== undefined && next.nominal[name] === before.nominal[name]) first[name] = kept;
  }
  return first;
}

/** What is drawn of a URDF is no part of a robot's document: it stays while the frames are the same. */
export function withVisuals(next: View, before: View): View {
  if (next.visuals || !before.visuals || next.sizes.NF !== before.sizes.NF) return next;
  return { ...next, visuals: before.visuals };
}
