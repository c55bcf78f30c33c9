// Numeric inverse geometry for every structure: damped least squares with priorities, closed loops and joint limits.
//
//   loops      C dq = c             first priority, Newton's method: C is the difference of the Jacobians of the two
//                                   frames of each cut
//   tasks      min |J dq - e|^2 + w |e|^2 |dq|^2 in the null space of what precedes (position before rotation, or
//                                   rotation before position); the damping vanishes with the error, so that the
//                                   iteration converges quadratically, and bounds each step at singularities;
//                                   w = 1, and grows while steps increase the error (Levenberg-Marquardt)
//   limits     a joint that would exceed its limit moves to the limit and stays there
//
// Jacobians follow from the transforms of all frames: z x (p - p_j), z for a revolute and z, 0 for a prismatic joint.
// Lengths are divided by the reach of the robot, so that lengths and angles are comparable.
//
// Y. Nakamura, Advanced robotics: redundancy and optimization, 1991, chapters 4 and 9; T. Sugihara, Solvability-unconcerned
// inverse kinematics by the Levenberg-Marquardt method, IEEE Transactions on Robotics 27(5), 2011.

import type { View } from "../backend/messages";
import { antecedent } from "./extras";
import { coordinateIndices, cutJointIndices, scaleOf } from "./joints";
import { dampedSolution, dot, extendBasis, removeComponents, type Vector } from "./linear";
import { rotationVector, type Pose, type Triple } from "./pose";
import type { PostureSolver } from "./posture";

export type Level = "position" | "rotation";

export interface PoseTask {
  frame: number;
  /** Pose in frame 0, row-major. */
  pose: Pose;
  /** Parts of the pose by priority; parts that are not listed are free. */
  levels: readonly Level[];
  /** Point of the frame that takes the position; default: its origin. */
  point?: Triple;
}

export interface NumericResult {
  q: number[];
  /** Distance of the point from its position, relative to the reach, and angle of the rotation (rad), if in the task. */
  error: number;
  /** Whether the loops are closed. */
  closed: boolean;
  /** Joints (indices in view.joints) that have stopped at a limit. */
  stopped: number[];
}

interface Equations {
  rows: Vector[];
  errors: number[];
  /** Norm of the errors before they are shortened. */
  size: number;
  damped: boolean;
}

/** Largest loop error (lengths relative to the reach, angles in radians); Newton's method ends near 1e-15. */
const CLOSED = 1e-9;
/** Largest change of a joint per iteration (radians, or fraction of the reach). */
const LARGEST_STEP = 0.5;
/** Larger errors of a task are shortened to this (fraction of the reach, or radians), so that the damping remains small. */
const LARGEST_ERROR = 0.3;
/** Steps below this are rounding errors. */
const SMALLEST_STEP = 1e-13;
/** Loops that are closed to this do not explain a larger error of the first task. */
const COMPARABLE = 1e-6;
/** Rows that are shorter outside the levels above are rounding errors, which would give arbitrary steps (lengths relative to the reach). */
const DEPENDENT = 1e-8;
/** Relative increase of the first task's error that is more than rounding. */
const INCREASE = 1e-9;
/** Factor of the damping after a step that has increased the error. */
const MORE_DAMPING = 8;
/** Divisor of the damping after a step that has reduced the error. */
const LESS_DAMPING = 2;
/** Weights of the damping above this leave no step that reduces the error. */
const LARGEST_WEIGHT = 1e6;
const ITERATIONS = 24;
const LIMIT_PASSES = 6;

export class NumericInverse {
  /** Joints that are moved: independent ones without springs, and cut joints. */
  private readonly variables: number[];
  /** Per joint: the variables that move it, and their ratios. */
  private readonly drivers: { variable: number; ratio: number }[][];
  private readonly jointOfFrame: Map<number, number>;
  private readonly paths = new Map<number, number[]>();

  constructor(
    private readonly view: View,
    private readonly postures: PostureSolver,
    private readonly reach: number,
  ) {
    const all = [...coordinateIndices(view), ...cutJointIndices(view)];
    this.variables = all.filter((k) => !view.joints[k]!.elastic);
    this.jointOfFrame = new Map(view.joints.map((joint, k) => [joint.frame, k]));
    this.drivers = this.couplings();
  }

  /** Coupled positions are affine functions of the coordinates, so that differences give their ratios. */
  private couplings(): { variable: number; ratio: number }[][] {
    const drivers = this.view.joints.map((_, k) => {
      const variable = this.variables.indexOf(k);
      return variable < 0 ? [] : [{ variable, ratio: 1 }];
    });
    const coupled = this.view.joints.flatMap((joint, k) => (joint.coupled ? [k] : []));
    if (!coupled.length) return drivers;
    const zero = this.view.joints.map(() => 0);
    const offsets = this.postures.follow(zero);
    this.variables.forEach((k, variable) => {
      const moved = [...zero];
      moved[k] = 1;
      const positions = this.postures.follow(moved);
      for (const c of coupled) {
        const ratio = positions[c]! - offsets[c]!;
        if (ratio !== 0) drivers[c]!.push({ variable, ratio });
      }
    });
    return drivers;
  }

  /** Return the joints (indices in view.joints) whose motion changes the pose of a frame; all of them if there are loops. */
  movers(frame: number): number[] {
    if (this.view.loops.length) return this.variables;
    const driving = new Set(this.path(frame).flatMap((k) => this.drivers[k]!.map(({ variable }) => variable)));
    return this.variables.filter((_, variable) => driving.has(variable));
  }

  /** Return the joints between the base and a frame. */
  private path(frame: number): number[] {
    let joints = this.paths.get(frame);
    if (joints) return joints;
    joints = [];
    for (let j = frame; j > 0; j = antecedent(this.view, j)) {
      const k = this.jointOfFrame.get(j);
      if (k !== undefined) joints.push(k);
    }
    this.paths.set(frame, joints);
    return joints;
  }

  private scale(k: number): number {
    return scaleOf(this.view.joints[k]!, this.reach);
  }

  /** Add the Jacobian of a point on a frame to six rows: position (relative to the reach), then rotation. */
  private addJacobian(rows: Vector[], T: ArrayLike<number>, frame: number, at: Triple, sign: number): void {
    for (const k of this.path(frame)) {
      const drivers = this.drivers[k]!;
      if (!drivers.length) continue;
      const { frame: j, kind } = this.view.joints[k]!;
      const o = 16 * (j - 1);
      const [x, y, z] = [T[o + 2]!, T[o + 6]!, T[o + 10]!];
      for (const { variable, ratio } of drivers) {
        const factor = sign * ratio * this.scale(this.variables[variable]!);
        if (kind === "P") {
          rows[0]![variable]! += (factor * x) / this.reach;
          rows[1]![variable]! += (factor * y) / this.reach;
          rows[2]![variable]! += (factor * z) / this.reach;
          continue;
        }
        const [a, b, c] = [at[0] - T[o + 3]!, at[1] - T[o + 7]!, at[2] - T[o + 11]!];
        rows[0]![variable]! += (factor * (y * c - z * b)) / this.reach;
        rows[1]![variable]! += (factor * (z * a - x * c)) / this.reach;
        rows[2]![variable]! += (factor * (x * b - y * a)) / this.reach;
        rows[3]![variable]! += factor * x;
        rows[4]![variable]! += factor * y;
        rows[5]![variable]! += factor * z;
      }
    }
  }

  private sixRows(): Vector[] {
    return Array.from({ length: 6 }, () => new Float64Array(this.variables.length));
  }

  /** Return position (relative to the reach) and rotation vector from one frame of a cut to the other one. */
  private gap(T: ArrayLike<number>, opened: number, twin: number): number[] {
    const [a, b] = [16 * (opened - 1), 16 * (twin - 1)];
    return [...[3, 7, 11].map((e) => (T[b + e]! - T[a + e]!) / this.reach), ...rotationVector(T, a, T, b)];
  }

  private loopRows(T: ArrayLike<number>): { rows: Vector[]; errors: number[] } {
    const [rows, errors]: [Vector[], number[]] = [[], []];
    for (const { opened, twin } of this.view.loops) {
      const [a, b] = [16 * (opened - 1), 16 * (twin - 1)];
      const at = [T[a + 3]!, T[a + 7]!, T[a + 11]!] as Triple;
      const to = [T[b + 3]!, T[b + 7]!, T[b + 11]!] as Triple;
      const six = this.sixRows();
      this.addJacobian(six, T, opened, at, 1);
      this.addJacobian(six, T, twin, to, -1);
      rows.push(...six);
      errors.push(...this.gap(T, opened, twin));
    }
    return { rows, errors };
  }

  private taskRows(T: ArrayLike<number>, task: PoseTask): { rows: Vector[]; errors: number[] } {
    const o = 16 * (task.frame - 1);
    const [u, v, w] = task.point ?? [0, 0, 0];
    const point = (M: ArrayLike<number>, from: number): Triple =>
      [0, 4, 8].map((row) => {
        const r = from + row;
        return M[r]! * u + M[r + 1]! * v + M[r + 2]! * w + M[r + 3]!;
      }) as Triple;
    const at = point(T, o);
    const rows = this.sixRows();
    this.addJacobian(rows, T, task.frame, at, 1);
    const to = point(task.pose, 0);
    return { rows, errors: [...to.map((value, i) => (value - at[i]!) / this.reach), ...rotationVector(T, o, task.pose, 0)] };
  }

  private levels(T: ArrayLike<number>, task: PoseTask | null): Equations[] {
    const levels: Equations[] = [];
    if (this.view.loops.length) {
      const loops = this.loopRows(T);
      levels.push({ ...loops, size: Math.hypot(...loops.errors), damped: false });
    }
    if (!task) return levels;
    const { rows, errors } = this.taskRows(T, task);
    for (const level of task.levels) {
      const [from, to] = level === "position" ? [0, 3] : [3, 6];
      const part = errors.slice(from, to);
      levels.push({ rows: rows.slice(from, to), errors: shortened(part), size: Math.hypot(...part), damped: true });
    }
    return levels;
  }

  /**
   * Return the posture nearest to a task, with closed loops. A task out of reach pulls the loops open at the limit of their
   * motion; the result is then the posture in which they close again, or the start.
   */
  nearest(start: number[], task: PoseTask, iterations = ITERATIONS): NumericResult {
    const result = this.solve(start, task, iterations);
    if (result.closed) return result;
    const closed = [this.solve(result.q, null, iterations).q, start].filter((q) => this.closure(q) < CLOSED);
    const [nearest] = closed.map((q) => this.result(q, task, result.stopped)).sort((a, b) => a.error - b.error);
    return nearest ?? result;
  }

  /** Return the posture nearest to a task, from a posture nearby; without a task the loops are closed. */
  solve(start: number[], task: PoseTask | null, iterations = ITERATIONS): NumericResult {
    const { view, variables } = this;
    const q = [...start];
    // A posture outside the limits may stay where it is, but not move further outside.
    const lower = variables.map((k) => Math.min(view.joints[k]!.lower ?? -Infinity, q[k]!));
    const upper = variables.map((k) => Math.max(view.joints[k]!.upper ?? Infinity, q[k]!));
    const stopped = new Set<number>();
    let last: { q: number[]; error: number } | null = null;
    let [finished, firstAlone, weight] = [false, false, 1];
    for (let i = 0; i < iterations && !finished; i++) {
      const levels = this.levels(this.postures.transforms(q), task);
      const [loops, first] = view.loops.length ? levels : [null, levels[0]];
      const error = first?.size ?? 0;
      const comparable = !loops || loops.size < COMPARABLE;
      // Close to a singularity a level of lower priority may disturb the first one; then the first one moves alone.
      if (last && comparable && error > last.error * (1 + INCREASE) + SMALLEST_STEP) {
        variables.forEach((k) => (q[k] = last!.q[k]!));
        last = null;
        if (firstAlone) weight *= MORE_DAMPING;
        firstAlone = true;
        finished = weight > LARGEST_WEIGHT;
        continue;
      }
      if (last) weight = Math.max(1, weight / LESS_DAMPING);
      last = comparable ? { q: [...q], error } : null;
      const used = firstAlone ? levels.slice(0, loops ? 2 : 1) : levels;
      const step = this.step(used, weight, (v) => [lower[v]! - q[variables[v]!]!, upper[v]! - q[variables[v]!]!], stopped);
      const largest = step.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const share = Math.min(1, LARGEST_STEP / Math.max(largest, LARGEST_STEP));
      variables.forEach((k, v) => {
        const next = q[k]! + share * step[v]! * this.scale(k);
        q[k] = Math.min(Math.max(next, lower[v]!), upper[v]!);
      });
      finished = !(largest > SMALLEST_STEP);
    }
    // A joint that stopped may have moved away from its limit later.
    const atLimit = (v: number): boolean =>
      Math.min(q[variables[v]!]! - lower[v]!, upper[v]! - q[variables[v]!]!) <= SMALLEST_STEP * this.scale(variables[v]!);
    return this.result(this.postures.follow(q), task, [...stopped].filter(atLimit).map((v) => variables[v]!));
  }

  /** Return the largest closure error of the loops in a posture (lengths relative to the reach, angles in radians). */
  closure(q: number[]): number {
    const T = this.postures.transforms(q);
    return largest(this.view.loops.flatMap(({ opened, twin }) => this.gap(T, opened, twin)));
  }

  /** Return the error of a posture: see NumericResult. */
  taskError(q: number[], task: PoseTask): number {
    const { errors } = this.taskRows(this.postures.transforms(q), task);
    return largest(task.levels.map((level) => Math.hypot(...(level === "position" ? errors.slice(0, 3) : errors.slice(3)))));
  }

  private result(q: number[], task: PoseTask | null, stopped: number[]): NumericResult {
    return { q, error: task ? this.taskError(q, task) : 0, closed: this.closure(q) < CLOSED, stopped };
  }

  /** Return the step of all levels in scaled variables; variables that reach a limit are fixed there. */
  private step(
    levels: Equations[],
    weight: number,
    room: (variable: number) => number[],
    stopped: Set<number>,
  ): Vector {
    const n = this.variables.length;
    const fixed = new Map<number, number>();
    let step = new Float64Array(n);
    for (let pass = 0; pass < LIMIT_PASSES; pass++) {
      step = new Float64Array(n);
      const basis: Vector[] = [];
      for (const [v, value] of fixed) {
        step[v] = value;
        const unit = new Float64Array(n);
        unit[v] = 1;
        basis.push(unit);
      }
      for (const { rows, errors, damped } of levels) {
        const rest = rows.map((row, i) => errors[i]! - dot(row, step));
        const free = rows.map((row) => Float64Array.from(row));
        for (const row of free) {
          removeComponents(row, basis);
          if (dot(row, row) < DEPENDENT ** 2) row.fill(0);
        }
        const part = dampedSolution(free, rest, damped ? weight * dot(rest, rest) : 0, n);
        for (let v = 0; v < n; v++) step[v]! += part[v]!;
        extendBasis(basis, free);
      }
      let exceeded = false;
      for (let v = 0; v < n; v++) {
        if (fixed.has(v)) continue;
        const scale = this.scale(this.variables[v]!);
        const [least, most] = room(v) as [number, number];
        const change = step[v]! * scale;
        if (change >= least && change <= most) continue;
        fixed.set(v, (change < least ? least : most) / scale);
        stopped.add(v);
        exceeded = true;
      }
      if (!exceeded) break;
    }
    return step;
  }
}

function largest(values: number[]): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

function shortened(error: number[]): number[] {
  const share = Math.min(1, LARGEST_ERROR / Math.max(Math.hypot(...error), LARGEST_ERROR));
  return error.map((value) => share * value);
}
