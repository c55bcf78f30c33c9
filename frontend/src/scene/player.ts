// Clock of a motion that is played.

export interface Clock {
  now(): number;
  frame(run: () => void): number;
  cancel(id: number): void;
}

const browser: Clock = {
  now: () => performance.now() / 1000,
  frame: (run) => requestAnimationFrame(run),
  cancel: (id) => cancelAnimationFrame(id),
};

export class Player {
  speed = 1;
  loop = true;
  /** Whether the clock waits at the end for more samples instead of starting again. */
  waits = false;
  private id: number | null = null;
  private last = 0;

  constructor(
    private readonly span: () => [number, number],
    private readonly onTime: (time: number) => void,
    private readonly onEnd: () => void = () => undefined,
    private readonly clock: Clock = browser,
    public time = span()[0],
  ) {}

  get playing(): boolean {
    return this.id !== null;
  }

  play(): void {
    if (this.playing) return;
    const [start, end] = this.span();
    if (this.time >= end) this.time = start;
    this.last = this.clock.now();
    this.id = this.clock.frame(this.tick);
  }

  pause(): void {
    if (this.id !== null) this.clock.cancel(this.id);
    this.id = null;
  }

  seek(time: number): void {
    const [start, end] = this.span();
    this.time = Math.min(Math.max(time, start), end);
    this.onTime(this.time);
  }

  private readonly tick = (): void => {
    const [start, end] = this.span();
    const now = this.clock.now();
    this.time += this.speed * (now - this.last);
    this.last = now;
    this.id = this.clock.frame(this.tick);
    if (this.time >= end) {
      if (this.waits) this.time = end;
      else if (this.loop && end > start) this.time = start + ((this.time - start) % (end - start));
      else {
        this.time = end;
        this.pause();
      }
    }
    this.onTime(this.time);
    if (!this.playing) this.onEnd();
  };
}
