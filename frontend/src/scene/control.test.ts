import { beforeEach, describe, expect, it, vi } from "vitest";

import { Failure, type Backend, type CallOptions } from "../backend/backend";
import type { Placements, View } from "../backend/messages";
import { createStore, type Store } from "../store/store";
import { Control } from "./control";
import { handledFrame } from "./extras";
import { dataUrl, fixture } from "./fixtures";
import { load } from "./modules";
import { pose } from "./pose";
import { origin } from "./polyline";
import { loadPostureSolver, type PostureSolver } from "./posture";
import type { Ghost, Motion, Place, Scene, SceneDrag } from "./scene";
import { overlays } from "./viewState";

/** A scene that draws nothing. */
class FakeScene {
  made: PostureSolver | null = null;
  q: number[] = [];
  shown: readonly Ghost[] = [];
  broken = false;
  drawnPath: Place[] | null = null;
  parameters: Record<string, number> = {};
  dispose = () => undefined;
  fit = () => undefined;
  keepInPicture = () => undefined;
  select = () => undefined;
  onSelect = () => undefined;
  setDark = () => undefined;
  setLook = () => undefined;
  showFrames = () => undefined;
  setMeshes = () => undefined;
  base: readonly number[] | null = null;
  setBase = (base: readonly number[] | null) => void (this.base = base);
  setModes = () => undefined;
  tracks = () => undefined;
  overlay = () => undefined;
  setMechanics: (...given: unknown[]) => void = () => undefined;
  setTorques = () => undefined;
  onMechanics = () => undefined;
  highlighted: readonly number[] = [];
  highlight = (joints: readonly number[]) => void (this.highlighted = joints);
  followRobot = () => undefined;
  reach = () => 1;
  posture = () => this.q;
  ready = () => ({ robot: this.made !== null, loops: this.made?.closes ?? false });
  transform = (j: number) => Array.from(this.made!.transforms(this.q).subarray(16 * (j - 1), 16 * j));
  follow = (from: number[], to: number[]) => this.made!.move(from, to, this.broken);
  drag: (drag: SceneDrag) => void = () => undefined;
  onDrag = (listener: (drag: SceneDrag) => void) => void (this.drag = listener);
  onGhost = () => undefined;
  gizmo = () => undefined;
  postures = () => this.made;
  ghosts = (ghosts: readonly Ghost[]) => void (this.shown = ghosts);
  trace = (frame: number, motion: Motion) => motion.q.map((q) => origin(this.made!.transforms(q), frame));
  path = (points: Place[] | null) => void (this.drawnPath = points);
  points: number[] | null = null;
  cloud = (points: number[] | null) => void (this.points = points);
  put = (q: number[]) => void (this.q = q);
  breakLoops = (broken: boolean) => void (this.broken = broken);
  async setRobot(view: View, placements: Placements, parameters: Record<string, number>, q?: number[]) {
    this.made = await loadPostureSolver(view, placements, parameters, dataUrl);
    this.q = this.made.withCutJoints(q ?? view.joints.map(() => 0));
  }
  async setLoops(loops: NonNullable<Placements["loops"]>) {
    this.made!.setLoops(await load(loops, dataUrl), this.parameters);
  }
  setParameters(parameters: Record<string, number>) {
    this.parameters = parameters;
    this.made?.setParameters(parameters);
  }
  move(q: number[]) {
    const moved = this.made!.move(this.q, q, this.broken);
    this.q = moved.q;
    return moved;
  }
}

let requests: { name: string; payload: Record<string, unknown>; signal: AbortSignal | undefined }[];
let closing: boolean;
/** An edit, which the backend answers with the title "edited". */
const EDIT = { part: "frame", j: 1, field: "r", text: "0" };
/** Resolves when a request of the workspace is answered. */
let answered: Promise<void>;
let scene: FakeScene;

function setUp(name: "fourbar" | "fivebar" | "rx90" | "gripper" | "planar2r"): { store: Store; control: Control; view: View } {
  const { view, placements, inverse } = fixture(name);
  const backend: Backend = {
    call: async <T>(called: string, payload: object = {}, { onProgress, signal }: CallOptions = {}): Promise<T> => {
      requests.push({ name: called, payload: payload as Record<string, unknown>, signal });
      if (called === "frames") onProgress?.({ step: "loading Python" });
      if (called === "frames" && (payload as { robot: { broken?: boolean } }).robot.broken)
        throw new Failure({ kind: "ArgumentError", message: "no code" });
      if (called === "frames") {
        const loops = closing && (payload as { loops: boolean }).loops ? placements.loops : null;
        return { frames: placements.frames, loops } as T;
      }
      if (called === "robot_edit") return { ...view, values: { ...view.nominal }, title: "edited" } as T;
      if (called === "inverse" && inverse) return inverse as T;
      if (called === "mechanics") {
        if ("contacts" in payload) throw new Failure({ kind: "NotApplicableError", message: "no contact forces" });
        return { masses: [], unknown: [] } as T;
      }
      if (called === "singularity_distances") return { serial: 0.5, parallel: null, passive: 0, constraint: 2 } as T;
      if (called === "workspace") {
        await answered;
        return { points: [1, 2, 3], manipulability: [0.5] } as T;
      }
      throw new Failure({ kind: "Unknown", message: called });
    },
  };
  const store = createStore(backend);
  store.show({ ...view, values: { ...view.nominal } });
  const control = new Control(store, scene as unknown as Scene);
  return { store, control, view };
}

async function until(done: () => boolean): Promise<void> {
  for (let k = 0; k < 1000 && !done(); k++) await new Promise((next) => setTimeout(next, 5));
  expect(done()).toBe(true);
}

/** A blob whose parts can be read at once. */
class TextBlob {
  constructor(readonly parts: string[]) {}
}

beforeEach(() => {
  // Node cannot import blobs; without the inverse geometric model, solutions are sampled within a limited time.
  vi.stubGlobal("Blob", TextBlob);
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => dataUrl((blob as unknown as TextBlob).parts.join("")));
  requests = [];
  closing = true;
  answered = Promise.resolve();
  scene = new FakeScene();
});

describe("a robot with a loop", () => {
  it("is drawn before its loop equations are derived, and closed afterwards", async () => {
    const { store, control } = setUp("fourbar");
    await until(() => control.closes.value && store.q.value.some((value) => value !== 0));
    const asked = requests.filter(({ name }) => name === "frames");
    expect(asked.map(({ payload }) => payload["loops"])).toEqual([false, true]);
    expect(scene.made!.loopError(store.q.value)).toBeLessThan(1e-9);
    expect(control.moved.value).toEqual([0]);
    control.dispose();
  });

  it("shows the progress of its requests until they are answered", async () => {
    const { control } = setUp("fourbar");
    expect(control.note.value).toEqual({ text: "loading Python", kind: "information" });
    await until(() => control.ready.value);
    expect(control.note.value).toBeNull();
    control.dispose();
  });

  it("is ready only when its loops are closed", async () => {
    const { store, control } = setUp("fourbar");
    let sooner = false;
    control.ready.subscribe((ready) => {
      sooner ||= ready && (!control.closes.value || scene.made!.loopError(store.q.value) > 1e-9);
    });
    await until(() => control.ready.value);
    expect(sooner).toBe(false);
    store.show({ ...store.view.value!, title: "edited" });
    expect(control.ready.value).toBe(false);
    await until(() => control.ready.value);
    control.dispose();
  });

  it("stays closed when a slider moves; all joints have sliders when the loop is open", async () => {
    const { store, control } = setUp("fourbar");
    await until(() => control.closes.value);
    control.move(0, 0.7);
    expect(store.q.value[0]).toBeCloseTo(0.7, 12);
    expect(scene.made!.loopError(store.q.value)).toBeLessThan(1e-9);
    control.breakLoops(true);
    expect(control.moved.value).toEqual([0, 1, 2, 3]);
    control.move(1, store.q.value[1]! + 0.3);
    expect(scene.made!.loopError(store.q.value)).toBeGreaterThan(0.01);
    control.breakLoops(false);
    expect(scene.made!.loopError(store.q.value)).toBeLessThan(1e-9);
    control.dispose();
  });

  it("warns if the loops cannot close, and stays in the last closed posture", async () => {
    const { store, control } = setUp("fourbar");
    await until(() => control.closes.value);
    control.move(0, 0.2);
    store.parameters.value = { ...store.parameters.value, D2: 1, D3: 0.4, D4: 0.4, D5: 0.7 };
    control.move(0, 0.2);
    control.move(0, 3);
    expect(control.refused.value).toBe(0);
    expect(control.note.value?.text).toContain("the loops cannot close");
    expect(store.q.value[0]).toBeLessThan(3);
    expect(scene.made!.loopError(store.q.value)).toBeLessThan(1e-6);
    control.dispose();
  });

  it("draws random postures with closed loops", async () => {
    const { store, control } = setUp("fourbar");
    await until(() => control.closes.value);
    for (let k = 0; k < 5; k++) {
      const before = store.q.value;
      control.random();
      expect(store.q.value).not.toEqual(before);
      expect(scene.made!.loopError(store.q.value)).toBeLessThan(1e-6);
    }
    control.dispose();
  });

  it("has a slider for every joint if its active joints do not determine the loops", async () => {
    closing = false;
    const { control } = setUp("fourbar");
    await until(() => !control.closable.value);
    expect(control.moved.value).toEqual([0, 1, 2, 3]);
    expect(control.note.value?.text).toContain("every joint has a slider");
    control.dispose();
  });

  it("keeps its loops closed along a motion", async () => {
    const { store, control } = setUp("fourbar");
    await until(() => control.closes.value);
    (globalThis as { requestAnimationFrame?: unknown }).requestAnimationFrame ??= () => 1;
    (globalThis as { cancelAnimationFrame?: unknown }).cancelAnimationFrame ??= () => undefined;
    await control.motions.swing(1);
    const motion = store.motion.value!;
    expect(motion.times).toHaveLength(31);
    for (const q of motion.q) expect(scene.made!.loopError(q)).toBeLessThan(1e-9);
    control.motions.seek(0.5);
    expect(store.time.value).toBe(0.5);
    expect(store.q.value[0]).toBeCloseTo(motion.q[15]![0]!, 9);
    control.dispose();
  });
});

describe("a serial robot", () => {
  it("applies postures that another pane sets", async () => {
    const { store, control } = setUp("rx90");
    await until(() => control.posed.value.length > 0);
    store.q.value = [0.1, 0.2, 0.3, 0, 0, 0];
    expect(scene.q).toEqual([0.1, 0.2, 0.3, 0, 0, 0]);
    control.dispose();
  });

  it("keeps joint moves made while its edited geometry is being drawn", async () => {
    const { store, control } = setUp("rx90");
    await until(() => control.ready.value);
    const drawing = scene.setRobot.bind(scene);
    scene.setRobot = async (...given) => {
      control.move(1, 0.5);
      await drawing(...given);
    };
    await store.edit([EDIT]);
    await until(() => control.ready.value);
    expect(store.q.value[1]).toBe(0.5);
    expect(scene.q[1]).toBe(0.5);
    control.dispose();
  });

  it("requests no new code when data other than its geometry are edited", async () => {
    const { store, control, view } = setUp("rx90");
    await until(() => control.posed.value.length > 0);
    store.show({ ...view, values: { ...view.nominal }, title: "another title" });
    await until(() => control.drawn.value?.title === "another title");
    expect(requests.filter(({ name }) => name === "frames")).toHaveLength(1);
    control.dispose();
  });

  it("reports the line of an error in a CSV file", async () => {
    const { store, control } = setUp("rx90");
    await until(() => control.posed.value.length > 0);
    await control.motions.csv("time,J1\n0,1\n1,one\n");
    expect(control.note.value).toEqual({ kind: "warning", text: "line 3: J1: expected a number, got 'one'" });
    expect(store.motion.value).toBeNull();
    control.dispose();
  });

  it("has all solutions of its current pose as ghosts, and goes to one of them", async () => {
    const { store, control } = setUp("rx90");
    await until(() => control.posed.value.length > 0 && requests.some(({ name }) => name === "inverse"));
    control.go([0.4, 0.9, -0.5, 0.6, 0.8, -0.3]);
    control.dragging.wanted.value = true;
    await until(() => scene.shown.length === 7);
    const before = scene.transform(6);
    control.dragging.select(3);
    control.dragging.solutions.value![0]!.q.forEach((value, k) => expect(store.q.value[k]).toBeCloseTo(value, 12));
    scene.transform(6).forEach((entry, k) => expect(entry).toBeCloseTo(before[k]!, 9));
    expect(Math.abs(store.q.value[0]! - 0.4) + Math.abs(store.q.value[3]! - 0.6)).toBeGreaterThan(0.1);
    control.dragging.wanted.value = false;
    expect(scene.shown).toEqual([]);
    control.dispose();
  });

  it("follows a dragged tool, and reports a pose out of reach", async () => {
    const { store, control } = setUp("rx90");
    await until(() => control.posed.value.length > 0 && requests.some(({ name }) => name === "inverse"));
    control.go([0.4, 0.9, -0.5, 0.6, 0.8, -0.3]);
    const target = scene.transform(6);
    target[3]! += 0.05;
    scene.drag({ kind: "start", of: "frame" });
    scene.drag({ kind: "frame", frame: 6, pose: target, mode: "translate" });
    scene.transform(6).forEach((entry, k) => expect(entry).toBeCloseTo(target[k]!, 9));
    expect(control.note.value).toBeNull();
    target[3]! += 10;
    scene.drag({ kind: "frame", frame: 6, pose: target, mode: "translate" });
    expect(control.note.value?.text).toContain("Out of reach");
    scene.drag({ kind: "end" });
    expect(store.q.value).toEqual(scene.q);
    control.dispose();
  });

  it("turns the joint of a pulled link", async () => {
    const { store, control } = setUp("rx90");
    await until(() => control.posed.value.length > 0);
    control.go([0, 0.4, 0, 0, 0, 0]);
    await until(() => requests.some(({ name }) => name === "inverse"));
    // Joint 1 turns about z; the line of sight from above passes the point at 90 degrees.
    const held = [0.3, 0, 0.2] as Place;
    scene.drag({ kind: "start", of: "link" });
    scene.drag({ kind: "link", frame: 1, point: held, from: [0, 0.3, 5], direction: [0, 0, -1] });
    expect(store.q.value[0]).toBeCloseTo(Math.PI / 2, 3);
    expect(store.q.value.slice(1)).toEqual([0.4, 0, 0, 0, 0]);
    scene.drag({ kind: "end" });
    control.dispose();
  });
});

it("draws and removes the workspace", async () => {
  const { control } = setUp("rx90");
  await until(() => control.posed.value.length > 0);
  const drawn = control.showWorkspace(true);
  expect(control.note.value?.text).toContain("Computing");
  await drawn;
  expect(control.note.value).toBeNull();
  expect(scene.points).toEqual([1, 2, 3]);
  await control.showWorkspace(false);
  expect(scene.points).toBeNull();
  control.dispose();
});

it("sends the coordinates of the robot with the request of the workspace, without cut joints", async () => {
  const { store, control, view } = setUp("fourbar");
  await until(() => control.posed.value.length > 0);
  await control.showWorkspace(true);
  const sent = requests.find(({ name }) => name === "workspace")!.payload["q"] as number[];
  expect(sent).toHaveLength(view.coordinates.length);
  expect(store.q.value.length).toBeGreaterThan(sent.length);
  expect(sent).toEqual(store.q.value.slice(0, sent.length));
  control.dispose();
});

it("moves coupled joints with their master", async () => {
  const { store, control } = setUp("gripper");
  await until(() => control.posed.value.length > 0);
  control.move(0, 0.02);
  expect(store.q.value[1]).toBeCloseTo(0.05, 12);
  control.dispose();
});

it("computes a pose from rotations about the fixed axes x, y, z in this order", () => {
  const T = pose([1, 2, 3, Math.PI / 2, 0, Math.PI / 2]);
  // y goes to z by the roll, and stays there when the yaw turns about z.
  expect([T[1], T[5], T[9]].map((x) => Math.round(x!) + 0)).toEqual([0, 0, 1]);
  expect([T[3], T[7], T[11]]).toEqual([1, 2, 3]);
});

it("removes the workspace of other parameters, also if it is answered later", async () => {
  const { store, control } = setUp("rx90");
  await until(() => control.ready.value);
  await control.showWorkspace(true);
  expect(scene.points).toEqual([1, 2, 3]);
  store.parameters.value = { ...store.parameters.value, D3: 0.7 };
  expect(control.workspace.value).toBe(false);
  expect(scene.points).toBeNull();
  let answer = (): void => undefined;
  answered = new Promise((resolve) => (answer = resolve));
  const late = control.showWorkspace(true);
  store.parameters.value = { ...store.parameters.value, D3: 0.8 };
  answer();
  await late;
  expect(scene.points).toBeNull();
  expect(control.note.value).toBeNull();
  control.dispose();
});

it("requests the singularities of the displayed robot alone", async () => {
  const { store, control, view } = setUp("rx90");
  await until(() => control.ready.value);
  control.singular.watched.value = true;
  store.show({ ...view, values: { ...view.nominal }, robot: { ...view.robot, title: "edited" } });
  await until(() => requests.filter(({ name }) => name === "singularities").length === 2);
  const [first, second] = requests.filter(({ name }) => name === "singularities");
  expect(first!.signal!.aborted).toBe(true);
  expect(second!.signal!.aborted).toBe(false);
  control.dispose();
  expect(second!.signal!.aborted).toBe(true);
});

it("requests the distances of closed loops from singularities when the posture rests", async () => {
  const { store, control, view } = setUp("fourbar");
  await until(() => control.posed.value.length > 0);
  expect(control.singular.distances.value).toBeNull();
  control.singular.watched.value = true;
  for (const q of [0.1, 0.2, 0.3]) control.move(0, q);
  expect(control.singular.distances.value).toBe("requested");
  await until(() => control.singular.distances.value !== "requested");
  expect(control.singular.distances.value).toMatchObject({ serial: 0.5, parallel: null });
  const asked = requests.filter(({ name }) => name === "singularity_distances");
  expect(asked).toHaveLength(1);
  expect(asked[0]!.payload["q"]).toEqual(store.q.value.slice(0, view.coordinates.length));
  control.move(0, 0.4);
  expect(control.singular.distances.value).toBe("requested");
  control.dispose();
});

it("requests no distances of open chains", async () => {
  const { control } = setUp("rx90");
  await until(() => control.posed.value.length > 0);
  control.singular.watched.value = true;
  expect(control.singular.distances.value).toBeNull();
  control.dispose();
});

it("goes to a posture that is singular under one condition alone, and names the lost motion", async () => {
  const { store, control } = setUp("rx90");
  await until(() => control.ready.value);
  const conditions = [["cos(q3)", 3], ["sin(q5)", 5], ["D3*cos(q2) - RL4*sin(q2 + q3)", 2, 3]].map(([factor, ...joints]) => ({
    factors: [factor as string],
    latex: [],
    solution: "",
    joints: joints as number[],
  }));
  const serial = { kind: "serial" as const, title: "", matrix: "", conditions, always: false, complete: true, notes: [] };
  control.singular.watched.value = true;
  control.singular.answer.value = { text: "", complete: true, cases: [serial] };
  const near = () => control.singular.conditions.value.flatMap(({ share }, k) => (share! < 1e-6 ? [k] : []));
  store.q.value = [0, 0, 0, 0, 0, 0];
  const texts = [/^frame 6 cannot move along x$/, /^frame 6 cannot move along y$/, /^frame 6 cannot turn about x$/];
  // From each posture to the next one, of which the previous one must be left; then again from the zero posture.
  for (const start of [null, [0, 0, 0, 0, 0, 0]])
    for (const [n, k] of [0, 2, 1].entries()) {
      if (start) control.go(start);
      control.go(control.singular.postureOfAlone(conditions[k]!)!);
      expect(near()).toEqual([k]);
      expect(control.singular.lost.value).toHaveLength(1);
      if (start) expect(control.singular.lostTexts()[0]).toMatch(texts[n]!);
    }
  control.go([0, 0, -Math.PI / 2, 0, 0, 0]);
  expect(near()).toEqual([0, 1]);
  expect(control.singular.lost.value.map(({ kind }) => kind).sort()).toEqual(["pivoting", "translation"]);
  control.dispose();
});

it("names the elbow of an arm without limits, whose folded posture is singular at the shoulder too", async () => {
  const { store, control, view } = setUp("rx90");
  await until(() => control.ready.value);
  store.show({ ...view, values: { ...view.nominal }, robot: { ...view.robot }, joints: view.joints.map((joint) => ({ ...joint, lower: null, upper: null })) });
  await until(() => control.drawn.value?.joints[2]!.upper === null && control.ready.value);
  const part = (factor: string, ...joints: number[]) => control.singular.partOf({ factors: [factor], latex: [], solution: "", joints });
  expect([part("cos(q3)", 3), part("sin(q5)", 5), part("D3*cos(q2) - RL4*sin(q2 + q3)", 2, 3)]).toEqual(["elbow", "wrist", "shoulder"]);
  control.dispose();
});

it("goes to singular postures of closed loops, and offers none that the loops cannot reach", async () => {
  const { store, control } = setUp("fivebar");
  await until(() => control.closes.value && control.ready.value);
  const condition = (...factors: string[]) => ({ factors, latex: [], solution: "", joints: [2, 4] });
  const distal = "sin(q1 + q2 - q3 - q4)";
  const start = store.q.value;
  for (const factor of ["sin(q2)", "sin(q4)", distal]) {
    control.jump(start);
    const { factors } = condition(factor);
    const posture = control.singular.postureOf(condition(factor))!;
    control.jump(posture);
    const [q1, q2, q3, q4] = store.q.value as [number, number, number, number];
    expect(factors[0] === distal ? Math.sin(q1 + q2 - q3 - q4) : Math.sin(factor === "sin(q2)" ? q2 : q4)).toBeCloseTo(0, 7);
    expect(control.scene.postures()!.loopError(store.q.value)).toBeLessThan(1e-8);
    expect(control.note.value).toBeNull();
  }
  // From one singular posture to another one, of which the first one must be left.
  const conditions = ["sin(q2)", "sin(q4)", distal].map((factor) => condition(factor));
  const serial = { kind: "serial" as const, title: "", matrix: "", conditions, always: false, complete: true, notes: [] };
  control.singular.answer.value = { text: "", complete: true, cases: [serial] };
  for (const one of [...conditions, ...conditions]) {
    control.jump(control.singular.postureOfAlone(one)!);
    expect(control.singular.conditions.value.map(({ share }) => share! < 1e-6)).toEqual(conditions.map((other) => other === one));
    expect(Math.min(...control.singular.conditions.value.filter(({ condition: other }) => other !== one).map(({ share }) => share!))).toBeGreaterThan(0.3);
  }
  control.jump(start);
  // All bars would be on one line, but no sum or difference of 0.2 and 0.3 m is one of 0.24, 0.2 and 0.3 m.
  expect(control.singular.postureOf(condition("sin(q4)", "sin(q1 - q3 - q4)", distal))).toBeNull();
  control.dispose();
});

it("does not play a motion that was prepared for an earlier robot", async () => {
  const { store, control } = setUp("fourbar");
  await until(() => control.ready.value && control.closes.value);
  const swinging = control.motions.swing(20);
  expect(control.motions.preparing.value).toBe(true);
  store.show({ ...store.view.value!, name: "another robot" });
  await until(() => control.drawn.value!.name === "another robot");
  await swinging;
  expect(store.motion.value).toBeNull();
  expect(control.motions.preparing.value).toBe(false);
  control.dispose();
});

it("resets the settings of a simulation for another robot of the same name, and keeps them after an edit", async () => {
  const { store, control } = setUp("rx90");
  await until(() => control.ready.value);
  control.runs.torques.value = { 1: 5 };
  control.motions.waves.value = control.motions.usualWaves();
  control.motions.grow({ times: [0, 1], q: [store.q.value, store.q.value] });
  await store.edit([EDIT]);
  await until(() => control.drawn.value!.title === "edited");
  expect(control.runs.torques.value).toEqual({ 1: 5 });
  const other = { ...store.view.value! };
  store.show(other);
  await until(() => control.drawn.value === other);
  expect([control.runs.torques.value, control.motions.waves.value.size]).toEqual([{}, 0]);
  // The growing motion of the previous robot has ended: a new one starts from its beginning.
  store.motion.value = { times: [3, 4], q: [store.q.value, store.q.value] };
  expect(store.time.value).toBe(3);
  control.dispose();
});

it("swings the slides of robots of any size", async () => {
  const { control } = setUp("gripper");
  await until(() => control.ready.value);
  const sizes = [1e-4, 1, 1e4].map((size) => {
    scene.reach = () => size;
    control.drawn.value = { ...control.drawn.value!, joints: control.drawn.value!.joints.map((joint) => ({ ...joint, lower: null, upper: null })) };
    return control.motions.usualWaves().get(0)!.amplitude / size;
  });
  for (const amplitude of sizes) expect(amplitude).toBeCloseTo(0.15, 12);
  control.dispose();
});

it("keeps the posture if a pose is not a number", async () => {
  const { store, control } = setUp("rx90");
  await until(() => control.ready.value);
  store.parameters.value = { ...store.parameters.value, D3: Number.NaN };
  const before = scene.q;
  control.dragging.goTo(pose([0.5, 0, 0.5, 0, 0, 0]), "translate");
  expect(scene.q).toEqual(before);
  expect(control.note.value?.kind).toBe("warning");
  control.dispose();
});

it("draws the other mechanical quantities if the contact forces are rejected", async () => {
  const { control, view } = setUp("rx90");
  await until(() => control.ready.value);
  const drawn: unknown[] = [];
  scene.setMechanics = (...given: unknown[]) => void drawn.push(given[0]);
  overlays.value = { ...overlays.value, centre: true, contacts: true };
  control.drawn.value = { ...view, base: "floating" };
  await until(() => drawn.length > 0);
  expect(drawn.at(-1)).toEqual({ masses: [], unknown: [] });
  expect(control.overlays.support.value).toEqual({ text: "", warning: "no contact forces" });
  expect(control.overlays.remark.value).toBe("");
  overlays.value = { ...overlays.value, centre: false, contacts: false };
  control.dispose();
});

it("requests the mechanical quantities of a robot with its own parameters only", async () => {
  const { store, control } = setUp("rx90");
  await until(() => control.ready.value);
  overlays.value = { ...overlays.value, centre: true };
  const other = fixture("planar2r");
  scene.setRobot = async () => await new Promise((next) => setTimeout(next, 20));
  store.show({ ...other.view, values: { ...other.view.nominal } });
  await until(() => control.drawn.value?.name === other.view.name);
  for (const { payload } of requests.filter(({ name }) => name === "mechanics")) {
    const of = fixture((payload["robot"] as { name: string }).name === "RX90" ? "rx90" : "planar2r");
    expect(Object.keys(payload["values"] as object)).toEqual(Object.keys(of.view.nominal));
  }
  overlays.value = { ...overlays.value, centre: false };
  control.dispose();
});

it("shows the handles at the base of a vehicle, and at the end effector of an arm on it", () => {
  const { view } = fixture("rx90");
  const wheel = { frame: view.sizes.NL } as View["wheels"][number];
  expect(handledFrame(view)).toBe(view.sizes.NL);
  expect(handledFrame({ ...view, wheels: [wheel] })).toBe(0);
  expect(handledFrame({ ...view, wheels: [wheel], tool: "gripper" })).toBe(view.frames.length + 1);
});

it("moves the base of a robot that replaces one with a fixed base", async () => {
  const { store, control, view } = setUp("rx90");
  await until(() => control.ready.value);
  expect(scene.base).toBeNull();
  store.show({ ...view, values: { ...view.nominal }, name: "floating", base: "floating" });
  await until(() => control.drawn.value?.name === "floating" && control.ready.value);
  control.setBase(0, 0.7);
  expect(scene.base).toEqual(pose([0.7, 0, 0, 0, 0, 0]));
  control.dragging.chosen.value = 0;
  control.dragging.goTo(pose([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), "translate");
  pose([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).forEach((entry, k) => expect(scene.base![k]).toBeCloseTo(entry, 12));
  control.dispose();
});

it("distinguishes poses out of reach from positions that a planar arm cannot hold while it turns", async () => {
  const { control } = setUp("planar2r");
  await until(() => control.ready.value && !control.dragging.remark.value.startsWith("Deriving"));
  control.go([0.5, 0.8]);
  const frame = control.dragging.frame.value!;
  const start = scene.transform(frame);
  const moved = (x: number, y: number): number[] => start.map((entry, k) => entry + (k === 3 ? x : k === 7 ? y : 0));
  const drag = (pose: number[], mode: "translate" | "rotate"): void => {
    scene.drag({ kind: "start", of: "frame" });
    scene.drag({ kind: "frame", frame, pose, mode });
    scene.drag({ kind: "end" });
  };
  drag(moved(-0.1, -0.1), "translate");
  [3, 7].forEach((k) => expect(scene.transform(frame)[k]).toBeCloseTo(start[k]! - 0.1, 9));
  // The position determines the rotation of this arm.
  expect(control.note.value).toBeNull();
  expect(control.dragging.solutions.value!.map(({ label }) => label)).toEqual(["elbow right", "elbow left"]);
  drag(pose([start[3]!, start[7]!, 0, 0, 0, 1.5]), "rotate");
  expect(scene.q[0]! + scene.q[1]!).toBeCloseTo(1.5, 9);
  expect(control.note.value).toMatchObject({ kind: "information", text: "The frame has this rotation, but another position." });
  drag(moved(5, 0), "translate");
  expect(control.note.value).toMatchObject({ kind: "warning", text: "Out of reach: this is the nearest pose." });
  // The message concerns this frame.
  control.dragging.chosen.value = 1;
  expect(control.note.value).toBeNull();
  control.dispose();
});

it("does not use the inverse geometric model of the previous robot while that of the new one is derived", async () => {
  const { store, control } = setUp("rx90");
  await until(() => control.ready.value && !control.dragging.remark.value.startsWith("Deriving"));
  expect(control.dragging.remark.value).toBe("");
  const other = fixture("scara");
  scene.setRobot = async (view, _, parameters) => {
    scene.made = await loadPostureSolver(view, other.placements, parameters, dataUrl);
    scene.q = view.joints.map(() => 0.3);
  };
  // The last step before the inverse geometric model of the new robot is requested.
  let dragged = false;
  scene.keepInPicture = () => {
    if (dragged || control.drawn.value?.name !== other.view.name) return undefined;
    expect(() => scene.drag({ kind: "frame", frame: 4, pose: scene.transform(4), mode: "translate" })).not.toThrow();
    dragged = true;
  };
  store.show({ ...other.view, values: { ...other.view.nominal } });
  await until(() => dragged);
  control.dispose();
});

it("shows the posture in the panels while the pointer rests during a drag", async () => {
  const { store, control } = setUp("planar2r");
  await until(() => control.ready.value);
  control.go([0.5, 0.8]);
  const frame = control.dragging.frame.value!;
  const start = scene.transform(frame);
  scene.drag({ kind: "start", of: "frame" });
  for (const shift of [0.01, 0.02, 0.03])
    scene.drag({ kind: "frame", frame, pose: start.map((entry, k) => (k === 3 ? entry - shift : entry)), mode: "translate" });
  await until(() => store.q.value === scene.q);
  expect(scene.transform(frame)[3]).toBeCloseTo(start[3]! - 0.03, 9);
  control.dispose();
});

it("is not ready for a robot whose code cannot be generated", async () => {
  const { store, control, view } = setUp("rx90");
  await until(() => control.ready.value && requests.some(({ name }) => name === "inverse"));
  store.show({ ...view, values: { ...view.nominal }, name: "other", robot: { ...view.robot, broken: true } });
  await until(() => control.note.value?.text === "no code");
  await new Promise((next) => setTimeout(next, 20));
  expect(control.ready.value).toBe(false);
  expect(requests.filter(({ name }) => name === "inverse")).toHaveLength(1);
  control.dispose();
});
