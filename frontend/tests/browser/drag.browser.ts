import { expect, test } from "vitest";

import { testPage } from "./harness";

const it = testPage();

interface Drawn {
  target: number[];
  pose: number[];
  reach: number;
  ghosts: number;
}

/** Drag a handle of the end effector by some pixels; return the requested and the drawn poses of all pictures. */
async function drag(pixels: number): Promise<Drawn[]> {
  await it.picture();
  const canvas = it.canvas();
  await expect.poll(() => canvas.getAttribute("data-handle")).not.toBeNull();
  const box = (await canvas.boundingBox())!;
  const spot = JSON.parse((await canvas.getAttribute("data-handle"))!) as Record<"x" | "y" | "dx" | "dy", number>;
  const [x, y] = [box.x + spot.x, box.y + spot.y];
  await canvas.evaluate((element) => {
    const log: unknown[] = ((window as unknown as { drawn: unknown[] }).drawn = []);
    element.addEventListener("symoro-drag", (event) => log.push((event as CustomEvent).detail));
  });
  await it.page.mouse.move(x, y);
  await it.page.mouse.down();
  for (let k = 1; k <= 10; k++) await it.page.mouse.move(x + (spot.dx * pixels * k) / 10, y + (spot.dy * pixels * k) / 10);
  await expect.poll(() => it.page.evaluate(() => (window as unknown as { drawn: unknown[] }).drawn.length)).toBeGreaterThan(2);
  const drawn = (await it.page.evaluate(() => (window as unknown as { drawn: unknown[] }).drawn)) as Drawn[];
  // The handle is where the pointer is; perspective changes its path by a few percent.
  const path = async (): Promise<number> => {
    const end = JSON.parse((await canvas.getAttribute("data-handle"))!) as typeof spot;
    return ((end.x! - spot.x!) * spot.dx! + (end.y! - spot.y!) * spot.dy!) / pixels;
  };
  await expect.poll(async () => Math.abs((await path()) - 1)).toBeLessThan(0.15);
  await it.page.mouse.up();
  return drawn;
}

/** Largest error of the pose: lengths relative to the reach, entries of the rotation. */
function error({ target, pose, reach }: Drawn): number {
  return Math.max(...target.map((entry, k) => Math.abs(entry - pose[k]!) / (k % 4 === 3 ? reach : 1)));
}

async function setJoints(degrees: number[]): Promise<void> {
  for (const [k, angle] of degrees.entries()) {
    const field = it.page.getByTestId(`scene-joint-${k + 1}`).locator("input.sc-field");
    await field.fill(String(angle));
    await field.press("Enter");
  }
}

test("an arm follows its dragged tool, with all solutions as ghosts", async () => {
  await it.showing("RX90");
  await it.endTour();
  await it.settled();
  await setJoints([20, 50, 10, 30, 60, -20]);
  await it.page.getByTestId("scene-fit").click();
  await it.page.getByTestId("scene-tab-pose").click();
  await it.page.getByTestId("scene-solve").check();
  const rows = it.page.locator('[data-testid="scene-solutions"] li');
  await expect.poll(() => rows.count()).toBe(8);
  const drawn = await drag(40);
  for (const one of drawn) expect(error(one)).toBeLessThan(1e-6);
  expect(drawn.at(-1)!.ghosts).toBe(7);
  expect(Math.hypot(...[3, 7, 11].map((k) => drawn.at(-1)!.pose[k]! - drawn[0]!.pose[k]!))).toBeGreaterThan(0.01);
  await it.shot("drag");
});

test("a solution is selected, and the pose stays", async () => {
  const x = it.page.getByLabel("x, number");
  const before = await x.inputValue();
  const rows = it.page.locator('[data-testid="scene-solutions"] li');
  const label = await rows.nth(3).locator("b").innerText();
  await rows.nth(3).getByRole("button").click();
  await expect.poll(async () => (await rows.first().locator("b").innerText()).trim()).toBe(label.trim().slice(2));
  expect(await x.inputValue()).toBe(before);
});

test("a pose is typed, and a pose out of reach is reported", async () => {
  const z = it.page.getByLabel("z, number");
  const target = (Number(await z.inputValue()) - 0.05).toFixed(4);
  await z.fill(target);
  await z.press("Enter");
  await expect.poll(() => z.inputValue()).toBe(target);
  await z.fill("9");
  await z.press("Enter");
  await expect.poll(() => it.page.getByTestId("scene-note").innerText()).toContain("Out of reach");
  await it.page.getByTestId("scene-home").click();
});

test("a floating base goes to a typed pose", async () => {
  await it.command("rx90_floating", "robot rx90_floating");
  await it.showing("RX90floating");
  await it.settled();
  await it.page.getByTestId("scene-frame").selectOption("0");
  const x = it.page.getByLabel("x, number", { exact: true });
  await x.fill("0.25");
  await x.press("Enter");
  const base = async (): Promise<number[]> => (JSON.parse((await it.canvas().getAttribute("data-frames"))!) as number[][])[0]!;
  await expect.poll(base).toEqual([0.25, 0, 0]);
});

test("a platform follows, with its working modes as ghosts", async () => {
  await it.command("3rrr", "robot 3rrr");
  await it.showing("3rrr");
  await it.settled();
  await it.page.getByTestId("scene-solve").check();
  const rows = it.page.locator('[data-testid="scene-solutions"] li');
  await expect.poll(() => rows.count()).toBe(8);
  for (const text of await rows.allInnerTexts()) expect(text).toMatch(/working mode [12]{3}/);
  // In the plane of the robot
  await it.page.getByTestId("scene-look").selectOption("top");
  const drawn = await drag(15);
  for (const one of drawn) expect(error(one)).toBeLessThan(1e-6);
  expect(drawn.at(-1)!.ghosts).toBe(7);
});

test("the pole of a cart, which carries no frame, turns its joint when it is dragged", async () => {
  await it.command("cartpole", "robot cartpole");
  await it.showing("cartpole");
  await it.picture();
  const canvas = it.canvas();
  // The highest point of the picture at which a link can be grabbed.
  const spot = await canvas.evaluate((element: HTMLCanvasElement) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    for (let y = 4; y < height; y += 8)
      for (let x = 4; x < width; x += 8) {
        element.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y, pointerType: "mouse", bubbles: true }));
        if (element.style.cursor === "grab") return [left + x, top + y];
      }
    return null;
  });
  expect(spot).not.toBeNull();
  const [x, y] = spot!;
  await it.page.getByTestId("scene-tab-joints").click();
  const angle = it.page.getByTestId("scene-joint-2").locator("input.sc-field");
  expect(Number(await angle.inputValue())).toBe(0);
  await it.page.mouse.move(x!, y!);
  await it.page.mouse.down();
  await it.page.mouse.move(x! + 40, y! + 10, { steps: 4 });
  await it.page.mouse.up();
  await expect.poll(async () => Math.abs(Number(await angle.inputValue()))).toBeGreaterThan(3);
  expect(Number(await it.page.getByTestId("scene-joint-1").locator("input.sc-field").inputValue())).toBe(0);
});

test("a Gough-Stewart platform has ghosts in other modes, and a click on one selects it", async () => {
  await it.command("gough_stewart", "robot gough_stewart");
  await it.showing("gough_stewart");
  await it.settled();
  await it.page.getByTestId("scene-tab-pose").click();
  const rows = it.page.locator('[data-testid="scene-solutions"] li');
  // The closed form is derived in the background; the ghosts appear with the first drag.
  await it.page.getByTestId("scene-solve").check();
  await expect.poll(() => rows.count()).toBe(8);
  const drawn = await drag(15);
  for (const one of drawn) expect(error(one)).toBeLessThan(1e-6);
  expect(drawn.at(-1)!.ghosts).toBe(7);
  for (const text of await rows.allInnerTexts()) expect(text).toMatch(/working mode [12]{6}/);

  await it.page.getByTestId("scene-modes").check();
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  for (const text of await rows.allInnerTexts()) expect(text).toMatch(/assembly mode \d+/);
  const before = await it.picture();
  const z = it.page.getByLabel("z, number");
  const height = await z.inputValue();
  await it.shot("assembly-modes");
  // The labels are at points of the ghosts; a click beside the robot's own links and handles selects the ghost there.
  const spots = await it.page.locator(".sc-labels .sc-ghost:not([hidden])").evaluateAll((labels) =>
    labels.map((label) => label.getBoundingClientRect()).map(({ left, top }) => [left - 8, top + 14]),
  );
  for (const [x, y] of spots) {
    await it.page.mouse.click(x!, y!);
    await it.picture();
    if ((await z.inputValue()) !== height) break;
  }
  expect(await z.inputValue()).not.toBe(height);
  expect((await it.compared(before, await it.picture())).differing).toBeGreaterThan(300);
});
