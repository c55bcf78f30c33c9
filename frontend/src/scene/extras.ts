// What a view may tell of a robot besides its frames, for those who draw it.

import type { View } from "../back/view";

export interface WheelView {
  frame: number;
  kind: string;
  /** At the default values. */
  radius: number | null;
  /** The parameter that the radius is, where it is one. */
  symbol?: string | null;
}

export interface PlatformView {
  frame: number;
  /** The frames of each leg, from the base outward. */
  legs: number[][];
}

/** The look of a link: a mesh or a simple solid, placed in a frame (0 is the base). */
export interface Visual {
  frame: number;
  shape: "mesh" | "box" | "cylinder" | "sphere";
  /** Edges of a box; radius and length of a cylinder; radius of a sphere. */
  size: number[];
  file: string | null;
  scale: number[];
  xyz: number[];
  rpy: number[];
  color: number[] | null;
}

export type Drawn = View & {
  wheels?: WheelView[];
  platform?: PlatformView | null;
  visuals?: Visual[];
};

export function radiusOf(wheel: WheelView, parameters: Record<string, number>): number | null {
  return (wheel.symbol ? parameters[wheel.symbol] : undefined) ?? wheel.radius;
}

/** A number, a symbol or minus a symbol; null where it is a longer formula. */
export function numberOf(text: string, parameters: Record<string, number>): number | null {
  text = text.trim();
  if (text === "") return null;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  if (text.startsWith("-")) {
    const found = numberOf(text.slice(1), parameters);
    return found === null ? null : -found;
  }
  return parameters[text] ?? null;
}

/** Where frame 0 stands in the world, by rows; the identity where the robot says it by formulas. */
export function location(view: View, parameters: Record<string, number>): number[] {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const table = view.tables.find((one) => one.part === "location");
  const cells = table?.rows.flatMap((row) => row.cells) ?? [];
  const numbers = cells.map((cell) => numberOf(cell, parameters));
  if (numbers.length !== 12 || numbers.some((x) => x === null)) return identity;
  return [...(numbers as number[]), 0, 0, 0, 1];
}

/** Frames at the corners of platforms: where the legs meet on one body. */
export function platforms(view: Drawn): number[][] {
  if (view.platform && view.platform.legs.length > 2) return [view.platform.legs.map((leg) => leg.at(-1)!)];
  const twins = new Map<number, number[]>();
  for (const loop of view.loops) {
    const ant = view.frames[loop.twin - 1]?.ant ?? 0;
    if (ant > 0) twins.set(ant, [...(twins.get(ant) ?? []), loop.twin]);
  }
  return [...twins].filter(([, found]) => found.length > 1).map(([ant, found]) => [carrying(view, ant), ...found]);
}

/** The last moving joint before a frame: where the first leg holds what stands on it. */
function carrying(view: View, frame: number): number {
  let j = frame;
  while (view.frames[j - 1]?.kind === "F" && view.frames[j - 1]!.ant > 0) j = view.frames[j - 1]!.ant;
  return j;
}
