// Requests are repeated while the server does not answer: it may be restarted, or a computer may have been asleep. The
// server has no state except its jobs, so that a repeated request has the same answer.

import { signal } from "@preact/signals";

import { Failure, type Backend, type CallOptions } from "./backend";

/** Pauses in milliseconds before the repetitions of a request, the last one again and again; a restart takes about 2 s. */
const PAUSES = [500, 1000, 2000];

/** Whether the server does not answer at present. */
export const serverLost = signal(false);

/** Ends the pauses of all waiting requests. */
const waiting = new Set<() => void>();

/** Repeat the waiting requests without a further pause. */
export function retryNow(): void {
  for (const end of [...waiting]) end();
}

function isLost(error: unknown): boolean {
  return error instanceof Failure && error.problem.kind === "Unreachable";
}

/** Whether a job is unknown to the server, as after a restart. */
function isForgotten(error: unknown): boolean {
  return error instanceof Failure && error.problem.message.startsWith("the job does not exist");
}

/** Return a backend whose requests wait until the server answers. */
export function withRetry(backend: Backend): Backend {
  async function call<T>(name: string, payload: object = {}, options: CallOptions = {}): Promise<T> {
    // Pieces that were reported cannot be withdrawn.
    let reported = false;
    let forgotten = false;
    const watched: CallOptions = {
      ...options,
      ...(options.onProgress && {
        onProgress: (progress) => {
          reported ||= Boolean(progress.pieces?.length);
          options.onProgress!(progress);
        },
      }),
    };
    for (let k = 0; ; k++) {
      try {
        const answer = await backend.call<T>(name, payload, watched);
        answered();
        return answer;
      } catch (error) {
        if (options.signal?.aborted) throw error;
        const lost = isLost(error);
        if (lost) serverLost.value = true;
        else answered();
        const repeatable = lost || (isForgotten(error) && !forgotten);
        if (reported || !repeatable) {
          if (lost) void call("about").catch(() => undefined); // waits until the server returns
          throw error;
        }
        forgotten ||= !lost;
        await pause(PAUSES[Math.min(k, PAUSES.length - 1)]!, options.signal);
      }
    }
  }

  /** Repeat the other requests as soon as one has been answered. */
  function answered(): void {
    if (!serverLost.value) return;
    serverLost.value = false;
    retryNow();
  }

  return { call };
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const clear = (): void => {
      clearTimeout(timer);
      waiting.delete(end);
      signal?.removeEventListener("abort", stop);
    };
    const stop = (): void => {
      clear();
      reject(new DOMException("the request was cancelled", "AbortError"));
    };
    const end = (): void => {
      clear();
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    waiting.add(end);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
