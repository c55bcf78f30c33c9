import { describe, expect, it } from "vitest";

import { endFrame } from "./extras";
import { solved } from "./fixtures";
import { random } from "./joints";
import { NumericInverse } from "./numericInverse";
import { angles, fromQuaternion, inverse, pose, product, quaternion, rotationVector } from "./pose";
import { sequence } from "./poseSolver";

const POSTURE = [0.4, 0.9, -0.5, 0.6, 0.8, -0.3];

/** Return a pose shifted by a vector in frame 0. */
function shifted(T: number[], by: [number, number, number]): number[] {
  const moved = [...T];
  by.forEach((value, i) => (moved[4 * i + 3]! += value));
  return moved;
}

describe("a pose", () => {
  it("equals that of its angles and of its quaternion", () => {
    const T = pose([0.1, -0.2, 0.3, 0.5, -1.1, 2.2]);
    [0.5, -1.1, 2.2].forEach((angle, k) => expect(angles(T)[k]).toBeCloseTo(angle, 12));
    for (const turn of [[0.5, -1.1, 2.2], [3, 0, 0], [0, 3, 0], [0, 0, 3.1]]) {
      const M = pose([0.1, -0.2, 0.3, ...turn]);
      fromQuaternion([0.1, -0.2, 0.3], quaternion(M))!.forEach((entry, k) => expect(entry).toBeCloseTo(M[k]!, 12));
    }
    expect(fromQuaternion([0, 0, 0], [0, 0, 0, 0])).toBeNull();
  });

  it("has the yaw of the whole rotation where only the sum of roll and yaw is determined", () => {
    const T = pose([0, 0, 0, 0.4, Math.PI / 2, 0.9]);
    pose([0, 0, 0, ...angles(T)]).forEach((entry, k) => expect(entry).toBeCloseTo(T[k]!, 12));
  });

  it("times its inverse is the identity, and its rotation vector is that of its axis, also at half a turn", () => {
    const T = pose([1, 2, 3, 0.3, 0.2, -0.7]);
    product(T, inverse(T)).forEach((entry, k) => expect(entry).toBeCloseTo(k % 5 ? 0 : 1, 12));
    const identity = pose([0, 0, 0, 0, 0, 0]);
    expect(rotationVector(identity, 0, pose([0, 0, 0, 0, 0.4, 0]), 0)[1]).toBeCloseTo(0.4, 12);
    expect(Math.abs(rotationVector(identity, 0, pose([0, 0, 0, 0, 0, Math.PI]), 0)[2])).toBeCloseTo(Math.PI, 9);
  });
});

describe("an arm with a spherical wrist", () => {
  it("has eight solutions with eight names, the first is the posture itself", async () => {
    const { solver, pose } = await solved("rx90");
    const T = pose(POSTURE);
    const all = solver.all(T, POSTURE);
    expect(all.length).toBe(8);
    expect(new Set(all.map(({ label }) => label)).size).toBe(8);
    all[0]!.q.forEach((value, k) => expect(value).toBeCloseTo(POSTURE[k]!, 9));
    for (const { q } of all) pose(q).forEach((entry, k) => expect(entry).toBeCloseTo(T[k]!, 9));
    for (const part of ["shoulder right", "shoulder left", "elbow up", "elbow down", "wrist flip", "wrist no flip"])
      expect(all.filter(({ label }) => label.includes(part)).length).toBe(4);
  });

  it("names the parts that are singular instead of a side", async () => {
    const { solver, pose } = await solved("rx90");
    const labels = (q: number[]): string[] => solver.all(pose(q), q).map(({ label }) => label);
    const straight = labels([0.4, 0.7, -Math.PI / 2, 0.2, 0.9, 0.1]);
    expect(straight.length).toBe(4);
    for (const label of straight) expect(label).toContain("elbow singular");
    expect(labels([0.4, 0.7, -0.5, 0.2, 0, 0.1])[0]).toMatch(/, wrist singular$/);
    expect(labels([0.4, (5 * Math.PI) / 12, -Math.PI / 3, 0.2, 0.9, 0.1])[0]).toMatch(/^shoulder singular, elbow (up|down), wrist (no )?flip$/);
    expect(labels(POSTURE).join()).not.toContain("singular");
  });

  it("keeps its name along a line, and follows it to 1e-9 of its reach", async () => {
    const { solver, pose, reach } = await solved("rx90");
    let q = POSTURE;
    const [start] = solver.all(pose(q), q);
    const from = pose(q);
    for (let k = 1; k <= 60; k++) {
      const target = shifted(from, [0, 0.3 * reach * (k / 60), 0]);
      const { q: next, error } = solver.follow(q, { frame: 6, pose: target, levels: ["position", "rotation"] });
      expect(error).toBeLessThan(1e-9);
      q = next;
    }
    expect(solver.all(pose(q), q)[0]!.label).toBe(start!.label);
  });

  it("keeps the order of its other solutions along a line, and with it their letters and colours", async () => {
    const { solver, pose, reach } = await solved("rx90");
    let q = POSTURE;
    const from = pose(q);
    const order = new Set<string>();
    for (let k = 0; k <= 40; k++) {
      q = solver.follow(q, { frame: 6, pose: shifted(from, [0.1 * reach * (k / 40), 0.3 * reach * (k / 40), 0]), levels: ["position", "rotation"] }).q;
      order.add(solver.all(pose(q), q).map(({ label }) => label).join("; "));
    }
    expect([...order]).toHaveLength(1);
  });

  it.each(["rx90", "puma560", "ur5e"] as const)("keeps its configuration at a typed pose, if that reaches it: %s", async (name) => {
    const { view, solver, pose, q: home } = await solved(name);
    const chance = sequence();
    const all = view.joints.map((_, k) => k);
    let changed = 0;
    for (let trial = 0; trial < 100; trial++) {
      const [start, end] = [random(view, home, all, 1, 1, chance), random(view, home, all, 1, 1, chance)];
      const { q, changedTo } = solver.goTo(start, { frame: endFrame(view), pose: pose(end), levels: ["position", "rotation"] });
      const own = solver.all(pose(end), q).filter((one) => one.within && one.label === solver.configuration(start));
      if (own.length) expect(solver.configuration(q)).toBe(solver.configuration(start));
      else expect(changedTo).toBe(solver.configuration(q));
      changed += own.length ? 0 : 1;
    }
    expect(changed).toBeLessThan(100);
  });

  it("is followed by iteration to the same posture as by its closed form", async () => {
    const { view, postures, solver, pose, reach } = await solved("rx90");
    const numeric = new NumericInverse(view, postures, reach);
    const target = shifted(pose(POSTURE), [0.02, -0.03, 0.01]);
    const closed = solver.follow(POSTURE, { frame: 6, pose: target, levels: ["position", "rotation"] });
    const { q, error } = numeric.solve(POSTURE, { frame: 6, pose: target, levels: ["position", "rotation"] });
    expect(error).toBeLessThan(1e-12);
    q.forEach((value, k) => expect(value).toBeCloseTo(closed.q[k]!, 9));
  });

  it("stretches towards a pose out of its reach, and stays there", async () => {
    const { postures, solver, pose, reach } = await solved("rx90");
    const from = pose(POSTURE);
    const far = shifted(from, [5 * reach, 0, 0]);
    let q = POSTURE;
    for (let k = 0; k < 40; k++) q = solver.follow(q, { frame: 6, pose: far, levels: ["position", "rotation"] }).q;
    const again = solver.follow(q, { frame: 6, pose: far, levels: ["position", "rotation"] });
    expect(again.error).toBeGreaterThan(1);
    const at = (posture: number[]) => [...postures.transforms(posture).subarray(83, 96)].filter((_, k) => k % 4 === 0);
    at(again.q).slice(0, 3).forEach((value, k) => expect(Math.abs(value - at(q)[k]!)).toBeLessThan(1e-3 * reach));
  });

  it("takes the nearest pose to one slightly out of its reach, with a straight elbow", async () => {
    const { solver, pose } = await solved("rx90");
    const wrist = (q: number[]): number[] => [3, 7, 11].map((entry) => pose(q)[entry]!);
    // The first three joints move the wrist in a sphere about the shoulder, which is the origin.
    const longest = Math.hypot(...wrist([0, 0, -Math.PI / 2, 0, 0.8, 0]));
    let q = [0.4, 0.9, -0.8, 0.6, 0.8, -0.3];
    const from = pose(q);
    const length = Math.hypot(...wrist(q));
    for (const share of [0.99, 1.005, 1.02, 1.03]) {
      const target = shifted(from, wrist(q).map(() => 0) as [number, number, number]);
      [3, 7, 11].forEach((entry) => (target[entry] = (from[entry]! * longest * share) / length));
      q = solver.follow(q, { frame: 6, pose: target, levels: ["position", "rotation"] }).q;
      const nearest = [3, 7, 11].map((entry) => (target[entry]! * Math.min(1, share)) / share);
      wrist(q).forEach((value, k) => expect(Math.abs(value - nearest[k]!)).toBeLessThan(1e-3 * longest));
    }
    expect(Math.abs(Math.cos(q[2]!))).toBeLessThan(0.05);
  });

  it("finds by iteration from random postures what its closed form has", async () => {
    const { solver, pose } = await solved("rx90");
    const sampled = solver.sampled(pose(POSTURE), POSTURE);
    expect(sampled.length).toBeGreaterThan(5);
    const known = solver.all(pose(POSTURE), POSTURE);
    for (const { label } of sampled) expect(known.map((one) => one.label)).toContain(label);
  });
});

describe("limits", () => {
  it("stop a joint, and the tool takes the nearest pose", async () => {
    const { view, postures, pose, reach } = await solved("rx90");
    const joints = view.joints.map((joint, k) => (k === 0 ? { ...joint, lower: 0.3, upper: 0.5 } : joint));
    const numeric = new NumericInverse({ ...view, joints }, postures, reach);
    const turned = pose([1.2, ...POSTURE.slice(1)]);
    const { q, error, stopped } = numeric.solve(POSTURE, { frame: 6, pose: turned, levels: ["position", "rotation"] }, 60);
    expect(q[0]).toBe(0.5);
    expect(stopped).toEqual([0]);
    expect(error).toBeGreaterThan(1e-3);
    const inside = numeric.solve(POSTURE, { frame: 6, pose: pose([0.49, ...POSTURE.slice(1)]), levels: ["position", "rotation"] });
    expect(inside.error).toBeLessThan(1e-9);
    expect(inside.stopped).toEqual([]);
  });

  it("are named only for joints that are at a limit in the result", async () => {
    const { view, solver, pose, q: home, reach } = await solved("rx90");
    const chance = sequence();
    const all = view.joints.map((_, k) => k);
    let stops = 0;
    for (let trial = 0; trial < 40; trial++) {
      const [from, to] = [1, 1.3].map((share) => random(view, home, all, reach, share, chance));
      const { q, stopped } = solver.numeric.solve(from!, { frame: 6, pose: pose(to!), levels: ["position", "rotation"] });
      stops += stopped.length;
      for (const k of stopped) {
        const { lower, upper } = view.joints[k]!;
        expect(Math.min(Math.abs(q[k]! - lower!), Math.abs(q[k]! - upper!))).toBeLessThan(1e-12);
      }
    }
    expect(stops).toBeGreaterThan(10);
  });
});

describe("a closed loop", () => {
  it("stays closed while the tool is moved, by closed form and by iteration", async () => {
    const { view, postures, solver, pose, reach, q: home } = await solved("sr400");
    const start = solver.numeric.solve(home.map((value, k) => value + (view.joints[k]!.active ? 0.3 : 0)), null);
    expect(start.closed).toBe(true);
    const target = shifted(pose(start.q), [0, 0, -0.02 * reach]);
    const closed = solver.follow(start.q, { frame: endFrame(view), pose: target, levels: ["position", "rotation"] });
    expect(closed.error).toBeLessThan(1e-9);
    expect(closed.closed).toBe(true);
    // The tool is on link 6, which is not the last one.
    for (const frame of [6, endFrame(view)]) {
      const numeric = solver.numeric.solve(start.q, { frame, pose: target, levels: ["position", "rotation"] });
      expect(postures.loopError(numeric.q)).toBeLessThan(1e-9);
      expect(numeric.error).toBeLessThan(1e-9);
    }
  });

  it("with a parallelogram is an arm with shoulder, elbow and wrist", async () => {
    const { postures, solver, pose, q: home } = await solved("sr400");
    const { q } = postures.move(home, [0.3, -1, 0, 0.5, 0.7, 0.9, 1, 0, 0]);
    const all = solver.all(pose(q), q);
    expect(new Set(all.map(({ label }) => label)).size).toBe(8);
    for (const part of ["shoulder right", "shoulder left", "elbow up", "elbow down", "wrist flip", "wrist no flip"])
      expect(all.filter(({ label }) => label.includes(part)).length).toBe(4);
  });

  it("of a planar linkage is moved by a point of a link", async () => {
    const { postures, solver, q } = await solved("fourbar");
    const T = postures.transforms(q);
    const start = Array.from(T.subarray(16, 32));
    const task = { frame: 2, pose: start, levels: ["position"] as const, point: [0.05, 0, 0] as [number, number, number] };
    const still = solver.numeric.solve(q, task);
    expect(still.error).toBeLessThan(1e-12);
    const { q: moved, closed } = solver.numeric.solve(q, { ...task, pose: shifted(start, [0.01, 0.01, 0]) });
    expect(closed).toBe(true);
    expect(Math.abs(moved[0]! - q[0]!)).toBeGreaterThan(1e-3);
  });
});

describe("a planar linkage", () => {
  it("stays closed when its tool is dragged out of its plane", async () => {
    const { view, postures, solver, pose, q: home } = await solved("fivebar");
    const { q } = postures.move(home, home);
    const result = solver.follow(q, {
      frame: view.sizes.NF + 1,
      pose: shifted(pose(q), [0, 0, 0.01]),
      levels: ["position", "rotation"],
    });
    expect(result.closed).toBe(true);
    result.q.forEach((value, k) => expect(value).toBeCloseTo(q[k]!, 9));
  });
});

describe("a five-bar linkage", () => {
  it("has four working modes at a position, whose numbers do not depend on the posture", async () => {
    const { postures, solver, pose, q: home } = await solved("fivebar");
    const { q } = postures.move(home, home);
    const modes = solver.all(pose(q), q);
    expect(new Set(modes.map(({ label }) => label))).toEqual(new Set([1, 2, 3, 4].map((k) => `working mode ${k}`)));
    for (const { q: row, label } of modes) {
      expect(postures.loopError(row)).toBeLessThan(1e-9);
      [3, 7].forEach((entry) => expect(pose(row)[entry]).toBeCloseTo(pose(q)[entry]!, 9));
      const [own, ...others] = solver.all(pose(row), row);
      expect(own!.label).toBe(label);
      expect(others).toHaveLength(3);
    }
  });

  it("moves in its plane with the rotation that its position determines", async () => {
    const { view, postures, solver, pose, q: home } = await solved("fivebar");
    const { q } = postures.move(home, home);
    const task = { frame: view.sizes.NF + 1, pose: shifted(pose(q), [0.01, -0.02, 0]), levels: ["position", "rotation"] as const };
    const result = solver.follow(q, task);
    expect(result.error).toBeLessThan(1e-9);
    expect(result.changedTo).toBeUndefined();
    [3, 7].forEach((entry) => expect(pose(result.q)[entry]).toBeCloseTo(task.pose[entry]!, 9));
  });
});

describe("an arm in a plane without a wrist", () => {
  it("has two solutions, with the elbow right and left", async () => {
    const { solver, pose } = await solved("planar2r");
    const named = (q: number[]) => solver.all(pose(q), q).map(({ label, q: row }) => [label, Math.sign(row[1]!)]);
    expect(named([0.4, 0.9])).toEqual([["elbow right", 1], ["elbow left", -1]]);
    expect(named([0.4, -0.9])).toEqual([["elbow left", -1], ["elbow right", 1]]);
  });
});

describe("the joints that move a frame", () => {
  it("are those between the base and the frame, and those that drive them", async () => {
    const { view, postures, reach } = await solved("rx90");
    expect(new NumericInverse(view, postures, reach).movers(3)).toEqual([0, 1, 2]);
    const gripper = await solved("gripper");
    expect(new NumericInverse(gripper.view, gripper.postures, gripper.reach).movers(2)).toEqual([0]);
  });
});

describe("a platform with three legs", () => {
  it("has eight working modes, named by the modes of its legs", async () => {
    const { postures, solver, pose, q } = await solved("platform");
    expect(solver.workingModes).toBe(8);
    const all = solver.all(pose(q), q);
    expect(all.length).toBe(8);
    expect(new Set(all.map(({ label }) => label)).size).toBe(8);
    expect(all.every(({ label }) => /^working mode [12]{3}$/.test(label))).toBe(true);
    for (const one of all) {
      expect(postures.loopError(one.q)).toBeLessThan(1e-9);
      pose(one.q).forEach((entry, k) => expect(entry).toBeCloseTo(pose(q)[k]!, 9));
    }
  });

  it("follows its platform", async () => {
    const { view, postures, solver, pose, q, reach } = await solved("platform");
    const { q: moved, error } = solver.follow(q, {
      frame: view.platform!.frame,
      pose: shifted(pose(q), [0.02 * reach, 0.01 * reach, 0]),
      levels: ["position", "rotation"],
    });
    expect(error).toBeLessThan(1e-9);
    expect(postures.loopError(moved)).toBeLessThan(1e-9);
  });
});

describe("the solutions of an iteration", () => {
  it("are listed once when they have become equal", async () => {
    const { solver, pose } = await solved("rx90");
    const [own, other] = solver.all(pose(POSTURE), POSTURE);
    expect(solver.moved([own!, other!, other!, own!], pose(POSTURE), POSTURE)).toHaveLength(2);
  });
});
