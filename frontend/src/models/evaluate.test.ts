import { describe, expect, it } from "vitest";

import { evaluate, evaluateAlong, type Program } from "./evaluate";
import type { ModelPort } from "../backend/messages";
import { joint, PLANAR, planarDynamics, planarJacobian } from "./fixtures/robots";
import { curvesAlong, heldInputs, KINDS, plotsOf } from "./plotKinds";
import { defaultMotion } from "./motion";

const VALUES = { D2: 0.1, ZZ1: 0.2, MX1: 0.3, ZZ2: 0.4, MX2: 0.5, M2: 0.6, G2: 0.7 };
const STATE = { q: [0.3, -0.7], qd: [0.5, 0.2], qdd: [1, -2] };

describe("a generated module", () => {
  it("agrees with the NumPy function", async () => {
    const { module } = await planarDynamics();
    const { tau } = evaluate(module, STATE, VALUES);
    expect(tau![0]).toBeCloseTo(-0.74938553, 8);
    expect(tau![1]).toBeCloseTo(-0.69218196, 8);
  });

  it("agrees for batches and single samples", async () => {
    const { module } = await planarDynamics();
    const other = { q: [1, 2], qd: [0, -1], qdd: [0.5, 0] };
    const many = evaluateAlong(
      module,
      2,
      { q: [STATE.q, other.q], qd: [STATE.qd, other.qd], qdd: [STATE.qdd, other.qdd] },
      VALUES,
    );
    expect([...many.tau!]).toEqual([...evaluate(module, STATE, VALUES).tau!, ...evaluate(module, other, VALUES).tau!]);
  });

  it("returns NaN if a parameter has no value", async () => {
    const { module } = await planarDynamics();
    const { M2: _, ...others } = VALUES;
    expect(evaluate(module, STATE, others).tau![0]).toBeNaN();
  });
});

describe("curves along a motion", () => {
  it("exist per entry of an output", async () => {
    const motion = defaultMotion(PLANAR, [0.2, 0.4]);
    const curves = curvesAlong(KINDS[0]!, await planarDynamics(), motion, PLANAR, VALUES);
    expect(curves.map(({ label }) => label)).toEqual(["tau1", "tau2"]);
    const { module } = await planarDynamics();
    const there = evaluate(module, { q: motion.q[7]!, qd: motion.qd[7]!, qdd: motion.qdd[7]! }, VALUES);
    expect(curves[1]!.values[7]).toBe(there.tau![1]);
  });

  it("include the singular values of the Jacobian", async () => {
    const singular = KINDS.find(({ id }) => id === "singular")!;
    const program = await planarJacobian();
    const lengths = { D2: 0.5, D3: 0.25 };
    const still = { times: [0], q: [[0.3, 1]], qd: [[0, 0]], qdd: [[0, 0]] };
    const curves = curvesAlong(singular, program, still, PLANAR, lengths);
    const { J } = evaluate(program.module, { q: [0.3, 1] }, lengths);
    const squares = [...J!].reduce((sum, entry) => sum + entry * entry, 0);
    expect(curves.map(({ label }) => label)).toEqual(["σ1", "σ2"]);
    expect(squares).toBeGreaterThan(2);
    expect(curves.reduce((sum, { values }) => sum + values[0]! ** 2, 0)).toBeCloseTo(squares, 12);
  });

  it("use typed values of the inputs that are not joint positions, velocities or accelerations", () => {
    const program = {
      module: {
        INPUTS: { q: [1], V: [2] },
        OUTPUTS: { qd: [1] },
        batch: (n: number, q: Float64Array, V: Float64Array) => ({ qd: q.map((x, i) => V[2 * i]! / Math.sin(x)).subarray(0, n) }),
      },
      inputs: { q: { shape: [1], entries: ["q1"] }, V: { shape: [2], entries: ["V_1", "V_2"] } },
    } as unknown as Program;
    const still = { times: [0, 1], q: [[0.1, 0], [0.2, 0]], qd: [[0, 0], [0, 0]], qdd: [[0, 0], [0, 0]] };
    const kind = KINDS.find(({ id }) => id === "this")!;
    expect(heldInputs(program)).toEqual(["V"]);
    const [curve] = curvesAlong(kind, program, still, PLANAR, {}, { V: { 0: 1 }, q: { 0: 3 } });
    expect(curve!.values).toEqual([1 / Math.sin(0.1), 1 / Math.sin(0.2)]);
  });

  it("are plotted with one unit per axis: those of torques and forces, and those of outputs", () => {
    const curve = (label: string, output = "tau") => ({ label, values: [0], output });
    const joints = [joint(1, { kind: "R", active: true }), joint(2, { kind: "P", active: true })];
    const shapeOf = (id: string, curves: ReturnType<typeof curve>[], ports: ModelPort[] = []) =>
      plotsOf(KINDS.find((kind) => kind.id === id)!, curves, joints, ports).map(({ title, unit, curves }) => [title, unit, ...curves.map(({ label }) => label)]);
    expect(shapeOf("torques", [curve("tau1"), curve("tau2")])).toEqual([["torques", "N m", "tau1"], ["forces", "N", "tau2"]]);
    const port = (name: string, unit: string): ModelPort => ({ direction: "out", name, shape: [1], title: "", unit });
    expect(shapeOf("this", [curve("A1", "A"), curve("Q1", "Q")], [port("A", "kg m2"), port("Q", "N m")])).toEqual([["A", "kg m²", "A1"], ["Q", "N m", "Q1"]]);
  });
});
