// Controller of the mechanical quantities in the scene: requests their numbers and follows the motion.

import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import { Failure } from "../backend/backend";
import type { Mechanics, View } from "../backend/messages";
import type { Store } from "../store/store";
import { torquesAt } from "./motion";
import type { JointTorques, Motion, Scene } from "./scene";
import { overlays } from "./viewState";

export class OverlayControl {
  /** Remark on the drawn quantities, such as values that are defaults of the page. */
  readonly remark = signal("");
  private readonly undo: (() => void)[];
  private requests = 0;

  constructor(
    private readonly store: Store,
    scene: Scene,
    drawn: ReadonlySignal<View | null>,
    endFrame: () => number,
  ) {
    this.undo = [
      effect(() => {
        if (drawn.value) scene.overlay(overlays.value, endFrame());
      }),
      effect(() => {
        const { centre, gravity, wrenches } = overlays.value;
        const [view, values] = [drawn.value, store.parameters.value];
        if (!view || !(centre || gravity || wrenches)) return untracked(() => void (this.remark.value = ""));
        void this.request(view, values).then((mechanics) => mechanics && scene.setMechanics(mechanics));
      }),
      effect(() => {
        const [motion, time] = [store.motion.value, store.time.value];
        scene.setTorques(overlays.value.torques && drawn.value && motion ? torqueShares(drawn.value, motion, time) : null);
      }),
    ];
  }

  dispose(): void {
    this.requests++;
    for (const end of this.undo) end();
  }

  private async request(view: View, values: Record<string, number>): Promise<Mechanics | null> {
    const turn = ++this.requests;
    try {
      const answer = await this.store.backend.call<Mechanics>("mechanics", { robot: view.robot, values });
      if (turn !== this.requests) return null;
      const names = answer.unknown.slice(0, 6).join(", ") + (answer.unknown.length > 6 ? ", …" : "");
      this.remark.value = answer.unknown.length ? `The file contains no numbers for ${names}; the values of the page are used.` : "";
      return answer;
    } catch (error) {
      if (turn === this.requests) this.remark.value = error instanceof Failure ? error.problem.message : String(error);
      return null;
    }
  }
}

/** Return the torques at a time, relative to the largest torque (the largest force for prismatic joints) of the motion. */
export function torqueShares(view: View, motion: Motion, time: number): JointTorques | null {
  const now = torquesAt(motion, time);
  if (!now || !motion.efforts) return null;
  const { joints, tau } = motion.efforts;
  const slides = joints.map((frame) => view.frames[frame - 1]?.kind === "P");
  const largest = [false, true].map((sliding) =>
    Math.max(0, ...tau.flatMap((row) => row.flatMap((value, k) => (slides[k] === sliding ? [Math.abs(value ?? 0)] : [])))),
  );
  return {
    joints: joints.map((frame, k) => {
      const most = largest[Number(slides[k])]!;
      return { frame, share: most > 0 ? now[k]! / most : 0, slides: slides[k]! };
    }),
  };
}
