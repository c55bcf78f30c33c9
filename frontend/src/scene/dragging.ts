// Direct manipulation: a dragged frame, a pulled link or a typed pose moves the robot; other solutions are ghosts.

import { batch, computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import type { InverseModules, View } from "../backend/messages";
import type { Store } from "../store/store";
import { AssemblyModes } from "./assemblyModes";
import type { Control, Note } from "./control";
import { antecedent, endFrame, geometryKey, handledFrame } from "./extras";
import { clamp } from "./joints";
import { load, type LoadedModel } from "./modules";
import type { Level, PoseTask } from "./numericInverse";
import { angles, pose, product, type Pose } from "./pose";
import { PoseSolver, type Followed, type PoseSolution } from "./poseSolver";
import { cross, dot, minus, plus, axis, origin, type Point } from "./polyline";
import type { GizmoAxes, GizmoMode, Scene, SceneDrag } from "./scene";

/** Parts of a pose by priority while a frame is moved or turned. */
const LEVELS: Record<GizmoMode, readonly Level[]> = { translate: ["position", "rotation"], rotate: ["rotation", "position"] };
/** Larger pose errors are reported (lengths relative to the reach, angles in radians). */
const REACHED = 1e-6;
/** Steps of the arrow keys: fraction of the reach, and radians. */
export const KEY_STEP = 0.01;
export const KEY_TURN = Math.PI / 36;
/** Milliseconds between updates of the panels while the pointer drags; the picture follows each frame. */
const PANEL_INTERVAL = 100;
const PULL_STEPS = 12;

export class Dragging {
  /** Whether handles are shown. */
  readonly on = signal(true);
  readonly mode = signal<GizmoMode>("translate");
  readonly axes = signal<GizmoAxes>("world");
  /** Frame selected for dragging; null: the end effector, or the base of a vehicle without an arm. */
  readonly chosen = signal<number | null>(null);
  /** Whether other solutions are drawn; null: from the first drag on. */
  readonly wanted = signal<boolean | null>(null);
  /** Whether the assembly modes at the active joints are drawn instead of the solutions of the pose. */
  readonly modesWanted = signal(false);
  /** The drawn solutions or assembly modes, starting with the posture itself; null if they are not drawn. */
  readonly solutions = signal<PoseSolution[] | null>(null);
  /** Part of the pose that the solutions have. */
  readonly solved = signal<"pose" | "position">("pose");
  /** Why the solutions are not all, or not available; "" if they are all. */
  readonly remark = signal("");
  readonly active = signal(false);
  readonly frame: ReadonlySignal<number | null> = computed(() => {
    const view = this.control.drawn.value;
    return view ? (this.chosen.value ?? handledFrame(view)) : null;
  });
  private solver: PoseSolver | null = null;
  private assembly: AssemblyModes | null = null;
  private loaded: { key: string; models: LoadedModel[]; answer: InverseModules } | null = null;
  /** Whether the inverse geometric model is being derived; solutions are then not sampled. */
  private loading = false;
  private latest: PoseSolution[] | null = null;
  private shownAt = 0;
  private later: ReturnType<typeof setTimeout> | undefined;
  /** Configuration before the current drag changed it; the message remains until the next drag, or the way back. */
  private changedFrom: string | null = null;
  /** Message about the last drag, which concerns the frame that was dragged. */
  private message: Note | null = null;
  private readonly disposers: (() => void)[];

  constructor(
    private readonly store: Store,
    private readonly scene: Scene,
    private readonly control: Control,
  ) {
    scene.onDrag((drag) => this.take(drag));
    scene.onGhost((k) => this.select(k + 1));
    this.disposers = [
      effect(() => {
        // Until the loops of a new robot are closed, the robot and the view of it may still change.
        const frame = this.on.value && control.ready.value && !store.motion.value ? this.frame.value : null;
        scene.gizmo(frame, this.mode.value, this.axes.value);
      }),
      effect(() => {
        void this.frame.value;
        untracked(() => control.note.value === this.message && (control.note.value = null));
      }),
      effect(() => this.followPosture(store.q.value, this.wanted.value, this.modesWanted.value)),
    ];
  }

  dispose(): void {
    clearTimeout(this.later);
    for (const undo of this.disposers) undo();
  }

  reset(): void {
    clearTimeout(this.later);
    this.chosen.value = null;
    this.wanted.value = null;
    this.modesWanted.value = false;
    this.remark.value = "";
    [this.solver, this.assembly] = [null, null];
    this.clear();
  }

  // -- the solver

  /** Request the inverse geometric model of a robot and compile it; until then, and without it, poses are iterated. */
  async load(view: View, alive: AbortSignal): Promise<void> {
    const key = geometryKey(view);
    if (this.loaded?.key !== key) {
      this.loaded = null;
      this.loading = true;
      this.remark.value = "Deriving the inverse geometric model …";
      this.rebuild();
      try {
        const answer = await this.store.backend.call<InverseModules>("inverse", { robot: view.robot }, { signal: alive });
        const models = await Promise.all(answer.modules.map((module) => load(module)));
        if (alive.aborted) return;
        this.loaded = { key, models, answer };
      } catch (error) {
        if (alive.aborted) return;
        this.remark.value = `The inverse geometric model is not available: ${error instanceof Error ? error.message : error}`;
      }
    }
    this.loading = false;
    this.rebuild();
    this.followPosture(this.store.q.peek(), this.wanted.peek(), this.modesWanted.peek());
  }

  /** Create the solver of the drawn robot with the current parameters. */
  rebuild(): void {
    const view = this.control.drawn.peek();
    const postures = this.scene.postures();
    [this.solver, this.assembly] = [null, null];
    if (!view || !postures) return;
    // The model of another robot or geometry remains loaded until that of this one is derived.
    const loaded = this.loaded?.key === geometryKey(view) ? this.loaded : null;
    const { models, answer } = loaded ?? { models: [], answer: { legs: [], pose: "full" as const } };
    this.solver = new PoseSolver(view, postures, models, answer, this.scene.reach());
    this.solver.setParameters(this.store.parameters.peek());
    if (view.loops.length) this.assembly = new AssemblyModes(view, postures, this.solver, this.scene.reach());
    this.solved.value = answer.pose === "position" ? "position" : "pose";
    if (loaded) this.remark.value = remarkOf(loaded.answer, this.solver);
  }

  // -- drags

  private take(drag: SceneDrag): void {
    if (drag.kind === "start") {
      this.control.motions.pause();
      this.active.value = true;
      this.changedFrom = null;
      if (drag.of === "frame" && this.frame.peek() === this.endFrame() && this.wanted.peek() === null) this.wanted.value = true;
    } else if (drag.kind === "frame") this.drag(drag.frame, drag.pose, LEVELS[drag.mode]);
    else if (drag.kind === "link") this.pull(drag.frame, drag.point, drag.from, drag.direction);
    else {
      this.active.value = false;
      this.publish(this.scene.posture(), true);
      this.scene.keepInPicture();
    }
  }

  private endFrame(): number {
    return endFrame(this.control.drawn.peek()!);
  }

  /** Move a frame to a pose in frame 0; frame 0 itself is moved in the world if the base is not fixed. */
  private drag(frame: number, target: Pose, levels: readonly Level[]): void {
    if (frame === 0) return this.moveBase(target);
    if (!this.solver || this.control.broken.peek()) return this.control.warn("Close the loops to drag a frame.");
    const task: PoseTask = { frame, pose: target, levels };
    this.show(this.solver.follow(this.scene.posture(), task), task);
  }

  private moveBase(target: Pose): void {
    const [roll, pitch, yaw] = angles(target);
    const before = this.store.base.peek();
    const wheeled = this.control.drawn.peek()?.base === "wheeled";
    this.store.base.value = wheeled
      ? [target[3]!, target[7]!, before[2]!, before[3]!, before[4]!, yaw]
      : [target[3]!, target[7]!, target[11]!, roll, pitch, yaw];
  }

  /** Move the robot to the result of a solver, and report what part of a task could not be reached. */
  private show({ q, error, closed, stopped, changedTo }: Followed, task: PoseTask | null): void {
    const view = this.control.drawn.peek()!;
    if (!closed) {
      this.control.warn("The loops cannot close in this pose.");
      return;
    }
    if (!Number.isFinite(error)) {
      this.control.warn("The position of this frame is not a finite number with these parameters.");
      return;
    }
    const before = this.scene.posture();
    this.scene.put(q);
    if (error > REACHED) {
      const names = stopped.map((k) => view.joints[k]!.name).join(", ");
      const limits = stopped.length ? ` with ${names} at ${stopped.length > 1 ? "their limits" : "its limit"}` : "";
      const [first] = task?.levels ?? [];
      const reached = first !== undefined && this.solver!.numeric.taskError(q, { ...task!, levels: [first] }) <= REACHED;
      // Robots with fewer than six degrees of freedom cannot hold the rotation of a frame that moves, and vice versa.
      if (reached) this.control.inform(`The frame has this ${first}${limits}, but another ${first === "position" ? "rotation" : "position"}.`);
      else this.control.warn(`Out of reach: this is the nearest pose${limits}.`);
    } else if (changedTo !== undefined) {
      this.changedFrom ??= this.solver!.configuration(before);
      this.control.warn(`The robot has changed to another configuration${changedTo && ` (${changedTo})`}: its own cannot reach this pose.`);
    } else if (this.changedFrom === null || this.solver?.configuration(q) === this.changedFrom) {
      this.changedFrom = null;
      this.control.note.value = null;
    }
    this.message = this.control.note.peek();
    this.updateGhosts(q);
    this.publish(q, !this.active.peek());
  }

  /** Publish a posture to the other panes, not for each picture of a drag. */
  private publish(q: number[], now: boolean): void {
    const time = performance.now();
    clearTimeout(this.later);
    if (!now && time - this.shownAt < PANEL_INTERVAL) {
      // The pointer may rest in this posture.
      this.later = setTimeout(() => this.publish(this.scene.posture(), true), PANEL_INTERVAL);
      return;
    }
    this.shownAt = time;
    this.control.refused.value = null;
    this.control.publish(q);
    if (this.latest) this.solutions.value = this.latest;
  }

  /** Turn or slide the joint of a link so that a point of the link approaches a line of sight. */
  private pull(frame: number, point: Point, from: Point, direction: Point): void {
    const view = this.control.drawn.peek();
    const postures = this.scene.postures();
    if (!view || !postures || !this.solver) return;
    const joint = this.jointOf(view, frame);
    if (joint === null) return;
    const q = this.scene.posture();
    const T = postures.transforms(q);
    const held = plus(plus(plus(origin(T, frame), axis(T, frame, 0), point[0]), axis(T, frame, 1), point[1]), axis(T, frame, 2), point[2]);
    if (!this.control.moved.peek().includes(joint)) {
      // A passive joint of a loop moves with the whole loop.
      const to = plus(from, direction, dot(minus(held, from), direction));
      const shift = minus(to, held);
      const target = Array.from(T.subarray(16 * (frame - 1), 16 * frame));
      [3, 7, 11].forEach((entry, i) => (target[entry]! += shift[i]!));
      const result = this.solver.numeric.nearest(q, { frame, pose: target, levels: ["position"], point });
      if (result.closed) this.show({ ...result, error: 0 }, null);
      return;
    }
    const { kind, frame: j, lower, upper } = view.joints[joint]!;
    const change = approach(held, origin(T, j), axis(T, j, 2), kind === "P", from, direction);
    const value = clamp(q[joint]! + change, Math.min(lower ?? -Infinity, q[joint]!), Math.max(upper ?? Infinity, q[joint]!));
    const next = [...q];
    next[joint] = value;
    const moved = this.scene.move(next);
    if (moved.closed) this.control.note.value = null;
    else this.control.warn("The loops cannot close at this joint position.");
    this.updateGhosts(moved.q);
    this.publish(moved.q, false);
  }

  /** Return the joint that moves a link, as an index in view.joints; null for links that are fixed to the base. */
  private jointOf(view: View, frame: number): number | null {
    for (let j = frame; j > 0; j = antecedent(view, j)) {
      const k = view.joints.findIndex((joint) => joint.frame === j && !joint.coupled);
      if (k >= 0) return k;
    }
    return null;
  }

  // -- poses as numbers

  /** Return the pose of the chosen frame in frame 0. */
  pose(): number[] {
    const frame = this.frame.value;
    return frame === null ? [] : frame === 0 ? pose(this.store.base.value) : this.scene.transform(frame);
  }

  /** Move the chosen frame to a pose; the mode is the part of the pose that has priority. */
  goTo(target: Pose, mode: GizmoMode): void {
    const frame = this.frame.peek();
    if (frame === null) return;
    this.control.motions.pause();
    this.changedFrom = null;
    if (frame === 0) return this.moveBase(target);
    if (!this.solver || this.control.broken.peek()) return this.control.warn("Close the loops to move a frame.");
    const task: PoseTask = { frame, pose: target, levels: LEVELS[mode] };
    this.show(this.solver.goTo(this.scene.posture(), task), task);
    this.scene.keepInPicture();
  }

  /** Move the chosen frame by a step along the axes of frame 0, or turn it about them. */
  step(entry: 0 | 1 | 2, by: number, mode: GizmoMode): void {
    const frame = this.frame.peek();
    if (frame === null) return;
    this.control.motions.pause();
    this.changedFrom = null;
    const T = this.pose();
    if (mode === "translate") T[4 * entry + 3]! += by * KEY_STEP * this.scene.reach();
    else {
      const turn = pose([0, 0, 0, ...[0, 1, 2].map((k) => (k === entry ? by * KEY_TURN : 0))]);
      const turned = product(turn, T);
      [3, 7, 11].forEach((k) => (turned[k] = T[k]!));
      T.splice(0, 16, ...turned);
    }
    this.drag(frame, T, LEVELS[mode]);
    this.scene.keepInPicture();
  }

  // -- other solutions

  private clear(): void {
    this.latest = null;
    this.solutions.value = null;
    this.scene.ghosts([]);
  }

  /** Draw the solutions of the pose, or remove them. */
  showSolutions(shown: boolean): void {
    this.choose(shown, false);
  }

  /** Search the assembly modes at the current active joints and draw them, or remove them. */
  showModes(shown: boolean): void {
    this.choose(false, shown);
  }

  private choose(solutions: boolean, modes: boolean): void {
    this.latest = null;
    batch(() => {
      this.wanted.value = solutions;
      this.modesWanted.value = modes;
    });
    // The computation follows the signals; assembly modes may be far from the robot.
    if (modes) this.scene.keepInPicture(this.solutions.peek()?.map(({ q }) => q));
  }

  /** Continue the search for assembly modes. */
  searchModes(): void {
    if (this.assembly) this.drawModes(this.assembly.search(this.scene.posture()));
    this.solutions.value = this.latest;
  }

  /** Whether the list of assembly modes is the result of a search, so that other modes may exist. */
  get modesSearched(): boolean {
    return this.assembly !== null && !this.assembly.complete(this.store.q.value);
  }

  private followPosture(q: number[], solutions: boolean | null, modes: boolean): void {
    untracked(() => {
      if (this.active.value || !this.control.ready.value || q.length !== this.control.drawn.value?.joints.length) return;
      if (!solutions && !modes) {
        if (this.solutions.value) this.clear();
        return;
      }
      this.updateGhosts(q);
      this.solutions.value = this.latest;
    });
  }

  /** Compute and draw the solutions of the pose that the end effector has in a posture. */
  private updateGhosts(q: number[]): void {
    if (!this.solver || this.loading || this.control.broken.peek()) return;
    if (this.modesWanted.peek()) return this.assembly ? this.drawModes(this.assembly.at(q)) : undefined;
    if (!this.wanted.peek()) return;
    const T = this.scene.transform(this.endFrame());
    if (this.solver.closedForm) this.latest = this.solver.all(T, q);
    else if (!this.solver.redundant) this.latest = this.latest ? this.solver.moved(this.latest, T, q) : this.solver.sampled(T, q);
    else this.latest = [];
    this.scene.ghosts(this.latest.slice(1).map((one, k) => ({ T: one.T, tag: letter(k) })));
  }

  private drawModes(modes: PoseSolution[]): void {
    this.latest = modes;
    this.scene.ghosts(modes.slice(1).map(({ T, label }) => ({ T, tag: label })));
  }

  /** Go to a solution by its index in the list; 0 is the posture itself. */
  select(k: number): void {
    const solution = this.latest?.[k];
    if (solution) this.control.jump(solution.q);
  }
}

/** Return the letter of another solution; after z, letters with a number. */
export function letter(k: number): string {
  return String.fromCharCode(97 + (k % 26)) + (k < 26 ? "" : Math.floor(k / 26) + 1);
}

function remarkOf(answer: InverseModules, solver: PoseSolver): string {
  if (solver.redundant) return "The robot is redundant: there are infinitely many solutions, and the nearest one is used.";
  if (answer.why_not) return `Computed by iteration from random postures, so that other solutions may exist: ${answer.why_not}`;
  if (!answer.complete) return "The robot is redundant: one joint keeps its position in the solutions.";
  const modes = solver.workingModes;
  return modes > 8 ? `The legs have ${modes} working modes; those that differ in one leg or in all legs are listed.` : "";
}

/**
 * Return the change of a joint variable that brings a point nearest to a line (Gauss-Newton with small damping).
 *
 * @param held point that moves with the joint
 * @param at point on the axis z of the joint
 */
export function approach(held: Point, at: Point, z: Point, slides: boolean, from: Point, direction: Point): number {
  const across = (v: Point): Point => minus(v, plus([0, 0, 0], direction, dot(v, direction)));
  const arm = minus(held, at);
  const along = plus([0, 0, 0], z, dot(arm, z));
  const radial = minus(arm, along);
  const side = cross(z, radial);
  let change = 0;
  for (let k = 0; k < PULL_STEPS; k++) {
    const [c, s] = [Math.cos(change), Math.sin(change)];
    const place: Point = slides ? plus(held, z, change) : plus(plus(plus(at, along, 1), radial, c), side, s);
    const rate = across(slides ? z : plus(plus([0, 0, 0], side, c), radial, -s));
    const error = across(minus(from, place));
    const scale = slides ? 1 : dot(radial, radial);
    // A line of sight along the motion gives no information: the damping keeps the step small there.
    const step = dot(rate, error) / (dot(rate, rate) + 1e-3 * scale + Number.MIN_VALUE);
    change += slides ? step : clamp(step, -0.5, 0.5);
  }
  return change;
}
