// Singularities of the robot: conditions by type, and their distances at the displayed posture.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import { Failure } from "../backend/backend";
import type { SingularAnswer, SingularCase, SingularCondition, SingularityDistances, View } from "../backend/messages";
import type { Store } from "../store/store";
import { Configurations } from "./configuration";
import { endFrame } from "./extras";
import { DETERMINANT, evaluated, NEAR, nearness, scaledValues, ZERO } from "./factors";
import { coordinateIndices, freeJoints, genericPosture, range, scaleOf, within } from "./joints";
import { lostMotions, lostText, type LostMotion } from "./lostMotion";
import { nearestCommonZero, nearestZero } from "./nearestZero";
import type { Scene } from "./scene";

/** Relative magnitude that the other factors have in a posture in which one factor is shown at zero. */
const CLEAR = 0.4;
/** Time in milliseconds for which a posture is unchanged before its distances are requested. */
const REST = 150;
/** Steps by which a joint leaves another singularity, so that its position remains a round number: 15 degrees. */
const STEP = Math.PI / 12;
const STEPS = 12;
/** Displacements of all active joints (radians, or parts of the robot's size) from which a zero is looked for next. */
const STARTS = [0.5, -0.5, 1, -1];

export interface NearCondition {
  of: SingularCase;
  condition: SingularCondition;
  /** Largest relative magnitude of its factors, from 0 to 1; null if a name has no value. */
  share: number | null;
}

export class Singular {
  readonly answer = signal<SingularAnswer | null>(null);
  readonly running = signal(false);
  readonly problem = signal<string | null>(null);
  /** Whether singularities are shown: from the opening of their panel until joints or poses are set in another one. */
  readonly watched = signal(false);
  /** Whether the scene highlights singularities: the panel is open, or the determinant is displayed. */
  private readonly highlights: ReadonlySignal<boolean> = computed(() => {
    const request = this.store.requested.value;
    return this.watched.value || (request?.model === DETERMINANT && !request.options["to"]);
  });
  /** Distances of the displayed posture from the singularities of closed loops, by type, while the panel is open. */
  readonly distances = signal<SingularityDistances | "requested" | null>(null);
  private rest: ReturnType<typeof setTimeout> | undefined;
  private measuring = new AbortController();
  private of: View | null = null;
  private abort = new AbortController();
  private readonly undo: (() => void)[];

  /** All conditions with their distances at the displayed posture. */
  readonly conditions: ReadonlySignal<NearCondition[]> = computed(() => {
    const [answer, view] = [this.answer.value, this.drawn.value];
    if (!answer || !view) return [];
    return answer.cases.flatMap((of) => of.conditions.map((condition) => ({ of, condition, share: this.shareOf(condition, view, this.store.q.value) })));
  });

  /** Motions of the end effector that are lost in the displayed posture. */
  readonly lost: ReadonlySignal<LostMotion[]> = computed(() => {
    const near = this.conditions.value.some(({ of, share }) => of.kind === "serial" && share !== null && share < ZERO);
    const [view, solver] = [this.drawn.value, this.scene.postures()];
    if (!near || !view || !solver) return [];
    const motions = lostMotions(solver, this.store.q.value, endFrame(view), this.scene.reach());
    solver.transforms(this.scene.posture());
    return motions;
  });

  /** Return the lost motions in words. */
  lostTexts(): string[] {
    const view = this.drawn.value;
    const motions = this.lost.value;
    if (!view || !motions.length) return [];
    const frame = endFrame(view);
    return motions.map((one) => lostText(one, view.tool && frame > view.frames.length ? view.tool : `frame ${frame}`));
  }

  private shareOf(condition: SingularCondition, view: View, q: number[]): number | null {
    const values = scaledValues(view, q, this.store.parameters.value, this.scene.reach());
    const shares = condition.factors.map((factor) => nearness(factor, values));
    return shares.some((share) => share === null) ? null : Math.max(...(shares as number[]));
  }

  constructor(
    private readonly store: Store,
    private readonly scene: Scene,
    private readonly drawn: ReadonlySignal<View | null>,
  ) {
    this.undo = [
      effect(() => {
        const view = this.drawn.value;
        untracked(() => view?.robot !== this.of?.robot && this.clear());
        if (view && this.highlights.value) untracked(() => void this.request(view));
      }),
      effect(() => {
        const view = this.drawn.value;
        void [this.store.q.value, this.store.parameters.value];
        this.forgetDistances();
        if (!view?.loops.length || !this.watched.value) return;
        this.distances.value = "requested";
        this.rest = setTimeout(() => void this.measure(view), REST);
      }),
      effect(() => {
        const near = this.highlights.value ? this.conditions.value.filter(({ share }) => share !== null && share < NEAR) : [];
        this.scene.highlight([...new Set(near.flatMap(({ condition }) => condition.joints))], near.length ? this.lost.value : []);
      }),
    ];
  }

  /**
   * Return the singular posture of a condition that is nearest to a posture: along one joint, or with all joints if the
   * condition has several factors or loops must stay closed; null if there is none.
   */
  postureOf(condition: SingularCondition, q = this.store.q.peek()): number[] | null {
    const view = this.drawn.value;
    if (!view) return null;
    const { factors, joints: frames } = condition;
    if (factors.length !== 1 || view.loops.length) return this.jointPostureOf(condition, q, view);
    const parameters = this.store.parameters.value;
    const factor = (at: number[]): number | null => evaluated(factors[0]!, scaledValues(view, at, parameters, this.scene.reach()))?.value ?? null;
    const joints = freeJoints(view, false).filter((k) => frames.includes(view.joints[k]!.frame));
    const ranges = joints.map((k) => {
      const { lower, upper } = range(view.joints[k]!, this.scene.reach());
      return [lower, upper] as const;
    });
    return nearestZero(factor, q, joints, ranges);
  }

  /** Return a posture within the limits in which the loops are closed and all factors are zero; null if none is reached. */
  private jointPostureOf({ factors }: SingularCondition, q: number[], view: View): number[] | null {
    const solver = this.scene.postures();
    if (!solver) return null;
    const [parameters, reach] = [this.store.parameters.value, this.scene.reach()];
    const relative = (at: number[]): number[] | null => {
      const posture = solver.follow(at);
      const values = scaledValues(view, posture, parameters, reach);
      const shares = factors.map((factor) => {
        const result = evaluated(factor, values);
        return result && result.value / (result.bound || 1);
      });
      return shares.includes(null) ? null : [...solver.loopErrors(posture), ...(shares as number[])];
    };
    const joints = freeJoints(view, true);
    const units = joints.map((k) => scaleOf(view.joints[k]!, reach));
    const starts = [0, ...STARTS].map((by) => q.map((value, k) => (view.joints[k]!.active ? value + by * scaleOf(view.joints[k]!, reach) : value)));
    const posture = firstOf(starts, (start) => {
      const zero = nearestCommonZero(relative, start, joints, units);
      return zero && view.joints.every((joint, k) => within(joint, zero[k]!)) ? solver.follow(zero) : null;
    });
    solver.transforms(this.scene.posture());
    return posture;
  }

  /**
   * Return the nearest singular posture of a condition, in which the other conditions are not near zero if their joints can
   * be moved away from it; null if there is none.
   */
  postureOfAlone(condition: SingularCondition, q = this.store.q.peek()): number[] | null {
    const view = this.drawn.value;
    let best = this.postureOf(condition, q);
    if (!best || !view) return best;
    const others = this.conditions.peek().map((one) => one.condition).filter((one) => one !== condition);
    const close = (at: number[]): SingularCondition[] => others.filter((one) => (this.shareOf(one, view, at) ?? 1) < CLEAR);
    for (let left = close(best); left.length; ) {
      const from: number[] = best;
      // Active joints of loops move all joints of the loops.
      const joints = freeJoints(view, false).filter((k) => view.loops.length || left.some((one) => one.joints.includes(view.joints[k]!.frame)));
      const moves = Array.from({ length: 2 * STEPS }, (_, n) => (n % 2 ? -1 : 1) * STEP * (1 + (n >> 1))).flatMap((step) =>
        joints.map((k) => from.map((value, i) => (i === k ? value + step * scaleOf(view.joints[k]!, this.scene.reach()) : value))),
      );
      const better = firstOf(moves, (moved) => {
        if (moved.some((value, k) => value !== from[k] && !within(view.joints[k]!, value))) return null;
        const posture = this.postureOf(condition, moved);
        return posture && close(posture).length < left.length ? posture : null;
      });
      if (!better) break;
      best = better;
      left = close(best);
    }
    return best;
  }

  /** Return "shoulder", "elbow" or "wrist" if this part of the arm is singular under a condition; otherwise "". */
  partOf(condition: SingularCondition): string {
    const [view, solver] = [this.drawn.value, this.scene.postures()];
    if (!view || !solver) return "";
    // In a posture that is singular under this condition alone; the displayed one may be singular under several. A folded
    // arm with links of equal lengths is singular at its shoulder too, a stretched one is not.
    const configurations = new Configurations(view);
    const factors = (q: number[]): Map<string, number> => configurations.factors(solver.transforms(q));
    if (!factors(this.scene.posture()).size) return "";
    const starts = [1, -1].map((sign) => genericPosture(view, this.scene.reach()).map((value) => sign * value));
    const part = firstOf(starts, (generic) => {
      const singular = this.postureOf(condition, generic);
      if (!singular) return null;
      const [before, after] = [factors(generic), factors(singular)];
      const zero = [...after].filter(([name, value]) => Math.abs(value) < ZERO * Math.abs(before.get(name)!));
      return zero.length === 1 ? zero[0]![0] : null;
    });
    solver.transforms(this.scene.posture());
    return part ?? "";
  }

  dispose(): void {
    this.abort.abort();
    this.forgetDistances();
    for (const end of this.undo) end();
  }

  private clear(): void {
    this.abort.abort();
    this.running.value = false;
    this.answer.value = null;
    this.problem.value = null;
    this.of = null;
  }

  private forgetDistances(): void {
    clearTimeout(this.rest);
    this.measuring.abort();
    this.distances.value = null;
  }

  /** Request the distances of the displayed posture; there are none in postures in which the loops are open. */
  private async measure(view: View): Promise<void> {
    const { signal } = (this.measuring = new AbortController());
    const q = coordinateIndices(view).map((k) => this.store.q.peek()[k] ?? 0);
    const payload = { robot: view.robot, q, values: this.store.parameters.peek() };
    // Without an answer the conditions and their notes are displayed without numbers.
    const distances = await this.store.backend.call<SingularityDistances>("singularity_distances", payload, { signal }).catch(() => null);
    if (!signal.aborted) this.distances.value = distances;
  }

  private async request(view: View): Promise<void> {
    if (this.of === view) return;
    this.of = view;
    this.abort.abort();
    const { signal } = (this.abort = new AbortController());
    this.running.value = true;
    try {
      const answer = await this.store.backend.call<SingularAnswer>("singularities", { robot: view.robot }, { signal });
      if (!signal.aborted) this.answer.value = answer;
    } catch (error) {
      if (!signal.aborted) this.problem.value = error instanceof Failure ? error.problem.message : String(error);
    } finally {
      if (!signal.aborted) this.running.value = false;
    }
  }
}

/** Return the first result that is not null. */
function firstOf<T, R>(items: readonly T[], result: (item: T) => R | null): R | null {
  for (const item of items) {
    const one = result(item);
    if (one !== null) return one;
  }
  return null;
}
