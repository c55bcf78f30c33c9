// Motions to be played: one sinusoid per joint, or the rows of a CSV file.

import type { JointView } from "../backend/messages";
import type { Motion } from "./scene";

export interface Wave {
  amplitude: number;
  /** Hertz. */
  frequency: number;
  /** Radians. */
  phase: number;
}

/** Return the motion q(t) = centre + A sin(2 pi f t + phase) of the joints that have a wave. */
export function sinusoid(centre: number[], waves: Map<number, Wave>, seconds: number, rate = 30): Motion {
  const count = Math.max(2, Math.round(seconds * rate) + 1);
  const times = Array.from({ length: count }, (_, i) => (seconds * i) / (count - 1));
  const q = times.map((t) =>
    centre.map((value, k) => {
      const wave = waves.get(k);
      return wave ? value + wave.amplitude * Math.sin(2 * Math.PI * wave.frequency * t + wave.phase) : value;
    }),
  );
  return { times, q };
}

export function duration(motion: Motion): number {
  return motion.times.length ? motion.times.at(-1)! - motion.times[0]! : 0;
}

/** Return the posture at a time by linear interpolation; constant before the first and after the last row. */
export function sample({ times, q }: Motion, time: number): number[] {
  return interpolated(times, q, time);
}

/** Return the modal coordinates of flexible links at a time; null if the motion has none. */
export function modesAt({ times, modes }: Motion, time: number): number[] | null {
  return modes?.length ? interpolated(times, modes, time) : null;
}

/** Return the torques at a time; null if the motion has none. */
export function torquesAt({ times, efforts }: Motion, time: number): number[] | null {
  if (!efforts?.tau.length) return null;
  return interpolated(times, efforts.tau.map((row) => row.map((value) => value ?? 0)), time);
}

function interpolated(times: number[], q: number[][], time: number): number[] {
  let low = 0;
  let high = times.length - 1;
  if (time <= times[low]!) return q[low]!;
  if (time >= times[high]!) return q[high]!;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  const share = (time - times[low]!) / (times[high]! - times[low]!);
  return q[low]!.map((value, k) => value + share * (q[high]![k]! - value));
}

/** Return the pose of frame 0 at a time: that of the last row at or before it. */
export function baseAt({ times, base }: Motion, time: number): number[] | null {
  if (!base?.length) return null;
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  return base[times[high]! <= time ? high : low] ?? null;
}

export class CsvError extends Error {
  constructor(readonly line: number, message: string) {
    super(`line ${line}: ${message}`);
  }
}

/** Names of log columns that are not positions. */
const OTHERS = /^(qd|qdd|tau|power|r)\d+$/i;

/**
 * Parse rows "time, q1, ..."; columns are named after joints, or q and the number of their frame. Velocities, torques
 * and similar columns are ignored, and so are lines that start with #.
 */
export function parseCsv(text: string, joints: JointView[], from: number[]): Motion {
  const lines = text.split(/\r\n|\n|\r/);
  const empty = (line: string): boolean => line.trim() === "" || line.trimStart().startsWith("#");
  const head = lines.findIndex((line) => !empty(line));
  if (head < 0) throw new CsvError(1, "the file is empty; expected a header such as time,q1,q2");
  const separator = [",", ";", "\t"].find((one) => lines[head]!.includes(one)) ?? ",";
  const names = lines[head]!.replace(/^\uFEFF/, "").split(separator).map((name) => name.trim().replace(/^"|"$/g, ""));
  if (!/^(t|time)\b/i.test(names[0]!))
    throw new CsvError(head + 1, `the first column must be the time; expected 'time', got '${names[0]!.slice(0, 40)}'`);
  const others = (name: string): boolean => OTHERS.test(name) && !joints.some((joint) => joint.name === name);
  const places = names.slice(1).map((name) => (others(name) ? null : placeOf(name, joints, head + 1)));
  if (places.every((place) => place === null)) throw new CsvError(head + 1, "no column belongs to a joint");
  const twice = places.findIndex((place, i) => place !== null && places.indexOf(place) !== i);
  if (twice >= 0) throw new CsvError(head + 1, `joint '${names[twice + 1]}' has two columns`);
  const motion: Motion = { times: [], q: [] };
  for (let i = head + 1; i < lines.length; i++) {
    if (empty(lines[i]!)) continue;
    const cells = lines[i]!.split(separator).map((cell) => cell.trim());
    if (cells.length !== names.length)
      throw new CsvError(i + 1, `expected ${names.length} numbers, got ${cells.length}`);
    const row = cells.map((cell, c) => (c > 0 && places[c - 1] === null ? 0 : number(cell, names[c]!, i + 1)));
    const before = motion.times.at(-1);
    if (before !== undefined && row[0]! <= before)
      throw new CsvError(i + 1, `times must increase; ${row[0]} follows ${before}`);
    const q = [...from];
    places.forEach((place, c) => {
      if (place !== null) q[place] = row[c + 1]!;
    });
    motion.times.push(row[0]!);
    motion.q.push(q);
  }
  if (motion.times.length < 2) throw new CsvError(lines.length, "a motion needs at least two rows");
  return motion;
}

function placeOf(name: string, joints: JointView[], line: number): number {
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const index = joints.findIndex((joint) => same(joint.name, name) || same(`q${joint.frame}`, name));
  if (index < 0) {
    const known = joints.map((joint) => joint.name).slice(0, 8).join(", ");
    throw new CsvError(line, `there is no joint named '${name.slice(0, 40)}'; expected one of ${known}`);
  }
  return index;
}

function number(cell: string, name: string, line: number): number {
  const value = cell === "" ? NaN : Number(cell);
  if (!Number.isFinite(value)) throw new CsvError(line, `${name}: expected a number, got '${cell.slice(0, 40)}'`);
  return value;
}
