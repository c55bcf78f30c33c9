import * as THREE from "three";
import { expect, test } from "vitest";

import type { Mechanics } from "../backend/messages";
import { Overlay } from "./overlay";
import { cross, minus, plus, type Point } from "./polyline";
import { supportForces, supportText } from "./support";

/** Two frames: frame 1 is turned by 90 degrees about z and shifted, frame 2 is shifted. */
const T = [0, -1, 0, 0.3, 1, 0, 0, 0.1, 0, 0, 1, 0.2, 0, 0, 0, 1, 1, 0, 0, -0.2, 0, 1, 0, 0.4, 0, 0, 1, 0.1, 0, 0, 0, 1];
const GRAVITY: Point = [0.4, -0.2, -9.7];
const ZERO: Point = [0, 0, 0];

function robot(points: Point[], wrenches: Mechanics["wrenches"] = []): Mechanics {
  const masses = [
    { frame: 0, mass: 8, centre: [0.05, 0, 0.1] },
    { frame: 1, mass: 2, centre: [0.1, 0.2, 0] },
    { frame: 2, mass: 3, centre: [0, 0, -0.1] },
  ];
  const contacts = points.map((at, k) => ({ name: `p${k}`, frame: 0, at }));
  return { masses, gravity: [0, 0, -9.81], wrenches, contacts, ends: [], unknown: [] };
}

/** Masses and centres of mass in frame 0, computed by hand from T. */
const BODIES: [number, Point][] = [
  [8, [0.05, 0, 0.1]],
  [2, [0.1, 0.2, 0.2]],
  [3, [-0.2, 0.4, 0]],
];
const FEET: Point[] = [[0.5, 0.5, -0.5], [0.5, -0.4, -0.5], [-0.5, 0.5, -0.45], [-0.6, -0.5, -0.5]];

test("the forces are in equilibrium with gravity and external wrenches, about any point", () => {
  // In frame 1, x is y of frame 0 and y is -x of frame 0.
  const mechanics = robot(FEET, [{ frame: 1, force: [10, 20, 30], moment: [1, 2, 3] }]);
  const [F, M, at]: [Point, Point, Point] = [[-20, 10, 30], [-2, 1, 3], [0.3, 0.1, 0.2]];
  const forces = supportForces(T, mechanics, GRAVITY, 1)!;
  for (const about of [ZERO, [0.7, -3, 2] as Point]) {
    let [force, moment] = [ZERO, ZERO];
    const add = (f: Point, from: Point, by = 1) => {
      force = plus(force, f, by);
      moment = plus(moment, cross(minus(from, about), f), by);
    };
    for (const one of forces) add(one.force, one.at);
    for (const [mass, centre] of BODIES) add(GRAVITY, centre, mass);
    add(F, at, -1);
    moment = plus(moment, M, -1);
    for (const x of [...force, ...moment]) expect(x).toBeCloseTo(0, 6);
  }
});

test("the forces have the least norm: they are a + b x p of the points p", () => {
  const forces = supportForces(T, robot(FEET), GRAVITY, 1)!;
  // Forces between two points along their connecting line change neither the total force nor the total moment, so that
  // the forces of least norm are orthogonal to them.
  for (const one of forces)
    for (const other of forces) {
      const along = minus(one.at, other.at);
      const difference = minus(one.force, other.force);
      expect(along[0] * difference[0] + along[1] * difference[1] + along[2] * difference[2]).toBeCloseTo(0, 6);
    }
  expect(supportForces(T, robot(FEET), GRAVITY, 7)!.map((one) => one.force[2])).toEqual(forces.map((one) => expect.closeTo(one.force[2], 6)));
});

test("a robot whose centre of mass is beside its contacts needs contacts that pull", () => {
  const down: Point = [0, 0, -9.81];
  const beside: Point[] = [[0.5, 0.5, -0.5], [0.5, -0.5, -0.5], [0.3, 0, -0.5]];
  const forces = supportForces(T, robot(beside), down, 1)!;
  expect(forces.map((one) => one.pulls)).toEqual([true, true, false]);
  expect(supportText(forces).warning).toBe("The ground would have to pull at p0, p1, which it cannot.");
  expect(supportForces(T, robot(FEET), down, 1)!.some((one) => one.pulls)).toBe(false);
});

test("too few contacts do not balance the robot", () => {
  const down: Point = [0, 0, -9.81];
  expect(supportForces(T, robot(FEET.slice(0, 1)), down, 1)).toBeNull();
  expect(supportForces(T, robot(FEET.slice(0, 2)), down, 1)).toBeNull();
  expect(supportText(null).warning).toMatch("cannot stand still");
  // The centre of mass is (0, 0.123, 0.062); two points in a vertical plane with it balance the robot.
  const centre = BODIES.reduce((sum, [mass, at]) => plus(sum, at, mass / 13), ZERO);
  const two: Point[] = [plus(centre, [1, 0.5, -0.6], 1), plus(centre, [-1, -0.5, -0.6], 1)];
  expect(supportForces(T, robot(two), down, 1)!.map((one) => one.force[2])).toEqual([1, 1].map(() => expect.closeTo((13 * 9.81) / 2, 6)));
});

test("an arrow that pushes ends at its contact, one that pulls starts there in the warning colour", () => {
  const overlay = new Overlay(2);
  const support = [
    { name: "p0", at: [1, 0, 0] as Point, force: [0, 0, 20] as Point, pulls: false },
    { name: "p1", at: [0, 1, 0] as Point, force: [0, 0, -10] as Point, pulls: true },
  ];
  const shown = { centre: false, gravity: false, wrenches: false, torques: false, contacts: true, velocity: false, force: false };
  const state = { shown, mechanics: null, torques: null, support, velocity: null, force: null, lost: [], frame: 0, reach: 1, unit: 0.01, gravity: ZERO };
  expect(overlay.update(T, state)).toEqual({ contacts: 4 });
  const tips = overlay.group.children[1] as THREE.InstancedMesh;
  const [matrix, colour] = [new THREE.Matrix4(), new THREE.Color()];
  const points = [0, 1].map((k) => {
    tips.getMatrixAt(k, matrix);
    return new THREE.Vector3(0, 0, 1).applyMatrix4(matrix).toArray();
  });
  expect(points[0]).toEqual([1, 0, 0].map((x) => expect.closeTo(x, 6)));
  expect(points[1]).toEqual([0, 1, -0.15].map((x) => expect.closeTo(x, 6)));
  tips.getColorAt(1, colour);
  expect(colour.getHexString()).toBe("e0115f");
  expect(overlay.update(T, { ...state, shown: { ...shown, contacts: false } })).toEqual({});
});
