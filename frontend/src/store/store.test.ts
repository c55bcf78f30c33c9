import { describe, expect, it } from "vitest";

import { Failure, type Backend } from "../backend/backend";
import type { View } from "../backend/messages";
import { CELLS, sampleBackend, sampleView } from "./sample";
import { createStore, type Store } from "./store";

function cellsOf(store: Store): string[][] {
  return store.view.value!.tables[0]!.rows.map((row) => row.cells);
}

function edit(j: number, field: string, text: string) {
  return { part: "frame", j, field, text };
}

describe("the store", () => {
  it("starts with the robot's posture and values", () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS, { postures: { home: [0.1, 0.2] } }));
    expect(store.q.value).toEqual([0.1, 0.2]);
    expect(store.parameters.value).toEqual({ D2: 0.4 });
  });

  it("assigns the values of a posture to the independent joints", () => {
    const store = createStore(sampleBackend());
    store.show(sampleView([...CELLS, ...CELLS], { coordinates: [1, 3], postures: { home: [5, 7] } }));
    expect(store.q.value).toEqual([5, 0, 7, 0]);
  });

  it("applies concurrent edits in sequence", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    await Promise.all([store.edit([edit(1, "d", "A")]), store.edit([edit(2, "d", "B")])]);
    expect(cellsOf(store).map((row) => row[2])).toEqual(["A", "B"]);
  });

  it("continues after a rejected edit", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    const refused = store.edit([edit(1, "d", "2*")]);
    const made = store.edit([edit(2, "d", "3")]);
    await expect(refused).rejects.toBeInstanceOf(Failure);
    await made;
    expect(cellsOf(store).map((row) => row[2])).toEqual(["0", "3"]);
  });

  it("undoes and redoes, and clears the redo stack at a new edit", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    await store.edit([edit(1, "d", "A")]);
    await store.edit([edit(1, "d", "B")]);
    await store.undo();
    expect(cellsOf(store)[0]![2]).toBe("A");
    await store.redo();
    expect(cellsOf(store)[0]![2]).toBe("B");
    await store.undo();
    await store.undo();
    expect(store.canUndo.value).toBe(false);
    expect(store.canRedo.value).toBe(true);
    await store.edit([edit(1, "d", "C")]);
    expect(store.canRedo.value).toBe(false);
  });

  it("undoes an earlier edit that is still in progress", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    const made = store.edit([edit(1, "d", "A")]);
    const undone = store.undo();
    await Promise.all([made, undone]);
    expect(cellsOf(store)[0]![2]).toBe("0");
    expect(store.canRedo.value).toBe(true);
  });

  it("applies the valid ones of many edits as one step", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    const failures = await store.editEach([edit(1, "d", "A"), edit(1, "alpha", "2*"), edit(2, "d", "B")]);
    expect(failures.map((failure) => failure?.message ?? null)).toEqual([null, "alpha: ends too early", null]);
    expect(cellsOf(store).map((row) => row[2])).toEqual(["A", "B"]);
    await store.undo();
    expect(cellsOf(store)).toEqual(CELLS);
    expect(store.canUndo.value).toBe(false);
  });

  it("adds no undo step if no edit was valid", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    await store.editEach([edit(1, "d", "A*")]);
    expect(store.canUndo.value).toBe(false);
  });

  it("discards an edit if another robot was opened meanwhile", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    const made = store.edit([edit(1, "d", "A")]);
    await Promise.resolve();
    const other = sampleView(CELLS, { name: "other" });
    store.show(other);
    await made;
    expect(store.view.value).toBe(other);
  });

  it("keeps posture and slider values after an edit, and uses an edited nominal value", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    store.q.value = [1, 2];
    store.parameters.value = { D2: 9 };
    await store.edit([edit(1, "d", "A")]);
    expect(store.q.value).toEqual([1, 2]);
    expect(store.parameters.value).toEqual({ D2: 9 });
    const nominal: Backend = { call: async <T>() => sampleView(CELLS, { nominal: { D2: 3 }, values: { D2: 3 } }) as T };
    const other = createStore(nominal);
    other.show(sampleView(CELLS));
    other.parameters.value = { D2: 9 };
    await other.edit([edit(1, "d", "A")]);
    expect(other.parameters.value).toEqual({ D2: 3 });
  });

  it("restores a replaced robot with its posture", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    store.q.value = [1, 2];
    store.parameters.value = { D2: 9 };
    store.show(sampleView(CELLS, { name: "other" }));
    expect(store.q.value).toEqual([0, 0]);
    store.q.value = [3, 4];
    await store.undo();
    expect(store.q.value).toEqual([1, 2]);
    expect(store.parameters.value).toEqual({ D2: 9 });
    await store.redo();
    expect(store.q.value).toEqual([3, 4]);
  });

  it("distinguishes robots of the same name, and carries nothing from one to the other", async () => {
    const store = createStore(sampleBackend());
    const meshes = new Map([["arm.stl", new File([], "arm.stl")]]);
    const motion = { times: [0, 1], q: [[0, 0], [1, 1]] };
    store.show(sampleView(CELLS, { visuals: [] }));
    store.meshes.value = meshes;
    const first = store.opened.value;
    await store.edit([edit(1, "d", "A")]);
    expect(store.opened.value).toBe(first);
    store.show(sampleView(CELLS));
    const second = store.opened.value;
    expect(second).not.toBe(first);
    store.motion.value = motion;
    await store.undo();
    expect(store.opened.value).toBe(first);
    expect(store.motion.value).toBeNull();
    expect(store.meshes.value).toBe(meshes);
    store.motion.value = motion;
    await store.redo();
    expect([store.opened.value, store.motion.value, store.meshes.value.size, store.view.value!.visuals]).toEqual([second, null, 0, undefined]);
    await store.undo();
    store.show(sampleView(CELLS));
    expect(store.opened.value).not.toBe(first);
  });

  it("discards a motion if the joints change, and keeps it otherwise", async () => {
    const changes = [sampleView(CELLS), sampleView([...CELLS, ...CELLS])];
    const store = createStore({ call: async <T>() => changes.shift() as T });
    store.show(sampleView(CELLS));
    store.motion.value = { times: [0, 1], q: [[0, 0], [1, 1]] };
    await store.edit([edit(1, "d", "A")]);
    expect(store.motion.value).not.toBeNull();
    await store.edit([edit(1, "d", "B")]);
    expect(store.motion.value).toBeNull();
  });

  it("keeps the visual shapes of a URDF while the frames are unchanged", async () => {
    const store = createStore(sampleBackend());
    const visuals: View["visuals"] = [];
    store.show(sampleView(CELLS, { visuals }));
    await store.edit([edit(1, "d", "A")]);
    expect(store.view.value!.visuals).toBe(visuals);
  });

  it("restores a stored session, and undoes with documents only", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    await store.edit([edit(1, "d", "A")]);
    store.q.value = [3, 4];
    store.requested.value = { model: "energy", options: {} };
    const kept = structuredClone(store.snapshot()!);
    kept.past = kept.past.map(({ robot }) => ({ robot }));
    const requests: string[] = [];
    const again = createStore(sampleBackend(requests));
    await again.restore(kept);
    expect(cellsOf(again)[0]![2]).toBe("A");
    expect(again.q.value).toEqual([3, 4]);
    expect(again.requested.value?.model).toBe("energy");
    await again.undo();
    expect(cellsOf(again)).toEqual(CELLS);
    expect(requests).toEqual(["robot_view", "robot_view"]);
  });

  it("stores a motion unless it is large or moves the base", () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    const efforts = { joints: [1], units: ["N m"], tau: [[1]], limits: [null] };
    store.motion.value = { times: [0], q: [[1, 2]], efforts };
    expect(store.snapshot()!.motion).toEqual({ times: [0], q: [[1, 2]] });
    store.motion.value = { times: [0], q: [[1, 2]], base: [[]] };
    expect(store.snapshot()!.motion).toBeNull();
    store.motion.value = { times: Array<number>(30_000).fill(0), q: [[1, 2]] };
    expect(store.snapshot()!.motion).toBeNull();
  });

  it("lists actions while they are registered", () => {
    const store = createStore(sampleBackend());
    const end = store.register([{ id: "a", title: "A", group: "g", run: () => undefined }]);
    expect(store.actions.value.map(({ id }) => id)).toEqual(["a"]);
    end();
    expect(store.actions.value).toEqual([]);
  });
});

describe("open models", () => {
  const choice = (model: string, options = {}) => ({ model, options });

  it("have a tab each, with the options of the last request", () => {
    const store = createStore(sampleBackend());
    for (const one of [choice("a"), choice("b"), choice("a", { to: 2 })]) store.requested.value = one;
    expect(store.models.value).toEqual([choice("a", { to: 2 }), choice("b")]);
    store.requested.value = null;
    expect(store.models.value).toHaveLength(2);
  });

  it("have their default options with another robot, and their own again after undo", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    store.requested.value = choice("b");
    store.requested.value = choice("a", { to: 2 });
    store.show(sampleView([]));
    expect(store.requested.value).toEqual(choice("a"));
    expect(store.models.value).toEqual([choice("b"), choice("a")]);
    await store.undo();
    expect(store.models.value).toEqual([choice("b"), choice("a", { to: 2 })]);
  });

  it("a closed tab is replaced by its neighbour", () => {
    const store = createStore(sampleBackend());
    for (const one of ["a", "b", "c"]) store.requested.value = choice(one);
    store.closeModel("a");
    expect(store.requested.value).toEqual(choice("c"));
    store.closeModel("c");
    expect(store.requested.value).toEqual(choice("b"));
    store.closeModel("b");
    expect(store.requested.value).toBeNull();
  });

  it("are restored with the session", async () => {
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    for (const one of ["a", "b"]) store.requested.value = choice(one);
    const next = createStore(sampleBackend());
    await next.restore(store.snapshot()!);
    expect(next.models.value).toEqual([choice("a"), choice("b")]);
  });
});
