// Joint motion with velocities and accelerations, for the evaluation of models along it.

import type { View } from "../backend/messages";
import type { Motion } from "../scene/scene";
import { evaluate, type Program } from "./evaluate";
import { prefill, solution } from "./prefill";

export interface SampledMotion {
  times: number[];
  q: number[][];
  qd: number[][];
  qdd: number[][];
}

/** Statuses of closed loops: valid and singular, as in a flat parallelogram. */
const CLOSED: readonly unknown[] = [0, 2];

const SECONDS = 4;
const SAMPLES = 401;

/**
 * Return the default motion: each joint oscillates about the posture within its limits, with a common period of 4 s.
 */
export function defaultMotion(joints: View["joints"], posture: ArrayLike<number>): SampledMotion {
  const times = Array.from({ length: SAMPLES }, (_, i) => (SECONDS * i) / (SAMPLES - 1));
  const swings = joints.map(({ kind, lower, upper }, j) => {
    const free = kind === "R" ? 0.5 : 0.1;
    const amplitude = lower !== null && upper !== null ? Math.min(free, Math.max(0, (upper - lower) / 4)) : free;
    const middle = Math.min(
      Math.max(posture[j] ?? 0, (lower ?? -Infinity) + amplitude),
      (upper ?? Infinity) - amplitude,
    );
    return { middle, amplitude, rate: (2 * Math.PI * (1 + (j % 3))) / SECONDS };
  });
  const rows = (of: (swung: (typeof swings)[number], time: number) => number): number[][] =>
    times.map((time) => swings.map((swung) => of(swung, time)));
  return {
    times,
    q: rows(({ middle, amplitude, rate }, t) => middle + amplitude * Math.sin(rate * t)),
    qd: rows(({ amplitude, rate }, t) => amplitude * rate * Math.cos(rate * t)),
    qdd: rows(({ amplitude, rate }, t) => -amplitude * rate * rate * Math.sin(rate * t)),
  };
}

/** Return velocities and accelerations by finite differences: the parabola through each sample and its neighbours. */
export function differentiated({ times, q }: Motion): SampledMotion {
  const last = times.length - 1;
  const derived = (order: 1 | 2): number[][] =>
    q.map((row, i) => {
      if (last < 2) return row.map(() => 0);
      const at = Math.min(Math.max(i, 1), last - 1);
      const [a, b, c] = [times[at - 1]!, times[at]!, times[at + 1]!];
      const t = times[i]!;
      return row.map((_, j) => {
        const ab = (q[at]![j]! - q[at - 1]![j]!) / (b - a);
        const bc = (q[at + 1]![j]! - q[at]![j]!) / (c - b);
        const bend = (bc - ab) / (c - a);
        return order === 2 ? 2 * bend : ab + bend * (2 * t - a - b);
      });
    });
  const qdd = derived(2);
  // The second derivative of a parabola is constant; at both ends it is extrapolated linearly from the next two
  // samples.
  if (last > 2)
    for (const [end, one, two] of [[0, 1, 2], [last, last - 1, last - 2]] as const) {
      const share = (times[end]! - times[one]!) / (times[two]! - times[one]!);
      qdd[end] = qdd[one]!.map((value, j) => value + share * (qdd[two]![j]! - value));
    }
  return { times: [...times], q, qd: derived(1), qdd };
}

/**
 * Return the motion with its loops closed in the assembly mode nearest to the previous sample; NaN if they cannot
 * close.
 */
export function closed(
  motion: Motion,
  view: Pick<View, "joints" | "coordinates">,
  loops: Program,
  parameters: Record<string, number>,
): Motion {
  const { joints } = view;
  const modes = loops.module.OUTPUTS.q?.[0] ?? 0;
  let before = motion.q[0] ?? [];
  const q = motion.q.map((row) => {
    const start = before.map((value, j) => (joints[j]?.active ? row[j]! : value));
    const inputs = Object.fromEntries(
      Object.entries(loops.inputs).map(([name, input]) => [name, prefill(name, input, joints, { q: start })]),
    );
    const outputs = evaluate(loops.module, inputs, parameters);
    const valid = Array.from({ length: modes }, (_, mode) => mode).filter((mode) => CLOSED.includes(outputs.status?.[mode]));
    const assembly = nearest(valid.map((mode) => solution(view, start, outputs, mode)), before, joints);
    if (!assembly) return row.map((value, j) => (joints[j]?.active ? value : Number.NaN));
    before = assembly;
    return assembly;
  });
  return { times: motion.times, q };
}

const TURN = 2 * Math.PI;

/** Return the row nearest to a reference row; angles are shifted by full turns. */
function nearest(rows: number[][], to: number[], joints: View["joints"]): number[] | undefined {
  const brought = rows.map((row) =>
    row.map((value, j) =>
      joints[j]?.kind === "R" ? value + TURN * Math.round((to[j]! - value) / TURN) : value,
    ),
  );
  const away = (row: number[]): number => row.reduce((sum, value, j) => sum + (value - to[j]!) ** 2, 0);
  return brought.reduce<number[] | undefined>((best, row) => (!best || away(row) < away(best) ? row : best), undefined);
}
