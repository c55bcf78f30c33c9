// Where posture and parameters begin: with what the robot brings, or with what the robot before had where they fit.

import type { View } from "../back/view";

const LENGTHS: ReadonlySet<string> = new Set(["b", "d", "r"]);
const A_LENGTH = 0.5;

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

/** Symbols that stand alone in a cell of a length: without a value there would be nothing to see. */
function lengthSymbols(view: View): Set<string> {
  const found = new Set<string>();
  for (const table of view.tables) {
    table.columns.forEach((column, c) => {
      if (table.part !== "frame" || !LENGTHS.has(column)) return;
      for (const row of table.rows) found.add((row.cells[c] ?? "").replace(/^-/, ""));
    });
  }
  return found;
}

export function firstParameters(view: View): Record<string, number> {
  const lengths = lengthSymbols(view);
  return Object.fromEntries(
    view.symbols.map((name) => [name, view.nominal[name] ?? (lengths.has(name) ? A_LENGTH : 0)]),
  );
}

/** Parameters of a robot that was edited: what a slider set stays, unless the nominal value was edited. */
export function carriedParameters(
  next: View,
  before: View,
  parameters: Record<string, number>,
): Record<string, number> {
  const first = firstParameters(next);
  for (const name of next.symbols) {
    const kept = parameters[name];
    if (kept !== undefined && next.nominal[name] === before.nominal[name]) first[name] = kept;
  }
  return first;
}
