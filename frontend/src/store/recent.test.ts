import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { recordRecent } from "./recent";
import { sampleBackend, sampleView } from "./sample";
import { inMemory } from "./storage";
import { createStore } from "./store";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wait = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1000);

function named(name: string, d = "0") {
  const cells = [["R", "0", d, "0"]];
  return sampleView(cells, { name, robot: { name, cells } });
}

it("lists the robots that were open, the last one first, after a reload too", async () => {
  const storage = inMemory();
  const store = createStore(sampleBackend());
  const recent = recordRecent(store, storage);
  for (const name of ["a", "b", "c", "a"]) {
    recent.next();
    store.show(named(name));
    await wait();
  }
  expect(recent.list.value.map(({ name }) => name)).toEqual(["a", "c", "b"]);
  expect(recordRecent(createStore(sampleBackend()), storage).list.value).toEqual(recent.list.value);
});

it("an edit updates the entry, and another robot with the same name has its own", async () => {
  const store = createStore(sampleBackend());
  const recent = recordRecent(store, inMemory());
  store.show(named("sample"));
  await wait();
  await store.edit([{ part: "frame", j: 1, field: "d", text: "3" }]);
  await wait();
  expect(recent.list.value).toHaveLength(1);
  expect(recent.list.value[0]!.robot).toMatchObject({ cells: [["R", "0", "3", "0"]] });
  recent.next();
  store.show(named("sample", "7"));
  await wait();
  expect(recent.list.value).toHaveLength(2);
});

it("keeps at most eight robots, and fewer if the storage is full", async () => {
  const storage = inMemory();
  const store = createStore(sampleBackend());
  const limited = { getItem: storage.getItem, setItem: (key: string, text: string) => {
    if (text.length > 400) throw new DOMException("full", "QuotaExceededError");
    storage.setItem(key, text);
  } };
  const recent = recordRecent(store, limited);
  for (let k = 0; k < 12; k++) {
    recent.next();
    store.show(named(`robot ${k}`));
    await wait();
  }
  expect(recent.list.value.length).toBeLessThanOrEqual(8);
  expect(JSON.parse(storage.getItem("symoro-recent")!)[0].name).toBe("robot 11");
});

it("a damaged storage gives an empty list", () => {
  const storage = inMemory();
  storage.setItem("symoro-recent", "{no list");
  expect(recordRecent(createStore(sampleBackend()), storage).list.value).toEqual([]);
});
