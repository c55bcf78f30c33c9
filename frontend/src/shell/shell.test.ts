// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import type { EntryData } from "../backend/messages";
import { createStore } from "../store/store";
import { CELLS, sampleBackend, sampleView } from "../store/sample";
import { readSettings, writeSettings, type ShellState } from "./shellState";
import { CONVENTIONS, rowsOf } from "./dh";
import { classifyFiles, earlierRobots } from "./files";
import { matching, modelCandidate, score } from "./search";
import { keysOf, listenForKeys } from "./keys";
import { clamped } from "./split";
import { placed, STEPS } from "./tour";
import { excerpt, placeText } from "./errorpanel";

const MODELS = [
  {
    title: "partial derivatives of the torques",
    group: "Dynamic",
    words: "inverse-dynamics-derivatives idm-derivatives",
  },
  { title: "inverse dynamic model: torques of a motion", group: "Dynamic", words: "inverse-dynamics idm rnea" },
  { title: "Jacobian matrix of a frame", group: "Kinematic", words: "jacobian jac" },
  { title: "Open RX90", group: "Gallery", words: "rx90 Staubli" },
];

it("the open robot is not among the recent ones", () => {
  const store = createStore(sampleBackend());
  store.show(sampleView(CELLS));
  const { robot } = store.view.value!;
  const entry = { id: "a", name: "A", description: "", robot };
  const other = { ...entry, id: "b", robot: { ...robot } };
  const shell = { store, recent: { list: { value: [entry, other] } } } as unknown as ShellState;
  expect(earlierRobots(shell)).toEqual([other]);
});

describe("the search", () => {
  it("ranks the typed name first", () => {
    expect(matching(MODELS, "idm")[0]!.title).toContain("inverse dynamic model");
    expect(matching(MODELS, "rx90").map(({ title }) => title)).toEqual(["Open RX90"]);
    expect(matching(MODELS, "staubli")).toHaveLength(1);
  });

  it("matches a model by its id, its aliases and their words", () => {
    const entry = { id: "fast-geometry", title: "direct geometric model", menu: "Geometric", aliases: ["forward-kinematics", "fk"] };
    const all = [...MODELS, modelCandidate(entry as EntryData)];
    for (const query of ["fast-geometry", "forward-kinematics", "forward kinematics", "fk"])
      expect(matching(all, query)[0]!).toMatchObject({ title: "Direct geometry", subtitle: "Direct geometric model" });
  });

  it("ranks the title of a command above the group of others", () => {
    const gallery = [
      { title: "Open bicycle", group: "Gallery", words: "bicycle model of a car" },
      { title: "Gallery of bundled robots", group: "Robot" },
    ];
    expect(matching(gallery, "gallery of")[0]!.group).toBe("Robot");
  });

  it("ranks a title that begins with the query above other titles with this keyword", () => {
    const commands = [
      { title: "Maximise or restore the scene", group: "Page", words: "full screen lecture pane" },
      { title: "Lecture mode: large type", group: "Page", words: "presentation projector" },
    ];
    expect(matching(commands, "lecture")[0]!.title).toContain("Lecture mode");
  });

  it("matches all words in any order", () => {
    expect(matching(MODELS, "torques inverse")[0]!.title).toContain("inverse dynamic");
    expect(matching(MODELS, "jacobian torques")).toEqual([]);
    expect(score(MODELS[2]!, "JACOB")).toBeGreaterThan(0);
  });

  it("returns everything for an empty query", () => {
    expect(matching(MODELS, "  ")).toBe(MODELS);
  });
});

describe("keys", () => {
  const plain = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

  it("have one notation", () => {
    expect(keysOf({ ...plain, key: "k", metaKey: true })).toBe("Ctrl+K");
    expect(keysOf({ ...plain, key: "Z", ctrlKey: true, shiftKey: true })).toBe("Ctrl+Shift+Z");
    expect(keysOf({ ...plain, key: "F6" })).toBe("F6");
  });

  it("run commands, except undo in text fields", () => {
    const store = createStore(sampleBackend());
    const ran: string[] = [];
    store.register([
      { id: "undo", title: "", group: "", keys: "Ctrl+Z", run: () => void ran.push("undo") },
      { id: "redo", title: "", group: "", keys: "Ctrl+Y, Ctrl+Shift+Z", run: () => void ran.push("redo") },
      { id: "off", title: "", group: "", keys: "Ctrl+S", enabled: () => false, run: () => void ran.push("off") },
    ]);
    const end = listenForKeys(store, window);
    const input = document.body.appendChild(document.createElement("input"));
    const press = (target: EventTarget, key: string, shiftKey = false): void =>
      void target.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey: true, shiftKey, bubbles: true }));
    press(document.body, "z");
    press(document.body, "Z", true);
    press(document.body, "s");
    press(input, "z");
    end();
    press(document.body, "z");
    expect(ran).toEqual(["undo", "redo"]);
  });
});

describe("rows of Denavit and Hartenberg", () => {
  it("are separated by tabs, commas or blanks, without comments", () => {
    expect(rowsOf("0\t0\tq1\t0\n\n# remark\n0, D2, q2 + pi/2, 0 # end\n0 0 q3 0")).toEqual([
      ["0", "0", "q1", "0"],
      ["0", "D2", "q2 + pi/2", "0"],
      ["0", "0", "q3", "0"],
    ]);
  });

  it("have examples with a value per column", () => {
    for (const { sample, columns } of CONVENTIONS) {
      for (const row of rowsOf(sample)) expect(row).toHaveLength(columns.length);
    }
  });
});

describe("dropped files", () => {
  it("are separated into a robot and its meshes", () => {
    const files = ["base.STL", "arm.urdf", "hand.dae"].map((name) => new File([""], name));
    const { robot, meshes } = classifyFiles(files);
    expect(robot!.name).toBe("arm.urdf");
    expect([...meshes.keys()]).toEqual(["base.STL", "hand.dae"]);
    expect(classifyFiles([]).robot).toBeNull();
    const folder = ["package.xml", "CMakeLists.txt", "config.yaml", "arm.urdf"].map((name) => new File([""], name));
    expect(classifyFiles(folder).robot!.name).toBe("arm.urdf");
    expect(classifyFiles(folder.slice(0, 2)).robot).toBeNull();
  });
});

describe("an error", () => {
  it("is shown with its position in the file", () => {
    expect(placeText({ file: "a.par", line: 3, key: "NL" })).toBe("a.par, line 3, at NL");
    expect(placeText(undefined)).toBe("");
    const lines = excerpt("1\n2\n3\n4\n5\n6\n7\n8\n9", 2);
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("the page", () => {
  it("stores settings one by one, and ignores invalid ones", () => {
    localStorage.clear();
    writeSettings(localStorage, { theme: "dark" });
    writeSettings(localStorage, { toured: true });
    expect(readSettings(localStorage)).toEqual({ theme: "dark", toured: true });
    localStorage.setItem("symoro-settings", "{");
    expect(readSettings(localStorage)).toEqual({});
  });

  it("keeps a minimum size of every pane", () => {
    expect(clamped(-1)).toBeGreaterThan(0);
    expect(clamped(2)).toBeLessThan(1);
    expect(clamped(0.5)).toBe(0.5);
  });

  it("has a tour of five steps whose card stays inside the page", () => {
    expect(STEPS).toHaveLength(5);
    const page = { width: 1280, height: 800 };
    const spots = [
      { left: 0, top: 0, width: 60, height: 30 },
      { left: 1200, top: 780, width: 60, height: 30 },
      { left: 0, top: 450, width: 1280, height: 350 },
    ];
    for (const spot of spots) {
      for (const side of ["under", "corner", "right"] as const) {
        const { left, top } = placed(spot, page, side);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(top).toBeGreaterThanOrEqual(0);
        expect(left).toBeLessThan(page.width - 300);
        expect(top).toBeLessThan(page.height - 150);
      }
    }
  });

  it("covers a menu rather than its element", () => {
    const item = { left: 6, top: 60, width: 378, height: 66 };
    const menu = { left: 6, top: 60, width: 378, height: 590 };
    const card = { width: 366, height: 156 };
    const { top } = placed(item, { width: 390, height: 667 }, "right", card, [item, menu]);
    expect(top).toBeGreaterThanOrEqual(item.top + item.height);
    const roomy = placed(item, { width: 390, height: 844 }, "right", card, [item, menu]);
    expect(roomy.top).toBeGreaterThanOrEqual(menu.top + menu.height);
  });

  it("does not cover its element, wherever that is", () => {
    const card = { width: 320, height: 230 };
    for (const page of [{ width: 1280, height: 720 }, { width: 800, height: 600 }, { width: 390, height: 844 }])
      for (let left = 0; left < page.width - 40; left += 60)
        for (let top = 0; top < page.height - 20; top += 50)
          for (const side of ["under", "corner", "right"] as const) {
            const target = { left, top, width: Math.min(220, page.width - left), height: Math.min(60, page.height - top) };
            const at = placed(target, page, side, card);
            const beside = at.left >= left + target.width || at.left + card.width <= left;
            const apart = at.top >= top + target.height || at.top + card.height <= top;
            expect(beside || apart, JSON.stringify({ page, target, side, at })).toBe(true);
            expect(at.left >= 0 && at.top >= 0 && at.left + card.width <= page.width && at.top + card.height <= page.height).toBe(true);
          }
  });
});
