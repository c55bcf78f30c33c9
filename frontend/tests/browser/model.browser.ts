import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { testPage } from "./harness";

const it = testPage();

test("RX90 is opened with its frames drawn", async () => {
  await it.showing("RX90");
  await it.shot("start");
  await it.endTour();
  const drawn = await it.picture();
  expect((await it.compared(drawn, drawn)).colours).toBeGreaterThan(50);
});

test("an edited cell moves a frame", async () => {
  const before = await it.picture();
  const cell = it.cell("frame", 3, "d");
  const was = await cell.textContent();
  await it.type(cell, "0.9");
  await expect.poll(() => cell.textContent()).toBe("0.9");
  const after = await it.picture();
  expect((await it.compared(before, after)).differing).toBeGreaterThan(300);
  await it.shot("edited");
  await it.page.locator('[data-action="undo"]').click();
  await expect.poll(() => cell.textContent()).toBe(was);
});

test("an invalid cell shows its error, and the robot is unchanged", async () => {
  const cell = it.cell("frame", 3, "d");
  await it.type(cell, "2*(");
  await it.page.locator('[data-cell="frame 3 d"][aria-invalid="true"]').waitFor();
  expect(await cell.getAttribute("aria-label")).toMatch(/expected|closed|end/);
  await it.shot("wrong-cell");
  await it.type(cell, "D3");
  await it.page.locator('[data-cell="frame 3 d"]:not([aria-invalid])').waitFor();
});

test("inverse dynamics: equations and their count", async () => {
  await it.model("Dynamic", "inverse-dynamics");
  const pane = it.page.locator('[data-pane="models"]');
  await pane.locator(".katex").first().waitFor();
  expect(await pane.locator(".md-count").textContent()).toMatch(/233\D+221/);
  await it.shot("equations");
});

test("a name shows its definition, uses, unit and value; an equation is copied", async () => {
  const pane = it.page.locator('[data-pane="models"]');
  await pane.getByLabel("Find in the equations").fill("KYYR4");
  const card = pane.getByRole("group", { name: "Name KYYR4" });
  await expect.poll(() => card.textContent()).toMatch(/regrouped inertial parameters.*value now[^…]*definition.*used in/);
  await expect.poll(() => pane.locator(".md-find").textContent()).toBe("1 of 3");
  await pane.locator(".md-current").hover();
  await pane.locator(".md-current").getByRole("button", { name: "Copy this equation as LaTeX" }).click();
  const copied = await it.page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^\\mathit\{KYYR\}_\{4\} = -\\(left|Bigl)\(\\frac/);
  await card.getByRole("button", { name: "Close" }).click();
  await pane.locator('[data-name="ZZ2"]').first().click();
  await pane.getByRole("group", { name: "Name ZZ2" }).waitFor();
  await it.page.keyboard.press("Escape");
  await pane.locator(".md-card").waitFor({ state: "detached" });
  await pane.locator('[data-name="ZZ2"]').first().click();
  await expect.poll(() => pane.getByRole("group", { name: "Name ZZ2" }).textContent()).toContain("kg m²");
  await pane.getByRole("button", { name: "Close", exact: true }).click();
  // Nothing is wider than the pane.
  const [whole, visible] = await pane.locator(".md-rows").evaluate((box) => [box.scrollWidth, box.clientWidth]);
  expect(whole).toBeLessThanOrEqual(visible!);
});

test("a card closes when the pointer leaves the equations, and gives way to a typed name", async () => {
  const pane = it.page.locator('[data-pane="models"]');
  await pane.locator('[data-name="KXX3"]').first().hover();
  await pane.getByRole("group", { name: "Name KXX3" }).waitFor();
  await pane.getByLabel("Find in the equations").fill("MYR5");
  await pane.getByRole("group", { name: "Name MYR5" }).waitFor();
  await pane.getByLabel("Find in the equations").fill("");
  await pane.locator('[data-name="KYY2"]').first().hover();
  await pane.getByRole("group", { name: "Name KYY2" }).waitFor();
  await it.canvas().hover();
  await pane.locator(".md-card").waitFor({ state: "detached" });
});

test("no formula overlaps another one, also branches in fractions and long left sides", async () => {
  const pane = it.page.locator('[data-pane="models"]');
  const outside = () =>
    pane.locator(".md-equation").evaluateAll((equations) =>
      equations
        .filter((one) => [...one.querySelectorAll(".katex")].some((formula) => formula.getBoundingClientRect().right > one.getBoundingClientRect().right + 1))
        .map((one) => one.textContent),
    );
  await it.model("Geometric", "inverse-geometry");
  await pane.locator('.md-view:not(.md-old) [data-name="square1_b1"]').first().waitFor();
  expect(await outside()).toEqual([]);
  await pane.locator("#md-tab-derivation").click();
  await pane.locator(".md-equation .katex").nth(20).waitFor();
  expect(await outside()).toEqual([]);
  await pane.locator("#md-tab-equations").click();
  await it.model("Dynamic", "inverse-dynamics");
  await pane.locator('.md-view:not(.md-old) [data-name="KXX3"]').first().waitFor();
});

test("the model is copied as a command and as Python", async () => {
  const pane = it.page.locator('[data-pane="models"]');
  const copied = (): Promise<string> => it.page.evaluate(() => navigator.clipboard.readText());
  await pane.getByRole("button", { name: "Copy as command" }).click();
  await expect.poll(copied).toMatch(/^symoro generate inverse-dynamics /);
  await pane.getByRole("button", { name: "Copy as Python" }).click();
  await expect.poll(copied).toContain('symoro.generate(robot, "inverse-dynamics")');
});

test("the C code is downloaded and compiles", async () => {
  const pane = it.page.locator('[data-pane="models"]');
  await pane.locator('[data-tour="code"]').click();
  await pane.getByLabel("Language").selectOption("c");
  const folder = mkdtempSync(join(tmpdir(), "symoro-"));
  const files = pane.getByRole("tablist", { name: "Files" }).getByRole("tab");
  await files.first().waitFor();
  await it.shot("code");
  for (const file of await files.all()) {
    await file.click();
    const { name, text } = await it.downloaded(pane.getByRole("button", { name: "Download", exact: true }));
    expect(name).toBe(await file.textContent());
    writeFileSync(join(folder, name), text);
    if (name.endsWith(".c")) expect(text).toContain("tau");
  }
  const compiler = process.env["SYMORO_CC"];
  if (!compiler) return;
  const names = await files.allTextContents();
  const source = names.find((name) => name.endsWith("inverse_dynamics.c"))!;
  execFileSync(compiler, ["-std=c99", "-Wall", "-Werror", "-c", source], { cwd: folder });
});
