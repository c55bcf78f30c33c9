// Kinds of plots along a motion: the model of each, and the curves computed from its outputs.

import type { ModelPort, View } from "../backend/messages";
import type { Curve } from "../plot/chart";
import { evaluateAlong, size, type Program, type Values } from "./evaluate";
import type { SampledMotion } from "./motion";
import { isJoint, prefill } from "./prefill";
import type { TypedValues } from "./session";
import { singularValues } from "./svd";

export interface Kind {
  id: string;
  title: string;
  /** Model of the catalogue; null is the model shown. */
  model: string | null;
  curves: (values: Values, program: Program, samples: number) => Curve[];
}

const MOST = 24; // number of curves that can still be distinguished

/** Return the curves of all entries of all outputs; if there are too many, entries that are always zero are dropped. */
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

/** Return the name of an entry: tau3, J2,4. */
function label(name: string, shape: readonly number[], at: number): string {
  const index: number[] = [];
  for (const length of [...shape].reverse()) {
    index.unshift((at % length) + 1);
    at = Math.floor(at / length);
  }
  return name + index.join(",");
}

/** Return the torque curves only; an elastic or floating robot also has accelerations among its outputs. */
function torques(outputs: Values, program: Program, samples: number): Curve[] {
  return entries(outputs, program, samples, ["tau"]);
}

/** Return the inputs that contain more than the motion of the joints; they are constant along the motion. */
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

/** Return the plotted quantity and its unit; an empty unit if the curves have none or several. */
export function quantityOf(
  kind: Kind,
  { module }: Program,
  joints: View["joints"],
  ports: readonly ModelPort[],
): { title: string; unit: string } {
  const kinds = new Set(joints.map((joint) => (joint.kind === "P" ? "N" : "N m")));
  if (kind.id === "torques") return { title: "torques", unit: [...kinds].join(", ") };
  if (kind.id === "energy") return { title: "energy", unit: "J" };
  if (kind.id === "singular") return { title: "singular values, lengths in m", unit: "" };
  const outputs = ports.filter(({ name }) => name in module.OUTPUTS);
  return outputs.length === 1 ? { title: outputs[0]!.title, unit: outputs[0]!.unit } : { title: "outputs", unit: "" };
}

/** Return the curves of a program along a motion; `typed` contains values of constant inputs. */
export function curvesAlong(
  kind: Kind,
  program: Program,
  motion: SampledMotion,
  joints: View["joints"],
  parameters: Record<string, number>,
  typed: TypedValues = {},
): Curve[] {
  const constant = new Set(heldInputs(program));
  const samples = motion.times.length;
  const inputs = Object.fromEntries(
    Object.entries(program.inputs).map(([name, input]) => [
      name,
      motion.times.map((_, i) => {
        const values = prefill(name, input, joints, { q: motion.q[i]!, qd: motion.qd[i], qdd: motion.qdd[i] });
        if (constant.has(name)) for (const [at, value] of Object.entries(typed[name] ?? {})) values[Number(at)] = value;
        return values;
      }),
    ]),
  );
  return kind.curves(evaluateAlong(program.module, samples, inputs, parameters), program, samples);
}

