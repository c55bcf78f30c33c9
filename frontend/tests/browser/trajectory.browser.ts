import { expect, test } from "vitest";

import { testPage } from "./harness";

const it = testPage();

test("a trajectory is computed, with its torques plotted under the scene and its path drawn", async () => {
  await it.showing("RX90");
  await it.endTour();
  await it.command("planar2r", "robot planar2r");
  await it.showing("planar2R");
  await it.page.getByTestId("scene-tab-motion").click();
  await it.page.getByTestId("motion-trajectory").click();
  const text = it.page.getByTestId("trajectory-text");
  await expect.poll(() => text.inputValue()).toContain("name: planar2R");
  await it.page.getByTestId("trajectory-to").fill("1, 0.5");
  await it.page.getByTestId("trajectory-add").click();
  await it.page.getByTestId("trajectory-kind").selectOption("hold");
  await it.page.getByTestId("trajectory-add").click();
  await expect.poll(() => text.inputValue()).toContain("  - {joints: [1, 0.5], duration: 1}\n  - {hold: 0.5}");
  await it.page.getByTestId("trajectory-run").click();
  await it.page.getByTestId("trajectory-peaks").waitFor();
  await it.page.locator('[data-testid="scene-under"] canvas').waitFor();
  expect(Number(await it.canvas().getAttribute("data-path"))).toBeGreaterThan(100);
  const time = it.page.getByTestId("scene-time");
  const first = Number(await time.inputValue());
  await expect.poll(async () => Number(await time.inputValue())).not.toBe(first);
  await it.shot("trajectory");
});

test("an error in a trajectory is shown with its line", async () => {
  const text = it.page.getByTestId("trajectory-text");
  await text.fill((await text.inputValue()).replace("hold: 0.5", "hold: long"));
  await it.page.getByTestId("trajectory-run").click();
  const wrong = it.page.getByTestId("scene-wrong");
  await expect.poll(() => wrong.textContent()).toContain("line 6");
});

test("a simulation is shown while it runs, and stopped", async () => {
  await it.command("fourbar", "robot fourbar");
  await it.showing("fourbar");
  await it.page.getByTestId("motion-simulation").click();
  await it.page.getByLabel("duration, number").fill("500");
  await it.page.getByTestId("simulate-run").click();
  const clock = it.page.getByTestId("scene-transport");
  await clock.waitFor();
  const time = it.page.getByTestId("scene-time");
  await expect.poll(async () => Number(await time.inputValue())).toBeGreaterThan(0);
  await it.page.getByTestId("scene-stop").click();
  const ended = it.page.getByTestId("simulate-ended");
  await expect.poll(() => ended.textContent()).toContain("stopped");
  const end = Number(await time.getAttribute("max"));
  expect(end).toBeGreaterThan(0);
  expect(end).toBeLessThan(500);
  expect(await it.page.getByTestId("scene-running").count()).toBe(0);
  await it.shot("simulation");
});

test("plots are shown side by side and saved, and a pane is maximised", async () => {
  const charts = it.page.locator("[data-testid^=scene-curves-] canvas");
  await expect.poll(() => charts.count()).toBe(1);
  await it.page.getByTestId("scene-plot-torques").click();
  await expect.poll(() => charts.count()).toBe(2);
  const svg = await it.downloaded(it.page.getByTestId("scene-plot-svg"));
  expect(svg.name).toBe("fourbar_positions_torques.svg");
  for (const axis of ["positions in rad", "torques in N m", "time in s"]) expect(svg.text).toContain(axis);
  const csv = await it.downloaded(it.page.getByTestId("scene-plot-csv"));
  expect(csv.text).toMatch(/^time \[s\],positions \S+ \[rad\]/);
  const models = it.page.locator('[data-pane="models"]');
  await it.page.locator('[data-maximise="scene"]').click();
  await expect.poll(() => models.isVisible()).toBe(false);
  await it.shot("maximised");
  // A panel takes the place of the tables, which are hidden by a maximised scene.
  await it.command("share a link", "action share");
  await it.page.locator('[data-share="copy"]').waitFor();
  await it.page.keyboard.press("Escape");
  await it.page.locator('[data-maximise="scene"]').click();
  await expect.poll(() => models.isVisible()).toBe(true);
});
