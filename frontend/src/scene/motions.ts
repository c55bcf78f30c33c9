// Playback of motions: generated from waves or read from a file, with loops closed.

import { effect, signal, untracked, type ReadonlySignal, type Signal } from "@preact/signals";

import type { View } from "../backend/messages";
import type { Store } from "../store/store";
import { baseAt, CsvError, duration, modesAt, parseCsv, sample, sinusoid, type Wave } from "./motion";
import { Player } from "./player";
import type { Motion, Scene } from "./scene";

/** The part of the controller that motions use. */
interface Host {
  readonly drawn: ReadonlySignal<View | null>;
  readonly moved: ReadonlySignal<number[]>;
  readonly note: Signal<{ text: string; kind: "information" | "warning" } | null>;
  looped(): boolean;
  endFrame(): number;
  publish(q: number[]): void;
  warn(text: string): void;
}

const LAYOUT_DELAY = 120; // milliseconds until a new layout is complete
const SLIDERS_A_SECOND = 10;
const ROWS_AT_ONCE = 15;
const ROWS_SEEN = 200; // number of last rows of a growing motion that are kept in the picture

export class Motions {
  readonly playing = signal(false);
  readonly preparing = signal(false);
  readonly speed = signal(1);
  readonly waves = signal<Map<number, Wave>>(new Map());
  private shownAt = 0;
  private readonly player: Player;
  private readonly forget: () => void;
  private readonly unpath: () => void;
  private readonly unmaximise: () => void;
  /** A motion whose computation is still running; it is played as far as it is computed. */
  private growing = false;

  constructor(
    private readonly store: Store,
    private readonly scene: Scene,
    private readonly of: Host,
  ) {
    this.player = new Player(
      () => this.span(),
      (time) => this.at(time),
      () => this.paused(),
    );
    this.forget = effect(() => this.setMotion(store.motion.value));
    this.unpath = effect(() => this.drawPath(store.motion.value));
    this.unmaximise = effect(() => {
      store.maximised.value;
      const motion = store.motion.peek();
      if (motion) this.keepInPicture(motion);
    });
  }

  dispose(): void {
    this.forget();
    this.unpath();
    this.unmaximise();
    this.player.pause();
  }

  private span(): [number, number] {
    const motion = this.store.motion.peek();
    return motion ? [motion.times[0] ?? 0, motion.times.at(-1) ?? 0] : [0, 0];
  }

  private setMotion(motion: Motion | null): void {
    if (this.growing && motion) return;
    if (!motion) {
      this.growing = this.player.waits = false;
      untracked(() => this.pause());
      this.scene.setModes(null);
    }
    this.player.time = motion?.times[0] ?? 0;
    this.store.time.value = this.player.time;
  }

  private drawPath(motion: Motion | null): void {
    const view = this.of.drawn.value;
    this.scene.tracks(view && motion);
    if (!view || !motion) return this.scene.path(null);
    this.scene.path(this.scene.trace(motion.frame ?? this.of.endFrame(), motion));
  }

  /** Play a complete motion from its start. */
  show(motion: Motion): void {
    this.pause();
    this.of.note.value = null;
    this.store.motion.value = motion;
    this.keepInPicture(motion);
    this.play();
  }

  /** Fit the picture after the playback bar, the plots or a maximised pane have changed the layout. */
  private keepInPicture(motion: Motion): void {
    setTimeout(() => this.store.motion.peek() === motion && this.scene.keepInPicture(motion.q), LAYOUT_DELAY);
  }

  /** Play a growing motion in real time, or as fast as its samples arrive. */
  grow(motion: Motion): void {
    if (!this.growing) this.pause();
    this.store.motion.value = motion;
    this.scene.keepInPicture(motion.q.slice(-ROWS_SEEN));
    if (this.growing || motion.times.length < 2) return;
    this.growing = this.player.waits = true;
    this.play();
  }

  /** Mark the motion as complete; computed samples remain. */
  grown(motion: Motion | null): void {
    if (motion) this.store.motion.value = motion;
    this.growing = this.player.waits = false;
    if (motion) this.keepInPicture(motion);
  }

  private at(time: number): void {
    const motion = this.store.motion.peek();
    if (!motion) return;
    const q = sample(motion, time);
    if (q.length !== this.of.drawn.peek()?.joints.length) return;
    const base = baseAt(motion, time);
    if (base) this.scene.setBase(base);
    this.scene.setModes(modesAt(motion, time));
    this.scene.put(q);
    this.scene.followRobot();
    // Sliders and numbers are updated less often than the picture.
    if (this.playing.peek() && time >= this.shownAt && time - this.shownAt < 1 / SLIDERS_A_SECOND) return;
    this.shownAt = time;
    this.of.publish(q);
    this.store.time.value = time;
  }

  private paused(): void {
    this.playing.value = false;
    this.at(this.player.time);
  }

  play(): void {
    const motion = this.store.motion.value;
    if (!motion || duration(motion) <= 0) return;
    this.player.speed = this.speed.value;
    this.playing.value = true;
    this.player.play();
  }

  pause(): void {
    if (!this.playing.peek()) return;
    this.player.pause();
    this.paused();
  }

  seek(time: number): void {
    this.pause();
    this.player.seek(time);
  }

  setSpeed(speed: number): void {
    this.speed.value = speed;
    this.player.speed = speed;
  }

  /** Return default waves within the limits, one per joint that the user moves. */
  usualWaves(): Map<number, Wave> {
    const view = this.of.drawn.value;
    const q = this.scene.posture();
    const looped = this.of.looped();
    return new Map(
      this.of.moved.value.map((k, n) => {
        const joint = view!.joints[k]!;
        const usual = joint.kind === "P" ? (looped ? 0.06 : 0.15) * this.scene.reach() : looped ? 0.25 : 0.5;
        const room = Math.min((joint.upper ?? Infinity) - q[k]!, q[k]! - (joint.lower ?? -Infinity));
        const amplitude = room > 0 ? Math.min(usual, room) : 0;
        return [k, { amplitude: +amplitude.toPrecision(3), frequency: 0.25, phase: +((0.6 * n) % (2 * Math.PI)).toFixed(2) }];
      }),
    );
  }

  async swing(seconds: number): Promise<void> {
    if (!this.waves.value.size) this.waves.value = this.usualWaves();
    await this.prepare(sinusoid(this.scene.posture(), this.waves.value, seconds));
  }

  async csv(text: string): Promise<void> {
    const view = this.of.drawn.value;
    if (!view) return;
    try {
      await this.prepare(parseCsv(text, view.joints, this.scene.posture()));
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      this.of.warn(error.message);
    }
  }

  /** Close the loops along a motion, row by row; the motion ends where they cannot be closed. */
  private async prepare(motion: Motion): Promise<void> {
    this.pause();
    this.of.note.value = null;
    this.preparing.value = true;
    const done: Motion = { times: [], q: [] };
    const view = this.of.drawn.peek();
    let from = this.scene.posture();
    for (let k = 0; k < motion.times.length && this.of.drawn.peek() === view; k++) {
      const moved = this.scene.follow(from, motion.q[k]!);
      if (!moved.closed) {
        this.of.warn(`the motion ends at ${motion.times[k]!.toFixed(2)} s, because the loops cannot close beyond`);
        break;
      }
      done.times.push(motion.times[k]!);
      done.q.push((from = moved.q));
      if (view?.loops.length && k % ROWS_AT_ONCE === 0) await new Promise((next) => setTimeout(next));
    }
    this.preparing.value = false;
    // Another robot may have been opened, or this one edited, meanwhile.
    if (done.times.length < 2 || this.of.drawn.peek() !== view) return;
    this.store.motion.value = done;
    this.keepInPicture(done);
    this.play();
  }
}
