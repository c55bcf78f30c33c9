import { describe, expect, it } from "vitest";

import type { EntryData, OptionData } from "../backend/messages";
import { fieldsOf, formOf, changedOptions, hintOf, labelOf, read, shown } from "./options";
import { changed } from "./optionsForm";

const option = (name: string, kind: OptionData["kind"], standard: unknown = null, choices: string[] = []): OptionData => ({
  name,
  title: name,
  kind,
  default: standard,
  choices,
});

const ENTRY: EntryData = {
  id: "inverse-dynamics",
  menu: "Dynamic",
  title: "",
  aliases: [],
  inputs: {},
  outputs: {},
  reference: "",
  applies_to: "",
  options: [option("effort", "choice", "quick", ["quick", "search"]), option("reactions", "flag", false)],
  forms: [
    { of: "a floating base", inputs: {}, outputs: {}, reference: "", applies_to: "", options: [option("base", "choice", "free", ["free", "given"])] },
    { of: "a platform", inputs: {}, outputs: {}, reference: "", applies_to: "", options: [option("space", "choice", null, ["platform"]), option("working_mode", "text", "1")] },
    { of: "free joints", inputs: {}, outputs: {}, reference: "", applies_to: "", options: [option("free", "frames")] },
  ],
  form: 0,
  switches: [
    { option: "space", value: "platform", form: 2 },
    { option: "free", value: null, form: 3 },
  ],
};

const names = (options: Record<string, unknown>): string[] => fieldsOf(ENTRY, options).map(({ name }) => name);

describe("forms of a model", () => {
  it("depend on the robot and the options", () => {
    expect(formOf(ENTRY, {})).toBe(ENTRY);
    expect(formOf(ENTRY, { space: "platform" }).of).toBe("a platform");
    expect(formOf(ENTRY, { free: [3] }).of).toBe("free joints");
    expect(formOf(ENTRY, { free: [] })).toBe(ENTRY);
    expect(formOf({ ...ENTRY, form: 1 }, {}).of).toBe("a floating base");
    expect(formOf({ ...ENTRY, form: undefined, switches: undefined }, { free: [3] }).options).toHaveLength(2);
  });

  it("show their own options and those that select other available forms", () => {
    expect(names({})).toEqual(["effort", "reactions", "space", "free"]);
    expect(names({ space: "platform" })).toEqual(["space", "working_mode", "free"]);
  });

  it("send the values that differ from the default", () => {
    expect(changedOptions(ENTRY, { effort: "quick", reactions: true, working_mode: "2", free: [] })).toEqual({ reactions: true });
    expect(changedOptions(ENTRY, { effort: "search", space: "platform", working_mode: "2" })).toEqual({ space: "platform", working_mode: "2" });
  });
});

describe("fields", () => {
  const reads = (kind: OptionData["kind"], text: string): unknown => read(option("x", kind), text);

  it("are parsed according to their kind", () => {
    expect(reads("flag", "true")).toBe(true);
    expect(reads("number", " 1e-9 ")).toBe(1e-9);
    expect(reads("frame", "3")).toBe(3);
    expect(reads("frame", "tool")).toBe("tool");
    expect(reads("frames", "3, elbow ,")).toEqual([3, "elbow"]);
    expect(reads("points", "6 (0, 0, h/2); 4")).toEqual([[6, ["0", "0", "h/2"]], 4]);
    expect(reads("text", "position")).toBe("position");
    expect(reads("number", "")).toBeNull();
  });

  it("report what is expected if they cannot be parsed", () => {
    for (const text of ["x", "1e999", "0/0", "NaN"]) expect(() => reads("number", text)).toThrow("expected a number");
    for (const text of ["6 (0, 0)", "6 (0,,1)", "(1, 2, 3)", "6 (0, 0, 1"]) {
      expect(() => reads("points", text)).toThrow("expected frame numbers");
    }
  });

  it("show the parsed value", () => {
    for (const [kind, text] of [["frames", "3, elbow"], ["points", "6 (0, 0, h/2); 4"], ["number", "0.5"]] as const) {
      expect(shown(option("x", kind), reads(kind, text))).toBe(text);
    }
    expect(shown(option("x", "number", 1e-9), undefined)).toBe("1e-9");
    expect(shown(option("x", "frames"), null)).toBe("");
  });

  it("use their default when empty", () => {
    expect(changed({ a: 1, b: 2 }, "a", null)).toEqual({ b: 2 });
    expect(changed({ b: 2 }, "a", 1)).toEqual({ a: 1, b: 2 });
  });
});

it("an option has a readable name", () => {
  expect(["frm", "known_base", "effort"].map((name) => labelOf({ name }))).toEqual(["from", "known base", "effort"]);
});

it("an option explains the chosen value", () => {
  const effort = { ...ENTRY.options[0]!, title: "quick: without search; search: the fewest operations; plain: of the papers" };
  expect(hintOf(effort, undefined)).toBe("without search");
  expect(hintOf(effort, "search")).toBe("the fewest operations");
  const space = { ...option("space", "choice", null, ["platform"]), title: "platform: its pose is the coordinate" };
  expect(hintOf(space, undefined)).toBe("platform: its pose is the coordinate");
  expect(hintOf({ ...option("active", "flag"), title: "for closed loops: from the active joints" }, true)).toBe("for closed loops: from the active joints");
  expect(hintOf({ ...option("to", "frame"), title: "frame of `to`: number, name or 'tool'; by default the last" }, 3)).toBe("frame of to");
});
