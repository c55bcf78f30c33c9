// @vitest-environment jsdom

import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it } from "vitest";

import type { View } from "../backend/messages";
import { sampleTable, sampleView } from "../store/sample";
import { createStore, type Store } from "../store/store";
import type { Control } from "./control";
import { Runs } from "./runs";
import { openWrenches, SimulatePanel } from "./simulatepanel";

const JOINTS = [
  ["R", "0", "0", "0"],
  ["R", "0", "D2", "0"],
];
const WRENCHES = { ...sampleTable([]), title: "wrenches", part: "link", columns: ["FX", "FY", "FZ", "CX", "CY", "CZ"] };
const SWIMMER = sampleView(JOINTS, {
  name: "swimmer",
  symbols: ["FX0", "CZ2"],
  values: { FX0: 0, CZ2: 0 },
  tables: [
    {
      ...WRENCHES,
      rows: [
        { j: 0, cells: ["FX0", "0", "0", "0", "0", "0"] },
        { j: 1, cells: ["0", "0", "0", "0", "0", "0"] },
        { j: 2, cells: ["0", "2", "0", "0", "0", "CZ2"] },
      ],
    },
  ],
});

let box: HTMLElement;
let store: Store;
let runs: Runs;
let requests: Record<string, unknown>[];
const drawn = signal<View | null>(null);

function show(view: View): void {
  const another = drawn.peek() !== null;
  act(() => {
    store.show(view);
    drawn.value = view;
    if (another) runs.reset();
  });
}

function field(label: string): HTMLInputElement {
  return box.querySelector<HTMLInputElement>(`input[aria-label="${label}, number"]`)!;
}

function type(label: string, text: string): void {
  act(() => {
    field(label).value = text;
    field(label).dispatchEvent(new Event("change"));
  });
}

beforeEach(() => {
  requests = [];
  drawn.value = null;
  const call = <T,>(_: string, payload: object = {}): Promise<T> => {
    requests.push(payload as Record<string, unknown>);
    return new Promise<T>(() => undefined);
  };
  store = createStore({ call });
  const motions = { pause: () => undefined, show: () => undefined, grow: () => undefined, grown: () => undefined };
  runs = new Runs(store, { motions });
  show(sampleView(JOINTS));
  const control = { runs, drawn, ready: signal(true) } as unknown as Control;
  box = document.body.appendChild(document.createElement("div"));
  act(() => render(<SimulatePanel control={control} store={store} />, box));
});

afterEach(() => {
  render(null, box);
  box.remove();
});

it("torques are reset for another robot", () => {
  type("torque of q2", "7");
  expect(field("torque of q2").value).toBe("7");
  show(sampleView(JOINTS, { name: "next" }));
  expect(field("torque of q2").value).toBe("0");
  act(() => box.querySelector<HTMLElement>('[data-testid="simulate-run"]')!.click());
  expect(requests.at(-1)).toMatchObject({ tau: [0, 0] });
});

it("settings and initial velocities are not those of the robot before", () => {
  type("duration", "0.3");
  type("initial velocity of q2", "1.5");
  act(() => box.querySelector<HTMLElement>('[data-testid="simulate-run"]')!.click());
  expect(requests.at(-1)).toMatchObject({ duration: 0.3, qd: [0, 1.5] });
  show(sampleView(JOINTS, { name: "next" }));
  expect([field("duration").value, field("initial velocity of q2").value]).toEqual(["5", "0"]);
});

it("a number that is being typed is kept when the panel is drawn again", () => {
  act(() => {
    field("duration").value = "1";
    field("duration").dispatchEvent(new Event("input"));
  });
  act(() => void (runs.integrators.value = ["RK45"]));
  expect(field("duration").value).toBe("1");
  act(() => void field("duration").dispatchEvent(new Event("change")));
  act(() => box.querySelector<HTMLElement>('[data-testid="simulate-run"]')!.click());
  expect(requests.at(-1)).toMatchObject({ duration: 1 });
});

it("only integrators that can run are offered", () => {
  const offered = (): string[] =>
    [...box.querySelectorAll<HTMLOptionElement>('[data-testid="simulate-method"] option')].map((one) => one.value);
  const button = (): HTMLButtonElement => box.querySelector<HTMLButtonElement>('[data-testid="simulate-run"]')!;
  act(() => void (runs.integrators.value = ["RK45", "rk4"]));
  expect(offered()).toEqual(["RK45", "rk4"]);
  act(() => button().click());
  expect(requests.at(-1)).toMatchObject({ method: "RK45" });
  // The fixed-step integrator cannot stop at joint limits.
  act(() => void (runs.settings.value = { ...runs.settings.value, stops: "end" }));
  expect(offered()).toEqual(["RK45"]);
  act(() => void (runs.integrators.value = []));
  act(() => runs.stop());
  expect(button().disabled).toBe(true);
  expect(box.textContent).toContain("install the package scipy");
});

it("a floating base has fields for its velocity", () => {
  expect(field("base wz")).toBeNull();
  show(sampleView(JOINTS, { name: "satellite", base: "floating" }));
  type("base wz", "0.2");
  act(() => box.querySelector<HTMLElement>('[data-testid="simulate-run"]')!.click());
  expect(requests.at(-1)).toMatchObject({ start: { V0: [0, 0, 0, 0, 0, 0.2] } });
});

it("a robot has fields for its symbolic wrenches", () => {
  expect(box.querySelector('[data-testid="simulate-wrenches"]')).toBeNull();
  show(SWIMMER);
  expect(openWrenches(SWIMMER).map(({ link }) => link)).toEqual([0, 2]);
  expect(field("FX0").value).toBe("0");
  type("CZ2", "-0.5");
  act(() => box.querySelector<HTMLElement>('[data-testid="simulate-run"]')!.click());
  expect(requests.at(-1)).toMatchObject({ values: { FX0: 0, CZ2: -0.5 } });
});
