// Controller of the mechanical quantities in the scene: requests their numbers and follows the motion.

import { batch, computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import { Failure } from "../backend/backend";
import type { Mechanics, OptionData, View } from "../backend/messages";
import { read, shown } from "../models/options";
import type { Store } from "../store/store";
import { torquesAt } from "./motion";
import type { DrawnMechanics, JointTorques, Motion, Scene } from "./scene";
import { freeJoints } from "./joints";
import { supportText } from "./support";
import { overlays } from "./viewState";

/** Errors of Jacobians by central differences with steps of 1e-5, relative to the size of the robot, are about 1e-10. */
const DIFFERENCE_ERROR = 1e-8;
const CONTACTS = { kind: "points" } as OptionData;

export class OverlayControl {
  /** Remark on the drawn quantities, such as values that are defaults of the page. */
  readonly remark = signal("");
  /** Contact points as in the option `contacts` of the model contact-dynamics; empty: its default. */
  readonly contacts = signal("");
  /** Contact points at the ends of all chains of the robot. */
  readonly ends = signal("");
  /** Mass and centre of mass of the displayed posture in words; "" if they are not drawn. */
  readonly centre = signal("");
  /** Semi-axes of the manipulability ellipsoid of the displayed posture in words; "" if it is not drawn. */
  readonly velocity = signal("");
  /** Contact forces of the displayed posture in words, and why they are impossible. */
  readonly support = signal({ text: "", warning: "" });
  /** Whether contact forces exist for this kind of robot. */
  readonly supportable: ReadonlySignal<boolean>;
  /** Whether a motion is loaded whose forces were computed without contacts. */
  readonly contactFree: ReadonlySignal<boolean>;
  private readonly undo: (() => void)[];
  private requests = 0;

  constructor(
    private readonly store: Store,
    scene: Scene,
    drawn: ReadonlySignal<View | null>,
    endFrame: () => number,
  ) {
    this.supportable = computed(() => drawn.value?.base === "floating");
    this.contactFree = computed(() => Boolean(store.motion.value?.base || store.motion.value?.efforts));
    const supported = computed(() => overlays.value.contacts && this.supportable.value);
    scene.onMechanics(({ centre, velocity, support }) => {
      const view = drawn.peek();
      this.centre.value = centre && view ? centreText(centre, view) : "";
      this.velocity.value = velocity && view ? velocityText(velocity, view) : "";
      if (support === undefined) return;
      const next = supportText(support);
      const { text, warning } = this.support.peek();
      if (next.text !== text || next.warning !== warning) this.support.value = next;
    });
    this.undo = [
      effect(() => {
        const contacts = supported.value && !this.contactFree.value;
        if (!contacts) this.support.value = { text: "", warning: "" };
        if (drawn.value) scene.overlay({ ...overlays.value, contacts }, endFrame());
      }),
      effect(() => {
        const { centre, gravity, wrenches } = overlays.value;
        const [view, values, contacts] = [drawn.value, store.parameters.value, supported.value ? this.contacts.value : null];
        if (!view || !(centre || gravity || wrenches || supported.value)) return untracked(() => void (this.remark.value = ""));
        // The parameters belong to the robot of the page, which may not be drawn yet.
        if (view.robot !== store.view.value?.robot) return;
        void this.request(view, values, contacts).then((mechanics) => mechanics !== undefined && scene.setMechanics(mechanics));
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

  /** Forget the contacts of the previous robot. */
  reset(): void {
    batch(() => (this.contacts.value = this.ends.value = ""));
  }

  /** Return the numbers of a robot; null if there are none, undefined if a later request replaces this one. */
  private async request(view: View, values: Record<string, number>, contacts: string | null): Promise<Mechanics | null | undefined> {
    const turn = ++this.requests;
    try {
      const points = contacts === null ? {} : { contacts: read(CONTACTS, contacts) ?? [] };
      const answer = await this.store.backend.call<Mechanics>("mechanics", { robot: view.robot, values, ...points });
      if (turn !== this.requests) return undefined;
      if (contacts !== null) this.ends.value = shown(CONTACTS, answer.ends);
      const names = answer.unknown.slice(0, 6).join(", ") + (answer.unknown.length > 6 ? ", …" : "");
      this.remark.value = answer.unknown.length ? `The file contains no numbers for ${names}; the values of the page are used.` : "";
      return answer;
    } catch (error) {
      if (turn !== this.requests) return undefined;
      const message = error instanceof Failure ? error.problem.message : error instanceof RangeError ? error.message : String(error);
      // The other quantities do not depend on the contacts.
      if (contacts !== null) {
        this.support.value = { text: "", warning: message };
        return this.request(view, values, null);
      }
      this.remark.value = message;
      return null;
    }
  }
}

export function centreText({ mass, at }: NonNullable<DrawnMechanics["centre"]>, { bodies }: View): string {
  return `${short(mass)} kg at (${at.map((x) => short(x, bodies.size)).join(", ")}) m in frame 0.`;
}

export function velocityText({ semiAxes, unit }: NonNullable<DrawnMechanics["velocity"]>, view: View): string {
  const kinds = new Set(freeJoints(view, false).map((k) => view.joints[k]!.kind));
  const norm = !kinds.has("P") ? "1 rad/s" : !kinds.has("R") ? `${short(unit)} m/s` : `1 rad/s, prismatic joints in units of ${short(unit)} m/s`;
  return `Semi-axes ${[...semiAxes].sort((a, b) => b - a).map((x) => short(x, unit)).join(", ")} m/s for joint velocities of norm ${norm}.`;
}

/** Return a number with three digits; parts of the size of the robot that are errors of the differences are zero. */
function short(value: number, size = 0): string {
  return String(Math.abs(value) < DIFFERENCE_ERROR * size ? 0 : Number(value.toPrecision(3)));
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
