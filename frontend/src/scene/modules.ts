// JavaScript that symoro generated, brought to life in the page.

import type { Module } from "../back/messages";

type Numbers = ArrayLike<number>;
type Outputs = Record<string, Float64Array>;

interface Generated {
  INPUTS: Record<string, number[]>;
  OUTPUTS: Record<string, number[]>;
  PARAMETERS?: readonly string[];
  setup?: (parameters: Record<string, number>) => unknown;
  call: (...given: unknown[]) => Outputs;
}

/** A generated model with its parameters set: inputs by name in, outputs by name out. */
export class Loaded {
  private constants: unknown;
  private readonly names: string[];
  private readonly out: Outputs;

  constructor(private readonly generated: Generated) {
    this.names = Object.keys(generated.INPUTS);
    this.out = Object.fromEntries(
      Object.entries(generated.OUTPUTS).map(([name, shape]) => [name, new Float64Array(size(shape))]),
    );
  }

  outputs(): string[] {
    return Object.keys(this.out);
  }

  shape(output: string): number[] {
    return this.generated.OUTPUTS[output] ?? [];
  }

  /** What depends on parameters alone; those that the robot has no value for are 0. */
  set(parameters: Record<string, number>): void {
    const { setup, PARAMETERS } = this.generated;
    if (!setup) return;
    this.constants = setup(Object.fromEntries((PARAMETERS ?? []).map((name) => [name, parameters[name] ?? 0])));
  }

  /** The outputs are written over by the next call. */
  call(inputs: Record<string, Numbers>): Outputs {
    const given: unknown[] = this.names.map((name) => inputs[name] ?? []);
    if (this.generated.setup) given.push(this.constants);
    return this.generated.call(...given, this.out);
  }
}

function size(shape: number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

/** A module of the source; `address` makes a URL of it, that of a blob unless told otherwise. */
export async function load(module: Module, address: (source: string) => string = blob): Promise<Loaded> {
  const url = address(module.source);
  try {
    return new Loaded((await import(/* @vite-ignore */ url)) as Generated);
  } finally {
    if (url.startsWith("blob:")) URL.revokeObjectURL(url);
  }
}

function blob(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
}
