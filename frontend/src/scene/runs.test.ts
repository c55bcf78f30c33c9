import { describe, expect, it } from "vitest";

import { Failure, type CallOptions, type Backend } from "../backend/backend";
import type { Piece, View } from "../backend/messages";
import { createStore } from "../store/store";
import { assemblyPosture, newTrajectory, activeJoints, line, simulatedJoints, defaultFields, withPart } from "./trajectoryText";
import { fixture } from "./fixtures";
import { baseAt } from "./motion";
import { Player } from "./player";
import { MotionStream, Runs } from "./runs";
import type { Motion } from "./scene";
import { subsample } from "./trace";
import { curvesOf, kindsOf, plotsOf, tableOf } from "./motionPlot";

function piece(from: number, count: number, joints: number): Piece {
  const times = Array.from({ length: count }, (_, k) => from + k);
  return { times, q: times.map((t) => Array<number>(joints).fill(t)), tau: times.map((t) => [t]), base: null, modes: null };
}

function runs(view: View, answer: (name: string, payload: Record<string, unknown>, asking: CallOptions) => Promise<unknown>) {
  const backend: Backend = { call: <T>(name: string, payload: object = {}, asking: CallOptions = {}) => answer(name, payload as Record<string, unknown>, asking) as Promise<T> };
  const store = createStore(backend);
  store.show({ ...view, values: {} });
  const calls: [string, Motion | null][] = [];
  const motions = {
    pause: () => undefined,
    show: (motion: Motion) => void calls.push(["show", motion]),
    grow: (motion: Motion) => void calls.push(["grow", motion]),
    grown: (motion: Motion | null) => void calls.push(["grown", motion]),
  };
  return { made: new Runs(store, { motions }), calls, store };
}

describe("the text of a trajectory", () => {
  const { view } = fixture("fourbar");

  it("starts with all coordinates and moves the active joints", () => {
    const q = view.joints.map((_, k) => k / 10);
    expect(newTrajectory(view, q)).toContain(`start: [${view.coordinates.map((_, k) => k / 10).join(", ")}]`);
    expect(activeJoints(view)).toHaveLength(1);
    expect(defaultFields("joints", view, q, [0, 0, 0], 1)["to"]).toBe("0");
  });

  it("passes the assembly mode for a table without all joints", () => {
    const q = view.joints.map((_, k) => k / 10);
    const all = view.coordinates.map((frame) => `q${frame}`).join(",");
    expect(assemblyPosture(view, q, "# a remark\ntime,q1\n0,1\n")).toEqual(view.coordinates.map((_, k) => k / 10));
    expect(assemblyPosture(view, q, `t,${all}\n`)).toBeNull();
    expect(assemblyPosture(view, q, "symoro-trajectory: 1\n")).toBeNull();
    expect(assemblyPosture({ ...view, loops: [] }, q, "t,q1\n")).toBeNull();
  });

  it("does not move free passive joints, whose torque is zero in a simulation", () => {
    const loose = { ...view, loops: [], wheels: [] };
    expect(activeJoints(loose)).toHaveLength(1);
    expect(simulatedJoints(loose)).toHaveLength(view.coordinates.length);
  });

  it("is extended by one line per segment", () => {
    const text = withPart("parts:\n\n", line("joints", { to: "1, 2", duration: "3" }));
    expect(text).toBe("parts:\n  - {joints: [1, 2], duration: 3}\n");
    expect(line("via", { points: "1, 2; 3, 4", times: "1, 2" })).toBe("  - {via: [[1, 2], [3, 4]], times: [1, 2]}");
    expect(line("circle", { centre: "0, 0, 1", normal: "0, 0, 1", angle: "pi", duration: "2" })).toBe(
      "  - {circle: {centre: [0, 0, 1], normal: [0, 0, 1], angle: pi}, duration: 2}",
    );
  });

  it("starts a Fourier series at rest", () => {
    expect(line("fourier", { offset: "0, 1", velocity: "0.5", frequency: "0.25" })).toBe(
      "  - {fourier: {frequency: 0.25, offset: [0, 1], sine: [[0.5, -(0.5)], [0.5, -(0.5)]], cosine: [[0, 0], [0, 0]]}}",
    );
  });
});

describe("a simulation", () => {
  const { view } = fixture("fourbar");

  it("is shown while it runs, and completely at its end", async () => {
    const { made, calls } = runs(view, async (name, payload, { onProgress }) => {
      expect(name).toBe("simulate");
      expect(payload["q"]).toHaveLength(view.coordinates.length);
      onProgress!({ done: 1, total: 5, pieces: [piece(0, 2, 4)] });
      onProgress!({ done: 2, total: 5, pieces: [piece(2, 1, 4), piece(3, 1, 4)] });
      const whole = piece(0, 6, 4);
      return { ...whole, joints: [1], units: ["N m"], efforts: [null], frame: 3, samples: 6, finished: true, why: "", warnings: ["no stop"], kinetic: null, potential: null };
    });
    await made.simulate();
    expect(calls.map(([what, motion]) => [what, motion?.times.length])).toEqual([["grow", 2], ["grow", 4], ["grown", 6]]);
    expect(made.running.value).toBeNull();
    expect(made.ended.value).toBe("6 samples. No stop.");
  });

  it("explains why a robot in an equilibrium does not move", async () => {
    const ended = async (q: number[][], base: number[][] | null): Promise<string> => {
      const whole = { ...piece(0, 2, 4), q, base, joints: [1], units: ["N m"], efforts: [null], frame: 3, samples: 2, finished: true, why: "", warnings: [] };
      const { made } = runs(view, async () => ({ ...whole, kinetic: null, potential: null }));
      await made.simulate();
      return made.ended.value!;
    };
    expect(await ended([[1, 2, 3, 4], [1, 2, 3, 4]], null)).toMatch(/^2 samples\. The robot stays at rest, .* initial velocities\.$/);
    expect(await ended([[1, 2, 3, 4], [1, 2, 3, 4.1]], null)).toBe("2 samples.");
    expect(await ended([[1, 2, 3, 4], [1, 2, 3, 4]], [[0, 0], [0, -1]])).toBe("2 samples.");
  });

  it("keeps the computed samples when it is stopped", async () => {
    const { made, calls } = runs(view, (_, __, { signal, onProgress }) => {
      onProgress!({ pieces: [piece(0, 3, 4)] });
      return new Promise((_, refuse) => signal!.addEventListener("abort", () => refuse(new DOMException("", "AbortError"))));
    });
    const over = made.simulate();
    expect(made.running.value).toBe("simulation");
    made.stop();
    await over;
    expect(calls.map(([what]) => what)).toEqual(["grow", "grown"]);
    expect(calls[0]![1]!.times).toEqual([0, 1, 2]);
    expect(made.problem.value).toBeNull();
    expect(made.ended.value).toContain("3 samples");
    expect(made.running.value).toBeNull();
  });

  it("ends if the robot is edited, and is discarded if another one is opened", async () => {
    const { made, calls, store } = runs(view, (name, _, { signal, onProgress }) => {
      if (name === "robot_edit") return Promise.resolve({ ...view, values: {} });
      onProgress!({ pieces: [piece(0, 3, 4)] });
      return new Promise((_, refuse) => signal!.addEventListener("abort", () => refuse(new DOMException("", "AbortError"))));
    });
    const simulated = made.simulate();
    await store.edit([{ part: "link", j: 1, field: "M", text: "2" }]);
    await simulated;
    expect(made.problem.value?.message).toContain("the robot was edited");
    expect(made.ended.value).toContain("3 samples");
    expect(calls.map(([what]) => what)).toEqual(["grow", "grown"]);
    const other = made.simulate();
    store.show({ ...view, values: {} }); // of the same name
    await other;
    expect([made.problem.value, made.ended.value, made.running.value]).toEqual([null, null, null]);
  });

  it("reports errors", async () => {
    const { made } = runs(view, () => Promise.reject(new Failure({ kind: "ArgumentError", message: "no mass" })));
    await made.simulate();
    expect(made.problem.value?.message).toBe("no mass");
  });

  it("does not modify motions that it returned before", () => {
    const growing = new MotionStream(view);
    const first = growing.add([piece(0, 2, 4)]);
    growing.add([piece(2, 2, 4)]);
    expect(first.times).toEqual([0, 1]);
    expect(growing.length).toBe(4);
  });
});

describe("playing", () => {
  it("waits at the end of a motion that is still being computed", () => {
    let now = 0;
    let end = 1;
    const frames: (() => void)[] = [];
    const clock = { now: () => now, frame: (run: () => void) => frames.push(run), cancel: () => undefined };
    const player = new Player(() => [0, end], () => undefined, () => undefined, clock);
    player.waits = true;
    player.play();
    now = 3;
    frames.shift()!();
    expect(player.time).toBe(1);
    end = 5;
    now = 4;
    frames.shift()!();
    expect(player.time).toBe(2);
    player.waits = false;
    now = 8;
    frames.shift()!();
    expect(player.time).toBe(1);
  });

  it("returns the pose of the base", () => {
    const motion = { times: [0, 1, 2], q: [[0], [0], [0]], base: [[0], [1], [2]] };
    expect([-1, 0, 0.5, 1, 1.9, 2, 9].map((t) => baseAt(motion, t)![0])).toEqual([0, 0, 0, 1, 1, 2, 2]);
    expect(baseAt({ times: [0], q: [[0]] }, 0)).toBeNull();
  });

  it("selects a few of many rows, including both ends", () => {
    expect(subsample(3, 5)).toEqual([0, 1, 2]);
    expect(subsample(1001, 3)).toEqual([0, 500, 1000]);
  });
});

describe("curves under the scene", () => {
  const { view } = fixture("fourbar");
  const motion: Motion = {
    times: [0, 1],
    q: [[1, 2, 3, 4], [5, 6, 7, 8]],
    efforts: { joints: [1], units: ["N m"], tau: [[1], [null]], limits: [9], kinetic: [1, 2], potential: [3, 4] },
  };

  it("are those of the motion's quantities", () => {
    expect(kindsOf(motion)).toEqual(["positions", "velocities", "torques", "energy"]);
    expect(kindsOf({ times: [], q: [] })).toEqual(["positions", "velocities"]);
  });

  it("include limits and sums", () => {
    expect(curvesOf("torques", motion, view)[0]).toMatchObject({ values: [1, null], limit: 9, unit: "N m" });
    expect(curvesOf("energy", motion, view)[2]!.values).toEqual([4, 6]);
    expect(curvesOf("positions", motion, view).map(({ values }) => values[1])).toEqual([5, 6, 7, 8]);
    // A parabola has its exact velocities 1 + 2 t.
    const times = [0, 0.5, 1];
    const [first] = curvesOf("velocities", { times, q: times.map((t) => [t + t * t, 0, 0, 0]) }, view);
    expect(first).toMatchObject({ unit: "rad/s", values: [1, 2, 3] });
  });

  it("are drawn in one plot per quantity and unit", () => {
    const mixed = { joints: view.joints.map((joint, k) => ({ ...joint, kind: k === 1 ? ("P" as const) : ("R" as const) })) };
    const plots = plotsOf(["positions", "energy"], motion, mixed);
    expect(plots.map(({ title, unit, curves }) => [title, unit, curves.length])).toEqual([
      ["positions", "rad", 3],
      ["positions", "m", 1],
      ["energy", "J", 3],
    ]);
  });

  it("are saved with units in the head of the table", () => {
    const [head, first, second] = tableOf(motion.times, plotsOf(["torques"], motion, view)).split("\r\n");
    expect(head).toMatch(/^time \[s\],torques \S+ \[N m\]$/);
    expect(first).toBe(`${motion.times[0]},1`);
    expect(second).toBe(`${motion.times[1]},`);
  });
});

describe("the initial state of a simulation", () => {
  async function start(of: Partial<View>, base: number[], set: (made: Runs) => void = () => undefined): Promise<unknown> {
    const view = { ...fixture("rx90").view, ...of } as View;
    let sent: unknown = null;
    const { made, store } = runs(view, async (_, payload) => {
      sent = payload["start"];
      throw new Failure({ kind: "Error", message: "" });
    });
    store.base.value = base;
    set(made);
    await made.simulate();
    return sent;
  }
  const numbers = (values: unknown): number[] => (values as number[]).map((value) => +value.toFixed(12));

  it("contains the displayed pose of a wheeled base, relative to the location of the robot", async () => {
    const base = [1.5, -0.5, 0, 0, 0, 0.7];
    const sent = (await start({ base: "wheeled" }, base)) as { pose: number[] };
    expect(numbers(sent.pose)).toEqual([1.5, -0.5, 0.7]);
    const turned = [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]];
    const relative = (await start({ base: "wheeled", location: turned }, base)) as { pose: number[] };
    expect(numbers(relative.pose)).toEqual([-0.5, -0.5, +(0.7 - Math.PI / 2).toFixed(12)]);
  });

  it("contains position, quaternion and velocity of a floating base", async () => {
    const sent = (await start({ base: "floating" }, [1, 2, 3, 0, 0, Math.PI / 2], (made) => (made.baseVelocity.value = [1, 0, 0, 0, 0, 2]))) as Record<string, number[]>;
    expect(numbers(sent.P0)).toEqual([1, 2, 3]);
    expect(numbers(sent.Q0)).toEqual([Math.SQRT1_2, 0, 0, Math.SQRT1_2].map((value) => +value.toFixed(12)));
    expect(sent.V0).toEqual([1, 0, 0, 0, 0, 2]);
  });

  it("contains the modal coordinates of flexible links, which belong to one robot", async () => {
    let other: Runs;
    const set = (made: Runs): void => {
      other = made;
      made.modes.value = { 1: 0.05 };
      made.modeRates.value = { 0: -2 };
    };
    expect(await start({ modes: ["ey1_1", "ey1_2"] }, [0, 0, 0, 0, 0, 0], set)).toEqual({ e: [0, 0.05], ed: [-2, 0] });
    other!.reset();
    expect([other!.modes.value, other!.modeRates.value]).toEqual([{}, {}]);
    expect(await start({}, [0, 0, 0, 0, 0, 0])).toEqual({});
  });
});
