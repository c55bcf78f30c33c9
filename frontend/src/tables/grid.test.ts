import { describe, expect, it } from "vitest";

import { CELLS, sampleTable, sampleView } from "../store/sample";
import { additionsOf } from "./add";
import { at, blockOf, brief, choicesOf, filled, fromText, moved, nextChoice, pasted, shown, tabbed, toText } from "./grid";
import { rangeOf } from "./symbols";

const table = sampleTable(CELLS);
const size = { rows: 2, columns: 4 };

describe("the cursor", () => {
  it("moves within the table", () => {
    expect(moved(at(0, 0), 1, 1, size)).toEqual(at(1, 1));
    expect(moved(at(0, 0), -1, -1, size)).toEqual(at(0, 0));
    expect(moved(at(1, 3), 99, 99, size)).toEqual(at(1, 3));
  });

  it("extends a selection from its anchor", () => {
    const selection = moved(at(1, 2), -1, -1, size, true);
    expect(blockOf(selection)).toEqual({ top: 0, left: 1, bottom: 1, right: 2 });
    expect(selection.anchor).toEqual({ row: 1, column: 2 });
  });

  it("moves in reading order with Tab, and leaves the table at its ends", () => {
    expect(tabbed(at(0, 3), false, size)).toEqual(at(1, 0));
    expect(tabbed(at(1, 0), true, size)).toEqual(at(0, 3));
    expect(tabbed(at(1, 3), false, size)).toBeNull();
    expect(tabbed(at(0, 0), true, size)).toBeNull();
  });
});

describe("the clipboard", () => {
  it("uses the format of spreadsheets for blocks", () => {
    const text = toText((r, c) => CELLS[r]![c]!, { top: 0, left: 1, bottom: 1, right: 2 });
    expect(text).toBe("0\t0\npi/2\tD2");
    expect(fromText("a\tb\r\nc\t\r\n")).toEqual([
      ["a", "b"],
      ["c", ""],
    ]);
  });

  it("pastes a block from the selection's corner, cut at the borders of the table", () => {
    const edits = pasted(table, at(1, 2), "1\t2\t3\n4\t5\t6");
    expect(edits.map(({ j, field, text }) => [j, field, text])).toEqual([
      [2, "d", "1"],
      [2, "theta", "2"],
    ]);
  });

  it("fills a selection with one value", () => {
    const edits = pasted(table, { anchor: { row: 0, column: 1 }, cursor: { row: 1, column: 2 } }, "7");
    expect(edits).toHaveLength(4);
    expect(edits.every(({ text }) => text === "7")).toBe(true);
  });
});

describe("cells", () => {
  it("show a joint's variable with its offset", () => {
    const row = table.rows[1]!;
    expect(shown(row, "theta", "0")).toBe("q2");
    expect(shown(row, "theta", "pi/2")).toBe("q2 + pi/2");
    expect(shown(row, "theta", "-pi/2")).toBe("q2 - pi/2");
    expect(shown(row, "d", "0")).toBe("0");
  });

  it("with choices cycle; deleting does not change them", () => {
    expect(choicesOf(table, "sigma")).toEqual(["R", "P", "F"]);
    expect(choicesOf(table, "d")).toBeNull();
    expect(choicesOf({ ...table, kinds: ["flag", "formula", "formula", "formula"], choices: {} }, "sigma")).toEqual([
      "0",
      "1",
    ]);
    expect(nextChoice(["R", "P", "F"], "F")).toBe("R");
    const fields = filled(table, { top: 0, left: 0, bottom: 0, right: 2 }, "").map(({ field }) => field);
    expect(fields).toEqual(["alpha", "d"]);
  });

  it("have slider ranges about their nominal value", () => {
    expect(rangeOf(0.5)).toEqual({ min: -1, max: 1, step: 0.005 });
    expect(rangeOf(undefined).max).toBeGreaterThan(0);
    expect(rangeOf(0).max).toBeGreaterThan(0);
  });
});

describe("additions of rows", () => {
  const view = sampleView([...CELLS, ...CELLS]);

  it("are mounted on the last link, or on the selected one", () => {
    const last = additionsOf(table, { view, selected: null, q: [] });
    expect(last[0]!.edit).toMatchObject({ part: "add_frame", ant: 4 });
    const on = additionsOf(table, { view, selected: 2, q: [] });
    expect(on.map(({ edit }) => edit.part)).toEqual(["add_frame", "add_frame", "add_loop"]);
    expect(on[1]!.edit).toMatchObject({ after: 2, ant: 2, carry: true });
  });

  it("store the posture of the scene under an unused name", () => {
    const postures = { ...table, add: "add_posture" };
    const held = { ...view, coordinates: [1, 3], postures: { posture1: [] } };
    const [adding] = additionsOf(postures, { view: held, selected: null, q: [1, 2, 3, 4] });
    expect(adding!.edit).toEqual({ part: "add_posture", name: "posture2", q: [1, 3] });
  });

  it("are not offered if the table allows only one row", () => {
    expect(additionsOf({ ...table, title: "tool", add: "add_tool" }, { view, selected: null, q: [] })).toEqual([]);
  });
});

describe("long numbers", () => {
  it("are shortened; short numbers and formulas are shown completely", () => {
    expect(["-2.792526803190927", "0.4500001", "0.45", "1e-12", "L1 + 0.123456789"].map(brief)).toEqual([
      "-2.79252\u2026",
      "0.4500001",
      "0.45",
      "1e-12",
      "L1 + 0.123456789",
    ]);
  });
});
