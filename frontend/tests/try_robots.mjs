// Try bundled robots in the page: node tests/try_robots.mjs ADDRESS CHROMIUM ROBOT...
// The address is that of the static site or of a running server (symoro gui). Each robot is opened, drawn, moved and
// simulated for one second: every link must have a body, the picture must change when joints move, and the motion must
// last one second or end with a reason. One line of JSON per robot, with the origins of the frames at the end of the
// motion; the exit code is the number of robots for which the page neither works nor explains what to do instead.
// tools/try_site.py starts it.

import { chromium } from "playwright-core";

const [address, executablePath, ...robots] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const LONGEST = 120_000; // ms per step
// Explanations refer to the page: neither options of the command line nor arguments of Python help its reader.
const OF_ANOTHER_PLACE = /(^|\s)--[a-z]|\b[a-z]\w*=(\{|\[|'|"|True|False|\.\.\.)|\brobot\.\w+\(|Traceback/;

const browser = await chromium.launch({ executablePath, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(LONGEST);
if (new URL(address).search) await (await context.newPage()).goto(address); // the token of a server becomes a cookie
let bad = 0;

/** Wait until one of the texts appears, and return its index and content. */
async function first(...locators) {
  const index = await Promise.race(locators.map(async (locator, k) => (await locator.first().waitFor(), k)));
  return [index, (await locators[index].first().innerText()).trim().replace(/\s+/g, " ")];
}

/** Return the picture of the robot once it differs from an earlier one. */
async function changed(canvas, before) {
  for (let k = 0; k < 100; k++) {
    const picture = await canvas.screenshot();
    if (!picture.equals(before)) return picture;
    await canvas.page().waitForTimeout(100);
  }
  throw new Error("the picture did not change when the joints moved");
}

/** Return the origins of the frames at the end of the motion, which is played again and again. */
async function lastFrames(page) {
  const pause = page.locator('[data-testid="scene-play"][aria-label="Pause"]');
  const time = page.getByTestId("scene-time");
  const last = Number(await time.getAttribute("max"));
  if (await pause.count()) await pause.click();
  let before = [];
  for (let k = 0; k < 100; k++) {
    await time.evaluate((input) => {
      input.value = input.max;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await page.waitForTimeout(500); // the scene describes a picture at rest
    before = [await page.getByTestId("scene-canvas").getAttribute("data-frames"), ...before].slice(0, 4);
    if (before.length < 4 || new Set(before).size > 1 || (await pause.count())) continue;
    const frames = JSON.parse(before[0]);
    if (!frames.flat().every(Number.isFinite)) throw new Error("the last frames are not finite");
    return { last, frames };
  }
  throw new Error("the motion does not stop");
}

/** Return the positions of the joints as one text. */
const positions = () => [...document.querySelectorAll('[data-testid^="scene-joint-"] input')].map(({ value }) => value).join();

async function tryRobot(robot) {
  const page = await context.newPage();
  const thrown = [];
  page.on("pageerror", (error) => thrown.push(error.message));
  const result = { robot };
  const begin = Date.now();
  const seconds = () => Math.round((Date.now() - begin) / 100) / 10;
  try {
    await page.goto(new URL(`?robot=${robot}`, address).href);
    await page.locator("[data-robot-name]").waitFor();
    result.opened = seconds();
    await page.locator('[data-testid="scene"][aria-busy="false"] canvas[data-solids]').waitFor();
    result.drawn = seconds();
    const { solids } = await page.getByTestId("scene-canvas").evaluate(({ dataset }) => ({ ...dataset }));
    result.links = JSON.parse(solids).length;
    const lacking = JSON.parse(solids).flatMap((count, link) => (count ? [] : [link]));
    if (!result.links || lacking.length) throw new Error(`links without body: ${lacking}`);
    const canvas = page.getByTestId("scene-canvas");
    const [before, picture] = [await page.evaluate(positions), await canvas.screenshot()];
    await page.getByTestId("scene-random").click();
    await page.waitForFunction(([text, old]) => new Function(`return (${text})()`)() !== old, [String(positions), before]);
    await changed(canvas, picture);
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
    result[kind ? "explained" : "simulation"] = text.slice(0, 400);
    if (!kind) {
      Object.assign(result, await lastFrames(page));
      if (!/^101 samples\./.test(text) && !/^The simulation ended early: .* t = [\d.e-]+ s/.test(text)) throw new Error("the motion is not one second long");
    }
    if (kind && OF_ANOTHER_PLACE.test(text)) throw new Error("the explanation does not refer to the page");
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
