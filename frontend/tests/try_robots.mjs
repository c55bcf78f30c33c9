// Try bundled robots in the static site: node tests/try_robots.mjs ADDRESS CHROMIUM ROBOT...
// Each robot is opened, drawn, moved, solved (if it has an inverse geometric model) and simulated for one second.
// One line of JSON per robot; the exit code is the number of robots for which the page neither works nor explains why.
// tools/try_site.py starts it.

import { chromium } from "playwright-core";

const [address, executablePath, ...robots] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const LONGEST = 120_000; // ms per step

const browser = await chromium.launch({ executablePath, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(LONGEST);
await context.addInitScript(() => localStorage.setItem("symoro-tour", "ended"));
let bad = 0;

/** Wait until one of the texts appears, and return its index and content. */
async function first(...locators) {
  const found = await Promise.race(locators.map(async (locator, k) => (await locator.first().waitFor(), k)));
  return [found, (await locators[found].first().textContent()).trim()];
}

async function tryRobot(robot) {
  const page = await context.newPage();
  const thrown = [];
  page.on("pageerror", (error) => thrown.push(error.message));
  const result = { robot };
  const begin = Date.now();
  const seconds = () => Math.round((Date.now() - begin) / 100) / 10;
  try {
    await page.goto(`${address}?robot=${robot}`);
    await page.locator("[data-robot-name]").waitFor();
    result.opened = seconds();
    await page.locator('[data-testid="scene"][aria-busy="false"]').waitFor();
    result.drawn = seconds();
    const end = page.getByRole("button", { name: "End the tour" });
    if (await end.count()) await end.click();
    const q = () => page.locator('[data-testid^="scene-joint-"] input').evaluateAll((all) => all.map((x) => x.value).join());
    const before = await q();
    await page.getByTestId("scene-random").click();
    await page.waitForFunction((old) => [...document.querySelectorAll('[data-testid^="scene-joint-"] input')].map((x) => x.value).join() !== old, before);
    result.moved = seconds();
    await page.getByTestId("scene-home").click();
    await page.waitForTimeout(300);
    await page.getByTestId("scene-tab-motion").click();
    await page.getByTestId("motion-simulation").click();
    await page.getByLabel("duration").fill("1");
    await page.getByLabel("duration").press("Enter");
    await page.locator('[data-testid="simulate-run"]:enabled').click();
    const [kind, text] = await first(page.getByTestId("simulate-ended"), page.locator('[data-testid="scene-side"] [role="alert"]'));
    result.simulated = seconds();
    result.simulation = `${kind ? "explained: " : ""}${text.slice(0, 300)}`;
  } catch (error) {
    result.error = error.message.split("\n")[0];
  }
  if (thrown.length) result.thrown = thrown;
  if (result.error || thrown.length) bad += 1;
  console.log(JSON.stringify(result));
  await page.close();
}

for (const robot of robots) await tryRobot(robot);
await browser.close();
process.exit(bad);
