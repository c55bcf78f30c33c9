import { describe, expect, it } from "vitest";

import { shiftTo, fitted, type CameraPoint } from "./cameraFit";

const SLOPE = 0.315;

/** Coordinates in the picture, from -1 to 1 at its sides. */
function pictured(points: CameraPoint[], aspect: number, perspective: boolean): [number, number][] {
  const seen = fitted(points, 0, SLOPE, aspect, perspective);
  return points.map(([right, up, back]) => {
    const depth = perspective ? SLOPE * (seen.back + seen.distance - back) : seen.halfHeight;
    return [(right - seen.right) / (depth * aspect), (up - seen.up) / depth];
  });
}

const ROBOTS: Record<string, CameraPoint[]> = {
  "one that comes towards the camera": [[0, 0, -1], [0.2, 0.1, 0], [2, 0.5, 1.5]],
  "a tall one": [[0, 0, 0], [0.1, 3, -0.5]],
  "a wide one": [[-4, 0, 1], [1, 0, -2], [0, 0.3, 0]],
};

describe("fitting", () => {
  for (const [name, points] of Object.entries(ROBOTS))
    for (const perspective of [true, false])
      for (const aspect of [0.6, 1, 2.2])
        it(`${name} fills the picture, ${perspective ? "with" : "without"} perspective, aspect ${aspect}`, () => {
          const places = pictured(points, aspect, perspective);
          const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
          for (const values of [xs, ys]) {
            expect(Math.max(...values.map(Math.abs))).toBeLessThan(1 + 1e-6);
            // Equal margins on both sides.
            expect(Math.max(...values) + Math.min(...values)).toBeCloseTo(0, 6);
          }
          expect(Math.max(...xs, ...ys)).toBeCloseTo(1, 6);
        });

  it("places the camera in front of its target, also for a single point", () => {
    expect(fitted([[1, 2, 3]], 0.1, SLOPE, 1, true)).toMatchObject({ right: 1, up: 2, back: 3 });
    expect(fitted([[1, 2, 3]], 0.1, SLOPE, 1, true).distance).toBeGreaterThan(0.1);
  });
});

describe("a picture that follows a robot", () => {
  it("moves only as far as the robot leaves it", () => {
    expect(shiftTo(-0.5, 0.9)).toBe(0);
    expect(shiftTo(-0.2, 1.15)).toBeCloseTo(0.25, 12);
    expect(shiftTo(-1.25, 0.2)).toBeCloseTo(-0.35, 12);
  });

  it("keeps a part of a robot that is larger than the picture", () => {
    expect(shiftTo(-3, 2)).toBe(0);
    expect(shiftTo(0.8, 5)).toBeCloseTo(0.2, 12);
    expect(shiftTo(-5, -1)).toBeCloseTo(-0.4, 12);
  });
});
