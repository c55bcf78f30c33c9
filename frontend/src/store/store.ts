// State that the panes share. Panes read signals and call functions of the store; they are independent of each other.

import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import { Failure, type Backend } from "../backend/backend";
import type { CellEdit, RobotDocument, View } from "../backend/messages";
import type { Motion } from "../scene/scene";
import { firstPosture, sameJoints, updatedParameters, updatedPosture, withVisuals } from "./start";

/** Requested model with its options. */
export interface ModelChoice {
  model: string;
  options: Record<string, unknown>;
}

export type PaneName = "tables" | "scene" | "models";

/** Command of the palette and the keyboard. */
export interface Action {
  id: string;
  title: string;
  /** Complete sentence below a short title. */
  subtitle?: string;
  group: string;
  /** Additional keywords for the search. */
  words?: string;
  /** Shortcut, for example "Ctrl+Z". */
  keys?: string;
  enabled?: () => boolean;
  /** What to do if it is not enabled. */
  unless?: string;
  run: () => void | Promise<void>;
}

/** What belongs to one robot and is restored when undo or redo returns to it from another one. */
export interface RobotState {
  q: number[];
  parameters: Record<string, number>;
  base: number[];
  /** Absent after a reload. */
  meshes?: Map<string, File>;
  /** Open models with their options; absent after a reload. */
  models?: ModelChoice[];
}

/** Step of the undo history. */
export interface Step {
  robot: RobotDocument;
  /** Absent after a reload; it is requested again. */
  view?: View;
  /** Number of the robot (see Store.opened); absent in sessions of earlier versions. */
  opened?: number;
  /** State of the robot when another one replaced it. */
  left?: RobotState;
}

/** Session data that are stored between visits. */
export interface StoredSession {
  view: View;
  /** Absent in sessions of earlier versions. */
  opened?: number;
  past: Step[];
  future: Step[];
  q: number[];
  parameters: Record<string, number>;
  asked: ModelChoice | null;
  /** Models that are open in tabs; absent in sessions of earlier versions. */
  models?: ModelChoice[];
  motion: Motion | null;
  selected: number | null;
  base: number[];
}

/** Base pose zero: frame 0 coincides with the world frame. */
export const AT_ORIGIN: readonly number[] = [0, 0, 0, 0, 0, 0];

/** Files of a log, with the description of their columns if one was given. */
export interface LogFiles {
  files: Record<string, string>;
  description: string;
}

/** Motion read from a file: a trajectory to be computed, or rows of joint positions to be played. */
export interface DroppedMotion {
  kind: "trajectory" | "rows";
  text: string;
}

export interface Store {
  readonly backend: Backend;
  readonly view: ReadonlySignal<View | null>;
  /** Number of the open robot: edits keep it, every robot that is opened has another one, also one of the same name. */
  readonly opened: ReadonlySignal<number>;
  /** Variables of all joints, in the order of view.joints. */
  readonly q: Signal<number[]>;
  /** Values of the robot's free symbols: nominal values, changed by sliders. */
  readonly parameters: Signal<Record<string, number>>;
  /** Size of the robot in metres, as the scene draws it; 0 before. */
  readonly reach: Signal<number>;
  /** x, y, z, roll, pitch, yaw of a floating or wheeled base. */
  readonly base: Signal<number[]>;
  /** Frame whose row and arrows are highlighted. */
  readonly selected: Signal<number | null>;
  readonly motion: Signal<Motion | null>;
  /** Motion that was dropped on the page, to be played by the scene. */
  readonly droppedMotion: Signal<DroppedMotion | null>;
  /** Log that was dropped on the page, to be identified or played. */
  readonly log: Signal<LogFiles | null>;
  /** Current time in seconds on the motion. */
  readonly time: Signal<number>;
  readonly requested: Signal<ModelChoice | null>;
  /** Models that are open in tabs, each once; the requested model is one of them. */
  readonly models: ReadonlySignal<ModelChoice[]>;
  /** Close the tab of a model; its neighbour is requested if it was the current one. */
  closeModel(model: string): void;
  readonly dark: Signal<boolean>;
  /** Pane that takes the whole page; null if all are shown. */
  readonly maximised: Signal<PaneName | null>;
  /** Mesh files that were dropped with a robot, by file name without folders. */
  readonly meshes: Signal<Map<string, File>>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** Open another robot; undo returns to the previous one. */
  show(view: View): void;
  /** Apply edits of cells; throw a Failure that names the cell, in which case the robot is unchanged. */
  edit(edits: CellEdit[]): Promise<void>;
  /** Apply the valid edits as one step; return the failures of the others, null for applied edits. */
  editEach(edits: CellEdit[]): Promise<(Failure | null)[]>;
  undo(): Promise<void>;
  redo(): Promise<void>;
  /** Add commands to the palette; the returned function removes them. */
  register(actions: Action[]): () => void;
  readonly actions: ReadonlySignal<Action[]>;
  /** Return the session to be stored; null without a robot. */
  snapshot(): StoredSession | null;
  /** Restore a session; its view is requested again, because symoro may have changed since. */
  restore(session: StoredSession): Promise<void>;
}

const MOST_STEPS = 200;

const MOST_NUMBERS = 40_000;

const MOST_MODELS = 8;

/** Return the motion to be stored: times and positions only, and null if it is too large. */
function storedMotion(motion: Motion | null): Motion | null {
  if (!motion || motion.base || motion.times.length * (1 + (motion.q[0]?.length ?? 0)) > MOST_NUMBERS) return null;
  return { times: motion.times, q: motion.q };
}

export function createStore(backend: Backend): Store {
  const past = signal<Step[]>([]);
  const future = signal<Step[]>([]);
  const view = signal<View | null>(null);
  const q = signal<number[]>([]);
  const parameters = signal<Record<string, number>>({});
  const reach = signal(0);
  const base = signal<number[]>([...AT_ORIGIN]);
  const selected = signal<number | null>(null);
  const motion = signal<Motion | null>(null);
  const request = signal<ModelChoice | null>(null);
  const models = signal<ModelChoice[]>([]);
  const meshes = signal(new Map<string, File>());
  const actions = signal<Action[]>([]);
  const opened = signal(0);
  let queue: Promise<unknown> = Promise.resolve();

  // A requested model gets a tab, or updates the options of its tab; the oldest tab makes room for it.
  effect(() => {
    const choice = request.value;
    if (!choice) return;
    const open = models.peek();
    const at = open.findIndex(({ model }) => model === choice.model);
    models.value = at < 0 ? [...open, choice].slice(-MOST_MODELS) : open.with(at, choice);
  });

  /** Run edits in sequence; each edit applies to the result of the previous one. */
  function inSequence<T>(work: () => Promise<T>): Promise<T> {
    const next = queue.then(work);
    queue = next.catch(() => undefined);
    return next;
  }

  /** Show the changed robot; posture and parameters are kept where they fit. */
  function carry(next: View, before: View): void {
    batch(() => {
      q.value = updatedPosture(next, before, q.value);
      parameters.value = updatedParameters(next, before, parameters.value);
      if (selected.value !== null && selected.value > next.sizes.NF) selected.value = null;
      if (!sameJoints(next, before)) motion.value = null;
      view.value = withVisuals(next, before);
    });
  }

  /** Show another robot in its state; nothing of the previous robot remains, also no option, as it may name a frame. */
  function replace(next: View, number: number, { q: posture, parameters: values, base: place, meshes: files, models: choices }: RobotState): void {
    const chosen = ({ model }: ModelChoice): ModelChoice => choices?.find((one) => one.model === model) ?? { model, options: {} };
    batch(() => {
      models.value = models.value.map(chosen);
      if (request.value) request.value = chosen(request.value);
      opened.value = number;
      q.value = posture;
      parameters.value = values;
      base.value = place;
      selected.value = null;
      motion.value = null;
      meshes.value = files ?? new Map();
      view.value = next;
    });
  }

  const initialState = (next: View): RobotState => ({ q: firstPosture(next), parameters: { ...next.values }, base: [...AT_ORIGIN] });

  /** Return the history's step of the current robot; with its state if another robot replaces it. */
  function stepOf(now: View, replaced: boolean): Step {
    const left = { q: q.value, parameters: parameters.value, base: base.value, meshes: meshes.value, models: models.value };
    return { robot: now.robot, view: now, opened: opened.value, ...(replaced && { left }) };
  }

  function record(replaced: boolean): void {
    if (view.value) past.value = [...past.value, stepOf(view.value, replaced)].slice(-MOST_STEPS);
    future.value = [];
  }

  async function editOn(from: View, edits: CellEdit[]): Promise<View> {
    return backend.call<View>("robot_edit", { robot: from.robot, edits });
  }

  /** Bisect the edits until each invalid edit is isolated. */
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

  /** Accept an edited robot, unless another robot was opened meanwhile. */
  function accept(next: View, from: View): void {
    if (view.value !== from || next === from) return;
    batch(() => {
      record(false);
      carry(next, from);
    });
  }

  /** Move one step from a stack to the other. */
  function moveStep(from: Signal<Step[]>, to: Signal<Step[]>): Promise<void> {
    return inSequence(async () => {
      const now = view.value;
      const wanted = from.value.at(-1);
      if (!now || !wanted) return;
      const next = wanted.view ?? (await backend.call<View>("robot_view", { robot: wanted.robot }));
      if (view.value !== now) return;
      const number = wanted.opened ?? opened.value;
      const another = number !== opened.value;
      batch(() => {
        from.value = from.value.slice(0, -1);
        to.value = [...to.value, stepOf(now, another)];
        if (another) replace(next, number, wanted.left ?? initialState(next));
        else carry(next, now);
      });
    });
  }

  return {
    backend,
    view,
    opened,
    q,
    parameters,
    reach,
    base,
    selected,
    motion,
    droppedMotion: signal<DroppedMotion | null>(null),
    log: signal<LogFiles | null>(null),
    time: signal(0),
    requested: request,
    models,
    closeModel(closed) {
      const at = models.value.findIndex(({ model }) => model === closed);
      if (at < 0) return;
      batch(() => {
        models.value = models.value.toSpliced(at, 1);
        if (request.value?.model === closed) request.value = models.value[Math.min(at, models.value.length - 1)] ?? null;
      });
    },
    dark: signal(false),
    maximised: signal<PaneName | null>(null),
    meshes,
    canUndo: computed(() => past.value.length > 0),
    canRedo: computed(() => future.value.length > 0),
    show(next) {
      batch(() => {
        record(true);
        const used = [...past.value.map((step) => step.opened ?? 0), opened.value];
        replace(next, Math.max(...used) + 1, initialState(next));
      });
    },
    edit(edits) {
      return inSequence(async () => {
        const from = view.value;
        if (from && edits.length) accept(await editOn(from, edits), from);
      });
    },
    editEach(edits) {
      return inSequence(async () => {
        const failures: (Failure | null)[] = [];
        const from = view.value;
        if (from && edits.length) accept(await eachOn(from, edits, failures), from);
        return failures;
      });
    },
    undo: () => moveStep(past, future),
    redo: () => moveStep(future, past),
    register(added) {
      actions.value = [...actions.value, ...added];
      return () => {
        actions.value = actions.value.filter((action) => !added.includes(action));
      };
    },
    actions,
    snapshot() {
      if (!view.value) return null;
      return {
        view: view.value,
        opened: opened.value,
        past: past.value,
        future: future.value,
        q: q.value,
        parameters: parameters.value,
        asked: request.value,
        models: models.value,
        motion: storedMotion(motion.value),
        selected: selected.value,
        base: base.value,
      };
    },
    async restore(kept) {
      batch(() => {
        past.value = kept.past;
        future.value = kept.future;
        opened.value = kept.opened ?? 0;
        q.value = kept.q;
        parameters.value = kept.parameters;
        selected.value = kept.selected;
        base.value = kept.base;
        motion.value = kept.motion;
        models.value = kept.models ?? [];
        request.value = kept.asked;
        view.value = kept.view;
      });
      await inSequence(async () => {
        const updated = await backend.call<View>("robot_view", { robot: kept.view.robot });
        if (view.value === kept.view) carry(updated, kept.view);
      });
    },
  };
}
