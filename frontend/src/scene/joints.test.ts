import { describe, expect, it } from "vitest";

import type { JointView } from "../backend/messages";
import { fixture } from "./fixtures";
import { fixed, freeJoints, fromShown, home, named, onSlider, pointDecimals, random, range, shownText, toShown, within } from "./joints";
import { separated, inside, merged, title } from "./labels";
import { framesShown } from "./viewState";
import { fileOf } from "./meshfile";

const joint = (given: Partial<JointView>) => ({ kind: "R", lower: null, upper: null, ...given }) as JointView;

describe("ranges", () => {
  it("are the robot's limits, or a full turn, or the robot's size about the reference posture", () => {
    expect(range(joint({ lower: -1, upper: 2 }), 1)).toEqual({ lower: -1, upper: 2, own: true });
    expect(range(joint({}), 1, 5)).toEqual({ lower: -Math.PI, upper: Math.PI, own: false });
    expect(range(joint({ kind: "P" }), 0.8, 0.9).lower).toBeCloseTo(0.1, 12);
    expect(range(joint({ kind: "P" }), 0.8, 0.9).upper).toBeCloseTo(1.7, 12);
  });

  it.each([[5, null], [null, -5]])("hold together with one limit beyond a turn: %s to %s", (lower, upper) => {
    const interval = range(joint({ lower, upper }), 1);
    expect(interval.lower).toBeLessThan(interval.upper);
    expect(interval.own).toBe(false);
  });

  it("identify values outside", () => {
    expect(within(joint({ lower: -1, upper: 2 }), 2)).toBe(true);
    expect(within(joint({ lower: -1, upper: 2 }), 2.1)).toBe(false);
    expect(within(joint({}), 100)).toBe(true);
  });
});

it("shows angles in degrees and lengths in metres", () => {
  expect(toShown(joint({}), Math.PI, true)).toBe(180);
  expect(toShown(joint({}), Math.PI, false)).toBe(Math.PI);
  expect(toShown(joint({ kind: "P" }), 0.3, true)).toBe(0.3);
  expect(fromShown(joint({}), 90, true)).toBeCloseTo(Math.PI / 2, 12);
});

describe("postures", () => {
  const { view } = fixture("sr400");

  it("have free active joints if loops are closed, and all joints free if they are open", () => {
    expect(freeJoints(view, false).map((k) => view.joints[k]!.frame)).toEqual([1, 2, 4, 5, 6, 7]);
    expect(freeJoints(view, true)).toHaveLength(view.joints.length);
  });

  it("exclude coupled joints from the free ones", () => {
    const { view: gripper } = fixture("gripper");
    expect(freeJoints(gripper, false)).toEqual([0]);
  });

  it("start with 'home', otherwise with zero within limits", () => {
    const posed = { ...view, postures: { park: view.coordinates.map(() => 1), home: view.coordinates.map(() => 2) } };
    expect(home(posed)).toEqual(named(posed, posed.postures.home!));
    const limited = { ...view, joints: view.joints.map((one) => ({ ...one, lower: 0.5, upper: 1 })) };
    expect(home({ ...limited, postures: {} })).toEqual(view.joints.map(() => 0.5));
  });

  it("are random within limits for the selected joints only", () => {
    const { view: rx90 } = fixture("rx90");
    const zero = rx90.joints.map(() => 0);
    for (let k = 0; k < 50; k++) {
      const q = random(rx90, zero, [1, 2], 1);
      expect(within(rx90.joints[1]!, q[1]!) && within(rx90.joints[2]!, q[2]!)).toBe(true);
      expect([q[0], q[3], q[4], q[5]]).toEqual([0, 0, 0, 0]);
    }
    expect(random(rx90, zero, [1], 1, 0)).toEqual(zero);
  });
});

describe("labels", () => {
  const label = (text: string, x: number, y: number) => ({ text, x, y, selected: false });

  it("at the same point are merged", () => {
    const labels = merged([label("4", 10, 10), label("5", 12, 11), label("7", 80, 10)]);
    expect(labels.map((one) => one.text)).toEqual(["4, 5", "7"]);
    expect(merged(["1", "2", "3", "4", "5"].map((text) => label(text, 0, 0)))[0]!.text).toBe("1, 2, 3, …");
  });

  it("stay inside the right side of the picture, and disappear with their frames", () => {
    const labels = inside([label("4, 5, 6", 395, 10), label("1", 50, 10), label("9", 500, 10)], 400);
    expect(labels[0]!.x).toBeLessThan(350);
    expect(labels.map(({ x }) => x).slice(1)).toEqual([50, 500]);
  });

  it("that overlap are moved apart", () => {
    const labels = separated([label("10, 11", 10, 10), label("12", 30, 14), label("9", 200, 10)]);
    expect(labels[1]!.y).toBeGreaterThanOrEqual(25);
    expect(labels[2]!.y).toBe(10);
  });

  it("without space are left out, except the selected one", () => {
    const many = ["10", "11", "12", "13", "14"].map((text) => label(text, 10, 10));
    expect(separated(many).map((one) => one.text)).toEqual(["10", "11", "12"]);
    many[4]!.selected = true;
    expect(separated(many).map((one) => one.text)).toEqual(["10", "11", "12", "14"]);
  });

  it("are numbers or names", () => {
    expect([title("name", 3, "elbow"), title("name", 3, ""), title("number", 3, "elbow")]).toEqual(["elbow", "3", "3"]);
  });
});

it("shows all frames, the selected one, the picked ones or none", () => {
  expect(framesShown("all", 3, new Set([1]))).toBe("all");
  expect([...framesShown("selected", 3, new Set([1]))]).toEqual([3]);
  expect([...framesShown("picked", 3, new Set([1]))]).toEqual([1]);
  expect([...framesShown("none", 3, new Set([1]))]).toEqual([]);
});

it("matches a dropped mesh by the end of the path in the robot file", () => {
  const file = (name: string) => ({ name }) as File;
  const files = new Map([["base.stl", file("base.stl")], ["arm/visual/base.stl", file("arm")]]);
  expect(fileOf("package://robot/meshes/arm/visual/base.stl", files)?.name).toBe("arm");
  expect(fileOf("package://robot/base.stl", files)?.name).toBe("base.stl");
  expect(fileOf("package://robot/Base.STL", files)?.name).toBe("base.stl");
  expect(fileOf("package://robot/none.stl", files)).toBeNull();
});

it("a position that is zero in the decimals shown has no sign", () => {
  expect(shownText({ kind: "R" } as JointView, -1e-9, true, 1, 1)).toBe("0.00");
  expect(shownText({ kind: "P" } as JointView, -0.0004, false, 1)).toBe("0.000");
  expect(shownText({ kind: "P" } as JointView, -0.0006, false, 1)).toBe("-0.001");
});

it("lengths have more decimals for robots of millimetres", () => {
  const shown = (size: number) => shownText({ kind: "P" } as JointView, 0.1234567 * size, false, size);
  expect([1e-3, 0.05, 0.9, 1e3].map(shown)).toEqual(["0.00012", "0.0062", "0.111", "123.457"]);
});

it("coordinates of a point fit into the fields of the pose for robots from millimetres to kilometres", () => {
  const shown = (size: number) => fixed(-0.987654321 * size, pointDecimals(size));
  expect([9e-4, 0.9, 9, 9e2, 9e3].map(shown)).toEqual(["-0.000889", "-0.8889", "-8.8889", "-888.889", "-8888.89"]);
});

it("a joint that turns without limits is shown on its slider after any number of turns", () => {
  const endless = { kind: "R", lower: null, upper: null } as JointView;
  expect(onSlider(endless, 2)).toBe(2);
  expect(onSlider(endless, 4.8)).toBeCloseTo(4.8 - 2 * Math.PI, 12);
  expect(onSlider(endless, -20)).toBeCloseTo(-20 + 6 * Math.PI, 12);
  expect(onSlider({ ...endless, upper: 5 }, 4.8)).toBe(4.8);
  expect(onSlider({ ...endless, kind: "P" }, 4.8)).toBe(4.8);
});
