// Quantities derived from a view for drawing: pose of the base, radii of wheels.

import type { View, WheelView } from "../backend/messages";

export function radiusOf(wheel: WheelView, parameters: Record<string, number>): number | null {
  return (wheel.symbol ? parameters[wheel.symbol] : undefined) ?? wheel.radius;
}

/** Return the transform world T 0 (row-major); the identity if it has no numerical value. */
export function location(view: View): number[] {
  const entries = view.location?.flat() ?? [];
  const sound = entries.length >= 12 && entries.every((x) => x !== null && Number.isFinite(x));
  if (!sound) return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  return [...(entries.slice(0, 12) as number[]), 0, 0, 0, 1];
}

/** Return the antecedent of a frame; that of the tool frame, which follows the last frame, is the link that carries it. */
export function antecedent(view: View, j: number): number {
  return view.frames[j - 1]?.ant ?? view.tool_link ?? 0;
}

/** Return the frame whose pose is used for inverse geometry: the tool frame, the platform or the last link's frame. */
export function endFrame(view: View): number {
  return view.tool ? view.frames.length + 1 : (view.platform?.frame ?? view.sizes.NL);
}

/** Whether the robot has an end effector; the last frame of a vehicle without an arm is that of a wheel. */
export function hasEnd(view: View): boolean {
  return view.wheels.every((wheel) => wheel.frame !== endFrame(view));
}

/** Return the frame whose handles are shown unless another one is selected: the end effector, or the base of a vehicle. */
export function handledFrame(view: View): number {
  return hasEnd(view) ? endFrame(view) : 0;
}

/** Return a key of all data that the transforms depend on; other edits do not need new code. */
export function geometryKey(view: View): string {
  const geometry = view.tables.find((table) => table.title === "geometry")?.rows;
  const frames = (view.robot["frames"] ?? []) as { coupled?: unknown }[];
  const coupled = frames.map((frame) => frame.coupled ?? 0);
  return JSON.stringify([view.name, geometry, coupled, view.frames, view.loops, view.robot["tool"] ?? 0]);
}
