// The model on the bench: asked by the store, made again when the robot or an option changes, kept until the next one is there.

import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from "@preact/signals";

import { Failure, type Problem, type Progress } from "../back/back";
import type { About, EntryData, Files, InputData, ModelAnswer, View } from "../back/messages";
import type { ModelChoice, Store } from "../store/store";
import { load, type Program } from "./evaluate";
import { given } from "./options";

/** An answer with what it was asked of: code and numbers are made of the same robot as the equations. */
export interface Shown {
  view: View;
  request: ModelChoice;
  answer: ModelAnswer;
}

export interface Session {
  readonly store: Store;
  readonly about: ReadonlySignal<About | null>;
  readonly catalogue: ReadonlySignal<EntryData[] | null>;
  /** The catalogue's entry of the model that is asked for. */
  readonly entry: ReadonlySignal<EntryData | null>;
  readonly shown: ReadonlySignal<Shown | null>;
  readonly progress: ReadonlySignal<Progress | null>;
  readonly problem: ReadonlySignal<Problem | null>;
  cancel(): void;
  retry(): void;
  /** A call about the model that is shown; the same question is asked once. */
  ask<T>(call: string, payload?: object): Promise<T>;
  /** A call about a robot; the same question is asked once. */
  askOf<T>(view: View, call: string, payload?: object): Promise<T>;
  /** A model of a robot as JavaScript, loaded. */
  program(view: View, model: string, options?: Record<string, unknown>): Promise<Program>;
  dispose(): void;
}

const PATIENCE = 200; // milliseconds without a change before a model is made again

export const CANCELLED = "Cancelled";

export function problemOf(error: unknown): Problem {
  if (error instanceof Failure) return error.problem;
  return { kind: "Error", message: error instanceof Error ? error.message : String(error) };
}

export function createSession(store: Store): Session {
  const about = signal<About | null>(null);
  const catalogue = signal<EntryData[] | null>(null);
  const shown = signal<Shown | null>(null);
  const progress = signal<Progress | null>(null);
  const problem = signal<Problem | null>(null);
  const again = signal(0);
  let running: AbortController | null = null;
  // By the robot, or the model shown, that a question is about.
  const answers = new WeakMap<object, Map<string, Promise<unknown>>>();

  store.back.call<About>("about").then((answer) => (about.value = answer), note);

  function note(error: unknown): void {
    problem.value = problemOf(error);
  }

  /** The same question about the same thing is asked once; one that failed may be asked again. */
  function once<T>(about: object, key: string, ask: () => Promise<T>): Promise<T> {
    const known = answers.get(about) ?? new Map<string, Promise<unknown>>();
    answers.set(about, known);
    let promise = known.get(key) as Promise<T> | undefined;
    if (!promise) {
      promise = ask();
      known.set(key, promise);
      promise.catch(() => known.delete(key));
    }
    return promise;
  }

  const robot = computed(() => store.view.value?.robot ?? null);

  const followCatalogue = effect(() => {
    const requested = robot.value;
    const stop = new AbortController();
    const list = store.back.call<{ models: EntryData[] }>("catalogue", requested ? { robot: requested } : {}, {
      signal: stop.signal,
    });
    list.then(
      ({ models }) => !stop.signal.aborted && (catalogue.value = models),
      (error) => !stop.signal.aborted && note(error),
    );
    return () => stop.abort();
  });

  function make(view: View, request: ModelChoice): void {
    const job = new AbortController();
    running = job;
    progress.value = {};
    const options = named(request, catalogue.peek());
    const listening = { signal: job.signal, onProgress: (report: Progress) => (progress.value = report) };
    store.back
      .call<ModelAnswer>("model", { robot: view.robot, model: request.model, options }, listening)
      .then(
        (answer) => {
          if (job.signal.aborted) return;
          shown.value = { view, request: { model: request.model, options }, answer };
          problem.value = null;
        },
        (error) => !job.signal.aborted && note(error),
      )
      .finally(() => {
        if (running !== job) return;
        running = null;
        progress.value = null;
      });
  }

  function stop(): void {
    running?.abort();
    running = null;
    progress.value = null;
  }

  let last: string | null = null;
  const followModel = effect(() => {
    const request = store.asked.value;
    const view = store.view.value;
    again.value;
    return untracked(() => {
      stop();
      if (!request || !view) {
        shown.value = null;
        problem.value = null;
        last = null;
        return;
      }
      // A click on another model is answered at once; of edits and options the last one counts.
      const patience = request.model === last ? PATIENCE : 0;
      if (request.model !== last) {
        problem.value = null;
        last = request.model;
      }
      if (patience === 0) return make(view, request);
      const timer = setTimeout(() => make(view, request), patience);
      return () => clearTimeout(timer);
    });
  });

  return {
    store,
    about,
    catalogue,
    entry: computed(() => catalogue.value?.find(({ id }) => id === store.asked.value?.model) ?? null),
    shown,
    progress,
    problem,
    cancel() {
      if (!running) return;
      stop();
      problem.value = { kind: CANCELLED, message: "The model was cancelled.", hint: "Change an option, or make it again." };
    },
    retry() {
      problem.value = null;
      last = null;
      again.value++;
    },
    ask<T>(call: string, payload: object = {}) {
      const now = shown.peek();
      if (!now) return Promise.reject(new Error("no model is shown"));
      const question = { robot: now.view.robot, ...now.request, ...payload };
      return once(now, `${call} ${JSON.stringify(payload)}`, () => store.back.call<T>(call, question));
    },
    askOf<T>({ robot }: View, call: string, payload: object = {}) {
      return once(robot, `${call} ${JSON.stringify(payload)}`, () => store.back.call<T>(call, { robot, ...payload }));
    },
    program({ robot }, model, options = {}) {
      return once(robot, `program ${model} ${JSON.stringify(options)}`, async () => {
        const payload = { robot, model, options, language: "javascript" };
        const { files, inputs } = await store.back.call<Files & { inputs: Record<string, InputData> }>("code", payload);
        return { module: await load(files), inputs };
      });
    },
    dispose() {
      followModel();
      followCatalogue();
      stop();
    },
  };
}

/** The options that are worth sending; all of them while the catalogue is not there yet. */
function named(request: ModelChoice, catalogue: EntryData[] | null): Record<string, unknown> {
  const entry = catalogue?.find(({ id }) => id === request.model);
  return entry ? given(entry, request.options) : request.options;
}

/** A value of a promise as a signal, for a component that shows it. */
export interface Awaited<T> {
  value?: T;
  problem?: Problem;
}

export function awaited<T>(into: Signal<Awaited<T>>, promise: Promise<T>): () => void {
  let wanted = true;
  promise.then(
    (value) => wanted && (into.value = { value }),
    (error) => wanted && (into.value = { problem: problemOf(error) }),
  );
  return () => {
    wanted = false;
  };
}
