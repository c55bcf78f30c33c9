import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { Failure, type CallOptions, type Backend } from "../backend/backend";
import type { View } from "../backend/messages";
import { createStore } from "../store/store";
import { CANCELLED, createSession } from "./session";

interface Call {
  name: string;
  payload: Record<string, unknown>;
  asking: CallOptions;
  answer: (value: unknown) => void;
  fail: (error: unknown) => void;
}

function setUp() {
  const calls: Call[] = [];
  const backend: Backend = {
    call: <T>(name: string, payload: object = {}, asking: CallOptions = {}) =>
      new Promise<T>((answer, fail) => {
        calls.push({ name, payload: payload as Record<string, unknown>, asking, answer: answer as (v: unknown) => void, fail });
      }),
  };
  const store = createStore(backend);
  const session = createSession(store);
  const models = (): Call[] => calls.filter(({ name }) => name === "model");
  return { calls, store, session, models };
}

const view = (name: string): View =>
  ({ name, robot: { name }, joints: [], frames: [], loops: [], symbols: [], nominal: {}, postures: {}, tables: [], sizes: { NF: 0 }, coordinates: [] }) as unknown as View;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settled = () => vi.advanceTimersByTimeAsync(0);

it("a selected model is derived immediately", async () => {
  const { store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: {} };
  expect(models()).toHaveLength(1);
  expect(session.progress.value).toEqual({});
  models()[0]!.asking.onProgress!({ step: "building", done: 1, total: 2 });
  expect(session.progress.value!.step).toBe("building");
  models()[0]!.answer({ model: "jacobian" });
  await settled();
  expect(session.shown.value!.answer.model).toBe("jacobian");
  expect(session.progress.value).toBeNull();
});

it("the model shown is not the current one while another one is derived, or after an error", async () => {
  const { store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: {} };
  models()[0]!.answer({ model: "jacobian" });
  await settled();
  expect(session.current.value!.answer.model).toBe("jacobian");
  store.requested.value = { model: "energy", options: {} };
  expect([session.shown.value!.answer.model, session.current.value]).toEqual(["jacobian", null]);
  models()[1]!.fail(new Failure({ kind: "Internal", message: "failed" }));
  await settled();
  expect([session.shown.value!.answer.model, session.current.value]).toEqual(["jacobian", null]);
});

it("typed values are forgotten when another robot of the same name is opened", async () => {
  const { store, session } = setUp();
  store.show(view("a"));
  session.typed.value = { q: { 0: 1 } };
  store.show(view("a"));
  expect(session.typed.value).toEqual({});
});

it("of several option changes the last one counts, and the previous model stays visible until then", async () => {
  const { store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: {} };
  models()[0]!.answer({ model: "jacobian", text: "first" });
  await settled();
  store.requested.value = { model: "jacobian", options: { to: 1 } };
  await vi.advanceTimersByTimeAsync(100);
  store.requested.value = { model: "jacobian", options: { to: 2 } };
  await vi.advanceTimersByTimeAsync(1000);
  expect(models()).toHaveLength(2);
  expect(models()[1]!.payload.options).toEqual({ to: 2 });
  expect(session.shown.value!.answer.text).toBe("first");
});

it("a superseded derivation is cancelled, and its late answer is ignored", async () => {
  const { store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: {} };
  store.requested.value = { model: "energy", options: {} };
  expect(models()[0]!.asking.signal!.aborted).toBe(true);
  models()[1]!.answer({ model: "energy" });
  models()[0]!.answer({ model: "jacobian" });
  await settled();
  expect(session.shown.value!.answer.model).toBe("energy");
});

it("cancelling is reported, and the model can be derived again", async () => {
  const { store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: {} };
  session.cancel();
  expect(models()[0]!.asking.signal!.aborted).toBe(true);
  models()[0]!.fail(new DOMException("it was cancelled", "AbortError"));
  await settled();
  expect(session.problem.value!.kind).toBe(CANCELLED);
  expect(session.progress.value).toBeNull();
  session.retry();
  expect(models()).toHaveLength(2);
  expect(session.problem.value).toBeNull();
});

it("a failure is shown with its hint, and removed with the next answer", async () => {
  const { store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: { to: 9 } };
  models()[0]!.fail(new Failure({ kind: "UnknownNameError", message: "no frame called '9'", hint: "choose one of: 0 .. 6" }));
  await settled();
  expect(session.problem.value).toMatchObject({ message: "no frame called '9'", hint: "choose one of: 0 .. 6" });
  store.requested.value = { model: "jacobian", options: { to: 6 } };
  await vi.advanceTimersByTimeAsync(500);
  models()[1]!.answer({ model: "jacobian" });
  await settled();
  expect(session.problem.value).toBeNull();
});

it("calls about the model shown are sent once, with its own robot", async () => {
  const { calls, store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: { to: 2 } };
  models()[0]!.answer({ model: "jacobian" });
  await settled();
  store.show(view("b"));
  void session.request("code", { language: "c" });
  void session.request("code", { language: "c" });
  const codes = calls.filter(({ name }) => name === "code");
  expect(codes).toHaveLength(1);
  expect(codes[0]!.payload).toEqual({ robot: { name: "a" }, model: "jacobian", options: { to: 2 }, language: "c" });
  codes[0]!.fail(new Error("lost"));
  await settled();
  session.request("code", { language: "c" }).catch(() => undefined);
  expect(calls.filter(({ name }) => name === "code")).toHaveLength(2);
});

it("another robot gets its own catalogue, and the model is derived again", async () => {
  const { calls, store, session, models } = setUp();
  store.show(view("a"));
  store.requested.value = { model: "jacobian", options: {} };
  store.show(view("b"));
  await vi.advanceTimersByTimeAsync(500);
  expect(models().at(-1)!.payload.robot).toEqual({ name: "b" });
  const lists = calls.filter(({ name }) => name === "catalogue");
  lists.at(-1)!.answer({ models: [{ id: "jacobian", of: "b" }] });
  lists.at(-2)!.answer({ models: [{ id: "jacobian", of: "a" }] });
  await settled();
  expect(session.entry.value!.of).toBe("b");
  session.dispose();
  expect(models().at(-1)!.asking.signal!.aborted).toBe(true);
});
