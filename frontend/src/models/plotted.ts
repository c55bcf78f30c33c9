// What is plotted along a motion: which model, and which curves are made of its outputs.

import type { View } from "../back/messages";
import type { Curve } from "../plot/chart";
import { evaluateAlong, size, type Program, type Values } from "./evaluate";
import type { Sampled } from "./motion";
import { isJoint, prefill } from "./prefill";
import { singularValues } from "./svd";

export interface Kind {
  id: string;
  title: string;
  /** The model of the catalogue; null is the one that is shown. */
  model: string | null;
  curves: (values: Values, program: Program, samples: number) => Curve[];
}

const MOST = 24; // curves that an eye can tell apart, and more

/** All entries of all outputs; where they are too many, those that are zero throughout are left out first. */
export function entries(
  outputs: Values,
  { module }: Program,
  samples: number,
  names: string[] = Object.keys(module.OUTPUTS),
): Curve[] {
  const curves: Curve[] = [];
  for (const name of names) {
    const shape = module.OUTPUTS[name] ?? [];
    const width = size(shape);
    for (let at = 0; at < width; at++) {
      const values = Array.from({ length: samples }, (_, i) => outputs[name]![i * width + at]!);
      curves.push({ label: label(name, shape, at), values });
    }
  }
  if (curves.length <= MOST) return curves;
  return curves.filter(({ values }) => values.some((value) => value !== 0)).slice(0, MOST);
}

/** An entry's name: tau3, J2,4. */
function label(name: string, shape: readonly number[], at: number): string {
  const index: number[] = [];
  for (const length of [...shape].reverse()) {
    index.unshift((at % length) + 1);
    at = Math.floor(at / length);
  }
  return name + index.join(",");
}

/** The torques alone; an elastic or floating robot gives accelerations too. */
function torques(outputs: Values, program: Program, samples: number): Curve[] {
  return entries(outputs, program, samples, ["tau"]);
}

/** Inputs that a motion of the joints does not tell: they are held at rest. */
export function heldInputs({ inputs }: Program): string[] {
  return Object.entries(inputs).flatMap(([name, input]) => (input.entries.every(isJoint) ? [] : [name]));
}

function energies(outputs: Values): Curve[] {
  const E = Array.from(outputs.E!);
  const U = Array.from(outputs.U!);
  return [
    { label: "kinetic", values: E },
    { label: "potential", values: U },
    { label: "total", values: E.map((value, i) => value + U[i]!) },
  ];
}

function singular(outputs: Values, { module }: Program, samples: number): Curve[] {
  const [rows, columns] = module.OUTPUTS.J as [number, number];
  const width = rows * columns;
  const values = Array.from({ length: samples }, (_, i) =>
    singularValues(outputs.J!.subarray(i * width, (i + 1) * width), rows, columns),
  );
  const few = Math.min(rows, columns);
  return Array.from({ length: few }, (_, s) => ({ label: `σ${s + 1}`, values: values.map((row) => row[s]!) }));
}

export const KINDS: Kind[] = [
  { id: "torques", title: "Torques", model: "inverse-dynamics", curves: torques },
  { id: "energy", title: "Energy", model: "energy", curves: energies },
  { id: "singular", title: "Singular values of J", model: "jacobian", curves: singular },
  { id: "this", title: "This model", model: null, curves: entries },
];

/** The curves of a program along a motion. */
export function curvesAlong(
  kind: Kind,
  program: Program,
  motion: Sampled,
  joints: View["joints"],
  parameters: Record<string, number>,
): Curve[] {
  const samples = motion.times.length;
  const inputs = Object.fromEntries(
    Object.entries(program.inputs).map(([name, input]) => [
      name,
      motion.times.map((_, i) =>
        prefill(name, input, joints, { q: motion.q[i]!, qd: motion.qd[i], qdd: motion.qdd[i] }),
      ),
    ]),
  );
  return kind.curves(evaluateAlong(program.module, samples, inputs, parameters), program, samples);
}

