// Controller of the scene's pane: loads generated code, moves joints, plays motions, requests inverse solutions.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import type { Progress } from "../backend/backend";
import type { Placements, View, WorkspaceCloud } from "../backend/messages";
import { save } from "../store/download";
import type { DroppedMotion, Store } from "../store/store";
import { Dragging } from "./dragging";
import { endFrame, geometryKey } from "./extras";
import { coordinateIndices, freeJoints, home, named, random } from "./joints";
import { Motions } from "./motions";
import { OverlayControl } from "./overlays";
import { pose } from "./pose";
import { sequence } from "./poseSolver";
import type { Scene } from "./scene";
import { Runs } from "./runs";
import { Singular } from "./singular";
import { Video } from "./video";
import { framesShown, look, picked, shown } from "./viewState";

export interface Note {
  text: string;
  kind: "information" | "warning";
}

const STEP = 0.01; // seconds between samples of a dropped trajectory
const RANDOM_TRIES = 40;
const START_TRIES = 300;
const COMPUTING = "Computing the workspace …";

export class Control {
  readonly motions: Motions;
  readonly runs: Runs;
  readonly dragging: Dragging;
  readonly singular: Singular;
  readonly overlays: OverlayControl;
  readonly video: Video;
  readonly broken = signal(false);
  readonly note = signal<Note | null>(null);
  /** The robot that is drawn; null until its code is loaded. */
  readonly drawn = signal<View | null>(null);
  /** The robot drawn with its loops closed in its posture; motions start only from this state. */
  private readonly closedView = signal<View | null>(null);
  /** Whether the current robot is drawn with its loops closed. */
  readonly ready: ReadonlySignal<boolean> = computed(() => this.closedView.value === this.store.view.value);
  /** Reference posture; slider ranges of joints without limits are centred about it. */
  readonly posed = signal<number[]>([]);
  /** Whether the code that closes the loops is loaded. */
  readonly closes = signal(false);
  /** Joint whose last move was rejected because the loops cannot close there. */
  readonly refused = signal<number | null>(null);
  /** Whether the workspace is drawn or requested. */
  readonly workspace = signal(false);
  /** Indices in view.joints of the joints with sliders. */
  readonly moved: ReadonlySignal<number[]> = computed(() => {
    const view = this.drawn.value;
    return view ? freeJoints(view, this.broken.value || !this.closable.value) : [];
  });
  /** False if the active joints do not determine the loops. */
  readonly closable = signal(true);
  private readonly placementsByKey = new Map<string, Placements>();
  /** Number of the robot that is drawn, see Store.opened. */
  private drawnRobot: number | null = null;
  private published: number[] = [];
  private abort = new AbortController();
  private workspaceAbort = new AbortController();
  private readonly disposers: (() => void)[] = [];

  constructor(
    private readonly store: Store,
    readonly scene: Scene,
  ) {
    this.motions = new Motions(store, scene, this);
    this.runs = new Runs(store, this);
    this.singular = new Singular(store, scene, this.drawn);
    this.overlays = new OverlayControl(store, scene, this.drawn, () => this.endFrame());
    this.dragging = new Dragging(store, scene, this);
    this.video = new Video(
      () => scene.frameSource(),
      (video) => save(`${this.drawn.value?.file ?? "scene"}.webm`, video),
      (text) => this.warn(text),
    );
    scene.onSelect((frame) => {
      store.selected.value = frame === 0 ? null : frame;
      this.dragging.chosen.value = frame;
    });
    this.disposers.push(
      effect(() => void this.show(store.view.value)),
      effect(() => this.reparametrise(store.parameters.value)),
      effect(() => {
        // A workspace is that of one robot and one set of parameters.
        void [this.drawn.value, store.parameters.value];
        untracked(() => void this.showWorkspace(false));
      }),
      effect(() => this.applyPosture(store.q.value)),
      effect(() => scene.setMeshes(store.meshes.value)),
      effect(() => this.takeGiven(store.droppedMotion.value, this.ready.value)),
      effect(() => scene.select(store.selected.value)),
      effect(() => scene.setDark(store.dark.value)),
      effect(() => scene.setLook(look.value)),
      effect(() => scene.showFrames(framesShown(shown.value, store.selected.value, picked.value))),
      effect(() => {
        const base = pose(store.base.value);
        // A motion that moves the base does not change the base pose set by the user.
        if (!store.motion.value?.base) scene.setBase(untracked(() => this.hasMovableBase()) ? base : null);
      }),
    );
  }

  dispose(): void {
    this.abort.abort();
    this.workspaceAbort.abort();
    this.runs.stop();
    this.motions.dispose();
    this.dragging.dispose();
    this.singular.dispose();
    this.overlays.dispose();
    this.video.stop();
    for (const undo of this.disposers) undo();
    this.scene.dispose();
  }

  /** Whether the base is floating or wheeled, so that its pose can be chosen freely. */
  hasMovableBase(): boolean {
    return (this.store.view.value?.base ?? "fixed") !== "fixed";
  }

  /** Whether loops are kept closed. */
  looped(): boolean {
    return (this.drawn.value?.loops.length ?? 0) > 0 && !this.broken.value && this.closable.value;
  }

  // -- the robot

  private async show(view: View | null): Promise<void> {
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    if (!view) return;
    const opened = this.store.opened.peek();
    const isNewRobot = this.drawnRobot !== opened;
    if (isNewRobot) this.reset();
    try {
      const key = geometryKey(view);
      const known = this.placementsByKey.get(key);
      const placements = known ?? (await this.requestFrames(view, signal, false));
      if (signal.aborted) return;
      const [parameters, q] = [this.store.parameters.peek(), this.store.q.peek()];
      // For a new robot the zero posture may be invalid, so it is not kept.
      const fits = q.length === view.joints.length && (!isNewRobot || q.some((value) => value !== 0));
      await this.scene.setRobot(view, placements, parameters, fits ? q : undefined, isNewRobot);
      if (signal.aborted) return;
      // The user may have moved joints while the robot was being drawn.
      const now = this.store.q.peek();
      if (now !== q && now.length === view.joints.length) this.scene.move(now);
      this.posed.value = this.scene.posture();
      // Panels show the drawn robot; runs that started before belong to the previous robot.
      if (isNewRobot) this.runs.reset();
      this.drawnRobot = opened;
      this.drawn.value = view;
      this.reparametrise(this.store.parameters.peek());
      if (this.hasMovableBase()) this.scene.setBase(pose(this.store.base.peek()));
      if (view.loops.length) await this.close(view, key, known ?? null, signal);
      else this.placementsByKey.set(key, placements);
      if (signal.aborted) return;
      this.closeInitially(view);
      if (isNewRobot && view.loops.length) this.scene.fit();
      else this.scene.keepInPicture();
      this.posed.value = this.scene.posture();
    } catch (error) {
      if (!signal.aborted) this.warn(words(error));
    }
    if (signal.aborted || this.drawn.peek() !== view) return;
    this.closedView.value = view;
    void this.dragging.load(view, signal);
  }

  /** Request the code of the frames; the progress, for example of loading Python, is shown until the answer arrives. */
  private async requestFrames(view: View, alive: AbortSignal, loops: boolean): Promise<Placements> {
    let progressNote: Note | null = null;
    const onProgress = ({ step }: Progress): void => {
      if (!step || alive.aborted) return;
      this.inform(step);
      progressNote = this.note.peek();
    };
    try {
      return await this.store.backend.call<Placements>("frames", { robot: view.robot, loops }, { signal: alive, onProgress });
    } finally {
      if (progressNote && this.note.peek() === progressNote) this.note.value = null;
    }
  }

  /** Load the code that closes the loops after the robot is drawn, because its derivation may take seconds. */
  private async close(view: View, key: string, known: Placements | null, alive: AbortSignal): Promise<void> {
    if (!known) this.inform("deriving the loop equations …");
    const whole = known ?? (await this.requestFrames(view, alive, true));
    if (alive.aborted) return;
    this.placementsByKey.set(key, whole);
    if (whole.loops && !known) await this.scene.setLoops(whole.loops);
    if (alive.aborted) return;
    this.closable.value = whole.loops !== null;
    this.closes.value = this.closable.value;
    this.scene.breakLoops(this.broken.peek() || !this.closable.value);
    if (whole.loops) this.note.value = null;
    else this.inform("the active joints do not determine the loops, so every joint has a slider");
  }

  /**
   * Close the loops in the first posture; a robot without named postures may not close at zero, so others are tried.
   */
  private closeInitially(view: View): void {
    const at = this.scene.posture();
    let moved = this.scene.move(at);
    const randomNumber = sequence();
    const loopFrames = new Set(view.loops.flatMap((loop) => loop.frames));
    const places = this.moved.value.filter((k) => loopFrames.has(view.joints[k]!.frame));
    for (let k = 0; !moved.closed && this.closes.value && k < START_TRIES; k++) {
      // The reach of the scene depends on the posture; the same home posture is found again by the size of the robot.
      const target = random(view, at, places, view.bodies.size, 1, randomNumber);
      // The length of a piston is positive.
      for (const n of places) if (view.joints[n]!.kind === "P") target[n] = Math.abs(target[n]!);
      const candidate = this.scene.follow(at, target);
      if (candidate.closed) moved = this.scene.move(candidate.q);
    }
    if (!moved.closed && this.closes.value) this.warn("the loops cannot close in this posture; move the joints");
    this.publish(moved.q);
  }

  private reset(): void {
    this.motions.pause();
    this.broken.value = false;
    this.scene.breakLoops(false);
    this.closable.value = true;
    this.closes.value = false;
    this.refused.value = null;
    this.note.value = null;
    this.dragging.reset();
    this.overlays.reset();
    this.motions.waves.value = new Map();
    this.runs.reset();
  }

  private reparametrise(parameters: Record<string, number>): void {
    untracked(() => {
      if (!this.drawn.value || this.drawn.value !== this.store.view.value) return;
      this.scene.setParameters(parameters);
      this.store.reach.value = this.scene.reach();
      this.dragging.rebuild();
      this.publish(this.scene.posture());
    });
  }

  /** Start a motion that was dropped on the page, as soon as a robot is drawn. */
  private takeGiven(given: DroppedMotion | null, ready: boolean): void {
    if (!given || !ready || !this.drawn.peek()) return;
    untracked(() => {
      this.store.droppedMotion.value = null;
      if (given.kind === "rows") return void this.motions.csv(given.text);
      this.runs.text.value = given.text;
      void this.runs.follow(STEP);
    });
  }

  // -- postures

  /** Apply a posture that another pane has set. */
  private applyPosture(q: number[]): void {
    untracked(() => {
      const view = this.drawn.value;
      if (q === this.published || !view || view !== this.store.view.value || q.length !== view.joints.length) return;
      this.publish(this.scene.move(q).q);
    });
  }

  /** Publish the displayed posture to the other panes. */
  publish(q: number[]): void {
    // The sliders of the previous robot remain until the next robot is drawn.
    if (this.drawnRobot !== this.store.opened.peek()) return;
    this.published = q;
    this.store.q.value = q;
  }

  move(place: number, value: number): void {
    this.motions.pause();
    const q = [...this.scene.posture()];
    q[place] = value;
    const moved = this.scene.move(q);
    this.refused.value = moved.closed ? null : place;
    if (moved.closed) this.note.value = null;
    else this.warn(this.closes.value ? "the loops cannot close at this joint position" : "the loop equations are not derived yet");
    this.publish(moved.q);
  }

  go(q: number[]): void {
    this.motions.pause();
    const moved = this.scene.move(q);
    this.refused.value = null;
    if (!moved.closed) this.warn("the loops cannot stay closed on the path to this posture");
    else this.note.value = null;
    this.publish(moved.q);
  }

  /** Set a posture in which the loops are closed, in any assembly mode. */
  jump(q: number[]): void {
    this.motions.pause();
    this.scene.put(q);
    this.refused.value = null;
    this.note.value = null;
    this.publish(this.scene.move(q).q);
    this.scene.keepInPicture();
  }

  /** Set the first posture of the robot; loops that do not close there are closed as when the robot was opened. */
  home(): void {
    const view = this.drawn.value;
    if (!view) return;
    this.jump(home(view));
    if (!this.looped()) return;
    this.closeInitially(view);
    this.scene.keepInPicture();
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
    this.warn("the loops do not close in any of the random postures; try again");
  }

  breakLoops(broken: boolean): void {
    this.motions.pause();
    this.broken.value = broken;
    this.scene.breakLoops(broken);
    const moved = this.scene.move(this.scene.posture());
    this.publish(moved.q);
    if (!moved.closed) this.warn("the loops cannot be closed from this posture; press Home, or open the loops again");
    else this.note.value = null;
  }

  /** Bend flexible links by the initial modal coordinates of the simulation. */
  bend(): void {
    this.motions.pause();
    const { modes } = this.drawn.value!;
    this.scene.setModes(modes?.map((_, k) => this.runs.modes.value[k] ?? 0) ?? null);
    this.publish(this.scene.move(this.scene.posture()).q);
  }

  setBase(entry: number, value: number): void {
    this.store.base.value = this.store.base.value.map((old, k) => (k === entry ? value : old));
  }

  /** Return the frame whose pose is used for inverse geometry. */
  endFrame(): number {
    return endFrame(this.drawn.value!);
  }

  /** Draw positions of the end effector at postures within the limits, coloured by manipulability, or remove them. */
  async showWorkspace(wanted: boolean): Promise<void> {
    const view = this.drawn.value;
    this.workspaceAbort.abort();
    const { signal } = (this.workspaceAbort = new AbortController());
    this.workspace.value = wanted;
    if (this.note.value?.text === COMPUTING) this.note.value = null;
    if (!wanted || !view) return this.scene.cloud(null);
    this.inform(COMPUTING);
    try {
      const q = coordinateIndices(view).map((k) => this.store.q.value[k] ?? 0);
      const payload = { robot: view.robot, q, values: this.store.parameters.value };
      const answer = await this.store.backend.call<WorkspaceCloud>("workspace", payload, { signal });
      if (signal.aborted) return;
      if (this.note.value?.text === COMPUTING) this.note.value = null;
      this.scene.cloud(answer.points, answer.manipulability);
    } catch (error) {
      if (signal.aborted) return;
      this.workspace.value = false;
      this.warn(words(error));
    }
  }

  async screenshot(): Promise<void> {
    save(`${this.drawn.value?.file ?? "scene"}.png`, await this.scene.screenshot());
  }

  saveSvg(): void {
    save(`${this.drawn.value?.file ?? "scene"}.svg`, this.scene.svg());
  }

  inform(text: string): void {
    this.note.value = { text, kind: "information" };
  }

  warn(text: string): void {
    this.note.value = { text, kind: "warning" };
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
