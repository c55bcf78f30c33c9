import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { Failure, type Backend, type CallOptions } from "./backend";
import { retryNow, serverLost, withRetry } from "./retry";

const LOST = new Failure({ kind: "Unreachable", message: "the server does not answer" });
const FORGOTTEN = new Failure({ kind: "Refused", message: "the job does not exist, or its result is no longer available: start it again" });
const WRONG = new Failure({ kind: "ArgumentError", message: "'links': expected a number" });

beforeEach(() => {
  vi.useFakeTimers();
  serverLost.value = false;
});
afterEach(() => void vi.useRealTimers());

function failing(errors: (Error | null)[], during?: (options: CallOptions) => void): { backend: Backend; calls: string[] } {
  const calls: string[] = [];
  const backend: Backend = {
    async call<T>(name: string, _payload?: object, options: CallOptions = {}): Promise<T> {
      calls.push(name);
      during?.(options);
      const error = errors.shift();
      if (error) throw error;
      return { answered: name } as T;
    },
  };
  return { backend: withRetry(backend), calls };
}

it("repeats a request until the server answers", async () => {
  const { backend, calls } = failing([LOST, LOST, null]);
  const answer = backend.call("model");
  await vi.advanceTimersByTimeAsync(100);
  expect(serverLost.value).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await answer).toEqual({ answered: "model" });
  expect(calls).toHaveLength(3);
  expect(serverLost.value).toBe(false);
});

it("waits until the server returns, and then repeats all requests", async () => {
  const { backend, calls } = failing(Array<Error>(40).fill(LOST));
  const answers = [backend.call("model"), backend.call("robot_edit")];
  await vi.advanceTimersByTimeAsync(30_000);
  expect(serverLost.value).toBe(true);
  expect(calls.length).toBeLessThan(40);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await Promise.all(answers)).toEqual([{ answered: "model" }, { answered: "robot_edit" }]);
  expect(serverLost.value).toBe(false);
});

it("repeats the other requests as soon as one is answered", async () => {
  const { backend, calls } = failing([LOST, LOST, LOST]);
  const slow = backend.call("model");
  await vi.advanceTimersByTimeAsync(1600);
  expect(calls).toHaveLength(3);
  await backend.call("about");
  await vi.advanceTimersByTimeAsync(10); // its pause would end after 2 s
  expect(await slow).toEqual({ answered: "model" });
});

it("repeats the request at once if the user asks for it", async () => {
  const { backend, calls } = failing([LOST, null]);
  const answer = backend.call("model");
  await vi.advanceTimersByTimeAsync(10);
  expect(calls).toHaveLength(1);
  retryNow();
  await vi.advanceTimersByTimeAsync(10);
  expect(await answer).toEqual({ answered: "model" });
  expect(serverLost.value).toBe(false);
});

it("starts a job again that the restarted server does not know, once", async () => {
  const again = failing([FORGOTTEN, null]);
  const answer = again.backend.call("model");
  await vi.advanceTimersByTimeAsync(1000);
  expect(await answer).toEqual({ answered: "model" });
  const never = failing([FORGOTTEN, FORGOTTEN, null]);
  const failed = never.backend.call("model").catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(9000);
  expect(await failed).toBe(FORGOTTEN);
});

it("does not repeat rejected and cancelled requests, or one whose pieces were reported", async () => {
  const wrong = failing([WRONG, null]);
  await expect(wrong.backend.call("robot_new")).rejects.toBe(WRONG);
  expect(wrong.calls).toHaveLength(1);

  const stop = new AbortController();
  const cancelled = failing([LOST, null]);
  const answer = cancelled.backend.call("model", {}, { signal: stop.signal }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10);
  stop.abort();
  expect(await answer).toMatchObject({ name: "AbortError" });

  const partly = failing([LOST, null], ({ onProgress }) => onProgress?.({ pieces: ["a"] }));
  await expect(partly.backend.call("simulate", {}, { onProgress: () => undefined })).rejects.toBe(LOST);
  await vi.advanceTimersByTimeAsync(10);
  expect(partly.calls).toEqual(["simulate", "about"]);
  expect(serverLost.value).toBe(false);
});
