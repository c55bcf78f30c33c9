// Session of each tab, stored in the browser after each change and restored after a reload. A new tab starts with the
// session that was saved last and then stores its own.

import { effect } from "@preact/signals";

import { put } from "./storage";
import { AT_ORIGIN, type StoredSession, type Step, type Store } from "./store";

const TAB = "symoro-tab";
const INDEX = "symoro-tabs";
const ROBOT = "symoro-robot-";
const STATE = "symoro-state-";
/** Version of the stored format; increased when the format changes. */
const FORM = 2;
const MOST_TABS = 20;
const MOST_STEPS = 50;
const WAIT_MS = 250;

/** The robot with its history is large and changes rarely; posture and selection are small and change often. */
type Robot = Pick<StoredSession, "view" | "opened" | "past" | "future">;
type State = Omit<StoredSession, keyof Robot>;

export interface Storages {
  /** Storage of the tab only; survives a reload. */
  session: Pick<Storage, "getItem" | "setItem">;
  /** Storage of all tabs. */
  local: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  now: () => number;
}

function makeId(): string {
  return Math.random().toString(36).slice(2, 12);
}

/** Return the id of the tab; `claim` checks that it is free, because a duplicated tab starts with the same id. */
export async function tabOf(places: Storages, claim: (id: string) => Promise<boolean>): Promise<string> {
  const known = places.session.getItem(TAB);
  if (known && (await claim(known))) return known;
  const id = makeId();
  await claim(id);
  put(places.session, TAB, id);
  // A duplicated tab continues with the session of the original.
  const kept = known ? of(places, known) : null;
  if (kept) save(places, id, kept);
  return id;
}

/** Reserve an id while the page is open, if the browser supports locks. */
export async function claimByLock(id: string): Promise<boolean> {
  if (!navigator.locks) return true;
  return new Promise((resolve) => {
    void navigator.locks.request(`symoro-${id}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise<void>(() => undefined) : undefined;
    });
  });
}

function read<T>(places: Storages, key: string): T | null {
  try {
    return JSON.parse(places.local.getItem(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Return tabs with the time of their last save, newest first. */
function tabs(places: Storages): [string, number][] {
  const index = read<Record<string, number>>(places, INDEX) ?? {};
  return Object.entries(index).sort((a, b) => b[1] - a[1]);
}

/** Remove a tab; return false if the storage permits no entries. */
function removeTab(places: Storages, tab: string): boolean {
  places.local.removeItem(ROBOT + tab);
  places.local.removeItem(STATE + tab);
  return put(places.local, INDEX, JSON.stringify(Object.fromEntries(tabs(places).filter(([id]) => id !== tab))));
}

function of(places: Storages, tab: string): StoredSession | null {
  const robot = read<Robot & { form: number }>(places, ROBOT + tab);
  if (robot?.form !== FORM || !Array.isArray(robot.view?.tables)) return null;
  const state = read<State>(places, STATE + tab);
  const { view, opened, past, future } = robot;
  const fits = state !== null && state.q.length === view.joints.length;
  if (fits) return { view, opened, past, future, ...state };
  const parameters = { ...view.values };
  const q = view.joints.map(() => 0);
  const base = [...AT_ORIGIN];
  return { view, opened, past, future, q, parameters, base, asked: null, motion: null, selected: null };
}

/** Return the session of the tab, or else the session that was saved last. */
export function loadSession(places: Storages, tab: string): StoredSession | null {
  const own = of(places, tab);
  if (own) return own;
  const newest = tabs(places)[0];
  return newest ? of(places, newest[0]) : null;
}

/** Return the last steps of the history without views, which can be requested again, and without files. */
function documents(steps: Step[]): Step[] {
  return steps.slice(-MOST_STEPS).map(({ robot, opened, left }) => {
    if (!left) return { robot, opened };
    const { q, parameters, base } = left;
    return { robot, opened, left: { q, parameters, base } };
  });
}

/** Write a value; if the storage is full, remove the sessions of the oldest other tabs. */
function write(places: Storages, tab: string, key: string, value: object): boolean {
  const text = JSON.stringify(value);
  while (!put(places.local, key, text)) {
    const oldest = tabs(places)
      .filter(([id]) => id !== tab)
      .at(-1);
    if (!oldest || !removeTab(places, oldest[0])) return false;
  }
  return true;
}

function saveRobot(places: Storages, tab: string, { view, opened, past, future }: Robot): void {
  const whole = { form: FORM, view, opened, past: documents(past), future: documents(future) };
  if (!write(places, tab, ROBOT + tab, whole)) write(places, tab, ROBOT + tab, { ...whole, past: [], future: [] });
}

function saveState(places: Storages, tab: string, { q, parameters, base, asked, models, motion, selected }: State): void {
  const whole: State = { q, parameters, base, asked, ...(models && { models }), motion, selected };
  if (!write(places, tab, STATE + tab, whole)) write(places, tab, STATE + tab, { ...whole, motion: null });
}

/** Save the session of a tab; the robot only if it differs from `before`. */
export function save(places: Storages, tab: string, session: StoredSession, before: StoredSession | null = null): void {
  if (session.view !== before?.view || session.past !== before.past || session.future !== before.future)
    saveRobot(places, tab, session);
  saveState(places, tab, session);
  write(places, tab, INDEX, { ...Object.fromEntries(tabs(places)), [tab]: places.now() });
  for (const [id] of tabs(places).slice(MOST_TABS)) removeTab(places, id);
}

/** Save shortly after each change, and immediately when the page is closed. */
export function autosave(store: Store, places: Storages, tab: string, page: EventTarget): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: StoredSession | null = null;
  let saved: StoredSession | null = null;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!latest) return;
    save(places, tab, latest, saved);
    saved = latest;
    latest = null;
  }

  const end = effect(() => {
    latest = store.snapshot();
    if (latest && timer === undefined) timer = setTimeout(flush, WAIT_MS);
  });
  page.addEventListener("pagehide", flush);
  return () => {
    flush();
    end();
    page.removeEventListener("pagehide", flush);
  };
}
