// What the panes share. A pane reads signals and calls functions of the store; panes know nothing of each other.

import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import { Failure, type Back } from "../back/back";
import type { CellEdit, RobotDocument, View } from "../back/messages";
import type { Motion } from "../scene/scene";
import { carriedParameters, carriedPosture, firstPosture, withVisuals } from "./start";

/** A model as it was asked for. */
export interface ModelChoice {
  model: string;
  options: Record<string, unknown>;
}

/** Something that a user can do, for the command palette and the keyboard. */
export interface Action {
  id: string;
  title: string;
  group: string;
  /** As in "Ctrl+Z". */
  keys?: string;
  enabled?: () => boolean;
  run: () => void | Promise<void>;
}

/** A robot of the past or the future: as it was shown, or, after a reload, its document alone. */
export type Step = View | { robot: RobotDocument };

/** All that is kept of a bench from one visit to the next. */
export interface Kept {
  view: View;
  past: Step[];
  future: Step[];
  q: number[];
  parameters: Record<string, number>;
  asked: ModelChoice | null;
  motion: Motion | null;
  selected: number | null;
  base: number[];
}

/** A base that stands where the robot's own frame 0 does. */
export const AT_ORIGIN: readonly number[] = [0, 0, 0, 0, 0, 0];

/** The files of a log of a robot's motion, with what its columns mean where that came too. */
export interface Logged {
  files: Record<string, string>;
  description: string;
}

/** A motion that came as a file: a trajectory to be followed, or rows of joints to be played. */
export interface Given {
  kind: "trajectory" | "rows";
  text: string;
}

export interface Store {
  readonly back: Back;
  readonly view: ReadonlySignal<View | null>;
  /** Variables of all joints, in the order of view.joints. */
  readonly q: Signal<number[]>;
  /** Values of the robot's free symbols: its nominal ones, changed by sliders. */
  readonly parameters: Signal<Record<string, number>>;
  /** x, y, z, roll, pitch, yaw of a base that is free to move. */
  readonly base: Signal<number[]>;
  /** The frame whose row and arrows are highlighted. */
  readonly selected: Signal<number | null>;
  readonly motion: Signal<Motion | null>;
  /** A motion that was dropped on the page; the scene takes it. */
  readonly given: Signal<Given | null>;
  /** A log that was dropped on the page, to be identified or played. */
  readonly log: Signal<Logged | null>;
  /** Seconds of the motion, where the posture is on it. */
  readonly time: Signal<number>;
  readonly asked: Signal<ModelChoice | null>;
  readonly dark: Signal<boolean>;
  /** Mesh files that were dropped with a robot, by their names without folders. */
  readonly meshes: Signal<Map<string, File>>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** Puts another robot on the bench; undo goes back to the one before. */
  show(view: View): void;
  /** Sends edits of cells; throws a Failure that names the cell, the robot stays as it was. */
  edit(edits: CellEdit[]): Promise<void>;
  /** Makes those of the edits that can be made, as one step; the failures of the others, null for those made. */
  editEach(edits: CellEdit[]): Promise<(Failure | null)[]>;
  undo(): Promise<void>;
  redo(): Promise<void>;
  /** Adds actions to the palette; the function takes them out again. */
  register(actions: Action[]): () => void;
  readonly actions: ReadonlySignal<Action[]>;
  /** What is to be kept now; null where there is no robot. */
  keep(): Kept | null;
  /** Puts back what was kept; its view is asked for anew, as symoro may have changed since. */
  restore(kept: Kept): Promise<void>;
}

const MOST_STEPS = 200;

const MOST_NUMBERS = 40_000;

/** A motion as it is kept: without what symoro told of it, and none that is too large to be written again and again. */
function keptMotion(motion: Motion | null): Motion | null {
  if (!motion || motion.base || motion.times.length * (1 + (motion.q[0]?.length ?? 0)) > MOST_NUMBERS) return null;
  return { times: motion.times, q: motion.q };
}

export function createStore(back: Back): Store {
  const past = signal<Step[]>([]);
  const future = signal<Step[]>([]);
  const view = signal<View | null>(null);
  const q = signal<number[]>([]);
  const parameters = signal<Record<string, number>>({});
  const base = signal<number[]>([...AT_ORIGIN]);
  const selected = signal<number | null>(null);
  const motion = signal<Motion | null>(null);
  const request = signal<ModelChoice | null>(null);
  const actions = signal<Action[]>([]);
  let turn: Promise<unknown> = Promise.resolve();
  /** Where a robot stood when another took its place: undo puts it back so. */
  const stood = new WeakMap<Step, Pick<Kept, "q" | "parameters" | "base">>();
  const standing = () => ({ q: q.value, parameters: parameters.value, base: base.value });

  /** One after the other: each edit is made on the robot that the one before left. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  }

  /** The view of the same robot after a change: posture and parameters stay where they fit. */
  function carry(next: View, before: View): void {
    batch(() => {
      q.value = carriedPosture(next, before, q.value);
      parameters.value = carriedParameters(next, before, parameters.value);
      if (selected.value !== null && selected.value > next.sizes.NF) selected.value = null;
      view.value = withVisuals(next, before);
    });
  }

  function step(): void {
    if (view.value) past.value = [...past.value, view.value].slice(-MOST_STEPS);
    future.value = [];
  }

  async function editOn(from: View, edits: CellEdit[]): Promise<View> {
    return back.call<View>("robot_edit", { robot: from.robot, edits });
  }

  /** Halves until the edits that cannot be made stand alone. */
  async function eachOn(from: View, edits: CellEdit[], failures: (Failure | null)[]): Promise<View> {
    try {
      const next = await editOn(from, edits);
      failures.push(...edits.map(() => null));
      return next;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (edits.length === 1) {
        failures.push(error);
        return from;
      }
      const half = Math.ceil(edits.length / 2);
      const first = await eachOn(from, edits.slice(0, half), failures);
      return eachOn(first, edits.slice(half), failures);
    }
  }

  /** Takes an edited robot, unless another one was put on the bench meanwhile. */
  function take(next: View, from: View): void {
    if (view.value !== from || next === from) return;
    batch(() => {
      step();
      carry(next, from);
    });
  }

  /** One step from a stack to the other. */
  function travel(from: Signal<Step[]>, to: Signal<Step[]>): Promise<void> {
    return inTurn(async () => {
      const now = view.value;
      const wanted = from.value.at(-1);
      if (!now || !wanted) return;
      const next = "tables" in wanted ? wanted : await back.call<View>("robot_view", { robot: wanted.robot });
      if (view.value !== now) return;
      batch(() => {
        const before = stood.get(wanted);
        if (before) stood.set(now, standing());
        from.value = from.value.slice(0, -1);
        to.value = [...to.value, now];
        carry(next, now);
        if (!before) return;
        q.value = before.q;
        parameters.value = before.parameters;
        base.value = before.base;
      });
    });
  }

  return {
    back,
    view,
    q,
    parameters,
    base,
    selected,
    motion,
    given: signal<Given | null>(null),
    log: signal<Logged | null>(null),
    time: signal(0),
    asked: request,
    dark: signal(false),
    meshes: signal(new Map<string, File>()),
    canUndo: computed(() => past.value.length > 0),
    canRedo: computed(() => future.value.length > 0),
    show(next) {
      batch(() => {
        if (view.value) stood.set(view.value, standing());
        step();
        q.value = firstPosture(next);
        parameters.value = { ...next.values };
        base.value = [...AT_ORIGIN];
        selected.value = null;
        motion.value = null;
        view.value = next;
      });
    },
    edit(edits) {
      return inTurn(async () => {
        const from = view.value;
        if (from && edits.length) take(await editOn(from, edits), from);
      });
    },
    editEach(edits) {
      return inTurn(async () => {
        const failures: (Failure | null)[] = [];
        const from = view.value;
        if (from && edits.length) take(await eachOn(from, edits, failures), from);
        return failures;
      });
    },
    undo: () => travel(past, future),
    redo: () => travel(future, past),
    register(added) {
      actions.value = [...actions.value, ...added];
      return () => {
        actions.value = actions.value.filter((action) => !added.includes(action));
      };
    },
    actions,
    keep() {
      if (!view.value) return null;
      return {
        view: view.value,
        past: past.value,
        future: future.value,
        q: q.value,
        parameters: parameters.value,
        asked: request.value,
        motion: keptMotion(motion.value),
        selected: selected.value,
        base: base.value,
      };
    },
    async restore(kept) {
      batch(() => {
        past.value = kept.past;
        future.value = kept.future;
        q.value = kept.q;
        parameters.value = kept.parameters;
        selected.value = kept.selected;
        base.value = kept.base;
        motion.value = kept.motion;
        request.value = kept.asked;
        view.value = kept.view;
      });
      await inTurn(async () => {
        const fresh = await back.call<View>("robot_view", { robot: kept.view.robot });
        if (view.value === kept.view) carry(fresh, kept.view);
      });
    },
  };
}
