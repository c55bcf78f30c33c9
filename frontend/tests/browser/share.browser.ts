// Links, recent robots, tabs and comparison; accessibility; narrow pages; a server that is lost for a moment.

import { expect, test } from "vitest";

import { slide, testPage } from "./harness";

const it = testPage();
const findings = () => it.findings();
// The previous model fades until the new one is derived.
const equations = () => it.page.locator('[data-pane="models"] .md-view:not(.md-old) .katex').first().waitFor();
const slider = () => it.page.getByTestId("scene-joint-2").locator('input[type="range"]');

test("a link restores robot, posture and model in another page", async () => {
  await it.showing("RX90");
  await it.endTour();
  await it.type(it.cell("frame", 4, "r"), "0.31");
  await it.settled();
  await slide(slider(), 0.5);
  const posture = await slider().inputValue();
  await it.model("Kinematic", "jacobian");
  await equations();
  await it.command("share a link", "action share");
  await expect.poll(() => it.page.locator('[data-share="link"]').inputValue()).toMatch(/#robot=[\w-]{200,}$/);
  await it.page.locator('[data-share="copy"]').click();
  await it.page.getByRole("button", { name: "Copied" }).waitFor();
  const link = await it.page.evaluate(() => navigator.clipboard.readText());
  expect(link.length).toBeLessThan(8000);
  expect(await findings()).toEqual([]);

  const other = await it.page.context().browser()!.newContext();
  const page = await other.newPage();
  await page.goto(link);
  await page.locator('[data-cell="frame 4 r"]', { hasText: /^0\.31$/ }).waitFor();
  await expect.poll(() => page.getByTestId("scene-joint-2").locator('input[type="range"]').inputValue()).toBe(posture);
  await page.locator('[data-open-model="jacobian"][aria-pressed="true"]').waitFor();
  expect(page.url()).not.toContain("#");

  await page.goto(link.slice(0, -40));
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").textContent()).toContain("the link cannot be read");
  await other.close();

  const first = await it.page.context().browser()!.newContext();
  const visit = await first.newPage();
  await visit.goto(link.slice(0, -40));
  await visit.locator("[data-robot-name]", { hasText: "RX90" }).waitFor();
  await expect.poll(() => visit.getByRole("alert").allTextContents()).toEqual([expect.stringContaining("the link cannot be read")]);
  await first.close();
});

test("models are open in tabs and are compared with their operation counts", async () => {
  await it.page.keyboard.press("Escape");
  await it.model("Dynamic", "inverse-dynamics");
  await equations();
  expect(await findings()).toEqual([]);
  await it.page.locator("#md-tab-count").click();
  expect(await findings()).toEqual([]);
  await it.page.locator("#md-tab-equations").click();
  expect(await it.page.locator("[data-open-model]").count()).toBe(2);
  await it.page.getByTestId("models-compare").click();
  await it.page.getByLabel("right robot").selectOption("planar2r");
  await it.page.getByLabel("right model").selectOption("inverse-dynamics");
  const counts = it.page.getByTestId("compare-counts").locator("tbody tr");
  await expect.poll(async () => Number(await counts.nth(2).locator("td").first().textContent())).toBeLessThan(0.2);
  const [left, right] = await Promise.all([0, 1].map(async (k) => Number(await counts.nth(k).locator("td").first().textContent())));
  expect(left).toBeGreaterThan(right!);
  expect(right).toBeGreaterThan(0);
  expect(await findings()).toEqual([]);
  await it.shot("compare");
  await it.page.locator('[data-open-model="jacobian"]').click();
  await it.page.getByRole("button", { name: "Close Jacobian" }).click();
  await expect.poll(() => it.page.locator("[data-open-model]").count()).toBe(1);
});

test("a robot that was open before is in the menu", async () => {
  await it.command("open planar2r", "robot planar2r");
  await it.showing("planar2R");
  await it.page.locator('[data-menu="Robot"]').click();
  await it.page.locator('[data-item^="recent-"]', { hasText: "RX90" }).click();
  await it.showing("RX90");
  await expect.poll(() => it.cell("frame", 4, "r").textContent()).toBe("0.31");
});

test("the copied command names the file, and a button saves it", async () => {
  await it.model("Dynamic", "inverse-dynamics");
  const saved = await it.downloaded(it.page.getByTestId("models-save-robot"));
  await it.page.getByRole("button", { name: "Copy as command" }).click();
  await it.page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await it.page.evaluate(() => navigator.clipboard.readText())).toBe(`symoro generate inverse-dynamics ${saved.name}`);
  expect(saved.text).toContain("0.31");
});

test("the page works at 800 pixels and is readable at 390", async () => {
  for (const width of [800, 390]) {
    await it.page.setViewportSize({ width, height: 800 });
    for (const [menu, id, name] of [
      ["Dynamic", "inverse-dynamics", "Inverse dynamics"],
      ["Identification", "dynamic-identification", "Dynamic identification model"],
    ] as const) {
      await it.page.locator(`[data-menu="${menu}"]`).click();
      expect(await it.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await it.page.locator(`[data-item="${id}"]`).click();
      const title = it.page.locator('[data-pane="models"] h2').first();
      await expect.poll(() => title.textContent()).toBe(name);
      await equations();
      expect(await title.evaluate((one) => one.scrollWidth <= one.clientWidth && one.getBoundingClientRect().right <= one.parentElement!.getBoundingClientRect().right)).toBe(true);
      expect(await it.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      // The tabs scroll, not the commands beside them.
      const compare = (await it.page.getByTestId("models-compare").boundingBox())!;
      expect(compare.x + compare.width).toBeLessThanOrEqual(width);
      expect(await findings()).toEqual([]);
    }
    await it.shot(`narrow-${width}`);
  }
  await it.page.setViewportSize({ width: 1280, height: 800 });
});

test("the page waits for a lost server and continues", async () => {
  await it.page.route("**/api/**", (route) => route.abort());
  await it.type(it.cell("frame", 3, "d"), "0.47");
  await it.page.locator('[data-menu="Dynamic"]').click();
  await it.page.locator('[data-item="inertia-matrix"]').click();
  await it.page.locator("[data-lost]").waitFor();
  await it.page.unroute("**/api/**");
  await it.page.locator("[data-lost]").waitFor({ state: "detached" });
  await it.page.locator('[data-open-model="inertia-matrix"]').waitFor();
  await equations();
  expect(await it.page.getByRole("alert").count()).toBe(0);
  await it.page.locator('[data-cell="frame 3 d"]:not([aria-invalid])', { hasText: /^0\.47$/ }).waitFor();
  await expect.poll(() => it.page.locator('[data-action="undo"]').isEnabled()).toBe(true);
});
