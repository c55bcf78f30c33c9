import { expect, test } from "vitest";

import { testPage } from "./harness";

const it = testPage("SYMORO_SITE");

test("without a server a worker opens a robot and derives a model", async () => {
  await it.page.locator("[data-robot-name]").waitFor();
  await it.endTour();
  await it.model("Dynamic", "inverse-dynamics");
  const pane = it.page.locator('[data-pane="models"]');
  await pane.locator(".katex").first().waitFor();
  expect(await pane.locator(".md-count").textContent()).toMatch(/233\D+221/);
  await it.shot("site");
});

test("the second model needs no second start of Python", async () => {
  const pane = it.page.locator('[data-pane="models"]');
  await it.model("Kinematic", "jacobian");
  await pane.getByRole("heading", { name: /Jacobian/i }).waitFor();
  await pane.locator(".katex").first().waitFor();
});

test("a function that needs NumPy gives an error", async () => {
  await it.model("Geometric", "inverse-geometry");
  await it.page.locator('[data-pane="models"]').getByText("this needs NumPy").waitFor();
});
