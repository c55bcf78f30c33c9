import { describe, expect, it } from "vitest";

import { AssemblyModes } from "./assemblyModes";
import { fixture, solved } from "./fixtures";

type Name = Parameters<typeof fixture>[0];

async function searched(name: Name, change: (active: number) => number = () => 0) {
  const robot = await solved(name);
  const { view, postures, solver, reach } = robot;
  const to = robot.q.map((value, k) => value + (view.joints[k]!.active ? change(k) : 0));
  const { q, closed } = postures.move(postures.move(robot.q, robot.q).q, to);
  expect(closed).toBe(true);
  return { ...robot, q, modes: new AssemblyModes(view, postures, solver, reach), closure: (at: number[]) => solver.numeric.closure(at) };
}

/** Return the posture with the active joints moved by a step. */
function stepped({ view, postures }: Awaited<ReturnType<typeof searched>>, q: number[], by: number): number[] {
  const { q: next, closed } = postures.move(q, q.map((value, k) => value + (view.joints[k]!.active ? by : 0)));
  expect(closed).toBe(true);
  return next;
}

describe("assembly modes", () => {
  it.each(["fourbar", "fivebar"] as const)("of a linkage with a closed form are all returned: %s", async (name) => {
    const robot = await searched(name);
    const all = robot.modes.at(robot.q);
    expect(robot.modes.complete(robot.q)).toBe(true);
    expect(all.map(({ number }) => number).sort()).toEqual([1, 2]);
    for (const { q } of all) expect(robot.closure(q)).toBeLessThan(1e-9);
    all[0]!.T.forEach((entry, k) => expect(entry).toBeCloseTo(robot.postures.transforms(robot.q)[k]!, 9));
  });

  it("exclude the folded parallelogram", async () => {
    const robot = await searched("sr400");
    expect(robot.modes.at(robot.q).length).toBe(1);
  });

  it("of a planar platform are at most six, and have its active joints and closed loops", async () => {
    const robot = await searched("platform", (k) => 0.1 * Math.sin(k));
    const all = robot.modes.search(robot.q, 2000);
    expect(all.length).toBeGreaterThan(1);
    expect(all.length).toBeLessThanOrEqual(6);
    for (const { q } of all) {
      expect(robot.closure(q)).toBeLessThan(1e-9);
      robot.view.joints.forEach((joint, k) => joint.active && expect(q[k]).toBeCloseTo(robot.q[k]!, 12));
    }
  });

  it.each(["fourbar", "fivebar", "platform"] as const)("follow small steps of the active joints with their numbers: %s", async (name) => {
    const robot = await searched(name);
    let before = robot.modes.at(robot.q);
    let q = robot.q;
    for (let k = 0; k < 10; k++) {
      q = stepped(robot, q, 0.005);
      const after = robot.modes.at(q);
      expect(after.map(({ number }) => number)).toEqual(before.map(({ number }) => number));
      after.forEach((mode, m) => mode.T.forEach((entry, e) => expect(Math.abs(entry - before[m]!.T[e]!)).toBeLessThan(0.1)));
      before = after;
    }
  });

  it.each(["fourbar", "platform"] as const)("are selected: the other mode is then the first, with its number: %s", async (name) => {
    const robot = await searched(name);
    const all = robot.modes.at(robot.q);
    const other = all[1]!;
    const again = robot.modes.at(other.q);
    expect(again[0]!.number).toBe(other.number);
    expect(again.map(({ number }) => number).sort()).toEqual(all.map(({ number }) => number).sort());
  });
});
