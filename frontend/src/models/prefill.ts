// Default input values: joint positions of the posture, zero velocities, identity rotations.

import type { InputData, View } from "../backend/messages";

export interface State {
  q: ArrayLike<number>;
  qd?: ArrayLike<number>;
  qdd?: ArrayLike<number>;
}

/** Entries q3, qd3, qdd3, those of motors behind springs (qm3), and q0_3, the initial estimate of inverse models. */
const JOINT = /^q(?:m)?(dd|d|0_)?(\d+)$/;

export const isJoint = (entry: string): boolean => JOINT.test(entry);

/** Whether an entry is the velocity or acceleration of a joint. */
export const isRate = (entry: string): boolean => /^q(?:m)?dd?\d+$/.test(entry);

/** Return the default values of an input for a state of the joints; `pose` is used for an input transform. */
export function prefill(
  name: string,
  { shape, entries }: InputData,
  joints: View["joints"],
  state: State,
  pose?: ArrayLike<number>,
): number[] {
  if (shape.length === 2 && shape[0] === shape[1] && (name === "T" || name === "R0")) {
    const side = shape[0]!;
    const given = side === 4 ? pose : undefined;
    return entries.map((_, at) => given?.[at] ?? (at % (side + 1) === 0 ? 1 : 0));
  }
  if (name === "Q0") return [1, 0, 0, 0];
  return entries.map((entry) => {
    const match = JOINT.exec(entry);
    if (!match) return 0;
    const at = joints.findIndex((joint) => joint.frame === Number(match[2]));
    const row = match[1] === "d" ? state.qd : match[1] === "dd" ? state.qdd : state.q;
    return row?.[at] ?? 0;
  });
}

/**
 * Sample values for symbolic inertias, of the order of those of an industrial arm, because zeros give trivial results.
 */
const SAMPLES: [RegExp, number][] = [
  [/^(XX|YY|ZZ)R?\d+$/, 0.1],
  [/^(XY|XZ|YZ)R?\d+$/, 0.005],
  [/^M[XYZ]R?\d+$/, 0.1],
  [/^M\d+$/, 2],
  [/^IA\d+$/, 0.05],
  [/^FV\d+$/, 0.2],
  [/^FS\d+$/, 0.3],
  [/^G3$/, -9.81],
];

/** Return sample values for parameters that are zero and have no nominal value; others are unchanged. */
export function sampleValues(
  names: readonly string[],
  parameters: Record<string, number>,
  nominal: Record<string, number>,
): Record<string, number> {
  const values: Record<string, number> = {};
  for (const name of names) {
    const sample = SAMPLES.find(([pattern]) => pattern.test(name));
    if (sample && !(name in nominal) && !parameters[name]) values[name] = sample[1];
  }
  return values;
}

/** Return all joint positions of one solution: a row of the output q, and of qc where it exists. */
export function solution(
  { joints, coordinates }: Pick<View, "joints" | "coordinates">,
  now: readonly number[],
  outputs: Record<string, ArrayLike<number>>,
  row: number,
): number[] {
  const opened = joints.filter((joint) => joint.opened);
  return joints.map((joint, j) => {
    const at = coordinates.indexOf(joint.frame);
    if (at >= 0) return outputs.q?.[row * coordinates.length + at] ?? now[j]!;
    return (joint.opened ? outputs.qc?.[row * opened.length + opened.indexOf(joint)] : undefined) ?? now[j]!;
  });
}
