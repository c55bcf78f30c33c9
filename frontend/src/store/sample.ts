// A small robot for tests: its view, and a backend that applies edits as symoro does.

import { Failure, type Backend } from "../backend/backend";
import type { CellEdit, Table, View } from "../backend/messages";

export function sampleTable(cells: string[][]): Table {
  return {
    title: "geometry",
    part: "frame",
    columns: ["sigma", "alpha", "d", "theta"],
    kinds: ["choice", "formula", "formula", "formula"],
    choices: { sigma: ["R", "P", "F"] },
    hints: ["joint", "angle", "length", "angle"],
    rows: cells.map((row, i) => ({ j: i + 1, cells: row, variable: "theta", symbol: `q${i + 1}` })),
    add: "add_frame",
    remove: "remove_frame",
  };
}

export function sampleView(cells: string[][], changes: Partial<View> = {}): View {
  const joints = cells.map((_, i) => ({
    frame: i + 1,
    name: `q${i + 1}`,
    kind: "R" as const,
    active: true,
    opened: false,
    coupled: false,
    elastic: false,
    lower: null,
    upper: null,
  }));
  return {
    robot: { name: "sample", cells },
    name: "sample",
    file: "sample",
    title: "",
    reference: "",
    structure: "serial",
    description: "serial",
    base: "fixed",
    floating: false,
    location: [],
    sizes: { NL: cells.length, NJ: cells.length, NF: cells.length, B: 0 },
    symbols: ["D2"],
    nominal: {},
    values: { D2: 0.4 },
    postures: {},
    notes: [],
    warnings: [],
    coordinates: joints.map(({ frame }) => frame),
    joints,
    couplings: [],
    frames: [],
    loops: [],
    wheels: [],
    platform: null,
    tool: null,
    tool_link: null,
    bodies: { size: 1, unit: 0.02, parts: [] },
    tables: [sampleTable(cells)],
    ...changes,
  };
}

export const CELLS = [
  ["R", "0", "0", "0"],
  ["R", "pi/2", "D2", "pi/2"],
];

/** Apply edits of cells; a text that ends with "*" is rejected as an incomplete expression. */
export function sampleBackend(requests: string[] = []): Backend {
  return {
    async call<T>(name: string, payload: object = {}): Promise<T> {
      requests.push(name);
      await Promise.resolve();
      const { robot, edits = [] } = payload as { robot: { cells: string[][] }; edits?: CellEdit[] };
      const cells = robot.cells.map((row) => [...row]);
      for (const edit of edits) {
        if (edit.text?.endsWith("*"))
          throw new Failure({ kind: "ExpressionError", message: `${edit.field}: ends too early` });
        cells[Number(edit.j) - 1]![sampleTable([]).columns.indexOf(edit.field ?? "")] = edit.text ?? "";
      }
      return sampleView(cells) as T;
    },
  };
}
