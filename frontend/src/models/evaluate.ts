// Evaluation of models in the page, with the JavaScript code that symoro generated (docs/languages.md).

import type { InputData } from "../backend/messages";
import type { GeneratedModule } from "./emitted";

type Numbers = ArrayLike<number>;

/** Generated module with the names of the entries of its inputs. */
export interface Program {
  module: GeneratedModule;
  inputs: Record<string, InputData>;
}

export type Values = Record<string, Float64Array>;

/** Return the parameter values in their order; NaN for a parameter without value. */
export function constants(module: GeneratedModule, parameters: Record<string, number>): Float64Array[] {
  if (!module.setup) return [];
  return [module.setup((module.PARAMETERS ?? []).map((name) => parameters[name] ?? Number.NaN))];
}

const isScalar = (shape: readonly number[] | undefined): boolean => shape?.length === 0;

/** Return the outputs at one sample; scalars become arrays of length one. */
export function evaluate(
  module: GeneratedModule,
  inputs: Record<string, Numbers>,
  parameters: Record<string, number>,
): Values {
  const given = Object.entries(module.INPUTS).map(([name, shape]) =>
    isScalar(shape) ? inputs[name]?.[0] : inputs[name],
  );
  const outputs = module.call(...given, ...constants(module, parameters));
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, typeof value === "number" ? Float64Array.of(value) : value]),
  );
}

/** Return the outputs at all samples; `inputs` contains one row per sample. */
export function evaluateAlong(
  module: GeneratedModule,
  samples: number,
  inputs: Record<string, Numbers[]>,
  parameters: Record<string, number>,
): Values {
  const given = Object.keys(module.INPUTS).map((name) => {
    const rows = inputs[name] ?? [];
    const width = rows[0]?.length ?? 0;
    const flat = new Float64Array(samples * width);
    rows.forEach((row, i) => flat.set(row, i * width));
    return flat;
  });
  return module.batch(samples, ...given, ...constants(module, parameters));
}

export function size(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}
