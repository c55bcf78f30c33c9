import { expect, test } from "vitest";

import { testPage, slide } from "./harness";

const it = testPage();

test("a slider of an active joint closes the loop", async () => {
  await it.showing("RX90");
  await it.endTour();
  await it.command("fivebar", "robot fivebar");
  await it.showing("fivebar");
  const follower = it.page.locator(".sc-follower .sc-value").first();
  await follower.waitFor();
  const before = await it.picture();
  const value = await follower.textContent();
  const slider = it.page.locator('[data-pane="scene"] .sc-slider input[type="range"]').first();
  const now = Number(await slider.inputValue());
  await slide(slider, now + 0.25);
  await expect.poll(() => follower.textContent()).not.toBe(value);
  expect((await it.compared(before, await it.picture())).differing).toBeGreaterThan(300);
  await it.shot("loop");
});

test("loops are opened, and closed again", async () => {
  const sliders = it.page.locator('[data-pane="scene"] .sc-slider');
  await it.page.getByTestId("scene-break").click();
  await expect.poll(() => sliders.count()).toBe(5);
  const passive = sliders.nth(1).locator('input[type="range"]');
  await slide(passive, Number(await passive.inputValue()) + 0.4);
  const open = await it.picture();
  await it.page.getByTestId("scene-break").click();
  await expect.poll(() => sliders.count()).toBe(2);
  expect((await it.compared(open, await it.picture())).differing).toBeGreaterThan(300);
  expect(await it.page.getByTestId("scene-note").count()).toBe(0);
});

test("a motion plays", async () => {
  await it.page.getByTestId("scene-tab-motion").click();
  await it.page.getByTestId("scene-swing").click();
  const transport = it.page.getByTestId("scene-transport");
  await transport.waitFor();
  const time = it.page.getByTestId("scene-time");
  const first = await time.inputValue();
  const before = (await it.canvas().screenshot()).toString("base64");
  await expect.poll(async () => Number(await time.inputValue()) - Number(first)).toBeGreaterThan(0.3);
  const after = (await it.canvas().screenshot()).toString("base64");
  expect((await it.compared(before, after)).differing).toBeGreaterThan(300);
  await it.shot("motion");
});
