// Backend over HTTP. Short calls are answered directly; long calls run as jobs that report progress and can be
// cancelled.

import { put } from "../store/storage";
import { Failure, type CallOptions, type Backend, type Problem, type Progress } from "./backend";

/** Calls that the server runs as jobs (src/symoro/ui/web/schema.py). */
export const LONG: ReadonlySet<string> = new Set([
  "model",
  "explain",
  "code",
  "export",
  "evaluate",
  "variables",
  "base",
  "singularities",
  "frames",
  "solve",
  "inverse",
  "workspace",
  "trajectory",
  "excitation",
  "simulate",
  "identify",
]);

const KEY = "symoro-token";
const AGAIN_MS = 300;

interface Job {
  id: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  progress: { title?: string; done?: number; total?: number } | null;
  result: Record<string, unknown> | null;
  /** Pieces of the result since the previous event, and the number of pieces before them. */
  pieces?: unknown[];
  before?: number;
}

export interface Web {
  fetch: typeof fetch;
  /** Session storage, which keeps the token of the address while the tab is open. */
  storage: Pick<Storage, "getItem" | "setItem">;
  /** Address of the page. */
  href: string;
}

/** Return the token of the page's address and store it, because the address may change later. */
export function tokenOf(web: Pick<Web, "href" | "storage">): string {
  const given = new URL(web.href).searchParams.get("token");
  if (given) put(web.storage, KEY, given);
  return given ?? web.storage.getItem(KEY) ?? "";
}

export function httpBackend(web: Web): Backend {
  const token = tokenOf(web);
  const root = new URL("api/", web.href).pathname;

  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token) headers.set("authorization", `Bearer ${token}`);
    try {
      return await web.fetch(root + path, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw abortion();
      throw new Failure({
        kind: "Unreachable",
        message: "the server does not answer",
        hint: `check that "symoro gui" is still running (${error instanceof Error ? error.message : String(error)})`,
      });
    }
  }

  async function post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    const headers = { "content-type": "application/json" };
    const response = await send(path, { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null });
    return answerOf<T>(response);
  }

  async function run<T>(name: string, payload: object, { signal, onProgress }: CallOptions): Promise<T> {
    const job = await post<Job>("jobs", { call: name, payload });
    // The server stops the job before it answers; the page does not wait for this answer.
    const end = (): void => void send(`jobs/${job.id}`, { method: "DELETE" }).catch(() => undefined);
    if (signal?.aborted) {
      end();
      throw abortion();
    }
    signal?.addEventListener("abort", end, { once: true });
    try {
      return resultOf<T>(await watch(job.id, signal, onProgress));
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  /** Return the finished job; reconnect if the event stream is interrupted. */
  async function watch(id: string, signal?: AbortSignal, onProgress?: (p: Progress) => void): Promise<Job> {
    let seen = 0;
    for (;;) {
      const response = await send(`jobs/${id}/events`, { signal: signal ?? null });
      if (!response.ok || !response.body) await answerOf(response);
      try {
        for await (const job of events(response.body!)) {
          // A stream that was reconnected starts with all pieces again.
          const pieces = (job.pieces ?? []).slice(Math.max(0, seen - (job.before ?? 0)));
          seen += pieces.length;
          if (pieces.length && onProgress) onProgress({ ...(job.progress && progressOf(job.progress)), pieces });
          if (job.state === "done" || job.state === "failed" || job.state === "cancelled") return job;
          if (job.progress && onProgress && !pieces.length) onProgress(progressOf(job.progress));
        }
      } catch (error) {
        if (signal?.aborted) throw abortion();
        if (!(error instanceof TypeError)) throw error;
      }
      if (signal?.aborted) throw abortion();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  return {
    call<T>(name: string, payload: object = {}, options: CallOptions = {}): Promise<T> {
      return LONG.has(name) ? run<T>(name, payload, options) : post<T>(name, payload, options.signal);
    },
  };
}

function abortion(): DOMException {
  return new DOMException("the request was cancelled", "AbortError");
}

function progressOf(report: NonNullable<Job["progress"]>): Progress {
  return {
    ...(report.title !== undefined && { step: report.title }),
    ...(report.done !== undefined && { done: report.done }),
    ...(report.total !== undefined && { total: report.total }),
  };
}

function resultOf<T>(job: Job): T {
  if (job.state === "cancelled") throw abortion();
  const problem = job.result?.["error"] as Problem | undefined;
  if (problem) throw new Failure(problem);
  return job.result as T;
}

async function answerOf<T>(response: Response): Promise<T> {
  let data: Record<string, unknown>;
  try {
    data = (await response.json()) as Record<string, unknown>;
  } catch {
    throw new Failure({ kind: "Unreadable", message: `the server answered ${response.status} without a readable body` });
  }
  if (data["error"]) throw new Failure(data["error"] as Problem);
  if (!response.ok) throw new Failure({ kind: "Refused", message: detailOf(data["detail"], response.status) });
  return data as T;
}

/** Return a message for a payload that FastAPI rejected (its own error format). */
function detailOf(detail: unknown, status: number): string {
  if (typeof detail === "string") return detail;
  const first = Array.isArray(detail) ? (detail[0] as { loc?: unknown[]; msg?: string } | undefined) : undefined;
  if (!first) return `the server answered ${status}`;
  return `${(first.loc ?? []).slice(1).join(".")}: ${first.msg ?? ""}`;
}

/** Yield the objects of a stream of server-sent events. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<Job> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = block
          .split(/\r?\n/)
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).trimStart());
        if (data.length) yield JSON.parse(data.join("\n")) as Job;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
