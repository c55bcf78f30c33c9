import { describe, expect, it } from "vitest";

import { simulate, type SimulationPlan } from "./simulation";

interface Fixture {
  default: { plan: SimulationPlan; end: number[] };
}

const dataAddress = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
const fixtures = import.meta.glob<Fixture>("./fixtures/*.json", { eager: true });

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

  it("ends with a reason where the state becomes infinite", async () => {
    const { plan } = fixtures["./fixtures/cartpole.json"]!.default;
    const { rows, why } = await simulate({ ...plan, tau: [Number.NaN, 0] }, undefined, dataAddress);
    expect(rows).toHaveLength(1);
    expect(why).toContain("not finite");
  });
});
