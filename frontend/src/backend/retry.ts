// Requests are repeated while the server does not answer: it may be restarted, or a computer may have been asleep. The
// server has no state except its jobs, so that a repeated request has the same answer.

import { signal } from "@preact/signals";

import { Failure, type Backend, type CallOptions } from "./backend";

/** Pauses in milliseconds before the repetitions of a request; a restart of the server takes about 2 s. */
const PAUSES = [500, 1000, 2000, 4000];
/** Pause in milliseconds between requests to a server that does not answer. */
const AGAIN_MS = 2000;

/** Whether the server does not answer at present. */
export const serverLost = signal(false);

/** Ends the pauses of all waiting requests. */
const waiting = new Set<() => void>();

/** Repeat the waiting requests without a further pause. */
export function retryNow(): void {
  for (const end of [...waiting]) end();
}

export function isLost(error: unknown): boolean {
  return error instanceof Failure && error.problem.kind === "Unreachable";
}

/** Whether a job is unknown to the server, as after a restart. */
function isForgotten(error: unknown): boolean {
  return error instanceof Failure && error.problem.message.startsWith("the job does not exist");
}

export function withRetry(backend: Backend): Backend {
  let polling = false;

  /** Repeat a request until the server answers again. */
  async function pollServer(): Promise<void> {
    if (polling) return;
    polling = true;
    while (serverLost.value) {
      await pause(AGAIN_MS);
      if (!serverLost.value) break;
      await backend.call("about").then(
        () => (serverLost.value = false),
        (error: unknown) => (serverLost.value = isLost(error)),
      );
    }
    polling = false;
  }

  return {
    async call<T>(name: string, payload: object = {}, options: CallOptions = {}): Promise<T> {
      // Pieces that were reported cannot be withdrawn.
      let reported = false;
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
          serverLost.value = false;
          return answer;
        } catch (error) {
          const repeatable = isLost(error) || (k === 0 && isForgotten(error));
          if (!repeatable || reported || options.signal?.aborted) throw error;
          if (isLost(error)) serverLost.value = true;
          if (k === PAUSES.length) {
            void pollServer();
            throw error;
          }
          await pause(PAUSES[k]!, options.signal);
        }
      }
    },
  };
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
