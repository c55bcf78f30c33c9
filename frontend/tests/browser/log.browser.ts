import { expect, test } from "vitest";

import { testPage } from "./harness";

const it = testPage();

/** A log of a planar two-link arm perpendicular to gravity, with torques of known masses, at 500 Hz. */
function log(): string {
  const rows = ["t,q1,q2,tau1,tau2"];
  const [L, M1, M2] = [1, 1, 1];
  for (let k = 0; k < 2000; k++) {
    const t = k / 500;
    const wave = (w: number, p: number): [number, number, number] => [
      Math.sin(w * t + p) + 0.3 * Math.sin(3 * w * t),
      w * Math.cos(w * t + p) + 0.9 * w * Math.cos(3 * w * t),
      -w * w * Math.sin(w * t + p) - 2.7 * w * w * Math.sin(3 * w * t),
    ];
    const [q1, v1, a1] = wave(5.6, 0.3);
    const [q2, v2, a2] = wave(8.2, 1.1);
    const [c, s] = [Math.cos(q2), Math.sin(q2)];
    // Slender bars of length L, without gravity.
    const [I1, I2, h] = [(M1 * L * L) / 3, (M2 * L * L) / 3, (M2 * L * L) / 2];
    const tau1 = (I1 + M2 * L * L + I2 + 2 * h * c) * a1 + (I2 + h * c) * a2 - h * s * (2 * v1 * v2 + v2 * v2);
    const tau2 = (I2 + h * c) * a1 + I2 * a2 + h * s * v1 * v1;
    const noise = 0.05 * Math.sin(977 * k * k + 0.3);
    rows.push([t, q1, q2, tau1 + noise, tau2 - noise].map((x) => x.toFixed(9)).join(","));
  }
  return rows.join("\n");
}

test("a dropped log is identified, and its report shown", async () => {
  await it.showing("RX90");
  await it.endTour();
  await it.command("planar2r", "robot planar2r");
  await it.showing("planar2R");
  await it.page.getByTestId("scene-tab-motion").waitFor();
  await it.drop("swing.csv", log());
  await it.page.getByTestId("identify").waitFor();
  await it.page.getByTestId("identify-decimation").fill("10");
  await it.page.getByTestId("identify-run").click();
  const report = it.page.getByTestId("identify-report");
  await report.waitFor();
  const row = report.locator("tr", { has: it.page.locator("td", { hasText: /^ZZ2$/ }) }).first();
  expect(Number(await row.locator("td").nth(1).textContent())).toBeCloseTo(1 / 3, 2);
  await report.locator("canvas").first().waitFor();
  await it.shot("identification");
});

test("the same log is played", async () => {
  await it.page.getByTestId("identify-play").click();
  await it.page.getByTestId("scene-transport").waitFor();
  expect(Number(await it.page.getByTestId("scene-time").getAttribute("max"))).toBeCloseTo(3.998, 3);
});

test("a log that is too large for the page gives an error with a hint", async () => {
  await it.page.evaluate(() => {
    const carried = new DataTransfer();
    const some = "0.1,0.2,0.3,0.4,0.5\n".repeat(50_000);
    carried.items.add(new File(["t,q1,q2,tau1,tau2\n", ...Array(20).fill(some)], "long.csv"));
    for (const kind of ["dragover", "drop"])
      window.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
  });
  const panel = it.page.locator(".sh-trouble");
  await expect.poll(() => panel.textContent()).toContain("symoro identify ROBOT.yaml long.csv");
});

test("an error in a log is shown with its line", async () => {
  await it.drop("broken.csv", log().replace("\n0.004000000,", "\nnever,"));
  await expect.poll(() => it.page.getByTestId("identify").locator("h2").textContent()).toBe("broken.csv");
  await it.page.getByTestId("identify-run").click();
  const wrong = it.page.getByTestId("identify").getByRole("alert");
  await expect.poll(() => wrong.textContent()).toContain("line 4");
});
