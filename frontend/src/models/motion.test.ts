import { expect, it } from "vitest";

import { FOURBAR, fourbarLoops, joint, PLANAR } from "./fixtures/robots";
import { closed, differentiated, defaultMotion } from "./motion";

it("the default motion has the derivatives of its samples", () => {
  const motion = defaultMotion(PLANAR, [0.3, -1]);
  const numeric = differentiated(motion);
  for (const i of [1, 50, 200, 399]) {
    for (const j of [0, 1]) {
      expect(numeric.qd[i]![j]).toBeCloseTo(motion.qd[i]![j]!, 2);
      expect(numeric.qdd[i]![j]).toBeCloseTo(motion.qdd[i]![j]!, 2);
    }
  }
});

it("the default motion stays within limits, also from a posture outside", () => {
  const joints = [joint(1, { lower: -0.1, upper: 0.1 }), joint(2, { lower: 0, upper: null }), joint(3, { kind: "P" })];
  const { q } = defaultMotion(joints, [2, 0, 5]);
  for (const row of q) {
    expect(Math.abs(row[0]!)).toBeLessThanOrEqual(0.1 + 1e-12);
    expect(row[1]).toBeGreaterThanOrEqual(-1e-12);
    expect(Math.abs(row[2]! - 5)).toBeLessThanOrEqual(0.1 + 1e-12);
  }
});

it("parabolas are differentiated exactly, also at uneven times and at both ends", () => {
  const times = [0, 0.1, 0.35, 0.4, 1];
  const { qd, qdd } = differentiated({ times, q: times.map((t) => [3 * t * t - t + 2]) });
  times.forEach((t, i) => {
    expect(qd[i]![0]).toBeCloseTo(6 * t - 1, 10);
    expect(qdd[i]![0]).toBeCloseTo(6, 9);
  });
});

it("accelerations are as accurate at the ends as inside", () => {
  const times = Array.from({ length: 101 }, (_, i) => i / 100);
  const { qdd } = differentiated({ times, q: times.map((t) => [Math.sin(5 * t)]) });
  for (const i of [0, 50, 100]) expect(Math.abs(qdd[i]![0]! + 25 * Math.sin(5 * times[i]!))).toBeLessThan(0.1);
});

it("fewer than three samples give zero velocities", () => {
  expect(differentiated({ times: [0, 1], q: [[1], [2]] }).qdd).toEqual([[0], [0]]);
});

it("loops are closed along the motion, in the initial assembly mode", async () => {
  const loops = await fourbarLoops();
  const times = Array.from({ length: 50 }, (_, i) => i / 10);
  const motion = closed({ times, q: times.map((t) => [t, 0.5, 1.5, 1]) }, FOURBAR, loops, FOURBAR.nominal);
  const { D2, D3, D4, D5 } = FOURBAR.nominal;
  motion.q.forEach((row, i) => {
    const [q1, q2, q3] = row as [number, number, number];
    expect(q1).toBe(times[i]);
    // The ends of coupler and rocker coincide; the rocker rotates about a point at distance D3.
    expect(D2 * Math.cos(q1) + D4 * Math.cos(q1 + q2)).toBeCloseTo(D3 + D5 * Math.cos(q3), 9);
    expect(D2 * Math.sin(q1) + D4 * Math.sin(q1 + q2)).toBeCloseTo(D5 * Math.sin(q3), 9);
    if (i > 0) expect(Math.abs(q2 - motion.q[i - 1]![1]!)).toBeLessThan(0.5);
  });
});

it("a flat linkage, in which the loops are singular, is closed", async () => {
  const loops = await fourbarLoops();
  const flat = { ...FOURBAR.nominal, D2: 1, D3: 1, D4: 1, D5: 1 };
  const { q } = closed({ times: [0], q: [[0, 0, 0, 0]] }, FOURBAR, loops, flat);
  expect(q[0]!.every(Number.isFinite)).toBe(true);
});

it("an active joint out of reach gives NaN for the others", async () => {
  const loops = await fourbarLoops();
  const short = { ...FOURBAR.nominal, D4: 0.01, D5: 0.01 };
  const { q } = closed({ times: [0], q: [[0.5, 0, 0, 0]] }, FOURBAR, loops, short);
  expect(q[0]![0]).toBe(0.5);
  expect(q[0]!.slice(1).every(Number.isNaN)).toBe(true);
});
