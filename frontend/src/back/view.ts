// A robot as `robot_view`, `robot_edit` and `robot_open` tell it (src/symoro/ui/bench/tables.py).

export type RobotDocument = Record<string, unknown>;

export interface View {
  robot: RobotDocument;
  name: string;
  title: string;
  reference: string;
  structure: string;
  description: string;
  base: string;
  sizes: { NL: number; NJ: number; NF: number; B: number };
  symbols: string[];
  nominal: Record<string, number>;
  postures: Record<string, number[]>;
  notes: string[];
  warnings: string[];
  /** Numbers of the joints that are coordinates of their own: neither coupled nor closed by a loop. */
  coordinates: number[];
  joints: JointView[];
  frames: FrameView[];
  loops: LoopView[];
  tool: string | null;
  tables: Table[];
}

export interface JointView {
  frame: number;
  name: string;
  kind: "R" | "P" | "F";
  active: boolean;
  opened: boolean;
  coupled: boolean;
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

export interface Table {
  title: string;
  part: string;
  columns: string[];
  rows: Row[];
  /** Whether cells can be edited, or the columns that can; all where nothing is said. */
  editable?: boolean | string[];
  /** What the cells of a column may hold, where that is one of a few. */
  choices?: Record<string, string[]>;
}

export interface Row {
  j: number | string;
  cells: string[];
  /** The column of the joint's own variable, and its symbol. */
  variable?: string | null;
  symbol?: string | null;
}

export interface Edit {
  part: string;
  j?: number | string;
  field?: string;
  text?: string;
  ant?: number;
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
