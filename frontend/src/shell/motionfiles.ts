// Recognise motions among dropped files: trajectories, joint positions, logs with torques.

import type { DroppedMotion, LogFiles } from "../store/store";

export interface TextFile {
  name: string;
  text: string;
}

/** Number of rows that a robot's table (one row per frame) does not reach. */
const MOST_FRAMES = 300;

/** Return the names in the first line of a table. */
function columnsOf(text: string): string[] {
  const head = text.split(/\r\n|\n|\r/, 50).find((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  return (head ?? "").replace(/^\uFEFF/, "").split(/[,;\t]/).map((column) => column.trim().replace(/^"|"$/g, ""));
}

/** Return the kind of a text, determined from its first lines. */
export function kindOf({ name, text }: TextFile): "description" | "trajectory" | "log" | "rows" | "table" | null {
  if (/\.ya?ml$/i.test(name)) {
    if (/^symoro-log\s*:/m.test(text)) return "description";
    return /^symoro-trajectory\s*:/m.test(text) ? "trajectory" : null;
  }
  if (!/\.(csv|txt)$/i.test(name)) return null;
  const names = columnsOf(text);
  if (!names.some((column) => /^(t|time)$/i.test(column))) return "table";
  if (names.some((column) => /^tau\d+$/i.test(column))) return "log";
  return /^(t|time)$/i.test(names[0]!) && names.length > 1 ? "rows" : "table";
}

/** Return a motion or log among the files; null if they are something else, such as a robot's table. */
export function motionIn(files: TextFile[]): { given: DroppedMotion } | { log: LogFiles } | null {
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
  if (rows) return { given: { kind: "rows", text: rows.text } };
  const long = of("table").filter(({ text }) => text.split(/\r\n|\n|\r/, MOST_FRAMES + 1).length > MOST_FRAMES);
  if (!long.length) return null;
  return { log: { files: Object.fromEntries(long.map(({ name, text }) => [name, text])), description: drafted(long) } };
}

/** Return a description of a log, with known entries filled in and the others left to the user. */
function drafted(files: TextFile[]): string {
  const lines = ["symoro-log: 1", "rate: 1000  # samples per second"];
  const [first, second] = files;
  if (second) {
    const torques = files.find(({ name }) => /cur|tor|tau|force|effort/i.test(name)) ?? second;
    const positions = files.find((file) => file !== torques) ?? first!;
    for (const [kind, { name, text }] of [["position", positions], ["torque", torques]] as const)
      lines.push(`${kind}: {file: ${name}, columns: [${columnsOf(text).join(", ")}]}`);
  } else {
    lines.push(`# columns of ${first!.name}: ${columnsOf(first!.text).join(", ")}`);
    lines.push("position: {columns: [], unit: rad}", "torque: {columns: [], unit: N.m}");
  }
  return `${lines.join("\n")}\n`;
}
