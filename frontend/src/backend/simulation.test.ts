import { describe, expect, it } from "vitest";

import { simulate, type SimulationPlan } from "./simulation";

interface Fixture {
  default: { plan: SimulationPlan; end: number[] };
}

const dataAddress = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
const fixtures = import.meta.glob<Fixture>("./fixtures/*.json", { eager: true });

/** Return the plan of a joint that starts with unit velocity, from the formula of its acceleration. */
function oneJoint(acceleration: string, changes: Partial<SimulationPlan> = {}): SimulationPlan {
  const direct = `export const INPUTS = {q: [1], qd: [1], tau: [1]}; export const OUTPUTS = {qdd: [1]};
    export const call = (q, qd, tau) => ({qdd: Float64Array.of(${acceleration})});`;
  return {
    ...{ parts: { q: [0, 1], qd: [1, 2] }, start: [0, 1], units: [1, 1], times: [0, 0.005, 0.01], every: 1, tau: [0], at: [0], rtol: 1e-9, atol: 1e-9 },
    ...{ dry_friction: false, inputs: {}, values: {}, direct, closing: null, wheels: null },
    ...changes,
  };
}

describe("a simulation in the page", () => {
  it.each(Object.keys(fixtures))("agrees with SciPy: %s", async (name) => {
    const { plan, end } = fixtures[name]!.default;
    const { times, rows, why } = await simulate(plan, undefined, dataAddress);
    expect(why).toBe("");
    expect(times).toEqual(plan.times);
    // The tolerances of the integrator are 1e-9 per step.
    rows.at(-1)!.forEach((x, k) => expect(Math.abs(x - end[k]!) / plan.units[k]!).toBeLessThan(1e-6));
    expect(rows[0]).toEqual(plan.start);
    expect(rows.at(-1)).not.toEqual(plan.start);
  });

  it("brings a joint with Coulomb friction to rest in few steps", async () => {
    const { plan } = fixtures["./fixtures/cartpole.json"]!.default;
    const friction = Object.keys(plan.values).filter((name) => name.startsWith("FS"));
    const values = { ...plan.values, ...Object.fromEntries(friction.map((name) => [name, 50])) };
    const begin = Date.now();
    const { rows, why } = await simulate({ ...plan, values, dry_friction: true }, undefined, dataAddress);
    expect(friction.length).toBeGreaterThan(0);
    expect(why).toBe("");
    // The cart stands still, the pole has no Coulomb friction.
    expect(Math.abs(rows.at(-1)![plan.parts["qd"]![0]]!)).toBeLessThan(0.1);
    expect(Date.now() - begin).toBeLessThan(5000);
  });

  it("holds coupled joints by Coulomb friction, whose accelerations compensate each other, in few steps", async () => {
    // Two drives that are coupled by a large inertia: A = [I + J, J; J, I + J], with torques below the friction.
    const [I, J, FS] = [0.0025, 0.1, 0.05];
    const direct = `export const INPUTS = {q: [2], qd: [2], tau: [2]}; export const OUTPUTS = {qdd: [2]}; globalThis.evaluations = 0;
      export const call = (q, qd, tau) => {
        globalThis.evaluations++;
        const [a, b] = [0, 1].map((k) => tau[k] - ${FS} * Math.sign(qd[k]));
        const det = ${I * (I + 2 * J)};
        return {qdd: Float64Array.of((${I + J} * a - ${J} * b) / det, (${I + J} * b - ${J} * a) / det)};
      };`;
    const times = Array.from({ length: 51 }, (_, k) => k / 50);
    const parts: SimulationPlan["parts"] = { q: [0, 2], qd: [2, 4] };
    const layout = { parts, start: [0, 0, 0.02, -0.02], units: [1, 1, 1, 1], times, tau: [0.02, -0.03] };
    const { rows, why } = await simulate({ ...oneJoint("0"), ...layout, direct, dry_friction: true } as SimulationPlan, undefined, dataAddress);
    expect(why).toBe("");
    // Steps of 1e-4 s change the velocities by at most 1e-4 s 2 FS / I.
    rows.at(-1)!.slice(2).forEach((qd) => expect(Math.abs(qd)).toBeLessThan(1e-4 * (2 * FS) / I));
    // Ten thousand steps of this length with at most 7 + 2 + 4 evaluations, and the steps before them.
    expect((globalThis as { evaluations?: number }).evaluations).toBeLessThan(300_000);
  });

  it("ends with a reason where the state becomes infinite", async () => {
    const { plan } = fixtures["./fixtures/cartpole.json"]!.default;
    const { rows, why } = await simulate({ ...plan, tau: [Number.NaN, 0] }, undefined, dataAddress);
    expect(rows).toHaveLength(1);
    expect(why).toContain("not finite");
  });

  it.each([1e3, 5e4, 1e5])("damps a fast joint with Coulomb friction without instability: %d 1/s", async (rate) => {
    const { rows, why } = await simulate(oneJoint(`-${rate} * qd[0] - 1e-6 * Math.sign(qd[0])`, { dry_friction: true }), undefined, dataAddress);
    expect(why).toBe("");
    expect(Math.abs(rows.at(-1)![0]! * rate - (1 - Math.exp(-0.01 * rate)))).toBeLessThan(1e-6);
    expect(Math.abs(rows.at(-1)![1]!)).toBeLessThan(1e-3);
  });

  it.each([1e-4, 1, 1e4])("compares corrections of a loop with the size of the robot: %d m", async (size) => {
    const closing = (correction: number): string =>
      `export const INPUTS = {q: [1], qd: [1]}; export const OUTPUTS = {dq: [1], gap: [], det: [], room: [], qd: [1]};
       export const call = () => ({dq: Float64Array.of(${correction * size}), gap: 0, det: 1, room: 1, qd: Float64Array.of(0)});`;
    const plan = { ...oneJoint("0"), start: [0, 0], units: [size, size] };
    expect((await simulate({ ...plan, closing: closing(1e-10) }, undefined, dataAddress)).why).toBe("");
    expect((await simulate({ ...plan, closing: closing(1e-8) }, undefined, dataAddress)).why).toContain("singular");
  });
});
