import { describe, expect, it } from "vitest";

import { nearestCommonZero, nearestZero } from "./nearestZero";

const TURN: [number, number] = [-Math.PI, Math.PI];

describe("nearest zero along one joint", () => {
  it("is the nearest one on either side", () => {
    const cosine = ([x]: number[]) => Math.cos(x!);
    expect(nearestZero(cosine, [0.2], [0], [TURN])![0]).toBeCloseTo(Math.PI / 2, 12);
    expect(nearestZero(cosine, [-0.2], [0], [TURN])![0]).toBeCloseTo(-Math.PI / 2, 12);
  });
  it("moves the joint with the smallest displacement", () => {
    const shoulder = (q: number[]) => 0.45 * Math.cos(q[0]!) - 0.45 * Math.sin(q[0]! + q[1]!);
    const posture = nearestZero(shoulder, [0.1, 1.3], [0, 1], [TURN, TURN])!;
    expect(shoulder(posture)).toBeCloseTo(0, 12);
    expect(posture[0] === 0.1 || posture[1] === 1.3).toBe(true);
    expect(Math.hypot(posture[0]! - 0.1, posture[1]! - 1.3)).toBeLessThan(0.2);
  });
  it("stays at a zero", () => {
    expect(nearestZero(([x]) => Math.sin(x!), [0], [0], [TURN])![0]).toBeCloseTo(0, 12);
    expect(nearestZero(([x, y]) => Math.sin(x!) * Math.sin(y!), [0, 1], [0, 1], [[0, 0], TURN])).toEqual([0, 1]);
  });
  it("is not a pole, where the sign changes too", () => {
    expect(nearestZero(([x]) => Math.tan(x!), [1.4], [0], [TURN])![0]).toBeCloseTo(0, 12);
    expect(nearestZero(([x]) => 1 / (x! - 0.1234), [0], [0], [TURN])).toBeNull();
  });
  it("is absent without a change of sign, with limits, or without a number", () => {
    expect(nearestZero(([x]) => 2 + Math.sin(x!), [0], [0], [TURN])).toBeNull();
    expect(nearestZero(([x]) => Math.cos(x!), [0], [0], [[-1, 1]])).toBeNull();
    expect(nearestZero(() => null, [0], [0], [TURN])).toBeNull();
  });
});

describe("common zero of several functions", () => {
  it("is near, also if functions are dependent, and keeps joints that may not move", () => {
    const circleAndLine = ([x, y]: number[]): number[] => [x! * x! + y! * y! - 1, x! - y!, 2 * (x! - y!)];
    const zero = nearestCommonZero(circleAndLine, [0.9, 0.5, 7], [0, 1], [1, 1])!;
    [Math.SQRT1_2, Math.SQRT1_2, 7].forEach((value, k) => expect(zero[k]).toBeCloseTo(value, 11));
  });
  it("is absent where functions exclude each other, or without a number", () => {
    expect(nearestCommonZero(([x]) => [Math.sin(x!), Math.cos(x!)], [0.3], [0], [1])).toBeNull();
    expect(nearestCommonZero(() => null, [0], [0], [1])).toBeNull();
  });
});
