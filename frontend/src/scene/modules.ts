// JavaScript that symoro generated, loaded into the page.

import type { Module } from "../backend/messages";
import { compile, type GeneratedModule } from "../models/emitted";

type Numbers = ArrayLike<number>;
type Outputs = Record<string, Float64Array>;

/** A generated model with its parameters set: named inputs, named outputs. */
export class LoadedModel {
  private constants: unknown;
  private readonly names: string[];
  private readonly out: Outputs;

  constructor(private readonly generated: GeneratedModule) {
    this.names = Object.keys(generated.INPUTS);
    this.out = Object.fromEntries(
      Object.entries(generated.OUTPUTS).map(([name, shape]) => [name, new Float64Array(size(shape))]),
    );
  }

  outputs(): string[] {
    return Object.keys(this.out);
  }

  shape(output: string): readonly number[] {
    return this.generated.OUTPUTS[output] ?? [];
  }

  /** Return the number of entries of an input; 0 if the model does not have it. */
  size(input: string): number {
    const shape = this.generated.INPUTS[input];
    return shape ? size(shape) : 0;
  }

  /** Return an output of the last call; empty if the model does not have it. */
  last(output: string): Float64Array {
    return this.out[output] ?? new Float64Array(0);
  }

  /** Compute the part that depends on parameters only; parameters without value are 0. */
  set(parameters: Record<string, number>): void {
    const { setup, PARAMETERS } = this.generated;
    if (!setup) return;
    this.constants = setup(Object.fromEntries((PARAMETERS ?? []).map((name) => [name, parameters[name] ?? 0])));
  }

  /** Evaluate the outputs; the next call overwrites the returned arrays. */
  call(inputs: Record<string, Numbers>): Outputs {
    const given: unknown[] = this.names.map((name) => inputs[name] ?? []);
    if (this.generated.setup) given.push(this.constants);
    return this.generated.call(...given, this.out) as Outputs;
  }
}

function size(shape: readonly number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

/** Import a module from its source; `address` converts the source to a URL (default: a blob URL). */
export async function load(module: Module, address?: (source: string) => string): Promise<LoadedModel> {
  return new LoadedModel(await compile({ "module.js": module.source }, address));
}
