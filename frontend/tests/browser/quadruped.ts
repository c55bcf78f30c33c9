// A robot with four legs.

import type { TestPage } from "./harness";

/** Open the robot and give it a floating base. */
export async function openQuadruped(it: TestPage): Promise<void> {
  await it.drop("quadruped.urdf", quadruped());
  await it.showing("quadruped");
  await it.page.getByTestId("floating-offer").getByRole("button").click();
  await it.page.getByTestId("floating-offer").waitFor({ state: "detached" });
}

/** Return a URDF with a trunk and four legs of three joints; its mass is 29.6 kg. */
function quadruped(): string {
  const solid = (mass: number, box: string, xyz: string): string =>
    `<inertial><origin xyz="${xyz}"/><mass value="${mass}"/><inertia ixx="${mass / 100}" ixy="0" ixz="0" iyy="${mass / 80}" iyz="0" izz="${mass / 90}"/></inertial>` +
    `<visual><origin xyz="${xyz}"/><geometry><box size="${box}"/></geometry></visual>`;
  const legs = [["LF", 0.3, 0.12], ["RF", 0.3, -0.12], ["LH", -0.3, 0.12], ["RH", -0.3, -0.12]] as const;
  const parts = legs.map(([leg, x, y]) => {
    const joint = (name: string, parent: string, child: string, xyz: string, axis: string): string =>
      `<joint name="${leg}_${name}" type="revolute"><parent link="${parent}"/><child link="${leg}_${child}"/><origin xyz="${xyz}"/>` +
      `<axis xyz="${axis}"/><limit lower="-2" upper="2" effort="80" velocity="8"/><dynamics damping="0.1" friction="0.2"/></joint>`;
    return (
      `<link name="${leg}_hip">${solid(1.4, "0.1 0.06 0.1", "0 0 0")}</link>` +
      `<link name="${leg}_thigh">${solid(1.6, "0.06 0.04 0.26", "0 0 -0.13")}</link>` +
      `<link name="${leg}_shank">${solid(0.4, "0.04 0.03 0.28", "0 0 -0.14")}</link>` +
      joint("HAA", "trunk", "hip", `${x} ${y} 0`, "1 0 0") +
      joint("HFE", `${leg}_hip`, "thigh", `0 ${Math.sign(y) * 0.08} 0`, "0 1 0") +
      joint("KFE", `${leg}_thigh`, "shank", "0 0 -0.26", "0 1 0") +
      `<link name="${leg}_foot"/><joint name="${leg}_sole" type="fixed"><parent link="${leg}_shank"/><child link="${leg}_foot"/>` +
      `<origin xyz="0 0 -0.28"/></joint>`
    );
  });
  return `<robot name="quadruped"><link name="trunk">${solid(16, "0.6 0.2 0.14", "0 0 0")}</link>${parts.join("")}</robot>`;
}
