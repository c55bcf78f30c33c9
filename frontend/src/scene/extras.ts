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
