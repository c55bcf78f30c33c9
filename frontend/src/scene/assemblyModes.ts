// Assembly modes: all postures with closed loops at the same positions of the active joints.
//
// The closed form of the loops returns every mode. Loops that are closed by Newton's method are solved from random
// postures, within a bounded time, so that other modes may exist. Each mode is verified by the closure of its loops.

import type { View } from "../backend/messages";
import { endFrame } from "./extras";
import { coordinateIndices, freeJoints, random, scaleOf, within } from "./joints";
import { pose, product, type Pose } from "./pose";
import { sequence, type PoseSolution, type PoseSolver } from "./poseSolver";
import type { PostureSolver } from "./posture";

/** An assembly mode; its number remains while the active joints move. */
export interface AssemblyMode extends PoseSolution {
  number: number;
}

type Start = "joints" | "position" | "pose";

/** Largest closure error of a mode (lengths relative to the reach, angles in radians); the models close to 1e-9. */
const CLOSURE = 1e-7;
/** Modes whose frames differ by less are equal (positions relative to the reach, entries of the rotation). */
const EQUAL = 1e-5;
/** Largest number of real assembly modes of a general platform on six legs (P. Dietmaier, 1998). */
const MOST_MODES = 40;
/** Longest search, in milliseconds; the page does not respond meanwhile. */
const SEARCH_MS = 500;
/** The search ends after this number of results in sequence that are known modes. */
const REPEATED = 100;
/** A kind of start is given up after this number of starts without a result, for example turns of a Delta's platform. */
const WITHOUT_RESULT = 25;

export class AssemblyModes {
  private readonly active: number[];
  private readonly passive: number[];
  /** Place of the pose of the end effector in the transforms of all frames. */
  private readonly end: number;
  /** Modes that were computed before; where their loops cannot close, they stay at their last closed posture. */
  private known: AssemblyMode[] = [];
  private readonly chance = sequence();

  constructor(
    private readonly view: View,
    private readonly postures: PostureSolver,
    private readonly solver: PoseSolver,
    private readonly reach: number,
  ) {
    this.active = freeJoints(view, false);
    this.passive = coordinateIndices(view).filter((k) => !this.active.includes(k));
    this.end = 16 * (endFrame(view) - 1);
  }

  /** Whether the closed form of the loops returns every mode; otherwise modes are searched. */
  complete(q: number[]): boolean {
    return this.postures.modesAt(this.activeOf(q), q).length > 1;
  }

  /** Return the modes at the active joints of a posture, starting with its own; the first call searches them. */
  at(q: number[]): AssemblyMode[] {
    const rows = this.postures.modesAt(this.activeOf(q), q);
    if (rows.length > 1) return this.fromClosedForm(rows, q);
    return this.known.length ? this.moved(q) : this.search(q);
  }

  /** Search modes at the active joints of a posture, in addition to those that are known. */
  search(q: number[], milliseconds = SEARCH_MS): AssemblyMode[] {
    const modes = this.moved(q);
    const active = this.activeOf(q);
    const failures = new Map<Start, number>([["joints", 0]]);
    if (this.solver.workingModes) (["position", "pose"] as const).forEach((kind) => failures.set(kind, 0));
    const end = Date.now() + milliseconds;
    for (let repeated = 0; repeated < REPEATED && modes.length < MOST_MODES && failures.size && Date.now() < end; ) {
      for (const [kind, failed] of [...failures]) {
        const start = this.start(kind, q);
        const row = start && this.postures.closedFrom(active, start);
        if (!row || !this.isMode(row)) {
          // A kind of start that has led to a mode is never given up.
          if (failed + 1 < WITHOUT_RESULT) failures.set(kind, failed + 1);
          else failures.delete(kind);
          continue;
        }
        failures.set(kind, -Infinity);
        const mode = this.described(row, this.nextNumber());
        repeated += 1;
        if (modes.some((one) => this.equal(one.T, mode.T))) continue;
        modes.push(mode);
        this.known.push(mode);
        repeated = 0;
      }
    }
    return modes;
  }

  /** Move the known modes to the active joints of a posture; return those whose loops close, starting with its own. */
  private moved(q: number[]): AssemblyMode[] {
    const own = this.described(q, 0);
    const modes: AssemblyMode[] = [];
    this.known = this.known.map((mode) => {
      const to = [...mode.q];
      for (const k of this.active) to[k] = q[k]!;
      const { q: row, closed } = this.postures.move(mode.q, to);
      const next = this.described(row, mode.number);
      if (!closed || !(this.solver.numeric.closure(row) < CLOSURE)) return next;
      if (this.equal(next.T, own.T)) own.number ||= next.number;
      else if (modes.every((one) => !this.equal(one.T, next.T))) modes.push(next);
      return next;
    });
    const first = this.described(q, own.number || this.nextNumber());
    if (!own.number) this.known.push(first);
    return [first, ...modes];
  }

  private nextNumber(): number {
    return 1 + Math.max(0, ...this.known.map(({ number }) => number));
  }

  private fromClosedForm(rows: (number[] | null)[], q: number[]): AssemblyMode[] {
    const modes: AssemblyMode[] = [];
    rows.forEach((row, m) => {
      if (!row || !(this.solver.numeric.closure(row) < CLOSURE)) return;
      const mode = this.described(row, m + 1);
      if (modes.every((one) => !this.equal(one.T, mode.T))) modes.push(mode);
    });
    const T = Float64Array.from(this.postures.transforms(q));
    return modes.sort((a, b) => difference(a.T, T, this.reach) - difference(b.T, T, this.reach));
  }

  private activeOf(q: number[]): number[] {
    return this.active.map((k) => q[k]!);
  }

  /** Return a start of Newton's method: random passive joints, or the legs at a random position or pose of the platform. */
  private start(kind: Start, q: number[]): number[] | null {
    if (kind === "joints") return this.postures.withCutJoints(random(this.view, q, this.passive, this.reach, 1, this.chance));
    const [row] = this.solver.closedFormAt(this.randomPose(q, kind === "pose"), q);
    return row ?? null;
  }

  private randomPose(q: number[], turned: boolean): Pose {
    const T = Array.from(this.endPose(this.postures.transforms(q)));
    const turn = (): number => (turned ? Math.PI * (2 * this.chance() - 1) : 0);
    const target = product(T, pose([0, 0, 0, turn(), turn(), turn()]));
    // A mirrored platform is within twice the reach.
    [3, 7, 11].forEach((entry) => (target[entry] = T[entry]! + 1.5 * this.reach * (2 * this.chance() - 1)));
    return target;
  }

  private endPose(T: Float64Array): Float64Array {
    return T.subarray(this.end, this.end + 16);
  }

  /**
   * Whether the loops of a posture are closed, and the legs of a platform have the active joints of their inverse
   * geometric model there, which excludes parallelograms that are folded to antiparallelograms.
   */
  private isMode(row: number[]): boolean {
    if (!row.every(Number.isFinite) || !(this.solver.numeric.closure(row) < CLOSURE)) return false;
    if (!this.solver.workingModes) return true;
    const T = Array.from(this.endPose(this.postures.transforms(row)));
    const near = (a: number, b: number, k: number): boolean => Math.abs(a - b) < EQUAL * scaleOf(this.view.joints[k]!, this.reach);
    return this.solver.closedFormAt(T, row).some((one) => this.active.every((k) => near(one[k]!, row[k]!, k)));
  }

  /** Whether two postures are one mode: equal poses of the platform, or of all frames of other robots. */
  private equal(A: Float64Array, B: Float64Array): boolean {
    const [a, b] = this.view.platform ? [this.endPose(A), this.endPose(B)] : [A, B];
    return difference(a, b, this.reach) < EQUAL;
  }

  private described(row: number[], number: number): AssemblyMode {
    const inLimits = coordinateIndices(this.view).every((k) => within(this.view.joints[k]!, row[k]!));
    return { q: row, T: Float64Array.from(this.postures.transforms(row)), label: `assembly mode ${number}`, within: inLimits, number };
  }
}

/** Return the largest difference of poses: positions relative to the reach, and entries of the rotations. */
function difference(A: Float64Array, B: Float64Array, reach: number): number {
  return A.reduce((largest, value, e) => Math.max(largest, Math.abs(value - B[e]!) / (e % 4 === 3 ? reach : 1)), 0);
}
