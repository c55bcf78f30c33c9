// Frame intervals and pose errors while the end effector is dragged in a real browser: benchmarks/drag.py starts it.
//
// node drag_timing.mjs CHROMIUM ADDRESS FOLDER ROBOT...

import { chromium } from "playwright-core";

const [executablePath, address, folder, ...robots] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run"];
const SECONDS = 2;
/** Path of the pointer on the screen. */
const PIXELS = 60;
const REST = 500; // ms
/** Joint positions (degrees) from which a drag starts; other robots start at home. */
const POSTURES = { rx90: [20, 50, 10, 30, 60, -20], puma560: [20, -60, 40, 30, 40, -20], ur5e: [20, -70, 80, -60, 60, 20] };

const browser = await chromium.launch({ executablePath, args: FLAGS });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
const thrown = [];
page.on("pageerror", (error) => thrown.push(error.message));
await page.goto(address);
await page.locator("[data-robot-name]").first().waitFor();
const tour = page.getByRole("button", { name: "End the tour" });
if (await tour.count()) await tour.click();

const results = {};
for (const robot of robots) results[robot] = await measured(robot);
await browser.close();
console.log(JSON.stringify({ results, thrown }));

/** Drag along the screen for two seconds from the middle of the arrow of the gizmo; return the figures. */
async function measured(robot) {
  await page.locator('[data-action="palette"]').click();
  await page.getByRole("dialog").getByRole("combobox").fill(robot);
  await page.locator(`[data-command="robot ${robot}"]`).click();
  await page.locator('[data-testid="scene"][aria-busy="false"]').waitFor();
  await page.getByTestId("scene-tab-joints").click();
  for (const [k, angle] of (POSTURES[robot] ?? []).entries()) {
    const field = page.getByTestId(`scene-joint-${k + 1}`).locator("input.sc-field");
    await field.fill(String(angle));
    await field.press("Enter");
  }
  await page.getByTestId("scene-fit").click();
  await page.getByTestId("scene-tab-pose").click();
  await page.waitForFunction(() => document.querySelector('[data-testid="scene-solve"]'));
  await page.getByTestId("scene-solve").check();
  await page.locator('[data-testid="scene-solutions"] li').nth(1).waitFor();
  await page.waitForTimeout(500);
  const canvas = page.locator('[data-pane="scene"] canvas').first();
  const box = await canvas.boundingBox();
  const spot = await page.evaluate(() => {
    const canvas = document.querySelector('[data-pane="scene"] canvas');
    return JSON.parse(canvas.dataset.handle);
  });
  const from = { x: box.x + spot.x, y: box.y + spot.y };
  await page.evaluate(() => {
    const canvas = document.querySelector('[data-pane="scene"] canvas');
    const log = (window.dragLog = { frames: [], drawn: [], on: true });
    canvas.addEventListener("symoro-drag", ({ detail }) => log.drawn.push({ ...detail, at: performance.now() }));
    const tick = (time) => {
      log.frames.push(time);
      if (log.on) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await page.mouse.move(from.x, from.y);
  await page.waitForTimeout(150);
  await page.mouse.down();
  const before = await processorTimes();
  // The page receives one position of the pointer per frame, so that each frame requires a new posture and picture.
  await page.evaluate(
    ({ from, spot, seconds, pixels }) =>
      new Promise((done) => {
        const canvas = document.querySelector('[data-pane="scene"] canvas');
        const start = performance.now();
        window.dragLog.frames.length = 0;
        const move = () => {
          const share = Math.min(1, (performance.now() - start) / (1000 * seconds));
          const at = { clientX: from.x + spot.dx * pixels * share, clientY: from.y + spot.dy * pixels * share };
          const event = { ...at, pointerId: 1, pointerType: "mouse", isPrimary: true, button: -1, buttons: 1, bubbles: true };
          canvas.dispatchEvent(new PointerEvent("pointermove", event));
          if (share < 1) requestAnimationFrame(move);
          else done();
        };
        requestAnimationFrame(move);
      }),
    { from, spot, seconds: SECONDS, pixels: PIXELS },
  );
  const log = await page.evaluate(() => {
    window.dragLog.on = false;
    return window.dragLog;
  });
  const after = await processorTimes();
  // The place of the handle is published when the picture is at rest.
  await page.waitForTimeout(REST);
  const end = JSON.parse(await canvas.getAttribute("data-handle"));
  const followed = ((end.x - spot.x) * spot.dx + (end.y - spot.y) * spot.dy) / PIXELS;
  if (folder) await page.screenshot({ path: `${folder}/drag-${robot}.png` });
  await page.mouse.up();
  const errors = log.drawn.map(({ target, pose, reach }) => Math.max(...[3, 7, 11].map((k) => Math.abs(target[k] - pose[k]))) / reach);
  const turns = log.drawn.map(({ target, pose }) => Math.max(...[0, 1, 2, 4, 5, 6, 8, 9, 10].map((k) => Math.abs(target[k] - pose[k]))));
  return {
    frames: intervals(log.frames),
    drawn: intervals(log.drawn.map(({ at }) => at)),
    position_error: Math.max(...errors),
    rotation_error: Math.max(...turns),
    followed,
    processor: Object.fromEntries(Object.entries(after).map(([type, time]) => [type, +((1000 * (time - (before[type] ?? 0))) / log.drawn.length).toFixed(1)])),
    ghosts: Math.min(...log.drawn.map(({ ghosts }) => ghosts)),
  };
}

/** Return the processor time of the browser's processes by type, in seconds. */
async function processorTimes() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.reduce((sums, { type, cpuTime }) => ({ ...sums, [type]: (sums[type] ?? 0) + cpuTime }), {});
}

function intervals(times) {
  const steps = times.slice(1).map((time, k) => time - times[k]).sort((a, b) => a - b);
  const at = (share) => +(steps[Math.min(steps.length - 1, Math.floor(share * steps.length))] ?? NaN).toFixed(1);
  return { count: steps.length, median: at(0.5), p95: at(0.95), largest: at(1) };
}
