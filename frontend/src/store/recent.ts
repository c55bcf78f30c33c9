// Robots that were open recently, stored in the browser. Edits update the entry of the robot that is open.

import { effect, signal, type ReadonlySignal } from "@preact/signals";

import type { RobotDocument, View } from "../backend/messages";
import { put } from "./storage";
import type { Store } from "./store";

const KEY = "symoro-recent";
const MOST = 8;
/** Largest entry in characters; a robot of 100 joints has about 40 000. */
const LARGEST = 300_000;
const WAIT_MS = 500;

export interface RecentRobot {
  id: string;
  name: string;
  description: string;
  robot: RobotDocument;
}

export interface RecentRobots {
  readonly list: ReadonlySignal<RecentRobot[]>;
  /** Announce that the next robot of the store is another robot and not an edit of the current one. */
  next(): void;
}

function read(storage: Pick<Storage, "getItem">): RecentRobot[] {
  try {
    const list = JSON.parse(storage.getItem(KEY) ?? "[]") as RecentRobot[];
    return list.filter(({ id, name, robot }) => Boolean(id) && typeof name === "string" && Boolean(robot));
  } catch {
    return [];
  }
}

/** Write the list; if the storage is full, without its oldest entries. */
function write(storage: Pick<Storage, "setItem">, list: RecentRobot[]): void {
  let kept = list;
  while (!put(storage, KEY, JSON.stringify(kept)) && kept.length) kept = kept.slice(0, -1);
}

export function recordRecent(store: Store, storage: Pick<Storage, "getItem" | "setItem">): RecentRobots {
  const list = signal(read(storage));
  let current: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function record(view: View): void {
    const text = JSON.stringify(view.robot);
    if (text.length > LARGEST) return;
    const stored = read(storage); // another tab of the browser may have written it
    const same = stored.find(({ robot }) => JSON.stringify(robot) === text);
    current = same?.id ?? current ?? Math.random().toString(36).slice(2, 12);
    const entry = { id: current, name: view.name, description: view.description, robot: view.robot };
    list.value = [entry, ...stored.filter(({ id }) => id !== current)].slice(0, MOST);
    write(storage, list.value);
  }

  effect(() => {
    const view = store.view.value;
    clearTimeout(timer);
    if (view) timer = setTimeout(() => record(view), WAIT_MS);
  });
  return {
    list,
    next() {
      current = null;
    },
  };
}
