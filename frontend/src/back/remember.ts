// Several panes request the same lists (catalogue, robots): each list is requested once and cached.

import type { Asking, Back } from "./back";

const LISTS: ReadonlySet<string> = new Set(["about", "robots", "catalogue"]);
const MOST = 6;

export function remembering(back: Back): Back {
  const known = new Map<string, Promise<unknown>>();

  function fetched(name: string, payload: object): Promise<unknown> {
    const key = `${name} ${JSON.stringify(payload)}`;
    const before = known.get(key);
    if (before) return before;
    const answer = back.call(name, payload);
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    const oldest = known.keys().next().value;
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    return answer;
  }

  return {
    call<T>(name: string, payload: object = {}, asking: Asking = {}): Promise<T> {
      if (!LISTS.has(name)) return back.call<T>(name, payload, asking);
      return unlessAborted(fetched(name, payload) as Promise<T>, asking.signal);
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
