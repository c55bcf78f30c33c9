// Several panes request the same lists (catalogue, robots): each list is requested once and cached.

import type { CallOptions, Backend } from "./backend";

const LISTS: ReadonlySet<string> = new Set(["about", "robots", "catalogue"]);
const MOST = 6;

export function withCache(backend: Backend): Backend {
  const cache = new Map<string, Promise<unknown>>();

  function fetched(name: string, payload: object): Promise<unknown> {
    const key = `${name} ${JSON.stringify(payload)}`;
    const before = cache.get(key);
    if (before) return before;
    const answer = backend.call(name, payload);
    cache.set(key, answer);
    answer.catch(() => cache.delete(key));
    const oldest = cache.keys().next().value;
    if (cache.size > MOST && oldest !== undefined) cache.delete(oldest);
    return answer;
  }

  return {
    call<T>(name: string, payload: object = {}, options: CallOptions = {}): Promise<T> {
      if (!LISTS.has(name)) return backend.call<T>(name, payload, options);
      return unlessAborted(fetched(name, payload) as Promise<T>, options.signal);
    },
  };
}

/** Cancelling one request does not cancel the shared request of the other panes. */
function unlessAborted<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return answer;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new DOMException("the request was cancelled", "AbortError"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
