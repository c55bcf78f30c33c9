// Backend inside the page: Python runs in web workers, which answer the same calls as the server.

import { Failure, type CallOptions, type Backend, type Problem, type Progress } from "./backend";
import { LONG } from "./http";

/** Files of Python in the site; their names contain hashes of the contents, because browsers cache them. */
export interface SiteFiles {
  /** Folder of the interpreter. */
  python: string;
  /** Archives of Python sources: of symoro, and of SymPy, which is loaded when a model first needs it. */
  symoro: string;
  sympy: string;
  /** Compiled packages in the folder of the interpreter, for example NumPy. */
  packages: string[];
  /** Size of the first downloads. */
  bytes: number;
}

/** Message from the page to a worker. */
export type WorkerRequest =
  | { kind: "start"; root: string; files: SiteFiles }
  | { kind: "call"; name: string; payload: string };

/** Message from a worker to the page; a call ends with an answer or with the termination of the worker. */
export type WorkerMessage =
  | { kind: "progress"; progress: Progress }
  | { kind: "ready" }
  | { kind: "answer"; text: string }
  /** `lost`: a file of the site could not be loaded, so that it may help to try again. */
  | { kind: "crash"; message: string; lost?: boolean };

/** The part of the Worker interface that the page uses; tests replace it. */
export type WorkerLike = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

const NO_START = "try a current browser; the content security policy of the site must allow 'wasm-unsafe-eval' in script-src";

interface PendingCall {
  name: string;
  payload: string;
  onProgress?: (progress: Progress) => void;
  answer: (text: string) => void;
  fail: (error: Error) => void;
}

/** Queue of one worker: calls run in their order; cancelling the running call terminates the worker. */
class WorkerQueue {
  private worker: WorkerLike | null = null;
  private ready = false;
  private loading: Progress = {};
  private waiting: PendingCall[] = [];
  private running: PendingCall | null = null;

  constructor(
    private readonly createWorker: () => WorkerLike,
    private readonly whenReady: () => void = () => undefined,
    /** Called once, when the calls that waited for the worker have been answered. */
    private whenFirstIdle: () => void = () => undefined,
  ) {}

  get isReady(): boolean {
    return this.ready;
  }

  start(): void {
    if (this.worker) return;
    this.worker = this.createWorker();
    this.ready = false;
    this.loading = { step: "loading Python" };
    this.worker.onmessage = (event: MessageEvent<WorkerMessage>) => this.receive(event.data);
    this.worker.onerror = (event) => this.receive({ kind: "crash", message: event.message || "the worker did not start" });
  }

  enqueue(call: PendingCall): void {
    this.start();
    this.waiting.push(call);
    if (!this.ready) call.onProgress?.(this.loading);
    this.next();
  }

  cancel(call: PendingCall): void {
    this.waiting = this.waiting.filter((other) => other !== call);
    if (this.running === call) this.restart();
  }

  private restart(): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    this.running = null;
    this.start();
  }

  private next(): void {
    if (!this.ready || this.running) return;
    this.running = this.waiting.shift() ?? null;
    if (this.running) this.worker!.postMessage(checked({ kind: "call", name: this.running.name, payload: this.running.payload }));
    else {
      const { whenFirstIdle } = this;
      this.whenFirstIdle = () => undefined;
      whenFirstIdle();
    }
  }

  private receive(message: WorkerMessage): void {
    if (message.kind === "progress") this.report(message.progress);
    else if (message.kind === "ready") {
      this.ready = true;
      this.next();
      this.whenReady();
    } else if (message.kind === "answer") {
      const done = this.running;
      this.running = null;
      done?.answer(message.text);
      this.next();
    } else this.bury(message.message, message.lost ?? false);
  }

  private report(progress: Progress): void {
    if (this.running) this.running.onProgress?.(progress);
    else if (!this.ready) {
      this.loading = progress;
      for (const call of this.waiting) call.onProgress?.(progress);
    }
  }

  /** A worker that failed while loading is not restarted; one that failed during a call is replaced. */
  private bury(message: string, unreachable: boolean): void {
    const lost = this.running ? [this.running] : this.waiting;
    let problem: Problem;
    if (this.running) {
      this.restart();
      problem = { kind: "StoppedError", message, hint: "simplify the robot, or install symoro and run symoro gui on your computer" };
    } else {
      this.waiting = [];
      this.worker?.terminate();
      this.worker = null;
      problem = unreachable
        ? { kind: "Unreachable", message, hint: "check the network connection" }
        : { kind: "StoppedError", message: `Python cannot be started: ${message}`, hint: NO_START };
    }
    for (const call of lost) call.fail(new Failure(problem));
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
export function workerBackend(createWorker: () => WorkerLike = startWorker, slow: ReadonlySet<string> = LONG, whenReady = (): void => undefined): Backend {
  const long = new WorkerQueue(createWorker);
  // The second worker loads after the first calls have been answered, so that the page is usable earlier.
  const quick = new WorkerQueue(createWorker, whenReady, () => long.start());
  quick.start();
  return {
    call<T>(name: string, payload: object = {}, { signal, onProgress }: CallOptions = {}): Promise<T> {
      const queue = slow.has(name) && long.isReady ? long : quick;
      return new Promise<T>((resolve, reject) => {
        if (signal?.aborted) return reject(abortion());
        const call: PendingCall = {
          name,
          payload: JSON.stringify(payload),
          ...(onProgress && { onProgress }),
          answer: (text) => finish(text, resolve, reject),
          fail: reject,
        };
        signal?.addEventListener("abort", () => {
          queue.cancel(call);
          reject(abortion());
        });
        queue.enqueue(call);
      });
    },
  };
}

function finish<T>(text: string, resolve: (value: T) => void, reject: (error: Error) => void): void {
  const answer = JSON.parse(text) as { error?: Problem };
  if (answer.error) reject(new Failure(answer.error));
  else resolve(answer as T);
}

function abortion(): DOMException {
  return new DOMException("the request was cancelled", "AbortError");
}

/** Return an entry of the head of the page. */
export function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? "";
}

/** Create a worker that loads Python from the page's folder; the head of the page names its files. */
function startWorker(): WorkerLike {
  const files: SiteFiles = {
    python: meta("symoro-python"),
    symoro: meta("symoro-archive"),
    sympy: meta("symoro-sympy"),
    packages: meta("symoro-packages").split(" ").filter(Boolean),
    bytes: Number(meta("symoro-bytes")),
  };
  const worker = new Worker(new URL("./pyodide.worker.ts", import.meta.url), { type: "module", name: "symoro" });
  worker.postMessage(checked({ kind: "start", root: new URL(".", document.baseURI).href, files }));
  return worker;
}
