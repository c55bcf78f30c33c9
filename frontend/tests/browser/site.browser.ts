// The static site, whose Python has neither NumPy nor SciPy; its numbers are compared with those of the server.

import { expect, test } from "vitest";

import { slide, testPage } from "./harness";
import { openQuadruped } from "./quadruped";

const it = testPage("SYMORO_SITE");

interface Answer {
  robot: object;
  values: object;
  outputs: Record<string, number[]>;
  solutions: { q: number[] }[];
  q: number[][];
}

/** Call the server, which computes with NumPy and SciPy. */
async function server(name: string, payload: object): Promise<Answer> {
  const api = new URL("api/", process.env["SYMORO_ADDRESS"]);
  const post = async (path: string, body: object): Promise<Answer & { id?: string }> => {
    const headers = { "content-type": "application/json" };
    return (await (await fetch(new URL(path, api), { method: "POST", headers, body: JSON.stringify(body) })).json()) as Answer;
  };
  if (name === "robot_open") return post(name, payload);
  const { id } = await post("jobs", { call: name, payload });
  // The stream of events ends with the result.
  const text = await (await fetch(new URL(`jobs/${id}/events`, api))).text();
  const last = text.trim().split("data:").at(-1)!;
  const { result } = JSON.parse(last) as { result?: Answer & { error?: object } };
  if (!result || result.error) throw new Error(`${name}: ${last}`);
  return result;
}

/** Return the inputs and outputs that the page shows for the current model, which has the given input, by name. */
async function numbers(input: string): Promise<{ inputs: Record<string, number[]>; outputs: Record<string, number[]> }> {
  const pane = it.page.locator('[data-pane="models"]');
  await pane.getByRole("tab", { name: "Numbers" }).click();
  // The previous model fades until the new one is derived.
  const view = pane.locator(".md-view:not(.md-old)");
  await view.locator(".md-input legend b").getByText(input, { exact: true }).waitFor();
  await view.locator(".md-output").first().waitFor();
  return pane.evaluate((element) => {
    const read = (box: string, name: string, entry: string, value: (one: HTMLElement) => string): Record<string, number[]> =>
      Object.fromEntries(
        [...element.querySelectorAll(box)].map((part) => [
          part.querySelector(name)!.textContent!,
          [...part.querySelectorAll<HTMLElement>(entry)].map((one) => Number(value(one))),
        ]),
      );
    return {
      inputs: read(".md-input", "legend b", "input", (one) => (one as HTMLInputElement).value),
      outputs: read(".md-output", "h4 b", "td:not(.md-use)", (one) => one.title),
    };
  });
}

/** Check numbers of the page against numbers of the server; the page shows inputs with seven digits. */
function agree(shown: number[], expected: number[]): void {
  const largest = Math.max(...expected.map(Math.abs));
  expect(shown).toHaveLength(expected.length);
  expect(largest).toBeGreaterThan(0);
  shown.forEach((x, k) => expect(Math.abs(x - expected[k]!)).toBeLessThan(1e-5 * largest));
}

const open = async (id: string, name: string): Promise<void> => {
  await it.command(id, `robot ${id}`);
  await it.showing(name);
  await it.settled();
};

test("the first robot and its model are shown before Python runs, then a worker derives another model", async () => {
  await it.page.locator("[data-robot-name]").waitFor();
  expect(await it.page.locator("#page > *").count()).toBe(1); // without the text that the site shows until then
  await it.settled();
  await it.endTour();
  await it.model("Dynamic", "inverse-dynamics");
  const pane = it.page.locator('[data-pane="models"]');
  await pane.locator(".katex").first().waitFor();
  expect(await pane.locator(".md-count").textContent()).toMatch(/233\D+221/);
  await it.model("Kinematic", "jacobian");
  await pane.getByRole("heading", { name: /Jacobian/i }).waitFor();
  await pane.locator(".katex").first().waitFor();
  await it.shot("site");
});

test("PUMA has eight solutions, drawn as ghosts", async () => {
  await open("puma560", "PUMA560");
  await it.page.getByTestId("scene-random").click();
  await it.page.getByTestId("scene-tab-pose").click();
  const before = await it.picture();
  await it.page.getByTestId("scene-solve").check();
  await it.page.getByTestId("scene-solutions").waitFor();
  expect(await it.page.getByTestId("scene-solutions").locator("li").count()).toBe(8);
  const { differing } = await it.compared(await it.picture(), before);
  expect(differing).toBeGreaterThan(500);

  // Each ghost is a posture with the same pose of the flange, and together they are the solutions that Python computes.
  await it.model("Geometric", "fast-geometry");
  const { robot } = await server("robot_open", { id: "puma560" });
  const start = await numbers("q");
  const T = start.outputs["T"]!;
  const pose = [0, 4, 8, 12].map((k) => T.slice(k, k + 4));
  const { solutions } = await server("solve", { robot, pose, q0: start.inputs["q"] });
  expect(solutions).toHaveLength(8);
  const places = new Set<number>();
  const titles = it.page.getByTestId("scene-solutions").locator("li button b");
  const named = (await titles.allInnerTexts()).map((text) => text.replace(/^[a-z]\d* /, "").trim()); // without the letter of the ghost
  expect(new Set(named).size).toBe(8);
  for (const name of named) {
    const other = it.page.getByTestId("scene-solutions").locator("li button:enabled", { hasText: name });
    if (await other.count()) await other.click(); // the displayed solution cannot be chosen
    await it.settled();
    const { inputs, outputs } = await numbers("q");
    agree(outputs["T"]!, T);
    const turn = (x: number): number => Math.abs(Math.atan2(Math.sin(x), Math.cos(x)));
    places.add(solutions.findIndex(({ q }) => q.every((x, i) => turn(x - inputs["q"]![i]!) < 1e-4)));
  }
  expect([...places].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("the inverse dynamics of SR400, which has a closed loop, is derived without NumPy", async () => {
  await open("sr400", "SR400");
  await it.model("Dynamic", "inverse-dynamics");
  const pane = it.page.locator('[data-pane="models"]');
  await pane.getByRole("heading", { name: /Inverse dynamic/i }).waitFor();
  await it.page.getByTestId("scene-random").click();
  await it.settled();
  const { inputs, outputs } = await numbers("qda");
  const { robot, values } = await server("robot_open", { id: "sr400" });
  const expected = await server("evaluate", { robot, model: "inverse-dynamics", inputs, values });
  agree(outputs["tau"]!, expected.outputs["tau"]!);
});

test("the cart-pole is simulated without SciPy", async () => {
  await open("cartpole", "cartpole");
  await it.page.getByTestId("scene-tab-joints").click();
  const pole = it.page.getByTestId("scene-joint-2").locator('input[type="range"]');
  await slide(pole, 0.5);
  const started = Number(await pole.inputValue()); // the slider has steps
  await it.page.getByTestId("scene-tab-motion").click();
  await it.page.getByTestId("motion-simulation").click();
  await it.page.getByTestId("simulate-run").click();
  await it.page.getByTestId("simulate-ended").waitFor();
  expect(await it.page.getByTestId("simulate-ended").textContent()).toMatch(/^501 samples/);
  // The last posture is that of SciPy; friction is FS sign(qd) in the page.
  const pause = it.page.locator('[data-testid="scene-play"][aria-label="Pause"]');
  if (await pause.count()) await pause.click();
  await slide(it.page.getByTestId("scene-time"), 5);
  const { robot, values } = await server("robot_open", { id: "cartpole" });
  await it.page.getByTestId("scene-tab-joints").click();
  const expected = await server("simulate", { robot, values, q: [0, started], qd: [0, 0], tau: [0, 0], duration: 5, step: 0.01 });
  const cart = async (): Promise<number[]> => JSON.parse((await it.canvas().getAttribute("data-frames")) ?? "[[0]]")[1] as number[];
  const [x, angle] = expected.q.at(-1)!;
  await expect.poll(async () => Math.abs(Math.max(...(await cart()).map(Math.abs)) - Math.abs(x!))).toBeLessThan(1e-4);
  const degrees = it.page.getByTestId("scene-joint-2").locator("input.sc-field");
  expect(Number(await degrees.inputValue())).toBeCloseTo((angle! * 180) / Math.PI, 0); // shown with one decimal
});

test("a simulation without SciPy is played while it runs, and its samples remain when it is stopped", async () => {
  await it.page.getByTestId("scene-tab-motion").click();
  await it.page.getByLabel("duration").fill("9000");
  await it.page.getByLabel("duration").press("Enter");
  await it.page.getByTestId("simulate-run").click();
  await it.page.locator('[data-testid="scene-play"][aria-label="Pause"]').waitFor();
  await it.page.getByTestId("scene-stop").click();
  expect(await it.page.getByTestId("simulate-ended").textContent()).toMatch(/^stopped: [1-9]\d* samples computed/);
  expect(Number(await it.page.getByTestId("scene-time").getAttribute("max"))).toBeGreaterThan(0);
});

test("the contact forces of a robot with legs are drawn without NumPy", async () => {
  await openQuadruped(it);
  await it.page.getByTestId("scene-tab-view").click();
  await it.page.getByTestId("scene-overlay-contacts").check();
  await it.page.getByTestId("scene-contact-ends").click();
  // The robot and its posture at zero are symmetric to the plane y = 0, and the feet are below the hips.
  await expect.poll(() => it.page.getByTestId("scene-contacts").innerText()).toMatch("LF_foot: 72.6 N; RF_foot: 72.6 N; LH_foot: 72.6 N; RH_foot: 72.6 N");
});
