// Postures and frame transforms of a robot from generated code; coupled joints follow, loops are closed.

import type { Placements, View } from "../backend/messages";
import { coordinateIndices, freeJoints, cutJointIndices, scaleOf } from "./joints";
import { load, type LoadedModel } from "./modules";
import { robotSize } from "./polyline";

export interface PostureResult {
  /** Variables of all joints; if the loops cannot be closed, the last posture in which they were closed. */
  q: number[];
  closed: boolean;
}

/** Largest step that stays in one assembly mode (radians, or fraction of the robot's size). */
const STEP = 0.1;
const MOST_STEPS = 40;
/** Largest error of a closed loop (lengths relative to the robot's size, entries of the rotation); models close to 1e-9. */
const OPEN = 1e-6;
/** Calls of five Newton steps each from a posture with open loops. */
const CLOSING_CALLS = 5;

export class PostureSolver {
  private readonly coordinates: number[];
  private readonly opened: number[];
  private readonly driven: number[];
  private readonly coupled: number[];
  private modes: number[] = [];

  constructor(
    readonly view: View,
    private readonly frames: LoadedModel,
    private loops: LoadedModel | null,
    parameters: Record<string, number>,
  ) {
    this.coordinates = coordinateIndices(view);
    this.opened = cutJointIndices(view);
    this.driven = freeJoints(view, false);
    this.coupled = view.joints.flatMap((joint, k) => (joint.coupled ? [k] : []));
    this.setParameters(parameters);
  }

  setParameters(parameters: Record<string, number>): void {
    this.frames.set(parameters);
    this.loops?.set(parameters);
  }

  /** Set the code that closes the loops, which is loaded after the robot. */
  setLoops(loops: LoadedModel | null, parameters: Record<string, number>): void {
    this.loops = loops;
    loops?.set(parameters);
  }

  get closes(): boolean {
    return this.loops !== null;
  }

  /** Return T of all frames in frame 0, 16 numbers each (row-major); the next call overwrites the array. */
  transforms(q: number[]): Float64Array {
    return this.frames.call(this.inputs(q))["T"]!;
  }

  /** Return the poses of the tips of flexible links, as computed by the last call of `transforms`. */
  tips(): Float64Array {
    return this.frames.last("tips");
  }

  /** Set the modal coordinates of flexible links; without them the links are straight. */
  setModes(e: number[] | null): void {
    this.modes = e ?? [];
  }

  private inputs(q: number[]): Record<string, number[]> {
    const e = Array.from({ length: this.frames.size("e") }, (_, k) => this.modes[k] ?? 0);
    return { q: this.coordinates.map((k) => q[k] ?? 0), qc: this.opened.map((k) => q[k] ?? 0), e };
  }

  /** Return the posture with coupled joints computed from their master joints. */
  follow(q: number[]): number[] {
    const positions = this.coupled.length ? this.frames.call(this.inputs(q))["joints"] : undefined;
    if (!positions) return q;
    const posture = [...q];
    for (const k of this.coupled) posture[k] = positions[k]!;
    return posture;
  }

  /** Return the cut joints as determined by the two sides of their loops; exact if the loops are closed. */
  withCutJoints(q: number[]): number[] {
    if (!this.opened.length) return q;
    const posture = [...q];
    for (const k of this.opened) posture[k] = 0;
    const T = this.transforms(posture);
    for (const k of this.opened) {
      const joint = this.view.joints[k]!;
      const loop = this.view.loops.find((one) => one.opened === joint.frame);
      if (loop) posture[k] = between(T, joint.frame, loop.twin, joint.kind === "P");
    }
    return posture;
  }

  /** Return the largest error between the two sides of a loop: lengths relative to the robot's size, and rotations. */
  loopError(q: number[]): number {
    return this.loopErrors(q).reduce((largest, error) => Math.max(largest, Math.abs(error)), 0);
  }

  /** Return the differences between the two sides of each loop: lengths relative to the robot's size, and rotations. */
  loopErrors(q: number[]): number[] {
    const T = this.transforms(q);
    const size = robotSize(T);
    return this.view.loops.flatMap(({ opened, twin }) =>
      Array.from({ length: 12 }, (_, e) => (T[at(opened) + e]! - T[at(twin) + e]!) / (e % 4 === 3 ? size : 1)),
    );
  }

  /** Return the units in which the positions of all joints are compared. */
  private scales(q: number[]): number[] {
    const size = robotSize(this.transforms(q));
    return this.view.joints.map((joint) => scaleOf(joint, size));
  }

  /** Move from one posture to another; loops stay closed in the same assembly mode unless they are open by choice. */
  move(from: number[], to: number[], broken = false): PostureResult {
    if (!this.view.loops.length || broken) return { q: this.follow(to), closed: true };
    if (!this.loops) return { q: from, closed: false };
    if (!(this.loopError(from) < OPEN)) return this.closeFromOpen(to);
    const change = this.driven.map((k) => to[k]! - from[k]!);
    const scales = this.scales(from);
    const largest = Math.max(...change.map((by, n) => Math.abs(by) / scales[this.driven[n]!]!), 0);
    const steps = Math.min(MOST_STEPS, Math.max(1, Math.ceil(largest / STEP)));
    let q = from;
    for (let i = 1; i <= steps; i++) {
      const active = this.driven.map((k, n) => from[k]! + (change[n]! * i) / steps);
      const next = this.closed(active, q);
      if (!next) return { q, closed: false };
      q = next;
    }
    return { q, closed: true };
  }

  /** From open loops, active joints move freely until they reach a posture in which the loops can be closed. */
  private closeFromOpen(to: number[]): PostureResult {
    const posture = this.closedFrom(this.driven.map((k) => to[k]!), to);
    return posture ? { q: posture, closed: true } : { q: this.follow(this.withCutJoints(to)), closed: false };
  }

  /** Return a posture with closed loops at given active joints, from a start with open loops; null if none is reached. */
  closedFrom(active: number[], start: number[]): number[] | null {
    let near = start;
    for (let k = 0; k < CLOSING_CALLS; k++) {
      const posture = this.closed(active, near);
      if (posture) return posture;
      const next = this.approached(active, near);
      if (!next) break;
      near = next;
    }
    return null;
  }

  /** Return the posture after the Newton steps of one call, from which the next call continues; null for a closed form. */
  private approached(active: number[], near: number[]): number[] | null {
    const { q, qc } = this.inputs(near);
    const out = this.loops!.call({ qa: active, q0: q!, qc0: qc! });
    if (out["status"]!.length > 1) return null;
    const posture = this.mode(out, 0, near);
    return posture.every(Number.isFinite) ? posture : null;
  }

  /** Return the nearest posture with closed loops at given active joints; null if there is none. */
  closed(active: number[], near: number[]): number[] | null {
    let best: number[] | null = null;
    let smallest = Infinity;
    const scales = this.scales(near);
    const distance = (posture: number[]): number => this.coordinates.reduce((sum, k) => sum + ((posture[k]! - near[k]!) / scales[k]!) ** 2, 0);
    for (const posture of this.modesAt(active, near)) {
      if (posture && distance(posture) < smallest) [best, smallest] = [posture, distance(posture)];
    }
    return best;
  }

  /**
   * Return the postures of all assembly modes of the closed form at given active joints, null for those whose loops
   * cannot close; Newton's method has one mode, near the given posture.
   */
  modesAt(active: number[], near: number[]): (number[] | null)[] {
    if (!this.loops) return [];
    const { q, qc } = this.inputs(near);
    const out = this.loops.call({ qa: active, q0: q!, qc0: qc! });
    return Array.from(out["status"]!, (status, m) => {
      if ((status !== 0 && status !== 2) || !(out["residual"]![m]! < OPEN)) return null;
      return this.mode(out, m, near);
    }).map((posture) => posture && this.follow(posture));
  }

  private mode(out: Record<string, Float64Array>, m: number, near: number[]): number[] {
    const posture = [...near];
    const n = this.coordinates.length;
    this.coordinates.forEach((k, i) => (posture[k] = this.nearestAngle(k, out["q"]![m * n + i]!, near[k]!)));
    const c = this.opened.length;
    if (out["qc"]) this.opened.forEach((k, i) => (posture[k] = this.nearestAngle(k, out["qc"]![m * c + i]!, near[k]!)));
    return posture;
  }

  /** Return an angle plus the full turns nearest to the previous value, so that a joint can turn continuously. */
  private nearestAngle(k: number, value: number, before: number): number {
    if (this.view.joints[k]!.kind !== "R") return value;
    return value + 2 * Math.PI * Math.round((before - value) / (2 * Math.PI));
  }
}

function at(frame: number): number {
  return 16 * (frame - 1);
}

/** Return the joint variable that maps one frame to another by a rotation about, or translation along, z. */
function between(T: Float64Array, left: number, right: number, slide: boolean): number {
  const [a, b] = [at(left), at(right)];
  const column = (start: number, c: number) => [T[start + c]!, T[start + 4 + c]!, T[start + 8 + c]!];
  const dot = (u: number[], v: number[]) => u[0]! * v[0]! + u[1]! * v[1]! + u[2]! * v[2]!;
  if (!slide) return Math.atan2(dot(column(a, 1), column(b, 0)), dot(column(a, 0), column(b, 0)));
  const [p, r] = [column(a, 3), column(b, 3)];
  return dot(column(a, 2), [r[0]! - p[0]!, r[1]! - p[1]!, r[2]! - p[2]!]);
}

/** Return the posture computation of a robot from the answer of `frames`; `address` as in `load`. */
export async function loadPostureSolver(
  view: View,
  placements: Placements,
  parameters: Record<string, number>,
  address?: (source: string) => string,
): Promise<PostureSolver> {
  const frames = await load(placements.frames, address);
  const loops = placements.loops && (await load(placements.loops, address));
  return new PostureSolver(view, frames, loops, parameters);
}
