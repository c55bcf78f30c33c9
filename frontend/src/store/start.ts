// Initial posture and parameters: those of the robot, or those of the previous robot where they fit.

import type { View } from "../backend/messages";

/** Return the first posture of a robot; coordinates that it does not contain are zero. */
export function firstPosture(view: View): number[] {
  const named = Object.values(view.postures).find((values) => values.length === view.coordinates.length) ?? [];
  const values = new Map(view.coordinates.map((j, i) => [j, named[i] ?? 0]));
  return view.joints.map((joint) => values.get(joint.frame) ?? 0);
}

/** Whether two robots have the same joints in the same order, so that a motion of one is a motion of the other. */
export function sameJoints(one: View, other: View): boolean {
  return one.joints.length === other.joints.length && one.joints.every(({ frame, kind }, k) => frame === other.joints[k]!.frame && kind === other.joints[k]!.kind);
}

/** Return the posture after an edit; joints keep their values by name. */
export function updatedPosture(next: View, before: View, q: number[]): number[] {
  const old = new Map(before.joints.map((joint, i) => [joint.name, q[i] ?? 0]));
  return next.joints.map((joint) => old.get(joint.name) ?? 0);
}

/** Return the parameters after an edit; slider values remain unless the nominal value was edited. */
export function updatedParameters(
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

/** Keep the visual shapes of a URDF, which the robot's document does not contain, while the frames are unchanged. */
export function withVisuals(next: View, before: View): View {
  if (next.visuals || !before.visuals || next.sizes.NF !== before.sizes.NF) return next;
  return { ...next, visuals: before.visuals };
}
