// Which of the files that were dropped tell a motion: trajectories, rows of joints, logs with torques.

import type { Given, Logged } from "../store/store";

export interface TextFile {
  name: string;
  text: string;
}

/** What a text is by its first lines. */
export function kindOf({ name, text }: TextFile): "description" | "trajectory" | "log" | "rows" | "table" | null {
  if (/\.ya?ml$/i.test(name)) {
    if (/^symoro-log\s*:/m.test(text)) return "description";
    return /^symoro-trajectory\s*:/m.test(text) ? "trajectory" : null;
  }
  if (!/\.(csv|txt)$/i.test(name)) return null;
  const head = text.split(/\r\n|\n|\r/, 50).find((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const names = (head ?? "").replace(/^\uFEFF/, "").split(/[,;\t]/).map((column) => column.trim().replace(/^"|"$/g, ""));
  if (!names.some((column) => /^(t|time)$/i.test(column))) return "table";
  if (names.some((column) => /^tau\d+$/i.test(column))) return "log";
  return /^(t|time)$/i.test(names[0]!) && names.length > 1 ? "rows" : "table";
}

/** A motion or a log among the files; null where they are something else, as a robot's table. */
export function motionIn(files: TextFile[]): { given: Given } | { log: Logged } | null {
  const of = (kind: string): TextFile[] => files.filter((file) => kindOf(file) === kind);
  const [description] = of("description");
  const logs = description ? files.filter(({ name }) => /\.(csv|txt)$/i.test(name)) : of("log");
  if (logs.length) {
    const texts = Object.fromEntries(logs.map(({ name, text }) => [name, text]));
    return { log: { files: texts, description: description?.text ?? "" } };
  }
  const [trajectory] = of("trajectory");
  if (trajectory) return { given: { kind: "trajectory", text: trajectory.text } };
  const [rows] = of("rows");
  return rows ? { given: { kind: "rows", text: rows.text } } : null;
}
