// Singularities of the robot: conditions by type, and their distances at the displayed posture.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import { Failure } from "../backend/backend";
import type { SingularAnswer, SingularCase, SingularCondition, View } from "../backend/messages";
import type { Store } from "../store/store";
import { nearness, type Scaled } from "./factors";
import type { Scene } from "./scene";

/** Relative magnitude of a factor below which it is highlighted; a sine is that small within 6 degrees. */
export const NEAR = 0.1;
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
  /** Whether the singularities are displayed, so that the scene highlights them. */
  readonly watched = signal(false);
  private of: View | null = null;
  private readonly undo: (() => void)[];

  /** All conditions with their distances at the displayed posture. */
  readonly conditions: ReadonlySignal<NearCondition[]> = computed(() => {
    const [answer, view] = [this.answer.value, this.drawn.value];
    if (!answer || !view) return [];
    const values = this.values(view, this.store.q.value, this.store.parameters.value);
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
        if (view && this.watched.value) untracked(() => void this.request(view));
      }),
      effect(() => {
        const near = this.watched.value ? this.conditions.value.filter(({ share }) => share !== null && share < NEAR) : [];
        this.scene.highlight([...new Set(near.flatMap(({ condition }) => condition.joints))]);
      }),
    ];
  }

  dispose(): void {
    for (const end of this.undo) end();
  }

  private clear(): void {
    this.answer.value = null;
    this.problem.value = null;
    this.of = null;
  }

  private async request(view: View): Promise<void> {
    if (this.of === view) return;
    this.of = view;
    this.running.value = true;
    try {
      const answer = await this.store.backend.call<SingularAnswer>("singularities", { robot: view.robot });
      if (this.of === view) this.answer.value = answer;
    } catch (error) {
      if (this.of === view) this.problem.value = error instanceof Failure ? error.problem.message : String(error);
    } finally {
      if (this.of === view || !this.of) this.running.value = false;
    }
  }

  /** Return the numbers of joint positions and parameters; the scale of a prismatic joint is the robot's size. */
  private values(view: View, q: number[], parameters: Record<string, number>): (name: string) => Scaled | null {
    const joints = new Map(view.joints.map((joint, k) => [`q${joint.frame}`, { joint, value: q[k] }]));
    return (name) => {
      const found = joints.get(name);
      if (!found) {
        const value = parameters[name];
        return value === undefined ? null : { value, bound: Math.abs(value) };
      }
      if (found.value === undefined) return null;
      const size = found.joint.kind === "P" ? this.scene.reach() : 0;
      return { value: found.value, bound: Math.max(Math.abs(found.value), size) };
    };
  }
}
