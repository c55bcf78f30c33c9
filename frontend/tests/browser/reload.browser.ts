import { expect, test } from "vitest";

import { testPage, slide } from "./harness";

const it = testPage();

test("a reload restores robot, edits, posture, model and undo history", async () => {
  await it.showing("RX90");
  await it.endTour();
  await it.type(it.cell("frame", 4, "r"), "0.31");
  await expect.poll(() => it.cell("frame", 4, "r").textContent()).toBe("0.31");
  const slider = it.page.getByTestId("scene-joint-2").locator('input[type="range"]');
  await slide(slider, 0.5);
  const posture = Number(await slider.inputValue());
  await it.model("Kinematic", "jacobian");
  await it.page.locator('[data-pane="models"] .katex').first().waitFor();
  await it.settled();
  await it.page.getByTestId("scene-look").selectOption("iso");
  const drawn = await it.picture();

  await it.page.reload();
  await it.showing("RX90");
  expect(await it.cell("frame", 4, "r").textContent()).toBe("0.31");
  expect(Number(await slider.inputValue())).toBeCloseTo(posture, 3);
  await it.page.locator('[data-pane="models"] .katex').first().waitFor();
  await it.settled();
  await it.page.getByTestId("scene-look").selectOption("iso");
  expect((await it.compared(drawn, await it.picture())).differing).toBeLessThan(300);
  await it.shot("reloaded");
  await it.page.locator('[data-action="undo"]').click();
  await expect.poll(() => it.cell("frame", 4, "r").textContent()).toBe("RL4");
});
