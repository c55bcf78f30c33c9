// Screenshots for the documentation.

import { expect, test } from "vitest";

import { testPage, slide } from "./harness";

const it = testPage();

test("a robot with its tables and its scene", async () => {
  await it.showing("RX90");
  await it.endTour();
  for (const [frame, value] of [[1, 0.5], [2, 0.9], [3, -0.6], [5, 0.7]] as const)
    await slide(it.page.getByTestId(`scene-joint-${frame}`).locator('input[type="range"]'), value);
  await it.cell("frame", 4, "r").click();
  await it.model("Dynamic", "inverse-dynamics");
  await it.page.locator('[data-pane="models"] .katex').first().waitFor();
  await it.picture();
  await it.shot("workbench");
});

test("a model as code", async () => {
  await it.page.locator('[data-pane="models"] [data-tour="code"]').click();
  await it.page.locator('[data-pane="models"] .hljs-keyword, [data-pane="models"] pre').first().waitFor();
  await it.picture();
  await it.shot("code-tab");
});

test("a parallel robot with its loops closed", async () => {
  await it.command("gough_stewart", "robot gough_stewart");
  await it.showing("gough_stewart");
  await it.page.locator("[data-pane=scene] .sc-slider").nth(5).waitFor();
  await it.model("Geometric", "fast-geometry");
  await it.page.getByRole("tab", { name: "Equations" }).click();
  await it.page.getByRole("heading", { name: /direct geometry/i }).waitFor();
  // Loops are closed and the model is derived.
  await expect.poll(() => it.page.locator(".md-old, .md-progress, .sc-note").count()).toBe(0);
  await it.page.locator('[data-pane="models"] .katex').first().waitFor();
  await it.picture();
  await it.shot("parallel");
});
