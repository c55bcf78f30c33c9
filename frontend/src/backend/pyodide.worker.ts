// Python in a web worker: load the interpreter and symoro from the page's folder, then answer calls.

import type { PyodideInterface } from "pyodide";
import type { PyCallable } from "pyodide/ffi";

import type { Progress } from "./backend";
import { DownloadError, watchDownloads } from "./bytes";
import { simulate, type SimulationPlan } from "./simulation";
import type { SiteFiles, WorkerMessage, WorkerRequest } from "./worker";

const SITE = "/lib/symoro";

let root = "";
let files: SiteFiles;
let python: PyodideInterface;
let answer: PyCallable;
const tried = new Set<string>();

function post(message: WorkerMessage): void {
  self.postMessage(message);
}

function step(text: string): void {
  post({ kind: "progress", progress: { step: text } });
}

/** Report the progress of the first downloads in megabytes, at most ten times per second; reject when one fails. */
function reportDownloads(total: number): Promise<never> {
  let last = 0;
  return watchDownloads((bytes) => {
    if (Date.now() - last < 100 || bytes > total) return;
    last = Date.now();
    const text = `loading Python: ${(bytes / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
    post({ kind: "progress", progress: { step: text, done: bytes, total } });
  });
}

/** Reject when WebAssembly cannot be started; Pyodide itself would wait for ever. */
function webAssemblyFailure(): Promise<never> {
  const original = WebAssembly.instantiateStreaming;
  return new Promise((_, reject) => {
    WebAssembly.instantiateStreaming = (source, imports) => {
      const made = original(source, imports);
      made.catch(reject);
      return made;
    };
  });
}

async function imported(module: string): Promise<unknown> {
  return import(/* @vite-ignore */ module).catch((error: unknown) => {
    throw new DownloadError(module, error);
  });
}

/** Load the interpreter and symoro. */
async function load(): Promise<void> {
  const folder = new URL(files.python, root).href;
  // A body that nobody reads would not be downloaded while Python is; reportDownloads reports its failure.
  const sources = fetch(new URL(files.symoro, root)).then((response) => response.arrayBuffer());
  sources.catch(() => undefined);
  // Pyodide imports the second module later.
  const modules = ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => imported(`${folder}${name}`));
  const { loadPyodide } = (await Promise.all(modules))[0] as typeof import("pyodide");
  python = await loadPyodide({ indexURL: folder });
  step("starting Python");
  python.FS.mkdirTree(SITE);
  python.unpackArchive(await sources, "zip", { extractDir: SITE });
  python.runPython(`import sys; sys.path.insert(0, "${SITE}")`);
  const page = python.pyimport("symoro.ui.service.page");
  if (!files.packages.includes("numpy")) page.use_plain_arrays();
  answer = page.answer as PyCallable;
}

async function start(): Promise<void> {
  step("loading Python");
  // A broken download comes first: WebAssembly then fails as well.
  await Promise.race([reportDownloads(files.bytes), load(), webAssemblyFailure()]);
  post({ kind: "ready" });
}

/** Load a package that only few models need, if the site provides it as an archive or as a wheel next to Python. */
async function loadPackage(name: string): Promise<boolean> {
  if (tried.has(name)) return false;
  tried.add(name);
  step(`loading ${name}`);
  if (files.packages.includes(name)) {
    await python.loadPackage(name);
    return true;
  }
  if (name !== "sympy") return false;
  const response = await fetch(new URL(files.sympy, root));
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  python.unpackArchive(await response.arrayBuffer(), "zip", { extractDir: SITE });
  python.runPython("import importlib; importlib.invalidate_caches()");
  return true;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function progress(title: string, done: number, total: number | undefined, pieces?: unknown[]): void {
  const progress: Progress = { step: title, done, ...(total !== undefined && { total }), ...(pieces && { pieces }) };
  post({ kind: "progress", progress });
}

/** Return the answer of a call as JSON text; packages that it lacks are loaded if the site provides them. */
async function answered(name: string, payload: string): Promise<string> {
  for (;;) {
    const text = answer(name, payload, progress) as string;
    const lacking = /^\{"missing": "(\w+)"/.exec(text)?.[1];
    try {
      if (!lacking || !(await loadPackage(lacking))) return text;
    } catch (error) {
      tried.delete(lacking!);
      if (!("error" in JSON.parse(text))) return text;
      const message = `this needs the package ${lacking}, which cannot be loaded (${messageOf(error)})`;
      return JSON.stringify({ error: { kind: "MissingDependencyError", message, hint: "check the network connection, then reload the page" } });
    }
  }
}

/** Return the answer of `simulate` where SciPy is missing: the motion is integrated here. */
async function simulated(payload: string): Promise<string> {
  const text = await answered("simulation_plan", payload);
  const plan = JSON.parse(text) as SimulationPlan & { error?: unknown };
  if (plan.error) return text;
  const duration = plan.times.at(-1)!;
  const request = (times: number[], rows: number[][], why: string): string =>
    JSON.stringify({ ...(JSON.parse(payload) as object), times, rows, why, torques: plan.tau });
  let sent = 0;
  const states = await simulate(plan, (time, rows) => {
    const kept = rows.flatMap((_, k) => (k >= sent && k % plan.every === 0 ? [k] : []));
    sent = rows.length;
    const piece = kept.length > 0 && (answer("simulation_piece", request(kept.map((k) => plan.times[k]!), kept.map((k) => rows[k]!), ""), progress) as string);
    progress("simulating", time, duration, piece ? [JSON.parse(piece)] : undefined);
  });
  return answered("simulation_answer", request(states.times, states.rows, states.why));
}

async function call(name: string, payload: string): Promise<void> {
  const text = name === "simulate" && !files.packages.includes("scipy") ? await simulated(payload) : await answered(name, payload);
  post({ kind: "answer", text });
}

self.onmessage = (event: MessageEvent<WorkerRequest>) => {
  const request = event.data;
  let work: Promise<void>;
  if (request.kind === "start") {
    root = request.root;
    files = request.files;
    work = start();
  } else work = call(request.name, request.payload);
  work.catch((error: unknown) => post({ kind: "crash", message: messageOf(error), lost: error instanceof DownloadError }));
};
