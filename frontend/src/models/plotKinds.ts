// Kinds of plots along a motion: the model of each, and the curves computed from its outputs.

import type { ModelPort, View } from "../backend/messages";
import type { Curve } from "../plot/chart";
import type { Plot } from "../plot/svg";
import { evaluateAlong, size, type Program, type Values } from "./evaluate";
import type { SampledMotion } from "./motion";
import { unitText } from "./parts";
import { isJoint, prefill } from "./prefill";
import type { TypedValues } from "./session";
import { singularValues } from "./svd";

/** A curve of a model; `output` is the output that it belongs to. */
interface ModelCurve extends Curve {
  output?: string;
}

export interface Kind {
  id: string;
  title: string;
  /** Model of the catalogue; null is the model shown. */
  model: string | null;
  curves: (values: Values, program: Program, samples: number) => ModelCurve[];
}

const MOST = 24; // number of curves that can still be distinguished

/** Return the curves of all entries of all outputs; if there are too many, entries that are always zero are dropped. */
export function entries(
  outputs: Values,
  { module }: Program,
  samples: number,
  names: string[] = Object.keys(module.OUTPUTS),
): ModelCurve[] {
  const curves: ModelCurve[] = [];
  for (const name of names) {
    const shape = module.OUTPUTS[name] ?? [];
    const width = size(shape);
    for (let at = 0; at < width; at++) {
      const values = Array.from({ length: samples }, (_, i) => outputs[name]![i * width + at]!);
      curves.push({ label: label(name, shape, at), values, output: name });
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
function torques(outputs: Values, program: Program, samples: number): ModelCurve[] {
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

/**
 * Return the plots of curves: one per unit of torques and forces, and one per output of a model, because an axis has one
 * unit.
 */
export function plotsOf(kind: Kind, all: readonly ModelCurve[], joints: View["joints"], ports: readonly ModelPort[]): Plot[] {
  const curves = [...all];
  if (kind.id === "energy") return [{ title: "energy", unit: "J", curves }];
  if (kind.id === "singular") return [{ title: "singular values, lengths in m", unit: "", curves }];
  if (kind.id === "torques") {
    const active = joints.filter((joint) => joint.active);
    const driven = [joints, active].find(({ length }) => length === curves.length);
    const coloured = curves.map((curve, like) => ({ ...curve, like })); // a joint has one colour
    const unitOf = (at: number): string => ((driven ?? joints)[at]?.kind === "P" ? "N" : "N m");
    const units = driven ? [...new Set(curves.map((_, at) => unitOf(at)))] : ["N m, N"];
    return units.map((unit) => ({
      title: unit === "N" ? "forces" : "torques",
      unit,
      curves: driven ? coloured.filter((_, at) => unitOf(at) === unit) : coloured,
    }));
  }
  const outputs = [...new Set(curves.map((curve) => curve.output))];
  return outputs.map((output) => ({
    title: output ?? "",
    unit: unitText(ports.find(({ name, direction }) => name === output && direction === "out")?.unit ?? ""),
    curves: curves.filter((curve) => curve.output === output),
  }));
}

/** Return the curves of a program along a motion; `typed` contains values of constant inputs. */
export function curvesAlong(
  kind: Kind,
  program: Program,
  motion: SampledMotion,
  joints: View["joints"],
  parameters: Record<string, number>,
  typed: TypedValues = {},
): ModelCurve[] {
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

