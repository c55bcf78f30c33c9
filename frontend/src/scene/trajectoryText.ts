// The text of a trajectory, and the lines that the form adds to it.

import type { View } from "../backend/messages";

export const PARTS = ["joints", "via", "line", "circle", "fourier", "hold"] as const;
export type PartKind = (typeof PARTS)[number];
/** Kinds of parts that the form adds; an excitation replaces the text. */
export const PART_KINDS = [...PARTS, "excitation"] as const;
export type FormKind = (typeof PART_KINDS)[number];

/** Fields of a segment: texts with numbers separated by commas. */
export type Fields = Record<string, string>;

const shown = (x: number): string => String(+x.toFixed(6));
const listed = (row: number[]): string => row.map(shown).join(", ");

function places(view: View): number[] {
  return view.coordinates.map((frame) => view.joints.findIndex((joint) => joint.frame === frame));
}

/** Return the indices in view.joints of the joints that a trajectory defines (the active joints). */
export function activeJoints(view: View): number[] {
  return places(view).filter((k) => view.joints[k]!.active);
}

/** Return the indices of the joints whose torques a simulation takes, including passive joints of open structures. */
export function simulatedJoints(view: View): number[] {
  return view.loops.length || view.wheels.length ? activeJoints(view) : places(view);
}

/** Return the posture that selects the assembly mode for a table without all joints; null if not needed. */
export function assemblyPosture(view: View, q: number[], text: string): number[] | null {
  const head = text.split("\n").find((one) => one.trim() && !one.trim().startsWith("#")) ?? "";
  const names = head.split(/[,;\t]/).map((name) => name.trim());
  if (!view.loops.length || !["t", "time"].includes(names[0]!)) return null;
  return view.coordinates.every((frame) => names.includes(`q${frame}`)) ? null : places(view).map((k) => q[k] ?? 0);
}

export function activePositions(view: View, q: number[]): number[] {
  return activeJoints(view).map((k) => q[k] ?? 0);
}

/** Return the text of a trajectory that starts in a posture and has no segments. */
export function newTrajectory(view: View, q: number[]): string {
  const start = view.coordinates.map((frame) => q[view.joints.findIndex((joint) => joint.frame === frame)] ?? 0);
  return `symoro-trajectory: 1\nname: ${/^[A-Za-z][\w-]*$/.test(view.name) ? view.name : "motion"}\nstart: [${listed(start)}]\nparts:\n`;
}

/** Return the default fields of a segment. */
export function defaultFields(kind: PartKind, view: View, q: number[], place: number[], reach: number): Fields {
  const now = listed(activePositions(view, q));
  const step = shown(+(0.1 * reach).toPrecision(1));
  switch (kind) {
    case "joints":
      return { to: now, duration: "1" };
    case "via":
      return { points: now, times: "1" };
    case "line":
      return { by: `0, 0, ${step}`, duration: "1" };
    case "circle":
      return { centre: listed([place[0]!, place[1]! + Number(step), place[2]!]), normal: "0, 0, 1", angle: "2*pi", duration: "2" };
    case "fourier":
      return { offset: now, velocity: "0.5", frequency: "0.25" };
    case "hold":
      return { seconds: "0.5" };
  }
}

/**
 * Return the line of a segment. A Fourier series has amplitudes a, -a in its first two harmonics, so it starts at rest.
 */
export function line(kind: PartKind, fields: Fields): string {
  const row = (name: string): string => `[${(fields[name] ?? "").trim()}]`;
  const one = (name: string): string => (fields[name] ?? "").trim();
  switch (kind) {
    case "joints":
      return `  - {joints: ${row("to")}, duration: ${one("duration")}}`;
    case "via": {
      const points = one("points").split(";").map((point) => `[${point.trim()}]`);
      return `  - {via: [${points.join(", ")}], times: ${row("times")}}`;
    }
    case "line":
      return `  - {line: {by: ${row("by")}}, duration: ${one("duration")}}`;
    case "circle":
      return `  - {circle: {centre: ${row("centre")}, normal: ${row("normal")}, angle: ${one("angle")}}, duration: ${one("duration")}}`;
    case "fourier": {
      const count = one("offset").split(",").length;
      const rows = (text: string): string => `[${Array.from({ length: count }, () => text).join(", ")}]`;
      const a = one("velocity");
      return `  - {fourier: {frequency: ${one("frequency")}, offset: ${row("offset")}, sine: ${rows(`[${a}, -(${a})]`)}, cosine: ${rows("[0, 0]")}}}`;
    }
    case "hold":
      return `  - {hold: ${one("seconds")}}`;
  }
}

/** Return the text with one more segment at its end. */
export function withPart(text: string, part: string): string {
  return `${text.replace(/\s*$/, "")}\n${part}\n`;
}
