// What the pane of the scene does: it asks for generated code, moves joints, plays motions, finds solutions.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import type { Placements, SolvedPose, View } from "../back/messages";
import { save } from "../store/download";
import type { Given, Store } from "../store/store";
import { free, home, named, random } from "./joints";
import { Motions } from "./motions";
import type { Scene } from "./scene";
import { Runs } from "./runs";
import { framesShown, look, picked, shown } from "./showstate";

export interface Note {
  text: string;
  kind: "told" | "warned";
}

export interface Solution {
  q: number[];
  status: string;
}

const STEP = 0.01; // seconds between samples of a trajectory that was dropped
const RANDOM_TRIES = 40;
const START_TRIES = 300;

export class Control {
  readonly motions: Motions;
  readonly runs: Runs;
  readonly broken = signal(false);
  readonly note = signal<Note | null>(null);
  /** The robot that the scene shows; null while its code is on the way. */
  readonly drawn = signal<View | null>(null);
  /** The robot that stands in its posture, loops closed: what begins at the posture begins no sooner. */
  private readonly settled = signal<View | null>(null);
  /** Whether the robot on the bench is drawn and stands. */
  readonly ready: ReadonlySignal<boolean> = computed(() => this.settled.value === this.store.view.value);
  /** The posture in which the robot was put: ranges of joints without limits are about it. */
  readonly posed = signal<number[]>([]);
  /** Whether loops can be closed: not before their code is there. */
  readonly closes = signal(false);
  /** The joint whose last move was refused, as no posture closes the loops there. */
  readonly refused = signal<number | null>(null);
  readonly solutions = signal<Solution[] | null>(null);
  readonly solving = signal(false);
  /** Places in view.joints of the joints that a user moves. */
  readonly moved: ReadonlySignal<number[]> = computed(() => {
    const view = this.drawn.value;
    return view ? free(view, this.broken.value || !this.closable.value) : [];
  });
  /** False where the robot's active joints do not determine its loops. */
  readonly closable = signal(true);
  private readonly known = new Map<string, Placements>();
  private mine: number[] = [];
  private asking = new AbortController();
  private readonly undoing: (() => void)[] = [];

  constructor(
    private readonly store: Store,
    readonly scene: Scene,
  ) {
    this.motions = new Motions(store, scene, this);
    this.runs = new Runs(store, this);
    scene.onSelect((frame) => (store.selected.value = frame));
    this.undoing.push(
      effect(() => void this.show(store.view.value)),
      effect(() => this.reparametrise(store.parameters.value)),
      effect(() => this.take(store.q.value)),
      effect(() => scene.setMeshes(store.meshes.value)),
      effect(() => this.takeGiven(store.given.value, this.ready.value)),
      effect(() => scene.select(store.selected.value)),
      effect(() => scene.setDark(store.dark.value)),
      effect(() => scene.setLook(look.value)),
      effect(() => scene.showFrames(framesShown(shown.value, store.selected.value, picked.value))),
      effect(() => {
        // A motion that moves the base leaves it where the user has put it.
        if (!store.motion.value?.base) scene.setBase(untracked(() => this.free6()) ? pose(store.base.value) : null);
      }),
    );
  }

  dispose(): void {
    this.asking.abort();
    this.runs.stop();
    this.motions.dispose();
    for (const undo of this.undoing) undo();
    this.scene.dispose();
  }

  /** Whether the base is free to move, so that its pose is a matter of the picture. */
  free6(): boolean {
    return (this.store.view.value?.base ?? "fixed") !== "fixed";
  }

  /** Whether loops are kept closed. */
  looped(): boolean {
    return (this.drawn.value?.loops.length ?? 0) > 0 && !this.broken.value && this.closable.value;
  }

  // -- the robot

  private async show(view: View | null): Promise<void> {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal: alive } = this.asking;
    if (!view) return;
    const another = this.drawn.peek()?.name !== view.name;
    if (another) this.reset();
    try {
      const key = placed(view);
      const known = this.known.get(key);
      const quick = known ?? (await this.ask(view, alive, false));
      if (alive.aborted) return;
      const [parameters, q] = [this.store.parameters.peek(), this.store.q.peek()];
      // Zero may be no posture of a robot that comes new.
      const fits = q.length === view.joints.length && (!another || q.some((value) => value !== 0));
      await this.scene.setRobot(view, quick, parameters, fits ? q : undefined);
      if (alive.aborted) return;
      // Somebody may have moved it while it was being made.
      const now = this.store.q.peek();
      if (now !== q && now.length === view.joints.length) this.scene.move(now);
      this.posed.value = this.scene.posture();
      // Panels show the robot that is drawn: what was begun meanwhile is of the one before.
      if (another) this.runs.reset();
      this.drawn.value = view;
      this.reparametrise(this.store.parameters.peek());
      if (this.free6()) this.scene.setBase(pose(this.store.base.peek()));
      if (view.loops.length) await this.close(view, key, known ?? null, alive);
      else this.known.set(key, quick);
      if (alive.aborted) return;
      this.settle(view);
      if (another && view.loops.length) this.scene.fit();
      else this.scene.keepInPicture();
      this.posed.value = this.scene.posture();
    } catch (error) {
      if (!alive.aborted) this.warn(words(error));
    }
    if (!alive.aborted) this.settled.value = view;
  }

  private ask(view: View, alive: AbortSignal, loops: boolean): Promise<Placements> {
    return this.store.back.call<Placements>("frames", { robot: view.robot, loops }, { signal: alive });
  }

  /** The code that closes loops comes after the picture, for deriving it may take seconds. */
  private async close(view: View, key: string, known: Placements | null, alive: AbortSignal): Promise<void> {
    if (!known) this.inform("deriving how the loops close …");
    const whole = known ?? (await this.ask(view, alive, true));
    if (alive.aborted) return;
    this.known.set(key, whole);
    if (whole.loops && !known) await this.scene.setLoops(whole.loops);
    if (alive.aborted) return;
    this.closable.value = whole.loops !== null;
    this.closes.value = this.closable.value;
    this.scene.breakLoops(this.broken.peek() || !this.closable.value);
    if (whole.loops) this.note.value = null;
    else this.inform("the active joints do not determine the loops: every joint has a slider");
  }

  /** The posture with its loops closed; a robot that names no posture may not close at zero, so others are tried. */
  private settle(view: View): void {
    const at = this.scene.posture();
    let moved = this.scene.move(at);
    const chance = sequence();
    const looping = new Set(view.loops.flatMap((loop) => loop.frames));
    const places = this.moved.value.filter((k) => looping.has(view.joints[k]!.frame));
    for (let k = 0; !moved.closed && this.closes.value && k < START_TRIES; k++) {
      const target = random(view, at, places, this.scene.reach(), 1, chance);
      // A piston has a length.
      for (const n of places) if (view.joints[n]!.kind === "P") target[n] = Math.abs(target[n]!);
      const tried = this.scene.follow(at, target);
      if (tried.closed) moved = this.scene.move(tried.q);
    }
    if (!moved.closed && this.closes.value) this.warn("the loops do not close in this posture: move the joints");
    this.put(moved.q);
  }

  private reset(): void {
    this.motions.pause();
    this.broken.value = false;
    this.scene.breakLoops(false);
    this.closable.value = true;
    this.closes.value = false;
    this.refused.value = null;
    this.note.value = null;
    this.solutions.value = null;
    this.motions.waves.value = new Map();
    this.runs.reset();
  }

  private reparametrise(parameters: Record<string, number>): void {
    untracked(() => {
      if (!this.drawn.value || this.drawn.value !== this.store.view.value) return;
      this.scene.setParameters(parameters);
      this.put(this.scene.posture());
    });
  }

  /** A motion that was dropped on the page, once there is a robot to move. */
  private takeGiven(given: Given | null, ready: boolean): void {
    if (!given || !ready || !this.drawn.peek()) return;
    untracked(() => {
      this.store.given.value = null;
      if (given.kind === "rows") return void this.motions.csv(given.text);
      this.runs.text.value = given.text;
      void this.runs.follow(STEP);
    });
  }

  // -- postures

  /** A posture that another pane set. */
  private take(q: number[]): void {
    untracked(() => {
      const view = this.drawn.value;
      if (q === this.mine || !view || view !== this.store.view.value || q.length !== view.joints.length) return;
      this.put(this.scene.move(q).q);
    });
  }

  /** Tells the other panes the posture that the scene shows. */
  put(q: number[]): void {
    // Sliders of the robot before are there until the next is drawn.
    if (this.drawn.peek()?.name !== this.store.view.peek()?.name) return;
    this.mine = q;
    this.store.q.value = q;
  }

  move(place: number, value: number): void {
    this.motions.pause();
    const q = [...this.scene.posture()];
    q[place] = value;
    const moved = this.scene.move(q);
    this.refused.value = moved.closed ? null : place;
    if (moved.closed) this.note.value = null;
    else this.warn(this.closes.value ? "no posture closes the loops there" : "the loops cannot be closed yet");
    this.put(moved.q);
  }

  go(q: number[]): void {
    this.motions.pause();
    const moved = this.scene.move(q);
    this.refused.value = null;
    if (!moved.closed) this.warn("the loops do not close all the way to this posture");
    else this.note.value = null;
    this.put(moved.q);
  }

  /** A posture whose loops are known to be closed, in whichever assembly mode. */
  private jump(q: number[]): void {
    this.motions.pause();
    this.scene.put(q);
    this.refused.value = null;
    this.note.value = null;
    this.put(this.scene.move(q).q);
    this.scene.keepInPicture();
  }

  home(): void {
    const view = this.drawn.value;
    if (view) this.jump(home(view));
  }

  posture(name: string): void {
    const view = this.drawn.value;
    const posture = view?.postures[name];
    if (view && posture) this.jump(named(view, posture));
  }

  random(): void {
    const view = this.drawn.value;
    if (!view) return;
    this.motions.pause();
    const from = this.scene.posture();
    const looped = this.looped();
    for (let k = 0; k < RANDOM_TRIES; k++) {
      const share = looped ? 0.7 * (1 - k / RANDOM_TRIES) ** 2 : 1;
      const moved = this.scene.follow(from, random(view, from, this.moved.value, this.scene.reach(), share));
      if (moved.closed) return this.jump(moved.q);
    }
    this.warn("no random posture was found in which the loops close");
  }

  breakLoops(broken: boolean): void {
    this.motions.pause();
    this.broken.value = broken;
    this.scene.breakLoops(broken);
    const moved = this.scene.move(this.scene.posture());
    this.put(moved.q);
    if (!moved.closed) this.warn("the loops do not close from this posture; go home, or break them again");
    else this.note.value = null;
  }

  setBase(entry: number, value: number): void {
    this.store.base.value = this.store.base.value.map((old, k) => (k === entry ? value : old));
  }

  // -- solutions

  /** The frame whose pose inverse geometry is asked for: the tool's, or the last link's. */
  endFrame(): number {
    const view = this.drawn.value!;
    return view.tool ? view.frames.length + 1 : view.platform?.frame ?? view.sizes.NL;
  }

  async solve(): Promise<void> {
    const view = this.drawn.value;
    if (!view) return;
    this.motions.pause();
    this.solving.value = true;
    this.note.value = null;
    try {
      const q = this.scene.posture();
      const T = this.scene.placement(this.endFrame());
      const answer = await this.store.back.call<SolvedPose>("solve", {
        robot: view.robot,
        pose: [0, 4, 8, 12].map((row) => T.slice(row, row + 4)),
        q0: view.coordinates.map((j) => q[view.joints.findIndex((joint) => joint.frame === j)] ?? 0),
        values: this.store.parameters.value,
      });
      if (view !== this.drawn.value) return;
      this.solutions.value = answer.solutions.map((one) => ({ q: whole(view, one), status: one.status }));
      this.scene.ghosts(this.solutions.value.map((one) => one.q));
      if (!answer.complete) this.inform("found by iteration: there may be more solutions");
    } catch (error) {
      this.warn(words(error));
    } finally {
      this.solving.value = false;
    }
  }

  clearSolutions(): void {
    this.solutions.value = null;
    this.scene.ghosts([]);
  }

  goTo(solution: Solution): void {
    this.jump(solution.q);
  }

  async screenshot(): Promise<void> {
    save(`${this.drawn.value?.file ?? "scene"}.png`, await this.scene.screenshot());
  }

  private inform(text: string): void {
    this.note.value = { text, kind: "told" };
  }

  warn(text: string): void {
    this.note.value = { text, kind: "warned" };
  }
}

/** Numbers from 0 to 1 that are the same every time, so that a robot always begins alike. */
function sequence(): () => number {
  let state = 1;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** All that the placements of frames depend on: what else is edited needs no new code. */
function placed(view: View): string {
  const geometry = view.tables.find((table) => table.title === "geometry")?.rows;
  const frames = (view.robot["frames"] ?? []) as { coupled?: unknown }[];
  const coupled = frames.map((frame) => frame.coupled ?? 0);
  return JSON.stringify([view.name, geometry, coupled, view.frames, view.loops, view.robot["tool"] ?? 0]);
}

/** The joints of a solution, opened ones included. */
function whole(view: View, solution: { q: number[]; qc: number[] }): number[] {
  const q = named(view, solution.q);
  let c = 0;
  view.joints.forEach((joint, k) => {
    if (joint.opened) q[k] = solution.qc[c++] ?? 0;
  });
  return q;
}

/** World T 0 by rows from x, y, z and turns about the fixed axes x, y, z. */
export function pose([x = 0, y = 0, z = 0, roll = 0, pitch = 0, yaw = 0]: number[]): number[] {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((a) => [Math.cos(a), Math.sin(a)]) as [
    number, number, number, number, number, number,
  ];
  return [
    ...[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
    ...[sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
    ...[-sp, cp * sr, cp * cr, z],
    ...[0, 0, 0, 1],
  ];
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
