// Drags out of reach and back, and the names of configurations along motions.

import { describe, expect, it } from "vitest";

import { endFrame } from "./extras";
import { fixture, solved } from "./fixtures";
import { random, within } from "./joints";
import { axis, dot, minus, origin, plus, type Point } from "./polyline";
import { sequence } from "./poseSolver";

type Name = Parameters<typeof fixture>[0];

/** Postures in the middle of the workspace; other robots start at home. */
const POSTURES: Partial<Record<Name, number[]>> = {
  puma560: [0.4, -0.9, 0.9, 0.6, 0.8, -0.3],
  rx90: [0.4, 0.9, -0.5, 0.6, 0.8, -0.3],
  scara: [0.4, 0.9, 0.05, 0.2],
  ur5e: [0.4, -1.2, 1.1, -0.6, 0.8, -0.3],
};

describe("a drag out of reach", () => {
  it.each(["delta", "orthoglide", "gough_stewart", "rx90", "scara"] as const)("keeps %s valid, and a drag back recovers", async (name) => {
    const { view, solver, reach, pose, q: home } = await solved(name);
    const frame = endFrame(view);
    let q = solver.numeric.solve(POSTURES[name] ?? home, null).q;
    const from = pose(q);
    const configuration = solver.configuration(q);
    const levels = view.platform || name === "scara" ? (["position"] as const) : (["position", "rotation"] as const);
    const target = (share: number): number[] => from.map((entry, e) => (e === 3 || e === 7 ? entry + 4 * reach * share : entry));
    let errors: number[] = [];
    for (let k = 0; k <= 60; k++) {
      const next = solver.follow(q, { frame, pose: target(k / 60), levels });
      // The page keeps the last posture if the loops are not closed, and shows a message.
      if (next.closed) q = next.q;
      errors.push(next.closed ? next.error : Infinity);
      expect(q.every(Number.isFinite)).toBe(true);
      expect(solver.numeric.closure(q)).toBeLessThan(1e-9);
    }
    expect(errors[0]).toBeLessThan(1e-6);
    // The slides of this Gough-Stewart platform have no limits, so that each position is reached.
    if (name === "gough_stewart") expect(errors.at(-1)).toBeLessThan(1e-6);
    else expect(errors.at(-1)).toBeGreaterThan(0.5);
    for (let k = 60; k >= 0; k--) {
      const next = solver.follow(q, { frame, pose: target(k / 60), levels });
      if (next.closed) q = next.q;
      expect(solver.numeric.closure(q)).toBeLessThan(1e-9);
    }
    // The pointer rests at the start for some pictures.
    errors = [];
    for (let k = 0; k < 10; k++) {
      const next = solver.follow(q, { frame, pose: from, levels });
      if (next.closed) q = next.q;
      errors.push(next.closed ? next.error : Infinity);
    }
    expect(errors.at(-1)).toBeLessThan(1e-6);
    expect(solver.configuration(q)).toBe(configuration);
  }, 20_000);
});

describe("a linkage out of reach", () => {
  it.each(["fivebar", "platform", "delta"] as const)("%s follows to the limit of its motion, with closed loops", async (name) => {
    const { view, postures, solver, reach, pose, q: home } = await solved(name);
    const start = name === "fivebar" ? postures.move(home, home).q : home;
    const from = pose(start);
    for (const direction of [[0, 1, 0], [-1, 0, 0], [0.6, 0.8, 0]]) {
      let q = start;
      const errors: number[] = [];
      for (let k = 1; k <= 40; k++) {
        const target = [...from];
        direction.forEach((value, i) => (target[4 * i + 3]! += (reach * value * k) / 20));
        const next = solver.follow(q, { frame: endFrame(view), pose: target, levels: ["position", "rotation"] });
        expect(next.closed).toBe(true);
        expect(solver.numeric.closure(next.q)).toBeLessThan(1e-9);
        q = next.q;
        errors.push(solver.numeric.taskError(q, { frame: endFrame(view), pose: target, levels: ["position"] }));
      }
      expect(errors.at(-1)).toBeGreaterThan(0.3);
      // The tool does not stay behind: its distance grows by no more than the pointer moves.
      const most = Math.hypot(...direction) / 20;
      errors.slice(1).forEach((error, k) => expect(error).toBeLessThan(errors[k]! + most + 1e-3));
    }
  }, 20_000);
});

describe("an arm with limits", () => {
  const DIRECTIONS = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0.8, -0.6, 0], [0, 0, 1], [0.48, 0.36, -0.8]];

  // Each pose of a line to three times the reach that is reached on the way out is reached on the way back.
  it.each(["panda", "rx90", "ur5e", "puma560", "scara"] as const)("%s reaches again what it has reached, after a drag out of reach", async (name) => {
    const { view, solver, reach, pose, q: home } = await solved(name);
    // A SCARA moves vertically by one joint of little stroke.
    for (const direction of DIRECTIONS.filter(([, , z]) => name !== "scara" || !z)) {
      let q = POSTURES[name] ?? home;
      const from = pose(q);
      const configurations = new Set([solver.configuration(q)]);
      const error = (frame: number): number => {
        const target = [...from];
        direction.forEach((value, i) => (target[4 * i + 3]! += 3 * reach * value * (frame / 30)));
        const next = solver.follow(q, { frame: endFrame(view), pose: target, levels: ["position", "rotation"] });
        q = next.q;
        view.joints.forEach((joint, k) => expect(within(joint, q[k]!)).toBe(true));
        if (next.error <= 1e-6) configurations.add(solver.configuration(q));
        return next.error;
      };
      const frames = Array.from({ length: 31 }, (_, k) => k);
      const out = frames.map(error);
      // Some lines pass the base, and continue in another configuration because of the limits.
      const sameOnTheWay = configurations.size === 1;
      const back = [...frames].reverse().map(error).reverse();
      expect(out[0]).toBeLessThan(1e-6);
      expect(out[30]).toBeGreaterThan(0.5);
      out.forEach((value, k) => value <= 1e-6 && expect(back[k], `frame ${k} towards ${direction}`).toBeLessThanOrEqual(1e-6));
      if (sameOnTheWay) expect([...configurations], `${direction}`).toHaveLength(1);
    }
  });
});

describe("a typed pose that cannot be reached", () => {
  it("leads to the nearest position from every posture, also from a straight arm", async () => {
    const { view, solver, pose } = await solved("rx90");
    // The wrist reaches the points between two spheres about the shoulder: link lengths 0.45 m, elbow within its range.
    const { lower, upper } = view.joints[2]!;
    const distance = (q3: number): number => 0.9 * Math.abs(Math.cos((q3 + Math.PI / 2) / 2));
    const [inner, outer] = [Math.max(distance(lower!), distance(upper!)), 0.9];
    for (const start of [[0, 0, -Math.PI / 2, 0, 0, 0], [0.3, 1.2, -Math.PI / 2, 0.4, 0.5, 0.6], [0.2, 0.8, 0.2, 0.5, 1, -0.3]])
      for (const point of [[0.1, 0, 0], [-0.1, 0.05, 0.02], [0.08, -0.1, 0.1], [1, 1, 0.5], [0.3, -2, 0]]) {
        const target = pose(start);
        [3, 7, 11].forEach((entry, i) => (target[entry] = point[i]!));
        const { q, error } = solver.goTo(start, { frame: endFrame(view), pose: target, levels: ["position", "rotation"] });
        const away = Math.hypot(...point);
        expect(error).toBeGreaterThan(1e-3);
        const at = pose(q);
        const missing = Math.hypot(...[3, 7, 11].map((entry, i) => at[entry]! - point[i]!));
        expect(missing).toBeCloseTo(Math.max(inner - away, away - outer), 4);
      }
  }, 20_000);
});

describe("the configurations of an arm", () => {
  it.each(["rx90", "puma560", "ur5e"] as const)("of one pose have different names, which stay along a small motion: %s", async (name) => {
    const { view, solver, pose, reach, q: home } = await solved(name);
    const chance = sequence();
    const all = view.joints.map((_, k) => k);
    let compared = 0;
    for (let trial = 0; trial < 200; trial++) {
      const q = random(view, home, all, reach, 1, chance);
      const solutions = solver.all(pose(q), q);
      const labels = solutions.map(({ label }) => label);
      expect(new Set(labels).size).toBe(labels.length);
      // At a limit of 2 pi the elbow of UR5e is straight within 1e-6 rad: its two solutions have the same name with numbers.
      if (labels.some((label) => label.includes("elbow singular") && Math.abs(Math.sin(q[2]!)) < 1e-6)) continue;
      for (const label of labels) expect(label).toMatch(/^shoulder (right|left), elbow (up|down), wrist (flip|no flip)$/);
      const near = q.map((value) => value + 1e-4 * (2 * chance() - 1));
      for (const other of solver.all(pose(near), near)) {
        const distance = (row: number[]): number => Math.max(...row.map((value, k) => Math.abs(Math.sin((value - other.q[k]!) / 2))));
        // Near a singularity two branches meet, and change by the square root of the change of the pose.
        const [branch, ...others] = solutions.filter(({ q: row }) => distance(row) < 0.05);
        if (!branch || others.length) continue;
        compared += 1;
        expect(other.label).toBe(branch.label);
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it("have the elbow up where it is above the line from shoulder to wrist, in the plane normal to axis 2", async () => {
    // The wrist of an arm UR is at its fourth axis, because axes 2 to 4 are parallel.
    for (const [name, end] of [["rx90", 5], ["puma560", 5], ["ur5e", 4]] as const) {
      const { view, solver, pose, reach, q: home } = await solved(name);
      const chance = sequence();
      const all = view.joints.map((_, k) => k);
      const sides = new Set<string>();
      for (let trial = 0; trial < 100; trial++) {
        const q = random(view, home, all, reach, 1, chance);
        for (const { T, label } of solver.all(pose(q), q)) {
          const across = axis(T, 2, 2);
          const inPlane = (v: Point): Point => plus(v, across, -dot(v, across));
          const line = inPlane(minus(origin(T, end), origin(T, 2)));
          const elbow = inPlane(minus(origin(T, 3), origin(T, 2)));
          // Height of the elbow minus that of the point of the line below or above it, on the normal of the line.
          const normal = plus(elbow, line, -dot(elbow, line) / dot(line, line));
          expect(label).toContain(normal[2] > 0 ? "elbow up" : "elbow down");
          sides.add(label.replace(/, wrist.*/, ""));
        }
      }
      expect(sides.size).toBe(4);
    }
  });
});
