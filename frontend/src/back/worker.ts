// Backend inside the page: Python runs in web workers, which answer the same calls as the server.

import { Failure, type Asking, type Back, type Problem, type Progress } from "./back";
import { LONG } from "./http";

/** Message from the page to a worker. */
export type WorkerRequest =
  | { kind: "start"; root: string; archive: string }
  | { kind: "call"; name: string; payload: string };

/** Message from a worker to the page; a call ends with an answer or with the termination of the worker. */
export type WorkerMessage =
  | { kind: "progress"; progress: Progress }
  | { kind: "ready" }
  | { kind: "answer"; text: string }
  | { kind: "death"; message: string };

/** The part of the Worker interface that the page uses; tests replace it. */
export type Hand = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

interface Wish {
  name: string;
  payload: string;
  onProgress?: (progress: Progress) => void;
  answer: (text: string) => void;
  fail: (error: Error) => void;
}

/** Queue of one worker: calls run in their order; cancelling the running call terminates the worker. */
class Lane {
  private hand: Hand | null = null;
  private ready = false;
  private loading: Progress = {};
  private waiting: Wish[] = [];
  private running: Wish | null = null;

  constructor(
    private readonly make: () => Hand,
    private readonly whenReady: () => void = () => undefined,
  ) {}

  get isReady(): boolean {
    return this.ready;
  }

  start(): void {
    if (this.hand) return;
    this.hand = this.make();
    this.ready = false;
    this.loading = { step: "loading Python" };
    this.hand.onmessage = (event: MessageEvent<WorkerMessage>) => this.hear(event.data);
    this.hand.onerror = (event) => this.hear({ kind: "death", message: event.message || "the worker did not start" });
  }

  ask(wish: Wish): void {
    this.start();
    this.waiting.push(wish);
    if (!this.ready) wish.onProgress?.(this.loading);
    this.next();
  }

  cancel(wish: Wish): void {
    this.waiting = this.waiting.filter((other) => other !== wish);
    if (this.running === wish) this.restart();
  }

  private restart(): void {
    this.hand?.terminate();
    this.hand = null;
    this.ready = false;
    this.running = null;
    this.start();
  }

  private next(): void {
    if (!this.ready || this.running) return;
    this.running = this.waiting.shift() ?? null;
    if (this.running) this.hand!.postMessage(checked({ kind: "call", name: this.running.name, payload: this.running.payload }));
  }

  private hear(message: WorkerMessage): void {
    if (message.kind === "progress") this.report(message.progress);
    else if (message.kind === "ready") {
      this.ready = true;
      this.whenReady();
      this.next();
    } else if (message.kind === "answer") {
      const done = this.running;
      this.running = null;
      done?.answer(message.text);
      this.next();
    } else this.bury(message.message);
  }

  private report(progress: Progress): void {
    if (this.running) this.running.onProgress?.(progress);
    else if (!this.ready) {
      this.loading = progress;
      for (const wish of this.waiting) wish.onProgress?.(progress);
    }
  }

  /** A worker that failed while loading is not restarted; one that failed during a call is replaced. */
  private bury(message: string): void {
    const lost = this.running ? [this.running] : this.waiting;
    if (this.running) this.restart();
    else {
      this.waiting = [];
      this.hand?.terminate();
      this.hand = null;
    }
    const problem = { kind: "StoppedError", message, hint: "simplify the robot, or install symoro and run symoro gui on your computer" };
    for (const wish of lost) wish.fail(new Failure(problem));
  }
}

function checked(message: WorkerRequest): WorkerRequest {
  return message;
}

/**
 * Create a backend with two workers: one answers the tables and the scene while the other derives models. The calls in
 * `slow` go to the second worker; until it is ready, the first worker runs all calls, so that the first model does not
 * wait for a second start of Python.
 */
export function workerBack(make: () => Hand = startWorker, slow: ReadonlySet<string> = LONG): Back {
  const long = new Lane(make);
  // The second worker loads after the first one, so that the page is usable earlier.
  const quick = new Lane(make, () => long.start());
  quick.start();
  return {
    call<T>(name: string, payload: object = {}, { signal, onProgress }: Asking = {}): Promise<T> {
      const lane = slow.has(name) && long.isReady ? long : quick;
      return new Promise<T>((resolve, reject) => {
        if (signal?.aborted) return reject(abortion());
        const wish: Wish = {
          name,
          payload: JSON.stringify(payload),
          ...(onProgress && { onProgress }),
          answer: (text) => settle(text, resolve, reject),
          fail: reject,
        };
        signal?.addEventListener("abort", () => {
          lane.cancel(wish);
          reject(abortion());
        });
        lane.ask(wish);
      });
    },
  };
}

function settle<T>(text: string, resolve: (value: T) => void, reject: (error: Error) => void): void {
  const answer = JSON.parse(text) as { error?: Problem };
  if (answer.error) reject(new Failure(answer.error));
  else resolve(answer as T);
}

function abortion(): DOMException {
  return new DOMException("the request was cancelled", "AbortError");
}

/** Create a worker that loads Python from the page's folder; the head of the page names the archive of sources. */
function startWorker(): Hand {
  const archive = document.querySelector<HTMLMetaElement>("meta[name=symoro-archive]")?.content ?? "";
  const worker = new Worker(new URL("./pyodide.worker.ts", import.meta.url), { type: "module", name: "symoro" });
  worker.postMessage(checked({ kind: "start", root: new URL(".", document.baseURI).href, archive }));
  return worker;
}
