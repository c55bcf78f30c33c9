import { readFileSync } from "node:fs";

import { unzipSync } from "fflate";
import { expect, test } from "vitest";

import { testPage } from "./harness";

const it = testPage();

const URDF = `<robot name="lamp">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1.5"/><origin xyz="0 0 0.2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="head"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
  <joint name="neck" type="revolute"><parent link="arm"/><child link="head"/><origin xyz="0 0 0.4"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="2"/></joint>
</robot>`;

const MJCF = `<mujoco model="swing"><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/></body></worldbody></mujoco>`;

const PAR = `(* Robotname = 'two' *)
NL = 2
NJ = 2
NF = 2
Type = 0
Ant = {0, 1}
Sigma = {0, 0}
B = {0, 0}
d = {0, L1}
R = {0, 0}
gamma = {0, 0}
Alpha = {0, 0}
Mu = {1, 1}
Theta = {t1, t2}
`;

test("a faulty file gives an error with its position, and the robot is unchanged", async () => {
  await it.showing("RX90");
  await it.endTour();
  await it.drop("broken.yaml", "symoro: 1\nname: broken\nframes:\n- joint: revolute\n  d: 2*(1\n");
  const alert = it.page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/broken\.yaml, line 5/);
  await it.shot("broken");
  await it.showing("RX90");
});

test("a dropped URDF is opened with names and limits", async () => {
  await it.drop("lamp.urdf", URDF);
  await it.showing("lamp");
  const slider = it.page.getByTestId("scene-joint-1").locator('input[type="range"]');
  await expect.poll(() => slider.getAttribute("aria-label")).toBe("shoulder");
  expect(Number(await slider.getAttribute("max"))).toBeCloseTo(1);
  await it.shot("urdf");
});

test("files of SYMORO and MuJoCo are opened", async () => {
  await it.drop("two.par", PAR);
  await it.showing("two");
  await expect.poll(() => it.cell("frame", 2, "d").textContent()).toBe("L1");
  await it.drop("swing.xml", MJCF);
  await it.showing("swing");
  await it.settled();
  expect(await it.page.getByRole("alert").count()).toBe(0);
});

test("a malicious robot name does not enter file names", async () => {
  const name = "../../.bashrc.d/<img src=x onerror=alert(1)>";
  await it.drop("x.yaml", `symoro: 1\nname: "${name}"\nframes:\n- {link: {M: 1}}\n`);
  await expect.poll(() => it.page.locator("[data-robot-name]").textContent()).toBe(name);
  await it.model("Dynamic", "inverse-dynamics");
  const pane = it.page.locator('[data-pane="models"]');
  await pane.locator('[data-tour="project"]').click();
  const [file] = await Promise.all([
    it.page.waitForEvent("download"),
    it.page.getByRole("region", { name: "Download the project" }).getByRole("button", { name: "Download .zip" }).click(),
  ]);
  const folder = "____.bashrc.d__img_src_x_onerror_alert_1___inverse_dynamics";
  expect(file.suggestedFilename()).toBe(`${folder}.zip`);
  const paths = Object.keys(unzipSync(readFileSync((await file.path())!)));
  expect(paths.length).toBeGreaterThan(4);
  for (const path of paths) expect(path).toMatch(new RegExp(`^${folder}(/[\\w-][\\w.-]*)+$`));
});
