import { describe, expect, it } from "vitest";

import { fixture, placed } from "./fixtures";
import type { View } from "../backend/messages";
import type { LoadedModel } from "./modules";
import { origin, robotSize, typicalLength, parameterPolyline } from "./polyline";
import { PostureSolver } from "./posture";

describe("frame transforms", () => {
  it("agrees with direct geometry", async () => {
    const robot = await placed("rx90", { D3: 0.5, RL4: 0.3 });
    const T = robot.transforms([0, 0, 0, 0, 0, 0]);
    expect(origin(T, 3)).toEqual([0.5, 0, 0]);
    const turned = robot.transforms([Math.PI / 2, 0, 0, 0, 0, 0]);
    expect(origin(turned, 3)[0]).toBeCloseTo(0, 12);
    expect(origin(turned, 3)[1]).toBeCloseTo(0.5, 12);
  });

  it("depends on the parameters", async () => {
    const robot = await placed("rx90", { D3: 0.5, RL4: 0.3 });
    robot.setParameters({ D3: 2, RL4: 0.3 });
    expect(origin(robot.transforms([0, 0, 0, 0, 0, 0]), 3)[0]).toBeCloseTo(2, 12);
  });

  it("uses zero for a parameter without value", async () => {
    const robot = await placed("rx90");
    robot.setParameters({ RL4: 0.3 });
    expect(origin(robot.transforms([0, 0, 0, 0, 0, 0]), 3)[0]).toBe(0);
  });
});

describe("coupled joints", () => {
  it("follow their master joints with the robot's ratio and offset", async () => {
    const robot = await placed("gripper", { k: 3 });
    const { q } = robot.move([0, 0], [0.02, 0.5]);
    expect(q[0]).toBe(0.02);
    expect(q[1]).toBeCloseTo(0.07, 12);
    expect(origin(robot.transforms(q), 2)[2]).toBeCloseTo(-0.07, 12);
  });
});

describe("closed loops", () => {
  it("stay closed when the active joint moves", async () => {
    const robot = await placed("fourbar");
    let q = robot.closed([0.5], [0.5, 0, 0, 0])!;
    expect(robot.loopError(q)).toBeLessThan(1e-9);
    for (const active of [0.9, 1.6, 2.4]) {
      const moved = robot.move(q, [active, 0, 0, 0]);
      expect(moved.closed).toBe(true);
      expect(moved.q[0]).toBeCloseTo(active, 12);
      expect(robot.loopError(moved.q)).toBeLessThan(1e-9);
      q = moved.q;
    }
  });

  it("turn continuously beyond half a turn, in the same assembly mode", async () => {
    const robot = await placed("fourbar");
    const start = robot.closed([0.5], [0.5, 0, 0, 0])!;
    let q = start;
    for (let k = 1; k <= 40; k++) q = robot.move(q, [0.5 + (2 * Math.PI * k) / 40, 0, 0, 0]).q;
    expect(q[0]).toBeCloseTo(0.5 + 2 * Math.PI, 9);
    const turns = (q[1]! - start[1]!) / (2 * Math.PI);
    expect(turns).toBeCloseTo(Math.round(turns), 9);
    expect(q[2]! - start[2]!).toBeCloseTo(0, 9);
  });

  it("stay in the last closed posture if they cannot be closed", async () => {
    // A coupler that is too short for the crank to turn all the way.
    const robot = await placed("fourbar", { D2: 0.4, D3: 0.5, D4: 0.5, D5: 0.7 });
    const start = robot.closed([0.3], [0.3, 0, 0, 0]) ?? robot.closed([1], [1, 0, 0, 0])!;
    robot.setParameters({ D2: 1, D3: 0.4, D4: 0.4, D5: 0.7 });
    const near = robot.closed([0.2], start);
    expect(near).not.toBeNull();
    const moved = robot.move(near!, [Math.PI, 0, 0, 0]);
    expect(moved.closed).toBe(false);
    expect(robot.loopError(moved.q)).toBeLessThan(1e-6);
    expect(moved.q[0]).toBeLessThan(Math.PI);
  });

  it("are closed from an open posture as soon as the active joints allow it", async () => {
    const robot = await placed("fourbar", { D2: 1, D3: 0.4, D4: 0.4, D5: 0.7 });
    const lost = robot.move([3, 0, 0, 0], [2, 0, 0, 0]);
    expect(lost.closed).toBe(false);
    expect(lost.q[0]).toBe(2);
    const moved = robot.move(lost.q, [0.2, 0, 0, 0]);
    expect(moved.closed).toBe(true);
    expect(robot.loopError(moved.q)).toBeLessThan(1e-9);
  });

  it("stay open when the user has opened them", async () => {
    const robot = await placed("sr400");
    const q = robot.closed([0, 0.2, 0, 0, 0, -0.9], robot.view.joints.map(() => 0))!;
    const target = q.map((value, k) => (k === 2 ? value + 0.4 : value));
    expect(robot.move(q, target, true).q).toEqual(target);
    expect(robot.loopError(target)).toBeGreaterThan(0.01);
  });

  it("determine the cut joint from both sides", async () => {
    const robot = await placed("sr400");
    const q = robot.closed([0, 0.2, 0, 0, 0, -0.9], robot.view.joints.map(() => 0))!;
    const opened = robot.view.joints.findIndex((joint) => joint.opened);
    const lost = q.map((value, k) => (k === opened ? 0 : value));
    expect(robot.loopError(lost)).toBeGreaterThan(0.01);
    expect(robot.loopError(robot.withCutJoints(lost))).toBeLessThan(1e-9);
  });
});

describe("a robot of any size", () => {
  it.each([1e-4, 1, 1e4])("has the same error of an open loop: scale %d", async (scale) => {
    const robot = await placed("fourbar", { D2: 0.3 * scale, D3: 0.8 * scale, D4: 0.9 * scale, D5: 0.6 * scale });
    const q = robot.closed([0.5], [0.5, 0, 0, 0])!;
    expect(robot.loopError(q)).toBeLessThan(1e-9);
    const open = robot.withCutJoints(q.map((value, k) => (k === 1 ? value + 1e-3 : value)));
    // The second joint is at 0.3 from the first one; the largest distance of a frame from the base is 0.97.
    expect(robot.loopError(open) / 1e-3).toBeGreaterThan(0.5);
    expect(robot.loopError(open) / 1e-3).toBeLessThan(1);
  });

  it.each([1e-4, 1, 1e4])("moves a slide in steps that are a part of its size: scale %d", (scale) => {
    let calls = 0;
    const T = Float64Array.of(1, 0, 0, scale, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    const frames = { call: () => ({ T }), set: () => undefined, size: () => 0 };
    const loops = {
      set: () => undefined,
      call: ({ qa }: { qa: number[] }) => {
        calls += 1;
        return { status: Float64Array.of(0), residual: Float64Array.of(0), q: Float64Array.from(qa) };
      },
    };
    const joint = { frame: 1, kind: "P", active: true, opened: false, coupled: false };
    const view = { joints: [joint], coordinates: [1], loops: [{ opened: 1, twin: 1 }] } as unknown as View;
    const solver = new PostureSolver(view, frames as unknown as LoadedModel, loops as unknown as LoadedModel, {});
    expect(solver.move([0], [scale])).toEqual({ q: [scale], closed: true });
    expect(calls).toBe(10);
  });
});

describe("the polyline along the parameters", () => {
  it("follows d along the common normal, then r along the joint axis", async () => {
    const robot = await placed("rx90", { D3: 0.5, RL4: 0.3 });
    const T = robot.transforms([0.3, -0.4, 0.2, 0.1, 0.5, -0.3]);
    const [start, , elbow, end] = parameterPolyline(T, 3, 4).points;
    expect(Math.hypot(...elbow.map((x, k) => x - start[k]!))).toBeCloseTo(0, 12);
    expect(Math.hypot(...elbow.map((x, k) => x - end[k]!))).toBeCloseTo(0.3, 12);
    const flat = parameterPolyline(T, 2, 3).points;
    expect(Math.hypot(...flat[2].map((x, k) => x - flat[0][k]!))).toBeCloseTo(0.5, 12);
  });

  it("returns the size of a robot and the typical link length", async () => {
    const robot = await placed("rx90", { D3: 0.5, RL4: 0.3 });
    const T = robot.transforms([0, 0, 0, 0, 0, 0]);
    expect(robotSize(T)).toBeCloseTo(Math.hypot(0.5, 0.3), 9);
    expect(typicalLength(T, fixture("rx90").view.frames.map((frame) => frame.ant))).toBeCloseTo(0.5, 9);
    expect(robotSize(new Float64Array(16))).toBe(1);
  });
});
