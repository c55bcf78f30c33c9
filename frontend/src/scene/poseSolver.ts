// All postures that reach a pose, by the generated inverse geometric model, and by iteration where it has no closed form.

import type { InverseModules, View } from "../backend/messages";
import { Configurations, distinct } from "./configuration";
import { endFrame } from "./extras";
import { coordinateIndices, cutJointIndices, random, scaleOf, within } from "./joints";
import { load, type LoadedModel } from "./modules";
import { NumericInverse, type Level, type PoseTask } from "./numericInverse";
import type { Pose } from "./pose";
import type { PostureSolver } from "./posture";

export interface PoseSolution {
  q: number[];
  /** Transforms of all frames. */
  T: Float64Array;
  /** Configuration: shoulder, elbow and wrist of an arm, or working modes of the legs of a platform. */
  label: string;
  /** Whether all joints are within their limits. */
  within: boolean;
}

/** Result of following a pose. */
export interface Followed {
  q: number[];
  /** Error of the pose: distance relative to the reach, or angle (rad). */
  error: number;
  closed: boolean;
  stopped: number[];
  /** Name of the other configuration to which the robot has changed ("" if it has no name); absent if it has not. */
  changedTo?: string;
}

/** Largest accepted error of a solution (lengths relative to the reach, angles in radians); models are accurate to 1e-9. */
const ACCURACY = 1e-7;
/** Largest change of a joint between two pictures in one configuration (radians, or fraction of the reach). */
const CONTINUOUS = 0.6;
/** Changes of a pose below this are small (fraction of the reach, or radians): a large change of the joints is then a jump. */
const SMALL_STEP = 0.1;
/** Postures that differ by less are equal (radians, or fraction of the reach). */
const EQUAL = 1e-5;
/** With more legs not all combinations of working modes are drawn, because there are 2^legs of them. */
const MOST_LEGS = 3;
const STARTS = 60;
/** More solutions than a general arm has mean that the pose does not determine the joints. */
const MOST_SAMPLED = 16;
/** Longest search for solutions, in milliseconds; the page does not respond meanwhile. */
const SAMPLING_MS = 400;
/** Iterations to a pose that is not near the current one. */
const LONG_WAY = 200;
/** Random positions of the joint that the closed form keeps, and random starts, per picture of a pose that is not reached. */
const KEPT_POSITIONS = 16;
const RECOVERY_STARTS = 4;
/** Random starts for the posture nearest to a typed pose that cannot be reached. */
const NEAREST_STARTS = 24;
/** Errors of a part of a pose that differ by less are equal (fraction of the reach, or radians). */
const SAME_ERROR = 1e-6;
const TURN = 2 * Math.PI;

export class PoseSolver {
  readonly numeric: NumericInverse;
  /** Whether the position alone determines the joints, so that the rotation is not part of a pose. */
  private readonly positionOnly: boolean;
  private readonly coordinates: number[];
  private readonly cut: number[];
  /** Per leg: the places of its joints in the coordinates. */
  private readonly legs: number[][];
  private readonly names: Configurations;
  /** Posture of the last task that was reached, to whose configuration a drag returns from out of reach. */
  private lastReached: number[] | null = null;
  /** Result of the last task, if it was not reached. */
  private unreached: number[] | null = null;
  private readonly chance = sequence();

  constructor(
    private readonly view: View,
    private readonly postures: PostureSolver,
    private readonly models: LoadedModel[],
    { legs, pose }: Pick<InverseModules, "legs" | "pose">,
    private readonly reach: number,
  ) {
    this.positionOnly = pose === "position";
    this.coordinates = coordinateIndices(view);
    this.cut = cutJointIndices(view);
    this.legs = legs.map((frames) => view.coordinates.flatMap((j, place) => (frames.includes(j) ? [place] : [])));
    this.numeric = new NumericInverse(view, postures, reach);
    this.names = new Configurations(view);
  }

  /** Whether the solutions are those of a closed form. */
  get closedForm(): boolean {
    return this.models.length > 0;
  }

  /** Whether a pose leaves infinitely many postures, because no closed form fixes the joints that it does not determine. */
  get redundant(): boolean {
    return !this.closedForm && !this.view.loops.length && this.names.joints > 6;
  }

  setParameters(parameters: Record<string, number>): void {
    for (const model of this.models) model.set(parameters);
  }

  /** Number of working modes of a platform; 0 for other robots. */
  get workingModes(): number {
    return this.legs.length ? 2 ** this.legs.length : 0;
  }

  /**
   * Return the posture with the pose nearest to a given one, in the configuration of the current posture if that reaches
   * the pose. The closed form is used for the end effector; limits, unreachable poses and other frames require an
   * iteration.
   */
  follow(q: number[], given: PoseTask): Followed {
    const task = this.possible(given);
    const lost = this.lost(q);
    const row = lost ? undefined : this.nearest(q, this.rowsOf(task, q));
    if (row && this.distance(row, q) < CONTINUOUS && this.isWithin(row)) return this.remembered(this.reached(row, task));
    // An iteration may move the joint that the closed form of a redundant arm keeps, and so stay nearer.
    const own = lost ? this.regained(lost, task) : this.names.joints <= 6 ? this.inConfigurationOf(q, task) : null;
    if (own) return this.remembered(this.reached(own, task));
    const start = lost ?? q;
    const result = this.recovered(q, task, this.numeric.nearest(q, task));
    return this.compared(start, this.remembered(result), this.numeric.taskError(start, task) < SMALL_STEP);
  }

  /** Return the posture with the pose nearest to a given one, which may be far from the current pose. */
  goTo(q: number[], given: PoseTask): Followed {
    const task = this.possible(given);
    const lost = this.lost(q);
    const own = lost ? this.regained(lost, task) : this.inConfigurationOf(q, task);
    const row = own ?? this.nearest(q, this.rowsOf(task, q).filter((one) => this.isWithin(one)));
    if (row) return this.compared(q, this.remembered(this.reached(row, task)), false);
    const result = this.recovered(q, task, this.numeric.nearest(q, task, LONG_WAY));
    return this.compared(q, this.remembered(isReached(result) ? result : this.nearestOf(result, q, task)), false);
  }

  /** Return the last posture that reached its task if q is the result of a task that was not reached; otherwise null. */
  private lost(q: number[]): number[] | null {
    if (q !== this.unreached || !this.lastReached) return null;
    return this.lastReached.map((value, k) => (this.view.joints[k]!.elastic ? q[k]! : value));
  }

  /** Return a posture that reaches a task again after others were not reached; null if there is none. */
  private regained(lost: number[], task: PoseTask): number[] | null {
    const row = this.inConfigurationOf(lost, task) ?? this.iterated(lost, lost, task);
    return row && this.isWithin(row) ? row : null;
  }

  /** Return the posture within the limits that reaches a task in the named configuration of another posture; null if there is none. */
  private inConfigurationOf(start: number[], task: PoseTask): number[] | null {
    const name = this.configuration(start);
    const rows = this.rowsOf(task, start).filter((row) => this.isWithin(row) && name && this.configuration(row) === name);
    return this.nearest(start, rows) ?? null;
  }

  /**
   * Return a result with the name of its configuration if the posture has jumped to another one. Without names, a small
   * step of the pose with a large step of the joints is a jump.
   */
  private compared(q: number[], result: Followed, smallStep: boolean): Followed {
    if (!result.closed || this.distance(result.q, q) < CONTINUOUS) return result;
    const [before, after] = [this.configuration(q), this.configuration(result.q)];
    return before !== after || (!before && smallStep) ? { ...result, changedTo: after } : result;
  }

  /** Return the name of the configuration or the working mode of a posture; "" if it has no name. */
  configuration(row: number[]): string {
    return this.legs.length ? this.workingMode(row, row) : this.names.name(this.postures.transforms(row));
  }

  /** Return a task without the rotation of an end effector that cannot choose it while it is moved. */
  private possible(task: PoseTask): PoseTask {
    const free = this.positionOnly && task.frame === endFrame(this.view) && task.levels[0] === "position";
    return free ? { ...task, levels: ["position"] } : task;
  }

  /** Return the postures of the closed form for a task of the end effector; none for other tasks. */
  private rowsOf({ frame, pose, levels }: PoseTask, q: number[], kept = q): number[][] {
    const solved = frame === endFrame(this.view) && (!this.positionOnly || !levels.includes("rotation"));
    return solved ? this.closedFormAt(pose, q, kept) : [];
  }

  private remembered(result: Followed): Followed {
    if (isReached(result)) [this.lastReached, this.unreached] = [result.q, null];
    else if (result.closed) this.unreached = result.q;
    return result;
  }

  /**
   * Return the result of an iteration if it reaches its task, otherwise the nearest posture that does, and the result if
   * none is computed. An iteration ends in a local minimum of the error if joints are at their limits, for example after
   * a drag out of reach. Other postures are those of the closed form, and of iterations from random postures.
   */
  private recovered(q: number[], task: PoseTask, result: Followed): Followed {
    if (isReached(result)) return result;
    const row = this.nearest(q, this.otherConfigurations(q, task)) ?? this.fromRandomStarts(q, task);
    return row ? this.reached(row, task) : result;
  }

  /** Return postures within the limits that reach a task, by the closed form. */
  private otherConfigurations(q: number[], task: PoseTask): number[][] {
    const rows = this.rowsOf(task, q);
    // The closed form of a redundant arm keeps the position of one joint.
    if (this.names.joints > 6) for (let k = 0; k < KEPT_POSITIONS; k++) rows.push(...this.rowsOf(task, q, this.randomStart(q)));
    return rows.filter((one) => this.isWithin(one));
  }

  /** Return a posture from random starts; a closed form that keeps no joint has all postures already. */
  private fromRandomStarts(q: number[], task: PoseTask): number[] | null {
    if (this.view.loops.length || task.frame !== endFrame(this.view) || (this.closedForm && this.names.joints <= 6)) return null;
    for (let k = 0; k < RECOVERY_STARTS; k++) {
      const row = this.iterated(this.randomStart(q), q, task);
      if (row && this.isWithin(row)) return row;
    }
    return null;
  }

  /**
   * Return the posture nearest to a task that cannot be reached: the best result of iterations, from the current posture
   * and from random ones. A single iteration ends in a local minimum of the error, for example if a straight arm has to
   * move towards its base.
   */
  private nearestOf(result: Followed, q: number[], task: PoseTask): Followed {
    const errorsOf = (row: number[]): number[] => task.levels.map((level) => this.numeric.taskError(row, { ...task, levels: [level] }));
    let [best, least] = [result, result.closed ? errorsOf(result.q) : [Infinity]];
    const end = Date.now() + SAMPLING_MS;
    const movers = this.numeric.movers(task.frame);
    for (let k = 0; k < NEAREST_STARTS && Date.now() < end; k++) {
      const next = this.numeric.nearest(random(this.view, q, movers, this.reach, 1, this.chance), task, LONG_WAY);
      const row = this.nearTurns(next.q, q);
      if (!next.closed || !this.isWithin(row)) continue;
      const errors = errorsOf(row);
      const level = errors.findIndex((error, i) => !(Math.abs(error - least[i]!) <= SAME_ERROR));
      if (level >= 0 && errors[level]! < least[level]!) [best, least] = [{ ...next, q: row }, errors];
    }
    return best;
  }

  /** Return the posture of an iteration, with the full turns nearest to a posture; null if it does not reach its task. */
  private iterated(start: number[], near: number[], task: PoseTask): number[] | null {
    const { q, closed } = this.numeric.solve(start, task);
    const row = this.nearTurns(q, near);
    return closed && this.numeric.taskError(row, task) < ACCURACY ? row : null;
  }

  private randomStart(q: number[]): number[] {
    return random(this.view, q, this.numeric.movers(endFrame(this.view)), this.reach, 1, this.chance);
  }

  private reached(row: number[], task: PoseTask): Followed {
    return { q: row, error: this.numeric.taskError(row, task), closed: true, stopped: [] };
  }

  /** Return all solutions of a pose of the end effector, starting with the current posture. */
  all(pose: Pose, q: number[]): PoseSolution[] {
    // The others keep their order while the pose moves, and with it their colours and letters.
    const branches = this.branchesAt(pose, q, q);
    const own = this.nearest(q, branches.map(({ row }) => row));
    branches.sort((a, b) => Number(b.row === own) - Number(a.row === own));
    return this.described(branches.map(({ row }) => row), q, branches.map(({ place }) => place));
  }

  /** Return the solutions that iterations from random postures find; there may be others. */
  sampled(pose: Pose, q: number[]): PoseSolution[] {
    const rows: number[][] = [q];
    const frame = endFrame(this.view);
    const end = Date.now() + SAMPLING_MS;
    for (let k = 0; k < STARTS && rows.length < MOST_SAMPLED && Date.now() < end; k++) {
      const result = this.numeric.solve(this.randomStart(q), { frame, pose, levels: ["position", "rotation"] });
      if (!result.closed || result.error > ACCURACY) continue;
      this.addNew(rows, this.nearTurns(result.q, q));
    }
    return this.described(rows, q);
  }

  /** Return known solutions, moved to another pose by iteration. */
  moved(solutions: readonly PoseSolution[], pose: Pose, q: number[]): PoseSolution[] {
    const frame = endFrame(this.view);
    const rows = [q];
    for (const { q: start } of solutions.slice(1)) {
      const result = this.numeric.solve(start, { frame, pose, levels: ["position", "rotation"] }, 8);
      if (result.closed && result.error < ACCURACY) this.addNew(rows, result.q);
    }
    return this.described(rows, q);
  }

  /** Add a posture to others unless it equals one of them, up to full turns. */
  private addNew(rows: number[][], row: number[]): void {
    if (rows.every((one) => this.distance(one, this.nearTurns(row, one)) > EQUAL)) rows.push(row);
  }

  /** Return rows with their names; `places` are their places in the closed form, which do not change with the posture. */
  private described(rows: number[][], q: number[], places = rows.map((_, k) => k)): PoseSolution[] {
    const solutions = rows.map((row) => ({ q: row, T: Float64Array.from(this.postures.transforms(row)), label: "", within: this.isWithin(row) }));
    const modes = this.legs.length ? rows.map((row) => this.workingMode(row, q)) : null;
    const names = modes ?? solutions.map(({ T }) => this.names.label(T));
    const labels = distinct(names, this.view.loops.length ? "working mode" : "configuration", places);
    return solutions.map((solution, k) => ({ ...solution, label: labels[k]! }));
  }

  // -- closed form

  /**
   * Return the postures of the closed form that reach the pose with closed loops, each joint near its position in q.
   *
   * @param kept posture with the position of the joint that the closed form of a redundant arm keeps
   */
  closedFormAt(pose: Pose, q: number[], kept = q): number[][] {
    return this.branchesAt(pose, q, kept).map(({ row }) => row);
  }

  private branchesAt(pose: Pose, q: number[], kept: number[]): { row: number[]; place: number }[] {
    if (!this.models.length) return [];
    const inputs = { T: pose, q0: this.coordinates.map((k) => kept[k] ?? 0) };
    const outputs = this.models.map((model) => model.call(inputs));
    const [out] = outputs as [Record<string, Float64Array>];
    const rows = this.legs.length
      ? this.combined(outputs, q)
      : Array.from(out["status"]!, (status, m) => (status === 0 || status === 2 ? this.posture(out, m, q) : null));
    return rows.flatMap((row, place) => (row && this.reaches(row, pose) ? [{ row, place }] : []));
  }

  private posture(out: Record<string, Float64Array>, m: number, q: number[]): number[] {
    const n = this.coordinates.length;
    return this.whole((place) => out["q"]![m * n + place]!, out["qc"]?.subarray(m * this.cut.length, (m + 1) * this.cut.length), q);
  }

  private whole(value: (place: number) => number, cut: Float64Array | undefined, q: number[]): number[] {
    let row = [...q];
    this.coordinates.forEach((k, place) => (row[k] = value(place)));
    if (cut) this.cut.forEach((k, i) => (row[k] = cut[i]!));
    else row = this.postures.withCutJoints(row);
    return this.nearTurns(this.postures.follow(row), q);
  }

  /**
   * Return the postures in the working modes of the legs. The legs do not depend on each other at a given pose, so each
   * one takes its joints from the module of its working mode.
   */
  private combined(outputs: Record<string, Float64Array>[], q: number[]): number[][] {
    const current = this.legModes(outputs, q);
    return this.modesNear(current).map((modes) => {
      const model = new Map(this.legs.flatMap((places, leg) => places.map((place) => [place, modes[leg]!] as const)));
      return this.whole((place) => outputs[model.get(place) ?? 0]!["q"]![place]!, undefined, q);
    });
  }

  /** Return for each leg the working mode (0 or 1) that is nearest to a posture. */
  private legModes(outputs: Record<string, Float64Array>[], q: number[]): number[] {
    return this.legs.map((places) => {
      const distances = outputs.map((out) =>
        places.reduce((sum, place) => {
          const k = this.coordinates[place]!;
          return sum + this.difference(k, this.nearTurn(k, out["q"]![place]!, q[k]!), q[k]!) ** 2;
        }, 0),
      );
      return distances[1]! < distances[0]! ? 1 : 0;
    });
  }

  /** Return all combinations of working modes, or the current one and those that differ in one leg or in all legs. */
  private modesNear(current: number[]): number[][] {
    const n = current.length;
    const flips = n <= MOST_LEGS ? Array.from({ length: 2 ** n }, (_, bits) => bits) : [0, ...current.map((_, leg) => 1 << leg), 2 ** n - 1];
    return flips.map((bits) => current.map((mode, leg) => mode ^ ((bits >> leg) & 1)));
  }

  private workingMode(row: number[], q: number[]): string {
    const pose = this.postures.transforms(row).slice(16 * (endFrame(this.view) - 1), 16 * endFrame(this.view));
    const outputs = this.models.map((model) => model.call({ T: pose, q0: this.coordinates.map((k) => q[k] ?? 0) }));
    return `working mode ${this.legModes(outputs, row).map((mode) => mode + 1).join("")}`;
  }

  // -- comparison of postures

  private reaches(row: number[], pose: Pose): boolean {
    if (!row.every(Number.isFinite)) return false;
    if (!(this.numeric.closure(row) < ACCURACY)) return false;
    const levels: Level[] = this.positionOnly ? ["position"] : ["position", "rotation"];
    return this.numeric.taskError(row, { frame: endFrame(this.view), pose, levels }) < ACCURACY;
  }

  private nearest(q: number[], rows: number[][]): number[] | undefined {
    return rows.reduce<number[] | undefined>((best, row) => (!best || this.distance(row, q) < this.distance(best, q) ? row : best), undefined);
  }

  /** Return the largest difference of a joint (radians, or fraction of the reach). */
  private distance(a: number[], b: number[]): number {
    return this.coordinates.reduce((most, k) => Math.max(most, this.difference(k, a[k]!, b[k]!)), 0);
  }

  private difference(k: number, a: number, b: number): number {
    return Math.abs(a - b) / scaleOf(this.view.joints[k]!, this.reach);
  }

  private isWithin(row: number[]): boolean {
    return this.coordinates.every((k) => within(this.view.joints[k]!, row[k]!));
  }

  private nearTurns(row: number[], q: number[]): number[] {
    return row.map((value, k) => this.nearTurn(k, value, q[k]!));
  }

  /** Return an angle plus the full turns nearest to another angle, or within the limits if only that is. */
  private nearTurn(k: number, value: number, near: number): number {
    const joint = this.view.joints[k]!;
    if (joint.kind !== "R" || joint.coupled) return value;
    const angle = value + TURN * Math.round((near - value) / TURN);
    return [angle, angle - TURN, angle + TURN].find((one) => within(joint, one)) ?? angle;
  }
}

/** Whether a result has the pose of its task. */
function isReached({ closed, error }: Followed): boolean {
  return closed && error < ACCURACY;
}

/** Return a generator of pseudorandom numbers from 0 to 1 with a fixed seed, so that results are reproducible. */
export function sequence(): () => number {
  let state = 1;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** Return the solver of a robot from the answer of `inverse`; `address` as in `load`. */
export async function loadPoseSolver(
  view: View,
  postures: PostureSolver,
  inverse: Pick<InverseModules, "modules" | "legs" | "pose">,
  parameters: Record<string, number>,
  reach: number,
  address?: (source: string) => string,
): Promise<PoseSolver> {
  const models = await Promise.all(inverse.modules.map((module) => load(module, address)));
  const solver = new PoseSolver(view, postures, models, inverse, reach);
  solver.setParameters(parameters);
  return solver;
}
