// What the panes share. A pane reads signals and calls functions of the store; panes know nothing of each other.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import type { Back } from "../back/back";
import type { Edit, View } from "../back/view";
import type { Motion } from "../scene/scene";

/** A model as it was asked for. */
export interface Asked {
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

export interface Store {
  readonly back: Back;
  readonly view: ReadonlySignal<View | null>;
  /** Variables of all joints, in the order of view.joints. */
  readonly q: Signal<number[]>;
  /** Values of the robot's free symbols: its nominal ones, changed by sliders. */
  readonly parameters: Signal<Record<string, number>>;
  /** The frame whose row and arrows are highlighted. */
  readonly selected: Signal<number | null>;
  readonly motion: Signal<Motion | null>;
  readonly asked: Signal<Asked | null>;
  readonly dark: Signal<boolean>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** Puts another robot on the bench; undo goes back to the one before. */
  show(view: View): void;
  /** Sends edits of cells; throws a Failure that names the cell, the robot stays as it was. */
  edit(edits: Edit[]): Promise<void>;
  undo(): void;
  redo(): void;
  /** Adds actions to the palette; the function takes them out again. */
  register(actions: Action[]): () => void;
  readonly actions: ReadonlySignal<Action[]>;
}

export function createStore(back: Back): Store {
  const past = signal<View[]>([]);
  const future = signal<View[]>([]);
  const view = signal<View | null>(null);
  const q = signal<number[]>([]);
  const parameters = signal<Record<string, number>>({});
  const actions = signal<Action[]>([]);

  function put(next: View | null): void {
    view.value = next;
    if (next && q.value.length !== next.joints.length) q.value = next.joints.map(() => 0);
    parameters.value = Object.fromEntries(
      (next?.symbols ?? []).map((name) => [name, parameters.value[name] ?? next?.nominal[name] ?? 0]),
    );
  }

  function show(next: View): void {
    if (view.value) past.value = [...past.value, view.value];
    future.value = [];
    put(next);
  }

  return {
    back,
    view,
    q,
    parameters,
    selected: signal<number | null>(null),
    motion: signal<Motion | null>(null),
    asked: signal<Asked | null>(null),
    dark: signal(false),
    canUndo: computed(() => past.value.length > 0),
    canRedo: computed(() => future.value.length > 0),
    show,
    async edit(edits) {
      if (view.value) show(await back.call<View>("robot_edit", { robot: view.value.robot, edits }));
    },
    undo() {
      const last = past.value.at(-1);
      if (!last || !view.value) return;
      future.value = [view.value, ...future.value];
      past.value = past.value.slice(0, -1);
      put(last);
    },
    redo() {
      const [next, ...rest] = future.value;
      if (!next || !view.value) return;
      past.value = [...past.value, view.value];
      future.value = rest;
      put(next);
    },
    register(added) {
      actions.value = [...actions.value, ...added];
      return () => {
        actions.value = actions.value.filter((action) => !added.includes(action));
      };
    },
    actions,
  };
}
