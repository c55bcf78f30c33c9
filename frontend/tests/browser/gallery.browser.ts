// Screenshots of ten robots of different structure for the documentation.

import { expect, test } from "vitest";

import { testPage, slide } from "./harness";
import { openQuadruped } from "./quadruped";

const it = testPage();

/** Robot with a model and with one function of the page. */
interface RobotPicture {
  /** Name of the picture; of a bundled robot its id. */
  id: string;
  menu: string;
  model: string;
  /** Actions before the picture is taken. */
  act?: () => Promise<void>;
  /** How the robot is opened, if it is not a bundled one. */
  open?: () => Promise<void>;
}

const tab = (name: string) => it.page.getByTestId(`scene-tab-${name}`).click();
const check = (id: string) => it.page.getByTestId(id).check();

async function slideAll(values: readonly (readonly [number, number])[]): Promise<void> {
  for (const [frame, value] of values) await slide(it.page.getByTestId(`scene-joint-${frame}`).locator('input[type="range"]'), value);
}

async function simulate(): Promise<void> {
  await slideAll([[2, 0.9]]);
  await tab("motion");
  await it.page.getByTestId("motion-simulation").click();
  await it.page.getByTestId("simulate-run").click();
  await it.page.getByTestId("simulate-ended").waitFor();
  await slide(it.page.getByTestId("scene-time"), 1.2);
  const pause = it.page.getByTestId("scene-transport").getByLabel("Pause");
  if (await pause.count()) await pause.click();
}

const ROBOTS: RobotPicture[] = [
  {
    id: "puma560",
    menu: "Geometric",
    model: "inverse-geometry",
    act: async () => {
      await slideAll([[1, 0.4], [2, -0.5], [3, 0.6], [5, 0.8]]);
      await tab("pose");
      await check("scene-solve");
      await it.page.getByTestId("scene-solutions").locator("li").nth(7).waitFor();
    },
  },
  {
    id: "panda",
    menu: "Kinematic",
    model: "jacobian",
    act: async () => {
      await tab("view");
      for (const overlay of ["centre", "gravity", "velocity"]) await check(`scene-overlay-${overlay}`);
    },
  },
  { id: "sr400", menu: "Geometric", model: "loop-geometry", act: () => slideAll([[1, 0.4], [2, -1.3], [7, -0.2], [5, 0.5]]) },
  { id: "gough_stewart", menu: "Geometric", model: "fast-geometry" },
  { id: "delta", menu: "Dynamic", model: "inverse-dynamics", act: () => slideAll([[1, 0.4]]) },
  {
    id: "fivebar",
    menu: "Kinematic",
    model: "loop-kinematics",
    act: async () => {
      // At zero one crank hides the other one.
      await slideAll([[1, 2], [3, 1.1]]);
      await tab("singularities");
      await it.page.getByTestId("scene-singularities").waitFor();
    },
  },
  {
    id: "quadruped",
    menu: "Dynamic",
    model: "contact-dynamics",
    open: () => openQuadruped(it),
    act: async () => {
      await slideAll([2, 5, 8, 11].flatMap((frame) => [[frame, 0.5], [frame + 1, -1]] as const));
      await tab("view");
      for (const overlay of ["centre", "gravity", "contacts"]) await check(`scene-overlay-${overlay}`);
      await it.page.getByTestId("scene-contact-ends").click();
    },
  },
  { id: "flexible2r", menu: "Dynamic", model: "inertia-matrix", act: () => slideAll([[1, 0.5], [2, 0.6]]) },
  { id: "mobile_manipulator", menu: "Kinematic", model: "wheel-kinematics", act: () => slideAll([[5, 0.6], [6, 0.7], [7, -1.2]]) },
  { id: "cartpole", menu: "Dynamic", model: "direct-dynamics", act: simulate },
];

test("the first visit", async () => {
  await it.page.setViewportSize({ width: 1440, height: 900 });
  await it.showing("RX90");
  await it.endTour();
});

for (const { id, menu, model, act, open } of ROBOTS)
  test(`the robot ${id} with its model ${model}`, async () => {
    // A reload restores the settings of the picture.
    await it.page.reload();
    await it.page.locator("[data-robot-name]").waitFor();
    const close = it.page.locator(".md-open-close");
    while (await close.count()) await close.first().click();
    if (open) await open();
    else await it.command(id, `robot ${id}`);
    await it.settled();
    await it.page.locator("[data-pane=scene] .sc-slider").first().waitFor();
    await it.model(menu, model);
    await it.page.getByRole("tab", { name: "Equations" }).click();
    await it.page.locator('[data-pane="models"] .katex').first().waitFor();
    await act?.();
    // Loops are closed and the model is derived.
    await expect.poll(() => it.page.locator(".md-old, .md-progress, .sc-note").count()).toBe(0);
    await it.page.getByTestId("scene-fit").click();
    await it.page.mouse.move(640, 5); // no tool tip
    await it.picture();
    await it.shot(`robot-${id}`);
  });
