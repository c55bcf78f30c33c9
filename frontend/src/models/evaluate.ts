// Evaluation of models in the page, with the JavaScript code that symoro generated (docs/languages.md).

import type { InputData } from "../backend/messages";

type Numbers = ArrayLike<number>;

/** Generated module; a module without parameters has neither PARAMETERS nor setup. */
export interface GeneratedModule {
  PARAMETERS?: readonly string[];
  INPUTS: Readonly<Record<string, readonly number[]>>;
  OUTPUTS: Readonly<Record<string, readonly number[]>>;
  setup?: (parameters: Numbers) => Float64Array;
  call: (...given: unknown[]) => Record<string, Float64Array | number>;
  batch: (n: number, ...given: unknown[]) => Record<string, Float64Array>;
}

/** Generated module with the names of the entries of its inputs. */
export interface Program {
  module: GeneratedModule;
  inputs: Record<string, InputData>;
}

export type Values = Record<string, Float64Array>;

const blobAddress = (source: string): string => URL.createObjectURL(new Blob([source], { type: "text/javascript" }));

/** Return the imported module of an answer of `code` in JavaScript. */
export async function load(files: Record<string, string>, addressOf = blobAddress): Promise<GeneratedModule> {
  const source = Object.entries(files).find(([name]) => name.endsWith(".js"))?.[1];
  if (source === undefined) throw new Error("the answer contains no JavaScript file");
  const address = addressOf(source);
  try {
    return (await import(/* @vite-ignore */ address)) as GeneratedModule;
  } finally {
    URL.revokeObjectURL(address);
  }
}

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
