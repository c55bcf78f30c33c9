// The derived model: requested through the store and derived again when the robot or an option changes. The previous
// model stays visible until the new one arrives.

import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from "@preact/signals";

import { Failure, type Problem, type Progress } from "../backend/backend";
import type { About, EntryData, Files, InputData, ModelAnswer, View } from "../backend/messages";
import type { ModelChoice, Store } from "../store/store";
import { compile } from "./emitted";
import type { Program } from "./evaluate";
import { changedOptions } from "./options";

/** A model with the robot and the request that produced it; code and numbers are derived from the same robot. */
export interface DerivedModel {
  view: View;
  request: ModelChoice;
  answer: ModelAnswer;
}

/** Values of entries of inputs: by the name of the input, and the index of the entry. */
export type TypedValues = Record<string, Record<number, number>>;

export interface Session {
  readonly store: Store;
  readonly about: ReadonlySignal<About | null>;
  readonly catalogue: ReadonlySignal<EntryData[] | null>;
  /** Catalogue entry of the requested model. */
  readonly entry: ReadonlySignal<EntryData | null>;
  readonly shown: ReadonlySignal<DerivedModel | null>;
  /** The model shown if it is the requested one and its derivation has not failed; its texts and counts may be used. */
  readonly current: ReadonlySignal<DerivedModel | null>;
  readonly progress: ReadonlySignal<Progress | null>;
  readonly problem: ReadonlySignal<Problem | null>;
  /** Values typed for the inputs of the model shown; they remain until another model or robot is shown. */
  readonly typed: Signal<TypedValues>;
  cancel(): void;
  retry(): void;
  /** Send a call about the model shown; identical calls are sent once. */
  request<T>(call: string, payload?: object): Promise<T>;
  /** Send a call about a robot; identical calls are sent once. */
  requestFor<T>(view: View, call: string, payload?: object): Promise<T>;
  /** Return a model of a robot as loaded JavaScript. */
  program(view: View, model: string, options?: Record<string, unknown>): Promise<Program>;
  dispose(): void;
}

const DEBOUNCE = 200; // milliseconds without a change before a model is derived again

export const CANCELLED = "Cancelled";

export function problemOf(error: unknown): Problem {
  if (error instanceof Failure) return error.problem;
  return { kind: "Error", message: error instanceof Error ? error.message : String(error) };
}

export function createSession(store: Store): Session {
  const about = signal<About | null>(null);
  const catalogue = signal<EntryData[] | null>(null);
  const shown = signal<DerivedModel | null>(null);
  const progress = signal<Progress | null>(null);
  const problem = signal<Problem | null>(null);
  const typed = signal<TypedValues>({});
  const retries = signal(0);
  let running: AbortController | null = null;
  // Cached calls, by the robot or the model that they concern.
  const answers = new WeakMap<object, Map<string, Promise<unknown>>>();
  // Derived models of a robot, by model and options: a tab that was open before is shown at once.
  const derived = new WeakMap<object, Map<string, DerivedModel>>();

  store.backend.call<About>("about").then((answer) => (about.value = answer), note);

  function note(error: unknown): void {
    problem.value = problemOf(error);
  }

  /** Return the cached promise of a call, or send it; a failed call may be repeated. */
  function once<T>(about: object, key: string, send: () => Promise<T>): Promise<T> {
    const cached = answers.get(about) ?? new Map<string, Promise<unknown>>();
    answers.set(about, cached);
    let promise = cached.get(key) as Promise<T> | undefined;
    if (!promise) {
      promise = send();
      cached.set(key, promise);
      promise.catch(() => cached.delete(key));
    }
    return promise;
  }

  const robot = computed(() => store.view.value?.robot ?? null);

  const followCatalogue = effect(() => {
    const requested = robot.value;
    const stop = new AbortController();
    const list = store.backend.call<{ models: EntryData[] }>("catalogue", requested ? { robot: requested } : {}, {
      signal: stop.signal,
    });
    list.then(
      ({ models }) => !stop.signal.aborted && (catalogue.value = models),
      (error) => !stop.signal.aborted && note(error),
    );
    return () => stop.abort();
  });

  function derive(view: View, request: ModelChoice): void {
    const job = new AbortController();
    running = job;
    progress.value = {};
    const options = named(request, catalogue.peek());
    const payload = { model: request.model, options };
    const cached = derived.get(view.robot)?.get(JSON.stringify(payload));
    if (cached) {
      stop();
      shown.value = cached;
      problem.value = null;
      return;
    }
    const callOptions = { signal: job.signal, onProgress: (report: Progress) => (progress.value = report) };
    store.backend
      .call<ModelAnswer>("model", { robot: view.robot, ...payload }, callOptions)
      .then(
        (answer) => {
          if (job.signal.aborted) return;
          const model = { view, request: payload, answer };
          if (!derived.has(view.robot)) derived.set(view.robot, new Map());
          derived.get(view.robot)!.set(JSON.stringify(payload), model);
          shown.value = model;
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

  const typedFor = computed(() => JSON.stringify([shown.value?.answer.model, store.opened.value]));
  const forgetTyped = effect(() => {
    void typedFor.value;
    typed.value = {};
  });

  let last: string | null = null;
  const followModel = effect(() => {
    const request = store.requested.value;
    const view = store.view.value;
    retries.value;
    return untracked(() => {
      stop();
      if (!request || !view) {
        shown.value = null;
        problem.value = null;
        last = null;
        return;
      }
      // A newly selected model is derived immediately; of several edits in a row only the last one counts.
      const delay = request.model === last ? DEBOUNCE : 0;
      if (request.model !== last) {
        problem.value = null;
        last = request.model;
      }
      if (delay === 0) return derive(view, request);
      const timer = setTimeout(() => derive(view, request), delay);
      return () => clearTimeout(timer);
    });
  });

  return {
    store,
    about,
    catalogue,
    entry: computed(() => catalogue.value?.find(({ id }) => id === store.requested.value?.model) ?? null),
    shown,
    current: computed(() => (problem.value || shown.value?.request.model !== store.requested.value?.model ? null : shown.value)),
    progress,
    problem,
    typed,
    cancel() {
      if (!running) return;
      stop();
      problem.value = { kind: CANCELLED, message: "The derivation was cancelled.", hint: "Change an option, or press Derive again." };
    },
    retry() {
      problem.value = null;
      last = null;
      retries.value++;
    },
    request<T>(call: string, payload: object = {}) {
      const now = shown.peek();
      if (!now) return Promise.reject(new Error("no model is shown"));
      const whole = { robot: now.view.robot, ...now.request, ...payload };
      return once(now, `${call} ${JSON.stringify(payload)}`, () => store.backend.call<T>(call, whole));
    },
    requestFor<T>({ robot }: View, call: string, payload: object = {}) {
      return once(robot, `${call} ${JSON.stringify(payload)}`, () => store.backend.call<T>(call, { robot, ...payload }));
    },
    program({ robot }, model, options = {}) {
      return once(robot, `program ${model} ${JSON.stringify(options)}`, async () => {
        const payload = { robot, model, options, language: "javascript" };
        const { files, inputs } = await store.backend.call<Files & { inputs: Record<string, InputData> }>("code", payload);
        return { module: await compile(files), inputs };
      });
    },
    dispose() {
      followModel();
      forgetTyped();
      followCatalogue();
      stop();
    },
  };
}

/** Return the options to send; all of them while the catalogue is not loaded. */
function named(request: ModelChoice, catalogue: EntryData[] | null): Record<string, unknown> {
  const entry = catalogue?.find(({ id }) => id === request.model);
  return entry ? changedOptions(entry, request.options) : request.options;
}

/** Return the value of a promise as a signal. */
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
