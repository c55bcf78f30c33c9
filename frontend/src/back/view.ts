// A robot as `robot_view`, `robot_edit` and `robot_open` tell it (src/symoro/ui/bench/tables.py).

export type RobotDocument = Record<string, unknown>;

export interface View {
  robot: RobotDocument;
  name: string;
  /** The name as the name of a file, made by the service; absent in a view that an older page has kept. */
  file?: string;
  title: string;
  reference: string;
  structure: string;
  description: string;
  base: string;
  floating: boolean;
  /** World T 0 at the default values, by rows; null where it has no value. */
  location: (number | null)[][];
  sizes: { NL: number; NJ: number; NF: number; B: number };
  symbols: string[];
  nominal: Record<string, number>;
  /** A number for every symbol: its nominal value, or one that lets something be seen. */
  values: Record<string, number>;
  postures: Record<string, number[]>;
  notes: string[];
  warnings: string[];
  /** Numbers of the joints that are coordinates of their own: neither coupled nor closed by a loop. */
  coordinates: number[];
  joints: JointView[];
  couplings: CouplingView[];
  frames: FrameView[];
  loops: LoopView[];
  wheels: WheelView[];
  platform: PlatformView | null;
  tool: string | null;
  tables: Table[];
  /** Only in the answer of `robot_open`: what a URDF draws. No part of the document: the page keeps it beside. */
  visuals?: Visual[];
}

export interface JointView {
  frame: number;
  name: string;
  kind: "R" | "P" | "F";
  active: boolean;
  opened: boolean;
  coupled: boolean;
  elastic: boolean;
  lower: number | null;
  upper: number | null;
}

export interface FrameView {
  frame: number;
  ant: number;
  name: string;
  kind: "R" | "P" | "F";
  active: boolean;
}

export interface LoopView {
  opened: number;
  twin: number;
  frames: number[];
}

/** q of `frame` = sum of ratio times q of the terms' frames, and the offset; ratios and offset are formulas. */
export interface CouplingView {
  frame: number;
  terms: { frame: number; ratio: string }[];
  offset: string;
}

export interface WheelView {
  frame: number;
  kind: "fixed" | "steering" | "castor" | "swedish";
  /** At the default values. */
  radius: number | null;
  /** The parameter that the radius is, where it is one. */
  symbol: string | null;
  steering: number | null;
  /** Of a Swedish wheel, at the default values: the angle from the way of travel to the axis of its rollers. */
  roller: number | null;
}

export interface PlatformView {
  frame: number;
  /** Frames that move with the platform as one. */
  body: number[];
  /** The frames of each leg, from the base outward. */
  legs: number[][];
}

/** A shape in a frame of the robot (0: the base); rpy turns about the fixed axes x, y, z in this order. */
export interface Visual {
  frame: number;
  link: string;
  shape: "mesh" | "box" | "cylinder" | "sphere";
  /** Edges of a box; radius and length (along z) of a cylinder; radius of a sphere. */
  size: number[];
  /** Of a mesh, as the URDF names it. */
  file: string | null;
  scale: [number, number, number];
  xyz: [number, number, number];
  rpy: [number, number, number];
  color: number[] | null;
}

export type CellKind = "formula" | "number" | "count" | "choice" | "flag" | "text";

export interface Table {
  title: string;
  part: string;
  columns: string[];
  /** Of each column: how its cells are edited ("flag" cells are "1" or "0"). */
  kinds: CellKind[];
  /** Column -> what its cells can be, "" for empty included; of the columns of kind "choice". */
  choices: Record<string, string[]>;
  /** Of each column: what it means, with its unit. */
  hints: string[];
  rows: Row[];
  /** The parts of edits that add a row to this table, and remove one; null where rows are fixed. */
  add: string | null;
  remove: string | null;
}

export interface Row {
  j: number | string;
  cells: string[];
  /** The column of the joint's own variable, and its symbol. */
  variable?: string | null;
  symbol?: string | null;
  /** Of a row of the geometry: the frame of a link, the joint where a loop is opened, or its twin. */
  role?: "link" | "opened" | "twin";
  /** What the row means, where the columns do not tell. */
  hint?: string;
}

/**
 * A cell gets another text ({part, j, field, text}), or a row comes or goes:
 *
 *   add_frame {after?, ant?, carry?, sigma?, name?, inertia?}   a joint and link numbered after frame `after`, standing
 *                                      on `ant`; with `carry` what stood on `ant` stands on it
 *   remove_frame {j}                   add_loop {from, to, sigma?}           remove_loop {j: opened or twin}
 *   add_wheel {frame, kind?, radius?, steering?, roller?, follows?}          remove_wheel {j}
 *   add_tool {on?} remove_tool         add_payload remove_payload            add_flexible {j} remove_flexible {j}
 *   add_tip {j} remove_tip {j}         add_posture {name, q?} remove_posture {j}
 *
 * All edits of a request are made, or none; the place of an error has {part, j, field} of the edit.
 */
export interface Edit {
  part: string;
  j?: number | string;
  field?: string;
  text?: string;
  [more: string]: unknown;
}

/** What `solve` {robot, pose, q0?, options?, values?} answers: verified postures alone. */
export interface Solved {
  method: "closed form" | "numeric";
  /** Whether these are all of them. */
  complete: boolean;
  coordinates: number[];
  opened: number[];
  solutions: { q: number[]; qc: number[]; status: "valid" | "singular"; residual: number; free: number[] }[];
}

/** A line of a model's equations: phase "once" (on parameters alone), "call" or "output"; part as "link 3: velocities". */
export interface Equation {
  phase: "once" | "call" | "output";
  part: string;
  name: string;
  text: string;
  latex: string;
}

export interface ModelPort {
  direction: "in" | "out";
  name: string;
  shape: number[];
  title: string;
  unit: string;
  entries?: string[];
}

export interface Counts {
  additions: number;
  multiplications: number;
  divisions: number;
  functions: number;
  others: number;
  kernels: number;
  setup?: Counts;
}

/** What `model` answers. */
export interface ModelAnswer {
  model: string;
  /** Which form of the model it is, in words; "" for the plain one. */
  form: string;
  robot: string;
  options: Record<string, unknown>;
  title: string;
  reference: string;
  parameters: string[];
  units: Record<string, string>;
  count: Counts;
  text: string;
  latex: string;
  lines: Equation[];
  ports: ModelPort[];
  /** Names of a regressor's columns. */
  columns: string[];
  /** What must not be zero, as "D3 != 0". */
  conditions: string[];
  choices: string[];
  /** Steps of a solution, each a paragraph of LaTeX. */
  derivation: string[];
  python: string;
  command: string;
}

/** What `base` answers: relations as kept parameter -> {other parameter: factor}. */
export interface BaseAnswer {
  names: string[];
  no_effect: string[];
  relations: Record<string, Record<string, string>>;
  friction: string[];
  method: string;
  conditions: string[];
  notes: string[];
}

/** JavaScript made by symoro itself, with the names of what it takes and gives. */
export interface Module {
  source: string;
  parameters: string[];
  inputs: Record<string, number[]>;
  outputs: Record<string, number[]>;
}

/** What `frames` answers: all placements, and the closing of loops where a closed form is known. */
export interface Placements {
  frames: Module;
  loops: Module | null;
}
