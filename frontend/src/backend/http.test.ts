// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";

import { Failure, type Progress } from "./backend";
import { httpBackend, tokenOf } from "./http";
import { withCache } from "./cache";

interface Sent {
  path: string;
  method: string;
  body: unknown;
  token: string | null;
}

type Answer = (sent: Sent) => Response | Promise<Response>;

function json(data: unknown, status = 200): Response {
  return new Response(JSON.stringify(data), { status });
}

function stream(...blocks: string[]): Response {
  const parts = blocks.map((block) => new TextEncoder().encode(block));
  return new Response(
    new ReadableStream({
      start(controller) {
        parts.forEach((part) => controller.enqueue(part));
        controller.close();
      },
    }),
  );
}

function event(state: string, more: object = {}): string {
  return `data: ${JSON.stringify({ id: "j", state, progress: null, result: null, ...more })}\n\n`;
}

function backWith(answer: Answer, href = "http://127.0.0.1:1/") {
  const sent: Sent[] = [];
  const held = new Map<string, string>();
  const storage = {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (k: string, v: string) => void held.set(k, v),
  };
  const fake = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const one = {
      path,
      method: init.method ?? "GET",
      body: init.body ? (JSON.parse(String(init.body)) as unknown) : null,
      token: new Headers(init.headers).get("authorization"),
    };
    sent.push(one);
    return answer(one);
  };
  return { sent, storage, backend: httpBackend({ fetch: fake as typeof fetch, storage, href }) };
}

describe("the backend over HTTP", () => {
  it("reports each piece of a result once, also after a reconnection", async () => {
    const streams = [
      stream(event("running", { progress: { title: "simulating", done: 1, total: 3 }, pieces: ["a", "b"], before: 0 })),
      stream(event("running", { pieces: ["a", "b", "c"], before: 0 }), event("done", { pieces: ["d"], before: 3, result: { end: true } })),
    ];
    const { backend } = backWith(({ path }) => (path.endsWith("/events") ? streams.shift()! : json({ id: "j", state: "queued", progress: null, result: null })));
    const came: unknown[] = [];
    const result = await backend.call("simulate", {}, { onProgress: (progress) => came.push(...(progress.pieces ?? [])) });
    expect(came).toEqual(["a", "b", "c", "d"]);
    expect(result).toEqual({ end: true });
  });

  it("posts short calls", async () => {
    const { backend, sent } = backWith(() => json({ version: "1" }));
    expect(await backend.call("about")).toEqual({ version: "1" });
    expect(sent).toEqual([{ path: "/api/about", method: "POST", body: {}, token: null }]);
  });

  it("stores the token of the address, and sends it", async () => {
    const { backend, sent, storage } = backWith(() => json({}), "http://h:1/?token=secret");
    await backend.call("about");
    expect(sent[0]!.token).toBe("Bearer secret");
    expect(tokenOf({ href: "http://h:1/", storage })).toBe("secret");
  });

  it("uses the API next to a page in a folder", async () => {
    const { backend, sent } = backWith(() => json({}), "http://h:1/sub/index.html");
    await backend.call("robots");
    expect(sent[0]!.path).toBe("/sub/api/robots");
  });

  it("converts an error to a Failure with all its data", async () => {
    const error = { kind: "FormatError", message: "no", hint: "do", place: { line: 3 } };
    const { backend } = backWith(() => json({ error }, 422));
    await expect(backend.call("robot_open", { text: "x" })).rejects.toMatchObject({ problem: error });
  });

  it("converts validation errors of the server and unreadable answers to messages", async () => {
    const detail = [{ loc: ["body", "links"], msg: "not a number" }];
    const refused = backWith(() => json({ detail }, 422));
    await expect(refused.backend.call("robot_new", {})).rejects.toMatchObject({ message: "links: not a number" });
    const broken = backWith(() => new Response("<html>", { status: 502 }));
    await expect(broken.backend.call("about")).rejects.toBeInstanceOf(Failure);
    const away = backWith(() => Promise.reject(new TypeError("refused")));
    await expect(away.backend.call("about")).rejects.toMatchObject({ problem: { kind: "Unreachable" } });
  });

  it("runs long calls as jobs and reports their progress", async () => {
    const { backend, sent } = backWith(({ path }) => {
      if (path === "/api/jobs") return json({ id: "j", state: "queued" });
      const running = event("running", { progress: { title: "step", done: 1, total: 4 } });
      const done = event("done", { result: { text: "tau" } });
      return stream(running.slice(0, 20), running.slice(20) + done);
    });
    const reported: Progress[] = [];
    const answer = await backend.call("model", { model: "energy" }, { onProgress: (one) => reported.push(one) });
    expect(answer).toEqual({ text: "tau" });
    expect(reported).toEqual([{ step: "step", done: 1, total: 4 }]);
    expect(sent.map(({ path }) => path)).toEqual(["/api/jobs", "/api/jobs/j/events"]);
    expect(sent[0]!.body).toEqual({ call: "model", payload: { model: "energy" } });
  });

  it("reconnects an interrupted stream", async () => {
    let times = 0;
    const { backend } = backWith(({ path }) => {
      if (path === "/api/jobs") return json({ id: "j", state: "queued" });
      return ++times === 1 ? stream(event("running")) : stream(event("done", { result: { text: "x" } }));
    });
    expect(await backend.call("model")).toEqual({ text: "x" });
    expect(times).toBe(2);
  });

  it("fails with the error of the job", async () => {
    const { backend } = backWith(({ path }) =>
      path === "/api/jobs"
        ? json({ id: "j", state: "queued" })
        : stream(event("failed", { result: { error: { kind: "E", message: "no" } } })),
    );
    await expect(backend.call("model")).rejects.toMatchObject({ message: "no" });
  });

  it("stops the job when the call is cancelled", async () => {
    const stop = new AbortController();
    const { backend, sent } = backWith(({ path, method }) => {
      if (path === "/api/jobs") return json({ id: "j", state: "queued" });
      if (method === "DELETE") return json({});
      return new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(new Error("aborted"))));
    });
    const pending = backend.call("model", {}, { signal: stop.signal });
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    stop.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
    expect(sent.at(-1)).toMatchObject({ path: "/api/jobs/j", method: "DELETE" });
  });
});

describe("lists", () => {
  it("are requested once, other calls each time", async () => {
    const requests: string[] = [];
    const backend = withCache({
      async call<T>(name: string) {
        requests.push(name);
        return { name } as T;
      },
    });
    await Promise.all([backend.call("catalogue", { robot: { a: 1 } }), backend.call("catalogue", { robot: { a: 1 } })]);
    await backend.call("catalogue", { robot: { a: 2 } });
    await backend.call("robot_view");
    await backend.call("robot_view");
    expect(requests).toEqual(["catalogue", "catalogue", "robot_view", "robot_view"]);
  });

  it("that failed are requested again; cancelling one request does not affect others", async () => {
    let times = 0;
    const backend = withCache({
      async call<T>() {
        if (++times === 1) throw new Failure({ kind: "E", message: "no" });
        return { ok: true } as T;
      },
    });
    await expect(backend.call("about")).rejects.toBeInstanceOf(Failure);
    const stop = new AbortController();
    const left = backend.call("about", {}, { signal: stop.signal });
    const kept = backend.call("about");
    stop.abort();
    await expect(left).rejects.toMatchObject({ name: "AbortError" });
    expect(await kept).toEqual({ ok: true });
    expect(times).toBe(2);
  });
});
