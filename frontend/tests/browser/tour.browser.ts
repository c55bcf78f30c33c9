// Perform the steps of the tour exactly, from the first visit of the page to a program that runs.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { unzipSync } from "fflate";
import { expect, test } from "vitest";

import { testPage, slide } from "./harness";

const it = testPage();
const card = (step: number) => it.page.locator(`.sh-tour[data-step="${step}"]`);

/** Check that the card does not cover the highlighted element. */
async function uncovered(): Promise<void> {
  await it.page.waitForTimeout(600); // the card follows its element every quarter of a second
  const [ring, tour] = await Promise.all([".sh-ring", ".sh-tour"].map((one) => it.page.locator(one).boundingBox()));
  const beside = tour!.x >= ring!.x + ring!.width || tour!.x + tour!.width <= ring!.x;
  const apart = tour!.y >= ring!.y + ring!.height || tour!.y + tour!.height <= ring!.y;
  expect(beside || apart, JSON.stringify({ ring, tour })).toBe(true);
}

test("step 1 creates a robot", async () => {
  await it.showing("RX90");
  await card(1).waitFor();
  await it.picture();
  await it.shot("tour-1");
  await uncovered();
  await it.page.locator('[data-menu="Robot"]').click();
  await uncovered();
  await it.page.locator('[data-item="new"]').click();
  await uncovered();
  await it.page.getByRole("button", { name: "Create" }).click();
  await it.showing("robot");
});

test("step 2 edits a cell", async () => {
  await card(2).waitFor();
  await it.picture();
  await it.shot("tour-2");
  await uncovered();
  await it.cell("frame", 2, "alpha").click();
  await it.page.keyboard.type("pi/2");
  await it.page.keyboard.press("Enter");
  await expect.poll(() => it.cell("frame", 2, "alpha").textContent()).toBe("pi/2");
});

test("step 3 moves the robot", async () => {
  await card(3).waitFor();
  await uncovered();
  await slide(it.page.locator('[data-pane="scene"] .sc-slider input[type="range"]').nth(1), 0.6);
  await card(4).waitFor();
});

test("step 4 derives the inverse dynamics", async () => {
  await it.picture();
  await it.shot("tour-3");
  await uncovered();
  await it.page.locator('[data-menu="Dynamic"]').click();
  await uncovered();
  await it.page.getByText("Inverse dynamic model", { exact: false }).first().click();
  await it.page.locator('[data-pane="models"] .katex').first().waitFor();
  await card(5).waitFor();
  await it.picture();
  await it.shot("tour-4");
  await uncovered();
});

test("step 5 downloads a project that compiles and runs", async () => {
  await it.page.locator('[data-pane="models"] [data-tour="project"]').click();
  const panel = it.page.getByRole("region", { name: "Download the project" });
  expect(await panel.getByLabel("C99").isChecked()).toBe(true);
  await it.shot("tour-5");
  const [file] = await Promise.all([
    it.page.waitForEvent("download"),
    panel.getByRole("button", { name: "Download .zip" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("robot_inverse_dynamics.zip");
  const folder = mkdtempSync(join(tmpdir(), "symoro-"));
  const files = unzipSync(readFileSync((await file.path())!));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const makefile = Object.keys(files).find((name) => name.endsWith("Makefile"))!;
  expect(makefile).toBeDefined();
  if (!process.env["SYMORO_CC"]) return;
  const output = execFileSync("make", ["run"], { cwd: join(folder, dirname(makefile)), encoding: "utf-8" });
  expect(output).toMatch(/tau/);
});
