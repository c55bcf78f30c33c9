// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";

import { loadSession, autosave, save, tabOf, type Storages } from "./storedSession";
import { CELLS, sampleBackend, sampleView } from "./sample";
import { inMemory, storageOr } from "./storage";
import { createStore } from "./store";

let time = 0;

/** A storage with a limited number of characters. */
function memory(room = Infinity): Storage {
  const plain = inMemory();
  const used = (but: string): number =>
    Array.from({ length: plain.length }, (_, i) => plain.key(i)!)
      .filter((key) => key !== but)
      .reduce((sum, key) => sum + plain.getItem(key)!.length, 0);
  return {
    ...plain,
    get length() {
      return plain.length;
    },
    setItem(key, value) {
      if (used(key) + value.length > room) throw new DOMException("full", "QuotaExceededError");
      plain.setItem(key, value);
    },
  };
}

function places(local = memory()): Storages {
  return { session: memory(), local, now: () => ++time };
}

function keptWith(d: string) {
  const store = createStore(sampleBackend());
  store.show(sampleView([["R", "0", d, "0"]]));
  return store.snapshot()!;
}

const free = async (): Promise<boolean> => true;

afterEach(() => vi.useRealTimers());

describe("the stored session", () => {
  it("is restored by the same tab", async () => {
    const at = places();
    const tab = await tabOf(at, free);
    save(at, tab, keptWith("A"));
    expect(await tabOf(at, free)).toBe(tab);
    expect(loadSession(at, tab)?.view.tables[0]!.rows[0]!.cells[2]).toBe("A");
  });

  it("contains the pose of a floating base; another robot starts at the origin", async () => {
    const [at, store] = [places(), createStore(sampleBackend())];
    store.show(sampleView([["R", "0", "A", "0"]]));
    store.base.value = [1, 2, 0, 0, 0, 0.5];
    save(at, await tabOf(at, free), store.snapshot()!);
    const restored = createStore(sampleBackend());
    await restored.restore(loadSession(at, await tabOf(at, free))!);
    expect(restored.base.value).toEqual([1, 2, 0, 0, 0, 0.5]);
    restored.show(sampleView([["R", "0", "B", "0"]]));
    expect(restored.base.value).toEqual([0, 0, 0, 0, 0, 0]);
    save(at, await tabOf(at, free), restored.snapshot()!);
    const again = createStore(sampleBackend());
    await again.restore(loadSession(at, await tabOf(at, free))!);
    await again.undo();
    expect(again.base.value).toEqual([1, 2, 0, 0, 0, 0.5]);
  });

  it("is separate per tab; a new tab starts with the newest", async () => {
    const local = memory();
    const [one, two, three] = [places(local), places(local), places(local)];
    const [a, b, c] = [await tabOf(one, free), await tabOf(two, free), await tabOf(three, free)];
    save(one, a, keptWith("A"));
    save(two, b, keptWith("B"));
    expect(loadSession(one, a)!.view.tables[0]!.rows[0]!.cells[2]).toBe("A");
    expect(loadSession(two, b)!.view.tables[0]!.rows[0]!.cells[2]).toBe("B");
    expect(loadSession(three, c)!.view.tables[0]!.rows[0]!.cells[2]).toBe("B");
  });

  it("lasts until a reload if the browser provides no storage", () => {
    const refused = storageOr(() => {
      throw new DOMException("no", "SecurityError");
    });
    refused.setItem("a", "1");
    expect(refused.getItem("a")).toBe("1");
    expect(storageOr(() => localStorage)).toBe(localStorage);
  });

  it("is not required: a browser may permit no entries, or no further ones", async () => {
    const local = memory();
    save(places(local), "earlier", keptWith("L2"));
    const full: Storages = { session: memory(0), local: { ...local, setItem: memory(0).setItem }, now: () => ++time };
    const tab = await tabOf(full, free);
    save(full, tab, keptWith("L3"));
    expect(full.session.getItem("symoro-tab")).toBeNull();
    expect(loadSession(full, tab)).toBeNull();
  });

  it("is copied for a duplicated tab", async () => {
    const at = places();
    const tab = await tabOf(at, free);
    save(at, tab, keptWith("A"));
    const other = await tabOf(at, async (id) => id !== tab);
    expect(other).not.toBe(tab);
    expect(loadSession(at, other)!.view.tables[0]!.rows[0]!.cells[2]).toBe("A");
  });

  it("contains undo steps as documents", async () => {
    const at = places();
    const store = createStore(sampleBackend());
    store.show(sampleView(CELLS));
    await store.edit([{ part: "frame", j: 1, field: "d", text: "A" }]);
    save(at, "tab", store.snapshot()!);
    const past = loadSession(at, "tab")!.past;
    expect(past).toEqual([{ robot: sampleView(CELLS).robot, opened: store.opened.value }]);
  });

  it("removes the oldest tab, then the history, if the storage is full", async () => {
    const alone = memory();
    save(places(alone), "a", keptWith("A"));
    const one = Array.from({ length: alone.length }, (_, i) => alone.getItem(alone.key(i)!)!.length).reduce(
      (a, b) => a + b,
    );
    const at = places(memory(Math.round(1.6 * one)));
    save(at, "old", keptWith("A"));
    save(at, "new", keptWith("B"));
    expect(loadSession(at, "new")!.view.tables[0]!.rows[0]!.cells[2]).toBe("B");
    expect(at.local.getItem("symoro-robot-old")).toBeNull();
    const store = createStore(sampleBackend());
    store.show(sampleView([["R", "0", "C", "0"]]));
    for (let k = 0; k < 20; k++) await store.edit([{ part: "frame", j: 1, field: "d", text: `C${k}` }]);
    save(at, "new", store.snapshot()!);
    expect(loadSession(at, "new")!.view.tables[0]!.rows[0]!.cells[2]).toBe("C19");
    expect(loadSession(at, "new")!.past).toEqual([]);
  });

  it("contains the robot only after a change", () => {
    const at = places();
    const kept = keptWith("A");
    save(at, "tab", kept);
    at.local.setItem("symoro-robot-tab", "untouched");
    const moved = { ...kept, q: [5] };
    save(at, "tab", moved, kept);
    expect(at.local.getItem("symoro-robot-tab")).toBe("untouched");
    expect(at.local.getItem("symoro-state-tab")).toContain('"q":[5]');
  });

  it("is ignored if it is corrupt or has another format", () => {
    const at = places();
    at.local.setItem("symoro-tabs", '{"x": 2, "y": 1}');
    at.local.setItem("symoro-robot-x", "{");
    at.local.setItem("symoro-robot-y", JSON.stringify({ form: 0, view: sampleView(CELLS), past: [], future: [] }));
    expect(loadSession(at, "x")).toBeNull();
    expect(loadSession(at, "y")).toBeNull();
    save(at, "z", keptWith("A"));
    at.local.setItem("symoro-state-z", '{"q": [1, 2, 3]}');
    expect(loadSession(at, "z")!.q).toEqual([0]);
  });

  it("is written shortly after a change, and immediately when the page is closed", () => {
    vi.useFakeTimers();
    const at = places();
    const page = new EventTarget();
    const store = createStore(sampleBackend());
    const end = autosave(store, at, "tab", page);
    store.show(sampleView(CELLS));
    expect(loadSession(at, "tab")).toBeNull();
    vi.advanceTimersByTime(1000);
    expect(loadSession(at, "tab")).not.toBeNull();
    store.q.value = [7, 8];
    page.dispatchEvent(new Event("pagehide"));
    expect(loadSession(at, "tab")!.q).toEqual([7, 8]);
    end();
  });
});
