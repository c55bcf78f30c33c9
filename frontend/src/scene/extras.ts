// Quantities derived from a view for drawing: pose of the base, corners of platforms.

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

/** Return the frames at the corners of platforms, where the legs meet on one body. */
export function platforms(view: View): number[][] {
  if (view.platform && view.platform.legs.length > 2) return [view.platform.legs.map((leg) => leg.at(-1)!)];
  const twins = new Map<number, number[]>();
  for (const loop of view.loops) {
    const ant = view.frames[loop.twin - 1]?.ant ?? 0;
    if (ant > 0) twins.set(ant, [...(twins.get(ant) ?? []), loop.twin]);
  }
  return [...twins].filter(([, frames]) => frames.length > 1).map(([ant, frames]) => [carrying(view, ant), ...frames]);
}

/** Return the last moving joint before a frame; the first leg carries the body mounted there. */
function carrying(view: View, frame: number): number {
  let j = frame;
  while (view.frames[j - 1]?.kind === "F" && view.frames[j - 1]!.ant > 0) j = view.frames[j - 1]!.ant;
  return j;
}
