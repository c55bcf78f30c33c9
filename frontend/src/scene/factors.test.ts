import { describe, expect, it } from "vitest";

import { forceEllipsoid, mobility, positionJacobian, symmetricEigen, velocityEllipsoid } from "./ellipsoid";
import { centreText, velocityText } from "./overlays";
import { endFrame } from "./extras";
import { evaluated, nearness, vanishingFactors, ZERO, type Scaled } from "./factors";
import { solved } from "./fixtures";
import type { Point } from "./polyline";

const at = (values: Record<string, number>) => (name: string): Scaled | null =>
  name in values ? { value: values[name]!, bound: Math.abs(values[name]!) } : null;

describe("factors of a determinant", () => {
  it.each([
    ["2 - 3 - 4", -5],
    ["2^3^2", 512],
    ["-2^2", -4],
    ["6/2/3", 1],
    ["2*(3 + x)**2", 50],
    ["sin(pi/6)*1.5e1", 7.5],
    ["-x + -x", -4],
    ["sqrt(x + 2) - abs(-x)", 0],
  ])("%s", (text, wanted) => expect(evaluated(text, at({ x: 2 }))!.value).toBeCloseTo(wanted, 12));

  it.each(["", "1 +", "(1", "1)", "y", "x y", "x; y", "alert(1)", "x.y", "2 $ 3"])("rejects %j", (text) =>
    expect(evaluated(text, at({ x: 2 }))).toBeNull(),
  );

  it("have a scale that does not depend on the unit of length", () => {
    const factor = "D3*cos(q2) - RL4*sin(q2 + q3)";
    const metres = nearness(factor, at({ D3: 0.45, RL4: 0.45, q2: 0.3, q3: 0.2 }))!;
    const millimetres = nearness(factor, at({ D3: 450, RL4: 450, q2: 0.3, q3: 0.2 }))!;
    expect(millimetres).toBeCloseTo(metres, 12);
    expect(metres).toBeCloseTo(Math.abs(Math.cos(0.3) - Math.sin(0.5)) / 2, 12);
  });

  it("approach zero at a straight elbow", () => {
    expect(nearness("cos(q3)", at({ q3: Math.PI / 2 }))).toBeLessThan(1e-15);
    expect(nearness("cos(q3)", at({ q3: 0 }))).toBe(1);
  });

  it("are listed by their names in the equations of the determinant", () => {
    const listing = "note: x\n\nC2 = cos(q2)\nS23 = sin(q2 + q3)\nF1 = RL4*S23 - D3*C2\nC3 = cos(q3)\n\ndet = -F1*RL4*C3**2*D3\n";
    const near = (q2: number, q3: number): string[] => vanishingFactors(listing, at({ D3: 0.45, RL4: 0.45, q2, q3 }));
    expect(near(0.2, 0.3)).toEqual([]);
    expect(near(0.2, 0.05 - Math.PI / 2)).toEqual(["C3"]);
    expect(near(0.2, 0.15 - Math.PI / 2)).toEqual([]);
    expect(near(Math.PI / 2, -Math.PI / 2)).toEqual(["F1", "C3"]);
    // C2 is small, but no factor of the determinant.
    expect(near(Math.PI / 2, 1)).toEqual([]);
    // With a smaller bound only the factors that are zero remain.
    expect(vanishingFactors("C3 = cos(q3)\nS5 = sin(q5)\ndet = C3*S5", at({ q3: Math.PI / 2, q5: 0.01 }), ZERO)).toEqual(["C3"]);
    // A sum has no factors.
    expect(vanishingFactors("C3 = cos(q3)\ndet = C3*D3 - D3", at({ D3: 1, q3: Math.PI / 2 }))).toEqual([]);
  });
});

describe("ellipsoids", () => {
  it("have the eigenvectors of a matrix of six rows with a null space", () => {
    const rows = [[1, 2, 0, -1, 0.5, 3], [0, 1, 1, 2, -1, 0], [2, 0, 0.3, 1, 1, -1], [1, 1, 1, 1, 1, 1], [0.1, -2, 4, 0, 0, 1]];
    const matrix = [0, 1, 2, 3, 4, 5].map((r) => [0, 1, 2, 3, 4, 5].map((c) => rows.reduce((sum, row) => sum + row[r]! * row[c]!, 0)));
    const { values, vectors } = symmetricEigen(matrix);
    expect(values.filter((x) => Math.abs(x) < 1e-12)).toHaveLength(1);
    vectors.forEach((v, k) => matrix.forEach((row, r) => expect(row.reduce((sum, x, c) => sum + x * v[c]!, 0)).toBeCloseTo(values[k]! * v[r]!, 10)));
  });

  it("have the eigenvectors of a symmetric matrix", () => {
    const matrix = [[4, 1, -2], [1, 3, 0.5], [-2, 0.5, 1]];
    const { values, vectors } = symmetricEigen(matrix);
    vectors.forEach((v, k) =>
      matrix.forEach((row, r) => expect(row[0]! * v[0]! + row[1]! * v[1]! + row[2]! * v[2]!).toBeCloseTo(values[k]! * v[r]!, 10)),
    );
    expect(values.reduce((sum, x) => sum + x, 0)).toBeCloseTo(8, 10);
  });

  it("are inverse for velocities and forces", () => {
    const columns: Point[] = [[2, 0, 0], [0, 1, 0], [0, 0, 0.5]];
    const velocity = velocityEllipsoid(columns)!;
    expect([...velocity.lengths].sort()).toEqual([0.25, 0.5, 1]);
    const force = forceEllipsoid(velocity);
    velocity.lengths.forEach((x, k) => expect(x * force.lengths[k]!).toBeCloseTo(0.25, 12));
  });

  it("of forces are flat where the bearings carry them, in each posture", () => {
    const stretched = velocityEllipsoid([[0, 2, 0], [0, 1, 0]])!;
    expect([...forceEllipsoid(stretched, 2).lengths].sort()).toEqual([0, expect.closeTo(0.02, 12), 1]);
  });

  it("have the Jacobian of a planar platform, and none where its loops cannot close", async () => {
    const { postures, q, reach, view } = await solved("fivebar");
    const frame = endFrame(view);
    expect(mobility(postures, q, frame, reach)).toBe(2);
    const [a, b] = positionJacobian(postures, q, frame, reach)!;
    expect(Math.hypot(a![2], b![2])).toBeLessThan(1e-9);
    const active = view.joints.flatMap((joint, k) => (joint.active ? [k] : []));
    // The first crank moves away from the second one until both couplers are in one line.
    let last = q;
    for (let k = 0; k < 400; k++) {
      const next = postures.move(last, last.map((value, n) => (n === active[0] ? value + 0.02 : value)));
      if (!next.closed) break;
      last = next.q;
    }
    const limit = (step: number): number[] => {
      const next = postures.move(last, last.map((value, n) => (n === active[0] ? value + step : value)));
      if (next.closed) last = next.q;
      return step > 1e-9 ? limit(step / 2) : last;
    };
    expect(positionJacobian(postures, limit(0.01), frame, reach)).toBeNull();
  });

  it("have the semi-axes of the geometric Jacobian, and the text contains them", async () => {
    const { view, postures, q, reach } = await solved("planar2r");
    const posture = q.map((_, k) => [0.4, 1.1][k]!);
    const [a, b] = ["D2", "D3"].map((name) => view.nominal[name]!) as [number, number];
    // J J' of two links of lengths a and b with the elbow angle q2: trace and determinant are those of the textbooks.
    const trace = a * a + 2 * b * b + 2 * a * b * Math.cos(1.1);
    const determinant = (a * b * Math.sin(1.1)) ** 2;
    const root = Math.sqrt(trace * trace / 4 - determinant);
    const expected = [Math.sqrt(trace / 2 + root), Math.sqrt(trace / 2 - root), 0];
    const { lengths, longest } = velocityEllipsoid(positionJacobian(postures, posture, endFrame(view), reach)!)!;
    const semiAxes = lengths.map((x) => x * longest);
    [...semiAxes].sort((x, y) => y - x).forEach((x, k) => expect(x).toBeCloseTo(expected[k]!, 8));
    const numbers = expected.map((x) => Number(x.toPrecision(3))).join(", ");
    expect(velocityText({ semiAxes, unit: reach }, view)).toBe(`Semi-axes ${numbers} m/s for joint velocities of norm 1 rad/s.`);
    expect(centreText({ mass: 2.5, at: [1 / 3, 1e-17, -0.5] }, view)).toBe("2.5 kg at (0.333, 0, -0.5) m in frame 0.");
  });

  it("are flat in a singular configuration, and absent without motion", () => {
    expect(Math.min(...velocityEllipsoid([[1, 0, 0], [2, 0, 0], [0, 3, 0]])!.lengths)).toBeLessThan(1e-12);
    expect(velocityEllipsoid([[0, 0, 0]])).toBeNull();
  });
});
