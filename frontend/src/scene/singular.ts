// Singularities of the robot: conditions by type, and their distances at the displayed posture.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import { Failure } from "../backend/backend";
import type { SingularAnswer, SingularCase, SingularCondition, View } from "../backend/messages";
import type { Store } from "../store/store";
import { Configurations } from "./configuration";
import { DETERMINANT, evaluated, NEAR, nearness, scaledValues } from "./factors";
import { freeJoints, genericPosture, range } from "./joints";
import { nearestZero } from "./nearestZero";
import type { Scene } from "./scene";

/** Relative magnitude of a factor below which the configuration is singular, in double precision. */
export const ZERO = 1e-6;

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
  /** Whether the panel of the singularities is open. */
  readonly watched = signal(false);
  /** Whether the scene highlights singularities: the panel is open, or the determinant is displayed. */
  private readonly highlights: ReadonlySignal<boolean> = computed(() => {
    const request = this.store.requested.value;
    return this.watched.value || (request?.model === DETERMINANT && !request.options["to"]);
  });
  private of: View | null = null;
  private abort = new AbortController();
  private readonly undo: (() => void)[];

  /** All conditions with their distances at the displayed posture. */
  readonly conditions: ReadonlySignal<NearCondition[]> = computed(() => {
    const [answer, view] = [this.answer.value, this.drawn.value];
    if (!answer || !view) return [];
    const values = scaledValues(view, this.store.q.value, this.store.parameters.value, this.scene.reach());
    return answer.cases.flatMap((of) =>
      of.conditions.map((condition) => {
        const shares = condition.factors.map((factor) => nearness(factor, values));
        return { of, condition, share: shares.some((share) => share === null) ? null : Math.max(...(shares as number[])) };
      }),
    );
  });

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
        const near = this.highlights.value ? this.conditions.value.filter(({ share }) => share !== null && share < NEAR) : [];
        this.scene.highlight([...new Set(near.flatMap(({ condition }) => condition.joints))]);
      }),
    ];
  }

  /**
   * Return the singular posture of a condition that is nearest to a posture along one joint; null if there is none.
   * Conditions with several factors, and closed loops, would need several joints at once.
   */
  postureOf({ factors, joints: frames }: SingularCondition, q = this.store.q.peek()): number[] | null {
    const view = this.drawn.value;
    if (!view || factors.length !== 1 || view.loops.length) return null;
    const parameters = this.store.parameters.value;
    const factor = (at: number[]): number | null => evaluated(factors[0]!, scaledValues(view, at, parameters, this.scene.reach()))?.value ?? null;
    const joints = freeJoints(view, false).filter((k) => frames.includes(view.joints[k]!.frame));
    const ranges = joints.map((k) => {
      const { lower, upper } = range(view.joints[k]!, this.scene.reach());
      return [lower, upper] as const;
    });
    return nearestZero(factor, q, joints, ranges);
  }

  /** Return "shoulder", "elbow" or "wrist" if this part of the arm is singular under a condition; otherwise "". */
  partOf(condition: SingularCondition): string {
    const [view, solver] = [this.drawn.value, this.scene.postures()];
    if (!view || !solver) return "";
    // In a posture that is singular under this condition alone; the displayed one may be singular under several.
    const generic = genericPosture(view, this.scene.reach());
    const singular = this.postureOf(condition, generic);
    if (!singular) return "";
    const configurations = new Configurations(view);
    const [before, after] = [generic, singular].map((q) => configurations.factors(solver.transforms(q)));
    solver.transforms(this.scene.posture());
    const zero = [...after!].filter(([name, value]) => Math.abs(value) < ZERO * Math.abs(before!.get(name)!));
    return zero.length === 1 ? zero[0]![0] : "";
  }

  dispose(): void {
    this.abort.abort();
    for (const end of this.undo) end();
  }

  private clear(): void {
    this.abort.abort();
    this.running.value = false;
    this.answer.value = null;
    this.problem.value = null;
    this.of = null;
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
