import { expect, test } from "vitest";

import { testPage } from "./harness";
import { openQuadruped } from "./quadruped";

const it = testPage("SYMORO_SITE");

const open = async (id: string, name: string): Promise<void> => {
  await it.command(id, `robot ${id}`);
  await it.showing(name);
  await it.settled();
};

test("the first robot and its model are shown before Python runs, then a worker derives another model", async () => {
  await it.page.locator("[data-robot-name]").waitFor();
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
});

test("the inverse dynamics of SR400, which has a closed loop, is derived without NumPy", async () => {
  await open("sr400", "SR400");
  await it.model("Dynamic", "inverse-dynamics");
  const pane = it.page.locator('[data-pane="models"]');
  await pane.getByRole("heading", { name: /Inverse dynamic/i }).waitFor();
  await pane.locator(".katex").first().waitFor();
});

test("the cart-pole is simulated without SciPy", async () => {
  await open("cartpole", "cartpole");
  await it.page.getByTestId("scene-tab-motion").click();
  await it.page.getByTestId("motion-simulation").click();
  await it.page.getByTestId("simulate-run").click();
  await it.page.getByTestId("simulate-ended").waitFor();
  expect(await it.page.getByTestId("simulate-ended").textContent()).toMatch(/^501 samples/);
});

test("the contact forces of a robot with legs are drawn without NumPy", async () => {
  await openQuadruped(it);
  await it.page.getByTestId("scene-tab-view").click();
  await it.page.getByTestId("scene-overlay-contacts").check();
  await it.page.getByTestId("scene-contact-ends").click();
  // The robot and its posture at zero are symmetric to the plane y = 0, and the feet are below the hips.
  await expect.poll(() => it.page.getByTestId("scene-contacts").innerText()).toMatch("LF_foot: 72.6 N; RF_foot: 72.6 N; LH_foot: 72.6 N; RH_foot: 72.6 N");
});
