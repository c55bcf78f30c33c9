// The work of each tab, kept in the browser: written when it changes, found again after a reload. A new tab begins with
// what was saved last, and from then on keeps its own.

import { effect } from "@preact/signals";

import type { RobotDocument } from "../back/view";
import type { Kept, Step, Store } from "./store";

const TAB = "symoro-tab";
const WORK = "symoro-work-";
const MOST_TABS = 8;
const MOST_STEPS = 50;
const WAIT_MS = 250;

interface Saved {
  at: number;
  work: Kept;
}

export interface Places {
  /** Of the tab alone; outlives a reload. */
  session: Pick<Storage, "getItem" | "setItem">;
  /** Of all tabs. */
  local: Storage;
  now: () => number;
}

function makeId(): string {
  return Math.random().toString(36).slice(2, 12);
}

/** The tab's own name; `claim` says whether it is free: a duplicated tab begins with the name of the first. */
export async function tabOf(places: Places, claim: (id: string) => Promise<boolean>): Promise<string> {
  const known = places.session.getItem(TAB);
  if (known && (await claim(known))) return known;
  const id = makeId();
  await claim(id);
  places.session.setItem(TAB, id);
  // A duplicated tab goes on with what it shows.
  const work = known ? places.local.getItem(WORK + known) : null;
  if (work) places.local.setItem(WORK + id, work);
  return id;
}

/** Holds a name while the page lives, where the browser has locks. */
export async function claimByLock(id: string): Promise<boolean> {
  if (!navigator.locks) return true;
  return new Promise((resolve) => {
    void navigator.locks.request(`symoro-${id}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise<void>(() => undefined) : undefined;
    });
  });
}

function read(places: Places, key: string): Saved | null {
  try {
    const saved = JSON.parse(places.local.getItem(key) ?? "null") as Saved | null;
    return saved && Array.isArray(saved.work?.view?.tables) ? saved : null;
  } catch {
    return null;
  }
}

function keys(places: Places): string[] {
  return Array.from({ length: places.local.length }, (_, i) => places.local.key(i) ?? "").filter((key) =>
    key.startsWith(WORK),
  );
}

function byAge(places: Places): { key: string; at: number }[] {
  return keys(places)
    .map((key) => ({ key, at: read(places, key)?.at ?? 0 }))
    .sort((a, b) => b.at - a.at);
}

/** What the tab had, or else what was saved last by any. */
export function found(places: Places, tab: string): Kept | null {
  const own = read(places, WORK + tab);
  if (own) return own.work;
  const newest = byAge(places)[0];
  return newest ? (read(places, newest.key)?.work ?? null) : null;
}

/** Steps are kept as documents, the last ones only: their views can be asked for. */
function documents(steps: Step[]): { robot: RobotDocument }[] {
  return steps.slice(-MOST_STEPS).map(({ robot }) => ({ robot }));
}

export function save(places: Places, tab: string, kept: Kept): void {
  const work: Kept = { ...kept, past: documents(kept.past), future: documents(kept.future) };
  for (const { key } of byAge(places).filter(({ key }) => key !== WORK + tab).slice(MOST_TABS - 1))
    places.local.removeItem(key);
  const attempts: Kept[] = [work, { ...work, past: [], future: [] }, { ...work, past: [], future: [], motion: null }];
  for (const attempt of attempts) {
    try {
      places.local.setItem(WORK + tab, JSON.stringify({ at: places.now(), work: attempt } satisfies Saved));
      return;
    } catch {
      // The browser's room is spent: the oldest tab's work goes first, then this one's history.
      const oldest = byAge(places)
        .filter(({ key }) => key !== WORK + tab)
        .at(-1);
      if (oldest) places.local.removeItem(oldest.key);
    }
  }
}

/** Saves whenever something changed, a moment later, and at once when the page goes. */
export function keepAlways(store: Store, places: Places, tab: string, page: EventTarget): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: Kept | null = null;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (latest) save(places, tab, latest);
    latest = null;
  }

  const end = effect(() => {
    latest = store.keep();
    if (latest && timer === undefined) timer = setTimeout(flush, WAIT_MS);
  });
  page.addEventListener("pagehide", flush);
  return () => {
    flush();
    end();
    page.removeEventListener("pagehide", flush);
  };
}
