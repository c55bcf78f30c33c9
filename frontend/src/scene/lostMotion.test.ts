import { expect, it } from "vitest";

import { endFrame } from "./extras";
import { placed } from "./fixtures";
import { lostMotions } from "./lostMotion";
import { axis, origin, type Point } from "./polyline";

const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a: Point, b: Point): Point => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Return the lost motions of an arm of revolute joints, and the largest joint torque that their wrenches need. */
async function lostOf(name: "rx90" | "puma560" | "planar2r" | "panda", q: number[]) {
  const solver = await placed(name);
  const lost = lostMotions(solver, q, endFrame(solver.view), 1);
  const T = solver.transforms(q);
  const from = origin(T, endFrame(solver.view));
  const torques = lost.flatMap(({ wrench: { force, moment } }) =>
    solver.view.joints.map(({ frame }) => {
      const z = axis(T, frame, 2);
      return dot(force, cross(z, minus(from, origin(T, frame)))) + dot(moment, z);
    }),
  );
  return { lost, torque: Math.max(0, ...torques.map(Math.abs)), T };
}

it("a regular posture loses no motion", async () => {
  for (const name of ["rx90", "puma560"] as const) expect((await lostOf(name, [0.3, 0.5, -0.7, 0.4, 0.9, 0.2])).lost).toEqual([]);
  expect((await lostOf("planar2r", [0.3, 1])).lost).toEqual([]);
});

it("a stretched planar arm cannot move along itself", async () => {
  const { lost, torque } = await lostOf("planar2r", [0.3, 0]);
  expect(lost.map(({ kind }) => kind)).toEqual(["translation"]);
  [Math.cos(0.3), Math.sin(0.3), 0].forEach((x, c) => expect(lost[0]!.along[c]).toBeCloseTo(x, 8));
  expect(torque).toBeLessThan(1e-8);
});

it("the lost motions of an RX90 are those of the textbook", async () => {
  const bent = Math.PI / 3;
  // Elbow: along the line from the shoulder to the wrist centre. Here it is rotated by q1 and raised by q2.
  const elbow = await lostOf("rx90", [0.4, 0.7, -Math.PI / 2, 0.2, bent, 0.1]);
  expect(elbow.lost.map(({ kind }) => kind)).toEqual(["translation"]);
  [Math.cos(0.7) * Math.cos(0.4), Math.cos(0.7) * Math.sin(0.4), Math.sin(0.7)].forEach((x, c) => expect(elbow.lost[0]!.along[c]).toBeCloseTo(x, 7));
  // Wrist: the body cannot turn about the normal of the axes 4 and 5 while the joints 1 to 3, and so its origin, are at rest.
  const wrist = await lostOf("rx90", [0.4, 0.7, -0.5, 0.2, 0, 0.1]);
  expect(wrist.lost.map(({ kind }) => kind)).toEqual(["pivoting"]);
  const normal = cross(axis(wrist.T, 4, 2), axis(wrist.T, 5, 2));
  expect(Math.abs(dot(wrist.lost[0]!.along, normal))).toBeCloseTo(1, 8);
  // Shoulder: normal to the plane of the arm, because the wrist centre is on the axis of joint 1.
  const shoulder = await lostOf("rx90", [0.4, Math.PI / 4, 0, 0.2, bent, 0.1]);
  expect(shoulder.lost.map(({ kind }) => kind)).toEqual(["translation"]);
  [-Math.sin(0.4), Math.cos(0.4), 0].forEach((x, c) => expect(Math.abs(shoulder.lost[0]!.along[c]!)).toBeCloseTo(Math.abs(x), 7));
  for (const { torque } of [elbow, wrist, shoulder]) expect(torque).toBeLessThan(1e-7);
});

it("two singularities at once lose two motions, unless joints 2 and 3 can turn the wrist about the lost axis", async () => {
  const [aligned, turned] = [await lostOf("rx90", [0.4, 0.7, -Math.PI / 2, 0, 0, 0.1]), await lostOf("rx90", [0.4, 0.7, -Math.PI / 2, 0.2, 0, 0.1])];
  expect(aligned.lost.map(({ kind }) => kind).sort()).toEqual(["pivoting", "translation"]);
  expect(turned.lost.map(({ kind }) => kind)).toEqual(["translation"]);
  for (const { torque } of [aligned, turned]) expect(torque).toBeLessThan(1e-7);
});

it("a five-bar mechanism with a stretched leg cannot move along this leg", async () => {
  const solver = await placed("fivebar");
  // Singularity of type 1: q2 = 0. The other joints close the loop.
  const q1 = -0.5025055026886425;
  const q = [q1, 0, 0.3, -1.847054077977548, -1.0445485752889059];
  expect(solver.move(q, q, false).closed).toBe(true);
  const lost = lostMotions(solver, q, endFrame(solver.view), 1);
  expect(lost.map(({ kind }) => kind)).toEqual(["translation"]);
  [Math.cos(q1), Math.sin(q1), 0].forEach((x, c) => expect(lost[0]!.along[c]).toBeCloseTo(x, 6));
});
