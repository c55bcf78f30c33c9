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

/** Return the link that carries the tool: the last link unless the robot's document names another one. */
export function toolLink(view: View): number {
  const tool = view.robot["tool"] as { on?: number | string; ant?: number } | undefined;
  const on = tool?.on ?? tool?.ant;
  if (typeof on === "number") return on;
  const named = view.frames.find((frame) => frame.name === on);
  return named?.frame ?? view.sizes.NL;
}

/** Return the frame whose pose is used for inverse geometry: the tool frame, the platform or the last link's frame. */
export function endFrame(view: View): number {
  return view.tool ? view.frames.length + 1 : (view.platform?.frame ?? view.sizes.NL);
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
