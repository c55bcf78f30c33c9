// @vitest-environment jsdom

import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Backend } from "../backend/backend";
import type { EntryData, ModelAnswer, View } from "../backend/messages";
import { createStore, type Store } from "../store/store";
import dynamicsSource from "./fixtures/planar2r_inverse_dynamics.js?raw";
import { PLANAR } from "./fixtures/robots";
import { ModelsPane } from "./pane";

const ENTRY: EntryData = {
  id: "inverse-dynamics",
  menu: "Dynamic",
  title: "inverse dynamic model",
  aliases: ["idm", "newton-euler"],
  inputs: {},
  outputs: {},
  reference: "a paper",
  applies_to: "every robot",
  options: [
    { name: "effort", title: "effort", kind: "choice", default: "quick", choices: ["quick", "search"] },
    { name: "reactions", title: "reactions", kind: "flag", default: false, choices: [] },
  ],
  forms: [],
  why_not: null,
  form: 0,
  switches: [],
};
const OTHER: EntryData = { ...ENTRY, id: "loop-geometry", title: "loops", aliases: [], why_not: "it has no closed loop" };

const ANSWER = {
  model: "inverse-dynamics",
  robot: "arm",
  options: {},
  title: "inverse dynamic model",
  reference: "a paper",
  inputs: {},
  outputs: { tau: [2] },
  parameters: [],
  count: { additions: 3, multiplications: 4, divisions: 0, functions: 2, others: 0, kernels: 0 },
  text: "tau1 = a + b",
  latex: "Each call:\n\\begin{align*}\n\\Gamma_{1} &= a + b\n\\end{align*}\n",
  ports: [{ direction: "out", name: "tau", shape: [2], title: "torques", unit: "N m" }],
  columns: [],
  conditions: [],
  derivation: [],
  python: "import symoro",
  command: "symoro generate",
  form: "",
  units: {},
  choices: [],
} satisfies ModelAnswer;

const VIEW = {
  name: "arm",
  robot: { name: "arm" },
  joints: PLANAR,
  coordinates: [1, 2],
  frames: [],
  loops: [],
  symbols: [],
  nominal: {},
  postures: {},
  tables: [],
  sizes: { NF: 2 },
} as unknown as View;

const ANSWERS: Record<string, unknown> = {
  about: { version: "0", menus: ["Dynamic"], languages: [{ id: "c", title: "C99" }, { id: "javascript", title: "JavaScript" }] },
  catalogue: { models: [ENTRY, OTHER] },
  model: ANSWER,
  code: { files: { "arm.js": dynamicsSource }, inputs: {} },
  explain: { lines: ["pass share_sums: 469 -> 466 operations"] },
};

let box: HTMLElement;
let store: Store;
let requests: [string, object | undefined][];

async function settled(milliseconds = 0): Promise<void> {
  await act(async () => void (await vi.advanceTimersByTimeAsync(milliseconds)));
}

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
  localStorage.clear();
  requests = [];
  const backend: Backend = {
    call: async <T,>(name: string, payload?: object) => {
      requests.push([name, payload]);
      return ANSWERS[name] as T;
    },
  };
  store = createStore(backend);
  box = document.body.appendChild(document.createElement("div"));
  act(() => render(<ModelsPane store={store} />, box));
  await settled();
});

afterEach(() => {
  render(null, box);
  box.remove();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function button(text: string): HTMLButtonElement {
  return [...box.querySelectorAll("button")].find((one) => one.firstChild?.textContent === text)!;
}

async function chosen(): Promise<void> {
  act(() => store.show(VIEW));
  await settled();
  act(() => button("Inverse dynamics").click());
  await settled(50);
}

it("lists the models, and the reason why one does not apply", async () => {
  expect(button("Inverse dynamics").disabled).toBe(true);
  act(() => store.show(VIEW));
  await settled();
  expect(button("Inverse dynamics").disabled).toBe(false);
  expect(button("Geometry of closed loops").disabled).toBe(true);
  expect(button("Geometry of closed loops").title).toContain("it has no closed loop");
});

it("searches the list of models by title and alias", async () => {
  const type = (text: string): void => {
    const input = box.querySelector<HTMLInputElement>('[data-testid="models-search"]')!;
    input.value = text;
    act(() => void input.dispatchEvent(new Event("input")));
  };
  const listed = (): (string | null)[] => [...box.querySelectorAll(".md-menus button")].map((one) => one.textContent);
  type("newton euler");
  expect(listed()).toEqual(["Inverse dynamicsInverse dynamic model"]);
  type("loops");
  expect(listed()).toEqual(["Geometry of closed loopsLoops"]);
  type("no such model");
  expect(listed()).toEqual([]);
  expect(box.textContent).toContain("No match.");
  type("");
  expect(listed()).toHaveLength(2);
});

it("lists and finds the actions of a menu beside its models", async () => {
  const run = vi.fn();
  act(() => void store.register([{ id: "singularities", title: "Singularities", group: "Dynamic", words: "rank", run }]));
  act(() => button("Singularities").click());
  expect(run).toHaveBeenCalledOnce();
  const input = box.querySelector<HTMLInputElement>('[data-testid="models-search"]')!;
  input.value = "rank";
  act(() => void input.dispatchEvent(new Event("input")));
  expect([...box.querySelectorAll(".md-menus button")].map((one) => one.textContent)).toEqual(["Singularities"]);
});

it("shows the requested model with options, ports, count and equations", async () => {
  await chosen();
  expect(store.requested.value).toEqual({ model: "inverse-dynamics", options: {} });
  expect(box.querySelector(".md-count")!.textContent).toBe("4 ×  3 +");
  expect(box.querySelector(".md-phase")!.textContent).toBe("Each call");
  expect(box.querySelectorAll(".md-equation")).toHaveLength(1);
  expect(box.querySelector(".md-ports")!.textContent).toContain("torques");
});

it("derives the model again when an option changes", async () => {
  await chosen();
  const flag = box.querySelector<HTMLInputElement>(".md-option input")!;
  act(() => flag.click());
  await settled(500);
  expect(store.requested.value!.options).toEqual({ reactions: true });
  const last = requests.filter(([name]) => name === "model").at(-1)![1];
  expect(last).toEqual({ robot: { name: "arm" }, model: "inverse-dynamics", options: { reactions: true } });
});

it("shows code, text and count in their tabs, by mouse, by keys and by the palette", async () => {
  await chosen();
  act(() => button("SYMORO text").click());
  expect(box.querySelector("pre")!.textContent).toBe("tau1 = a + b");
  act(() => button("Typeset").click());
  act(() => button("Code").click());
  await settled(50);
  expect(box.querySelector("pre")!.textContent).toContain("export function call");
  act(() => void button("Code").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true })));
  await settled(50);
  expect(box.textContent).toContain("share sums");
  const actions = store.actions.value.filter(({ group }) => group === "Model");
  const equations = actions.find(({ id }) => id === "models.tab.equations")!;
  expect(equations.enabled!()).toBe(true);
  expect(actions.find(({ id }) => id === "models.tab.derivation")!.enabled!()).toBe(false);
  act(() => void equations.run());
  expect(box.querySelector('[aria-selected="true"]')!.textContent).toBe("Equations");
  act(() => void actions.find(({ title }) => title === "Code in C99")!.run());
  expect(box.querySelector('[aria-selected="true"]')!.textContent).toBe("Code");
});

it("closes the project panel on Escape, on a click elsewhere and with another model", async () => {
  await chosen();
  const leave = [
    () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })),
    () => document.body.dispatchEvent(new Event("pointerdown", { bubbles: true })),
    () => (store.requested.value = { model: "loops", options: {} }),
  ];
  for (const go of leave) {
    act(() => button("Project \u2026").click());
    expect(box.querySelector(".md-panel")).not.toBeNull();
    act(() => void go());
    expect(box.querySelector(".md-panel")).toBeNull();
  }
});

it("switches from the plots to the equations of another model", async () => {
  await chosen();
  act(() => button("Plots").click());
  act(() => void (store.requested.value = { model: "loops", options: {} }));
  expect(box.querySelector('[aria-selected="true"]')!.textContent).toBe("Equations");
});

it("removes its commands when it is closed", () => {
  expect(store.actions.value.length).toBeGreaterThan(5);
  act(() => render(null, box));
  expect(store.actions.value).toHaveLength(0);
});
