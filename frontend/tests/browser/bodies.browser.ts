// Bodies of robots, mechanical quantities and singularities in the scene.

import { expect, test } from "vitest";

import { slide, testPage } from "./harness";
import { openQuadruped } from "./quadruped";

const it = testPage();

const data = async (name: string): Promise<string> => (await it.canvas().getAttribute(`data-${name}`)) ?? "";
const joint = (frame: number) => it.page.getByTestId(`scene-joint-${frame}`).locator('input[type="range"]');

/** Return the number of pixels of the scene in shades of the warning colour of the scene (crimson). */
async function crimson(): Promise<number> {
  const image = await it.picture();
  return it.page.evaluate(async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
    context.drawImage(bitmap, 0, 0);
    const all = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
    let count = 0;
    for (let k = 0; k < all.length; k += 4) {
      const [r, g, b] = [all[k]!, all[k + 1]!, all[k + 2]!];
      if (r > 110 && g < 0.35 * r && b > 0.25 * r && b < 0.65 * r) count++;
    }
    return count;
  }, image);
}

test("the keyboard leads to one singularity alone, and its picture is large enough for a slide", async () => {
  const singular = () => it.page.locator('.sc-factor[data-state="singular"]').evaluateAll((all) => all.map((one) => one.getAttribute("data-joints")));
  await it.showing("RX90");
  await it.page.keyboard.press("Escape");
  await expect.poll(() => it.page.locator(".sh-tour").count()).toBe(0);
  await it.settled();
  await it.command("singularities", "action singularities");
  await expect.poll(() => it.page.evaluate(() => document.activeElement?.textContent)).toBe("singularities");
  await it.page.locator(".sc-go").first().waitFor();
  for (const key of ["Tab", "Tab", "Enter"]) await it.page.keyboard.press(key);
  // Before, the wrist was singular, too.
  await expect.poll(singular).toEqual(["3"]);
  await expect.poll(() => it.page.getByTestId("scene-lost").innerText()).toMatch(/^frame 6 cannot move along /i);
  await expect.poll(async () => JSON.parse((await data("overlay")) || "{}")).toEqual({ lost: 1 });
  // The highlight remains while overlays are selected, and ends with the panel of the joints.
  await it.page.getByTestId("scene-tab-view").click();
  expect(await data("highlighted")).toBe("3");
  const { bytes } = await it.downloaded(it.page.getByTestId("scene-screenshot"));
  // The width in the header of a PNG.
  expect(bytes.readUInt32BE(16)).toBeGreaterThanOrEqual(1920);
  await it.shot("singular-alone");
  await it.page.getByTestId("scene-tab-joints").click();
  await expect.poll(() => data("highlighted")).toBe("");
});

test("the factor that approaches zero is highlighted at a straight elbow", async () => {
  await slide(joint(3), 0.2);
  await slide(joint(5), 0.9);
  await it.model("Kinematic", "singularities");
  const factors = it.page.getByTestId("scene-singularities").locator(".sc-factor");
  await expect.poll(() => factors.count()).toBe(3);
  const elbow = it.page.locator('.sc-factor[data-joints="3"]');
  await expect.poll(() => elbow.locator(".katex").count()).toBeGreaterThan(0);
  expect(await elbow.getAttribute("data-state")).toBe("away");
  expect(await data("highlighted")).toBe("");
  const before = await crimson();

  // The limits of the joint contain the straight elbow at -pi/2.
  await slide(joint(3), -Math.PI / 2 + 0.04);
  await expect.poll(() => elbow.getAttribute("data-state")).toBe("near");
  expect(await elbow.innerText()).toMatch(/approaches zero: [34]\.\d %/);
  expect(await elbow.getByRole("math").getAttribute("aria-label")).toBe("\\cos(q_{3}) = 0");
  await expect.poll(() => data("highlighted")).toBe("3");
  expect(await crimson()).toBeGreaterThan(before + 400);
  const colour = await elbow.locator(".katex").first().evaluate((one) => getComputedStyle(one).color);
  const other = await it.page.locator('.sc-factor[data-state="away"] .katex').first().evaluate((one) => getComputedStyle(one).color);
  expect(colour).not.toBe(other);
  await it.shot("singular-elbow");

  // The typeset determinant shows the factor too, also while another tab of the panel is open.
  await it.model("Kinematic", "jacobian-determinant");
  await expect.poll(() => it.page.getByTestId("models-vanishing").innerText()).toBe("C3 approaches zero");
  const factor = (name: string) => it.page.locator(`.md-rows [data-name="${name}"]`).last();
  const red = (name: string) => factor(name).evaluate((one) => getComputedStyle(one).color);
  await expect.poll(() => red("C3")).not.toBe(await red("S5"));
  await it.page.getByTestId("scene-tab-joints").click();
  expect(await data("highlighted")).toBe("3");
  await it.shot("determinant-elbow");

  await slide(joint(3), 0.2);
  await expect.poll(() => data("highlighted")).toBe("");
  await expect.poll(() => red("C3")).toBe(await red("S5"));
  expect(await crimson()).toBeLessThan(before + 40); // edges of other bodies contain a few such pixels
});

test("centre of mass, gravity and ellipsoids are drawn where they are switched on", async () => {
  await it.page.getByTestId("scene-tab-view").click();
  const before = await it.picture();
  for (const name of ["centre", "gravity", "velocity", "force"]) await it.page.getByTestId(`scene-overlay-${name}`).check();
  await expect.poll(async () => JSON.parse((await data("overlay")) || "{}")).toMatchObject({ centre: 7, gravity: 2, velocity: 1, force: 1 });
  const after = await it.picture();
  expect((await it.compared(before, after)).differing).toBeGreaterThan(1000);
  await it.shot("mechanics");
  for (const name of ["centre", "gravity", "velocity", "force"]) await it.page.getByTestId(`scene-overlay-${name}`).uncheck();
  expect((await it.compared(before, await it.picture())).differing).toBe(0);
});

// One robot of each structure; tools/try_site.py opens all robots, and tests/ui/test_bodies.py tests all their bodies.
test("every link of every structure has a body in the scene", async () => {
  const lacking: string[] = [];
  for (const [id, name] of [["cartpole", "cartpole"], ["sr400", "SR400"], ["gough_stewart", "gough_stewart"], ["mobile_manipulator", "MobileManipulator"]]) {
    await it.command(id!, `robot ${id}`);
    await expect.poll(() => data("robot"), { timeout: 30_000, interval: 100 }).toBe(name);
    const solids = JSON.parse(await data("solids")) as number[];
    if (!solids.length || solids.some((count) => !count)) lacking.push(`${id}: ${solids}`);
  }
  expect(lacking).toEqual([]);
}, 120_000);

test("the ground carries the weight of a robot with legs", async () => {
  await openQuadruped(it);
  await it.page.getByTestId("scene-tab-joints").click();
  for (const frame of [2, 5, 8, 11]) {
    await slide(joint(frame), 0.5);
    await slide(joint(frame + 1), -1);
  }
  await it.page.getByTestId("scene-tab-view").click();
  const panel = it.page.getByTestId("scene-contacts");
  await it.page.getByTestId("scene-overlay-contacts").check();
  // By default the last link's frame is the only contact.
  await expect.poll(() => panel.innerText()).toMatch("The robot cannot stand still on these contacts");
  const forces = async (): Promise<number[]> => [...(await panel.innerText()).matchAll(/([\d.]+) N/g)].map((match) => Number(match[1]));
  expect(await forces()).toEqual([]);

  const before = await it.picture();
  await it.page.getByTestId("scene-contact-ends").click();
  await expect.poll(forces).toHaveLength(4);
  expect(await it.page.getByTestId("scene-contact-points").inputValue()).toBe("LF_foot; RF_foot; LH_foot; RH_foot");
  const [LF, RF, LH, RH] = await forces();
  expect(LF! + RF! + LH! + RH!).toBeCloseTo(29.6 * 9.81, 0);
  expect([LF, LH]).toEqual([RF, RH]);
  await expect.poll(() => data("overlay")).toBe('{"contacts":8}');
  expect((await it.compared(before, await it.picture())).differing).toBeGreaterThan(500);
  await it.page.getByTestId("scene-overlay-centre").check();
  await it.page.getByTestId("scene-overlay-gravity").check();
  await it.shot("contact-forces");
  expect(await it.findings('[data-testid="scene-contacts"]')).toEqual([]);

  // A point below the trunk in front of the centre of mass carries too much, and the ground would have to hold the feet.
  const field = it.page.getByTestId("scene-contact-points");
  await field.fill("0 (0.2, 0, -0.474); LF_foot; RF_foot");
  await field.press("Enter");
  await expect.poll(() => panel.innerText()).toMatch("The ground would have to pull at LF_foot, RF_foot, which it cannot.");
  await it.shot("contact-forces-pull");
  await field.fill("nothing");
  await field.press("Enter");
  await expect.poll(() => it.page.locator(".sc-panel").innerText()).toMatch("no frame called 'nothing'");
  await expect.poll(() => data("overlay")).not.toMatch("contacts\":8");
  expect(await forces()).toEqual([]);
});
