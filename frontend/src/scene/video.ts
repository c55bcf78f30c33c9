// Recording of the scene as a WebM video, with its labels.

import { signal } from "@preact/signals";

/** A picture that can be drawn repeatedly, and its size in pixels of the page. */
export interface FrameSource {
  width: number;
  height: number;
  /** Number of pictures drawn so far; the same number means the same picture. */
  pictures: number;
  draw(context: CanvasRenderingContext2D): void;
}

const FRAMES_PER_SECOND = 30;
const BITS_PER_SECOND = 6_000_000;
// VP8 first: without a graphics processor, VP9 takes most of the time of a small machine.
const FORMATS = ["video/webm;codecs=vp8", "video/webm;codecs=vp9", "video/webm"];
/** Pause after a picture, relative to the time that it took, so that the page stays usable. */
const PAUSE = 3;

export class Video {
  readonly recording = signal(false);
  /** The first format that this browser can record; undefined if there is none. */
  private readonly format = typeof MediaRecorder === "undefined" ? undefined : FORMATS.find((one) => MediaRecorder.isTypeSupported(one));
  /** Reason why this browser cannot record; empty if it can. */
  readonly missing = this.format ? "" : "This browser cannot record WebM videos; use Chromium, Chrome, Edge or Firefox";
  private recorder: MediaRecorder | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly source: () => FrameSource,
    private readonly save: (video: Blob) => void,
    private readonly warn: (text: string) => void,
  ) {}

  toggle(): void {
    if (this.recording.value) this.stop();
    else this.start();
  }

  private start(): void {
    if (!this.format) return this.warn(this.missing);
    const sheet = document.createElement("canvas");
    const first = this.source();
    // The size of a video is constant; later pictures are drawn into the size of the first one.
    [sheet.width, sheet.height] = [first.width, first.height];
    const context = sheet.getContext("2d")!;
    let drawn = -1;
    const draw = (): void => {
      const began = performance.now();
      const now = this.source();
      if (now.pictures !== drawn) paint(now);
      drawn = now.pictures;
      this.timer = setTimeout(draw, Math.max(1000 / FRAMES_PER_SECOND, PAUSE * (performance.now() - began)));
    };
    const paint = (now: FrameSource): void => {
      context.setTransform(first.width / now.width, 0, 0, first.height / now.height, 0, 0);
      now.draw(context);
    };
    draw();
    const pieces: Blob[] = [];
    this.recorder = new MediaRecorder(sheet.captureStream(FRAMES_PER_SECOND), { mimeType: this.format, videoBitsPerSecond: BITS_PER_SECOND });
    this.recorder.ondataavailable = ({ data }) => void pieces.push(data);
    this.recorder.onstop = () => this.save(new Blob(pieces, { type: "video/webm" }));
    this.recorder.start();
    this.recording.value = true;
  }

  /** End the recording and save it. */
  stop(): void {
    if (!this.recording.value) return;
    clearTimeout(this.timer);
    this.recorder?.stop();
    this.recorder = null;
    this.recording.value = false;
  }
}
