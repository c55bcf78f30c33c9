// Check every panel and tab of the page with axe, in the light and in the dark theme.

import { expect, test } from "vitest";

import { testPage } from "./harness";

const it = testPage();

const TABLES = '[data-pane="tables"]';
const SCENE = '[data-pane="scene"]';
const MODELS = '[data-pane="models"]';

/** Rules of axe that are checked; all by default. */
let rules: string[] | undefined;

/** Record what axe reports on a part of the page, under the name of the place. */
async function inspect(reports: Record<string, string[]>, place: string, part: string): Promise<void> {
  const findings = await it.findings(part, rules);
  if (findings.length) reports[place] = findings;
}

/** Return what axe reports on the tabs of the tables, the scene and the model, on the panels and on the dialogs. */
async function everyPlace(): Promise<Record<string, string[]>> {
  const { page } = it;
  const reports: Record<string, string[]> = {};
  for (const tab of await page.locator("[data-tab]").all()) {
    await tab.click();
    await inspect(reports, `table ${await tab.getAttribute("data-tab")}`, TABLES);
  }
  await page.locator("[data-tab]").first().click();
  for (const name of ["joints", "pose", "motion", "singularities", "view"]) {
    await page.getByTestId(`scene-tab-${name}`).click();
    await (name === "singularities" ? page.getByTestId("scene-singularities").waitFor() : page.waitForTimeout(300));
    await inspect(reports, `scene ${name}`, SCENE);
  }
  await page.getByTestId("scene-tab-motion").click();
  await page.getByTestId("motion-simulation").click();
  await inspect(reports, "scene motion, simulation", SCENE);
  await page.getByTestId("scene-tab-joints").click();
  for (const tab of await page.locator('[id^="md-tab-"]').all()) {
    await tab.click();
    await page.waitForTimeout(300);
    await inspect(reports, `model ${await tab.getAttribute("id")}`, MODELS);
  }
  await page.locator('[id="md-tab-equations"]').click();
  await page.getByTestId("models-compare").click();
  await page.getByLabel("right robot").waitFor();
  await inspect(reports, "compare", MODELS);
  await page.getByTestId("models-compare").click();
  // The wrist of RX90 is singular at home, so that a factor is highlighted.
  await it.model("Kinematic", "jacobian-determinant");
  await expect.poll(() => page.getByTestId("models-vanishing").innerText()).toContain("S5");
  await inspect(reports, "determinant", MODELS);
  for (const [query, id] of [
    ["new robot", "new"],
    ["gallery of", "gallery"],
    ["denavit", "dh"],
    ["share a link", "share"],
    ["keyboard shortcuts", "keys"],
  ] as const) {
    await it.command(query, `action ${id}`);
    await page.locator(".sh-panel").waitFor();
    await page.waitForTimeout(300);
    await inspect(reports, `panel ${id}`, ".sh-panel");
    await page.keyboard.press("Escape");
  }
  await page.locator('[data-action="palette"]').click();
  await page.getByRole("dialog").getByRole("combobox").fill("inverse");
  await inspect(reports, "palette", ".sh-palette");
  await page.keyboard.press("Escape");
  for (const menu of await page.locator("[data-menu]").all()) {
    await menu.click();
    await inspect(reports, `menu ${await menu.getAttribute("data-menu")}`, ".sh-bar");
    await page.keyboard.press("Escape");
  }
  await it.drop("wrong.par", "NL = (");
  await page.getByRole("alert").waitFor();
  await inspect(reports, "error", ".sh-panel");
  await page.keyboard.press("Escape");
  await page.locator(".sh-panel").waitFor({ state: "detached" });
  return reports;
}

test("axe reports nothing in the light theme, also in the tour", async () => {
  await it.showing("RX90");
  expect(await it.findings()).toEqual([]);
  await it.endTour();
  await it.settled();
  await it.model("Dynamic", "inverse-dynamics");
  await it.page.locator('[data-pane="models"] .katex').first().waitFor();
  expect(await everyPlace()).toEqual({});
});

test("axe reports nothing in the dark theme, which differs in its colours alone", async () => {
  rules = ["color-contrast"];
  await it.page.emulateMedia({ colorScheme: "dark" });
  await it.page.locator('[data-theme="dark"]').waitFor();
  expect(await everyPlace()).toEqual({});
});
