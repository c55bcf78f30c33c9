// Motions that symoro computes: trajectories with their torques, and simulations that are shown while they run.

import { effect, signal } from "@preact/signals";

import { Failure, type Problem, type Progress } from "../backend/backend";
import type { About, Piece, SimulationAnswer, TrajectoryAnswer, View } from "../backend/messages";
import type { Store } from "../store/store";
import { location } from "./extras";
import { coordinateIndices } from "./joints";
import { angles, inverse, pose, product, quaternion } from "./pose";
import { assemblyPosture, simulatedJoints, type FormKind } from "./trajectoryText";
import type { MotionEfforts, Motion } from "./scene";

type MotionAnswer = Pick<TrajectoryAnswer, "times" | "q" | "frame" | "joints" | "units" | "tau" | "efforts">;

/** The part of the controller that computed motions use. */
interface Host {
  readonly motions: { pause(): void; show(motion: Motion): void; grow(motion: Motion): void; grown(motion: Motion | null): void };
}

/** Settings of a simulation. */
export interface SimulationSettings {
  duration: number;
  step: number;
  method: string;
  friction: string;
  stops: string;
  /** Constant torques, or computed-torque control along the trajectory. */
  drive: "torques" | "trajectory";
  /** Gains of computed-torque control, in 1/s2 and 1/s. */
  kp: number;
  kd: number;
}

const SETTINGS: SimulationSettings = {
  duration: 5,
  step: 0.01,
  method: "DOP853",
  friction: "events",
  stops: "none",
  drive: "torques",
  kp: 400,
  kd: 40,
};

export class Runs {
  /** Text of the edited trajectory. */
  readonly text = signal("");
  readonly running = signal<"trajectory" | "excitation" | "simulation" | null>(null);
  readonly progress = signal<Progress | null>(null);
  readonly problem = signal<Problem | null>(null);
  readonly trajectory = signal<TrajectoryAnswer | null>(null);
  /** Torques of a simulation, by the frame numbers of the joints. */
  readonly torques = signal<Record<number, number>>({});
  /** Initial velocities of a simulation, by the frame numbers of the joints. */
  readonly velocities = signal<Record<number, number>>({});
  /** Initial velocity of a floating base: linear, then angular. */
  readonly baseVelocity = signal<number[]>([0, 0, 0, 0, 0, 0]);
  /** Initial modal coordinates of flexible links and their rates, by the places of their names in view.modes. */
  readonly modes = signal<Record<number, number>>({});
  readonly modeRates = signal<Record<number, number>>({});
  readonly settings = signal(SETTINGS);
  /** Integrators that the service offers; null until it has answered. */
  readonly integrators = signal<string[] | null>(null);
  /** Kind of the part that the form adds to the trajectory. */
  readonly part = signal<FormKind>("joints");
  /** Result of the last simulation as text. */
  readonly ended = signal<string | null>(null);
  private abort: AbortController | null = null;

  constructor(
    private readonly store: Store,
    private readonly of: Host,
  ) {}

  stop(): void {
    this.abort?.abort();
  }

  /** Discard all results, because they belong to the previous robot. */
  reset(): void {
    this.stop();
    this.text.value = "";
    this.part.value = "joints";
    this.torques.value = {};
    this.velocities.value = {};
    this.baseVelocity.value = [0, 0, 0, 0, 0, 0];
    this.modes.value = {};
    this.modeRates.value = {};
    this.settings.value = SETTINGS;
    this.problem.value = null;
    this.trajectory.value = null;
    this.ended.value = null;
  }

  async follow(step: number): Promise<void> {
    const view = this.store.view.value;
    if (!view) return;
    const posture = assemblyPosture(view, this.store.q.value, this.text.value);
    const payload = { robot: view.robot, text: this.text.value, step, values: this.store.parameters.value, ...(posture && { posture }) };
    const answer = await this.request<TrajectoryAnswer>("trajectory", "trajectory", payload);
    if (!answer) return;
    this.trajectory.value = answer;
    this.of.motions.show({ ...motionOf(answer), efforts: { ...effortsOf(answer), power: answer.power } });
  }

  /** Compute an exciting trajectory for identification and put its text into the editor. */
  async excite(harmonics: number, frequency: number): Promise<void> {
    const view = this.store.view.value;
    if (!view) return;
    const payload = { robot: view.robot, harmonics, frequency, values: this.store.parameters.value };
    const answer = await this.request<{ text: string }>("excitation", "excitation", payload);
    if (answer) this.text.value = answer.text;
  }

  /** Request the integrators that can run, once. */
  async loadIntegrators(): Promise<void> {
    if (this.integrators.value) return;
    try {
      this.integrators.value = (await this.store.backend.call<About>("about")).integrators;
    } catch (error) {
      this.problem.value = problemOf(error);
    }
  }

  async simulate(): Promise<void> {
    const view = this.store.view.value;
    if (!view) return;
    const settings = this.settings.value;
    const joints = simulatedJoints(view).map((k) => view.joints[k]!);
    const driven = settings.drive === "trajectory" && this.text.value !== "";
    this.ended.value = null;
    this.of.motions.pause();
    const q = this.store.q.value;
    const payload = {
      robot: view.robot,
      q: coordinateIndices(view).map((k) => q[k] ?? 0),
      duration: settings.duration,
      step: settings.step,
      method: settings.method,
      friction: settings.friction,
      ...(settings.stops !== "none" && { stops: settings.stops === "end" ? "end" : Number(settings.stops) }),
      qd: joints.map(({ frame }) => this.velocities.value[frame] ?? 0),
      start: this.start(view),
      ...(driven
        ? { track: this.text.value, kp: settings.kp, kd: settings.kd }
        : { tau: joints.map(({ active, frame }) => (active ? (this.torques.value[frame] ?? 0) : 0)) }),
      values: this.store.parameters.value,
    };
    const growing = new MotionStream(view);
    const receive = (pieces: Piece[]): void => this.of.motions.grow(growing.add(pieces));
    const { opened } = this.store;
    const robot = opened.value;
    const answer = await this.request<SimulationAnswer>("simulation", "simulate", payload, receive);
    if (robot !== opened.value) return;
    if (!answer) {
      this.of.motions.grown(null);
      if (growing.length) this.ended.value = `stopped: ${growing.length} samples computed, up to ${growing.last.toFixed(2)} s`;
      return;
    }
    const { kinetic, potential } = answer;
    const motion = { ...motionOf(answer), base: answer.base, modes: answer.modes, efforts: { ...effortsOf(answer), kinetic, potential } };
    // A simulation that ended before its first piece arrived is played from its start.
    if (growing.length > 1) this.of.motions.grown(motion);
    else this.of.motions.show(motion);
    const result = answer.finished ? `${answer.samples} samples` : `the simulation ended early: ${answer.why}`;
    const still = answer.finished && isStill(answer) ? [AT_REST] : [];
    this.ended.value = [result, ...still, ...answer.warnings].map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`).join(" ");
  }

  /** Return the initial state other than that of the joints: pose and velocity of the base, modal coordinates. */
  private start(view: View): Record<string, number[]> {
    const base = pose(this.store.base.value);
    const modes = (given: Record<number, number>): number[] | undefined => view.modes?.map((_, k) => given[k] ?? 0);
    const [e, ed] = [modes(this.modes.value), modes(this.modeRates.value)];
    const flexible = { ...(e && { e }), ...(ed && { ed }) };
    if (view.base === "floating") return { P0: [base[3]!, base[7]!, base[11]!], Q0: quaternion(base), V0: this.baseVelocity.value, ...flexible };
    if (view.base !== "wheeled") return flexible;
    // The model describes the motion in the plane of the wheels, which the robot's location determines.
    const planar = product(inverse(location(view)), base);
    return { pose: [planar[3]!, planar[7]!, angles(planar)[2]], ...flexible };
  }

  /** Request a computation for the robot in its present form; an edit of the robot ends it. */
  private async request<T>(
    what: "trajectory" | "excitation" | "simulation",
    call: string,
    payload: object,
    onPieces?: (pieces: Piece[]) => void,
  ): Promise<T | null> {
    this.stop();
    const { opened, view } = this.store;
    const [robot, described] = [opened.value, view.value];
    const asking = new AbortController();
    this.abort = asking;
    this.running.value = what;
    this.problem.value = null;
    this.progress.value = {};
    const onProgress = (report: Progress): void => {
      if (asking.signal.aborted) return;
      const { pieces, ...rest } = report;
      this.progress.value = rest;
      if (pieces && onPieces) onPieces(pieces as Piece[]);
    };
    const end = effect(() => {
      if (view.value !== described) asking.abort();
    });
    try {
      return await this.store.backend.call<T>(call, payload, { signal: asking.signal, onProgress });
    } catch (error) {
      if (!asking.signal.aborted) this.problem.value = problemOf(error);
      else if (view.value !== described && opened.value === robot) this.problem.value = EDITED;
      return null;
    } finally {
      end();
      if (this.abort === asking) {
        this.abort = null;
        this.running.value = null;
        this.progress.value = null;
      }
    }
  }
}

const EDITED: Problem = { kind: "Edited", message: "the computation was stopped, because the robot was edited; start it again" };
const AT_REST = "the robot stays at rest, because all forces are balanced; move a joint, or give torques or initial velocities";
/** Displacements below this number (rad or m) are not visible. */
const NO_MOTION = 1e-9;

/** Whether neither the joints nor the base nor the flexible links move. */
function isStill({ q, base, modes }: SimulationAnswer): boolean {
  return [q, base ?? [], modes ?? []].every((rows) => rows.every((row) => row.every((value, k) => Math.abs(value - rows[0]![k]!) < NO_MOTION)));
}

function problemOf(error: unknown): Problem {
  if (error instanceof Failure) return error.problem;
  return { kind: "Error", message: error instanceof Error ? error.message : String(error) };
}

function motionOf({ times, q, frame }: MotionAnswer): Motion {
  return { times, q, frame };
}

function effortsOf({ joints, units, tau, efforts }: MotionAnswer): MotionEfforts {
  return { joints, units, tau, limits: efforts };
}

/** A motion that arrives in pieces. */
export class MotionStream {
  private readonly times: number[] = [];
  private readonly q: number[][] = [];
  private readonly tau: (number | null)[][] = [];
  private readonly base: number[][] = [];
  private readonly modes: number[][] = [];
  private readonly joints: number[];
  private readonly units: string[];

  constructor(view: View) {
    const places = simulatedJoints(view);
    this.joints = places.map((k) => view.joints[k]!.frame);
    this.units = places.map((k) => (view.joints[k]!.kind === "P" ? "N" : "N m"));
  }

  get length(): number {
    return this.times.length;
  }

  get last(): number {
    return this.times.at(-1) ?? 0;
  }

  add(pieces: Piece[]): Motion {
    for (const piece of pieces) {
      this.times.push(...piece.times);
      this.q.push(...piece.q);
      this.tau.push(...piece.tau);
      if (piece.base) this.base.push(...piece.base);
      if (piece.modes) this.modes.push(...piece.modes);
    }
    const efforts = { joints: this.joints, units: this.units, tau: [...this.tau], limits: this.joints.map(() => null) };
    const [base, modes] = [this.base, this.modes].map((rows) => (rows.length ? [...rows] : null));
    return { times: [...this.times], q: [...this.q], base, modes, efforts };
  }
}
