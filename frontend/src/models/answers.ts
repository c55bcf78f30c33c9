// What `catalogue`, `model`, `code`, `explain` and `base` answer (src/symoro/ui/bench/answers.py, ui/present.py).

import type { Entry as Listed } from "../back/listed";

export type { About } from "../back/listed";

export interface OptionData {
  name: string;
  title: string;
  kind: "frame" | "frames" | "points" | "choice" | "flag" | "text" | "number" | "posture";
  default: unknown;
  choices: string[];
}

export interface FormData {
  /** What this form is of, in words; absent in the plain form. */
  of?: string;
  options: OptionData[];
  reference: string;
  applies_to: string;
}

export interface Entry extends FormData, Listed {
  forms: FormData[];
  /** The form that the robot takes without options: 0 the plain one, then those of `forms`. */
  form?: number;
  switches?: Switch[];
}

/** An option that alone leads to another form; with the value null, any value does. */
export interface Switch {
  option: string;
  value: unknown;
  form: number;
}

export interface PortData {
  name: string;
  shape: number[];
  title: string;
  unit: string;
}

export interface InputData {
  shape: number[];
  /** The name of each entry, by rows. */
  entries: string[];
}

export interface Count {
  additions: number;
  multiplications: number;
  divisions: number;
  functions: number;
  others: number;
  kernels: number;
  setup?: Count;
}

export interface ModelAnswer {
  model: string;
  robot: string;
  options: Record<string, unknown>;
  title: string;
  reference: string;
  inputs: Record<string, InputData>;
  outputs: Record<string, number[]>;
  parameters: string[];
  count: Count;
  text: string;
  latex: string;
  ports: PortData[];
  columns: string[];
  conditions: string[];
  derivation: string[];
  python: string;
  command: string;
}

export interface Files {
  files: Record<string, string>;
}

/** A model as a folder with everything that it needs. */
export interface Project extends Files {
  folder: string;
}

export interface Base {
  names: string[];
  no_effect: string[];
  /** For each base parameter, the parameters grouped with it and their factors. */
  relations: Record<string, Record<string, string>>;
  friction: string[];
  method: string;
  conditions: string[];
  notes: string[];
}
