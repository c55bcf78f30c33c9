import { describe, expect, it } from "vitest";

import { Failure, type Progress } from "./backend";
import { workerBackend, type WorkerLike, type WorkerMessage, type WorkerRequest } from "./worker";

/** A worker whose answers are given by the test. */
class FakeWorker implements WorkerLike {
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;
  calls: WorkerRequest[] = [];
  ended = false;

  postMessage(message: WorkerRequest): void {
    this.calls.push(message);
  }

  terminate(): void {
    this.ended = true;
  }

  say(message: WorkerMessage): void {
    this.onmessage?.call(this as unknown as Worker, { data: message } as MessageEvent);
  }

  answer(value: object): void {
    this.say({ kind: "answer", text: JSON.stringify(value) });
  }
}

function stage() {
  const hands: FakeWorker[] = [];
  const backend = workerBackend(() => {
    hands.push(new FakeWorker());
    return hands.at(-1)!;
  }, new Set(["model"]));
  return { hands, backend };
}

function loaded() {
  const { hands, backend } = stage();
  hands[0]!.say({ kind: "ready" });
  hands[1]!.say({ kind: "ready" });
  return { hands, backend };
}

describe("the backend in a worker", () => {
  it("reports that it is loading, then answers waiting calls", async () => {
    const { hands, backend } = stage();
    const reported: Progress[] = [];
    const wanted = backend.call("robots", {}, { onProgress: (progress) => reported.push(progress) });
    expect(hands).toHaveLength(1);
    expect(hands[0]!.calls).toEqual([]);
    hands[0]!.say({ kind: "progress", progress: { step: "loading symoro" } });
    hands[0]!.say({ kind: "ready" });
    expect(hands[0]!.calls).toEqual([{ kind: "call", name: "robots", payload: "{}" }]);
    expect(hands).toHaveLength(1);
    hands[0]!.answer({ robots: [] });
    expect(hands).toHaveLength(2);
    expect(await wanted).toEqual({ robots: [] });
    expect(reported.map((progress) => progress.step)).toEqual(["loading Python", "loading symoro"]);
  });

  it("answers short calls while a long one runs", async () => {
    const { hands, backend } = loaded();
    const long = backend.call("model");
    const short = backend.call("about");
    hands[0]!.answer({ version: "1" });
    expect(await short).toEqual({ version: "1" });
    hands[1]!.answer({ text: "T = 1" });
    expect(await long).toEqual({ text: "T = 1" });
  });

  it("derives with the first worker until the second is ready", async () => {
    const { hands, backend } = stage();
    hands[0]!.say({ kind: "ready" });
    const first = backend.call("model", { n: 1 });
    expect(hands[0]!.calls).toHaveLength(1);
    hands[0]!.answer({ n: 1 });
    expect(await first).toEqual({ n: 1 });
    hands[1]!.say({ kind: "ready" });
    void backend.call("model", { n: 2 });
    expect(hands[0]!.calls).toHaveLength(1);
    expect(hands[1]!.calls).toHaveLength(1);
  });

  it("sends one call at a time, in order", async () => {
    const { hands, backend } = loaded();
    const first = backend.call("model", { n: 1 });
    const second = backend.call("model", { n: 2 });
    expect(hands[1]!.calls).toHaveLength(1);
    hands[1]!.answer({ n: 1 });
    hands[1]!.answer({ n: 2 });
    expect(await Promise.all([first, second])).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("converts an error to a Failure", async () => {
    const { hands, backend } = loaded();
    const wanted = backend.call("robot_edit");
    hands[0]!.answer({ error: { kind: "ArgumentError", message: "no such cell" } });
    const error = await wanted.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).problem.kind).toBe("ArgumentError");
  });

  it("terminates the worker of a cancelled call, and continues with another", async () => {
    const { hands, backend } = loaded();
    const cancel = new AbortController();
    const lost = backend.call("model", { n: 1 }, { signal: cancel.signal });
    const kept = backend.call("model", { n: 2 });
    cancel.abort();
    await expect(lost).rejects.toThrow("cancelled");
    expect(hands[1]!.ended).toBe(true);
    hands[2]!.say({ kind: "ready" });
    expect(hands[2]!.calls).toEqual([{ kind: "call", name: "model", payload: '{"n":2}' }]);
    hands[2]!.answer({ n: 2 });
    expect(await kept).toEqual({ n: 2 });
  });

  it("keeps the worker when a waiting or finished call is cancelled", async () => {
    const { hands, backend } = loaded();
    const cancel = new AbortController();
    const running = backend.call("model", { n: 1 });
    const waiting = backend.call("model", { n: 2 }, { signal: cancel.signal });
    cancel.abort();
    await expect(waiting).rejects.toThrow("cancelled");
    hands[1]!.answer({ n: 1 });
    expect(await running).toEqual({ n: 1 });
    expect(hands[1]!.ended).toBe(false);
    expect(hands[1]!.calls).toHaveLength(1);

    const late = new AbortController();
    const done = backend.call("model", { n: 3 }, { signal: late.signal });
    hands[1]!.answer({ n: 3 });
    await done;
    late.abort();
    expect(hands[1]!.ended).toBe(false);
  });

  it("replaces a worker that crashes during a call", async () => {
    const { hands, backend } = loaded();
    const lost = backend.call("model");
    hands[1]!.say({ kind: "crash", message: "out of memory" });
    await expect(lost).rejects.toThrow("out of memory");
    expect(hands).toHaveLength(3);
  });

  it("rejects the calls that wait for a worker that cannot load, and retries at the next call", async () => {
    const { hands, backend } = stage();
    const lost = backend.call("robots");
    hands[0]!.say({ kind: "crash", message: "python.zip cannot be loaded: the server answered 404", lost: true });
    await expect(lost).rejects.toMatchObject({ problem: { kind: "Unreachable", message: expect.stringContaining("404") as string } });
    const again = backend.call("robots");
    hands[1]!.say({ kind: "ready" });
    hands[1]!.answer({ robots: [] });
    expect(await again).toEqual({ robots: [] });
  });

  it("states the requirements of Python where it cannot be started, which is no reason to try again", async () => {
    const { hands, backend } = stage();
    const lost = backend.call("robots");
    hands[0]!.say({ kind: "crash", message: "WebAssembly is disabled" });
    await expect(lost).rejects.toMatchObject({ problem: { kind: "StoppedError", hint: expect.stringContaining("wasm-unsafe-eval") as string } });
  });
});
