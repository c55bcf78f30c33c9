// Python in a web worker: load the interpreter and symoro from the page's folder, then answer calls.

import type { PyodideInterface } from "pyodide";
import type { PyCallable } from "pyodide/ffi";

import type { Progress } from "./backend";
import { countBytes } from "./bytes";
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

/** Report the progress of the first downloads in megabytes, at most ten times per second. */
function reportDownloads(total: number): void {
  let last = 0;
  countBytes((bytes) => {
    if (Date.now() - last < 100 || bytes > total) return;
    last = Date.now();
    const text = `loading Python: ${(bytes / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
    post({ kind: "progress", progress: { step: text, done: bytes, total } });
  });
}

async function start(): Promise<void> {
  step("loading Python");
  reportDownloads(files.bytes);
  const folder = new URL(files.python, root).href;
  const module = new URL("pyodide.mjs", folder).href;
  const sources = fetch(new URL(files.symoro, root));
  const { loadPyodide } = (await import(/* @vite-ignore */ module)) as typeof import("pyodide");
  python = await loadPyodide({ indexURL: folder });
  step("starting Python");
  const response = await sources;
  if (!response.ok) throw new Error(`${files.symoro}: the site answered ${response.status}`);
  python.FS.mkdirTree(SITE);
  python.unpackArchive(await response.arrayBuffer(), "zip", { extractDir: SITE });
  python.runPython(`import sys; sys.path.insert(0, "${SITE}")`);
  const page = python.pyimport("symoro.ui.service.page");
  if (!files.packages.includes("numpy")) page.use_plain_arrays();
  answer = page.answer as PyCallable;
  post({ kind: "ready" });
}

/** Load a package that only few models need, if the site provides it as an archive or as a wheel next to Python. */
async function load(name: string): Promise<boolean> {
  if (tried.has(name)) return false;
  tried.add(name);
  step(`loading ${name}`);
  if (files.packages.includes(name)) {
    await python.loadPackage(name);
    return true;
  }
  if (name !== "sympy") return false;
  const response = await fetch(new URL(files.sympy, root));
  if (!response.ok) return false;
  python.unpackArchive(await response.arrayBuffer(), "zip", { extractDir: SITE });
  python.runPython("import importlib; importlib.invalidate_caches()");
  return true;
}

function progress(title: string, done: number, total: number | undefined): void {
  const progress: Progress = { step: title, done, ...(total !== undefined && { total }) };
  post({ kind: "progress", progress });
}

/** Return the answer of a call as JSON text; packages that it lacks are loaded if the site provides them. */
async function answered(name: string, payload: string): Promise<string> {
  for (;;) {
    const text = answer(name, payload, progress) as string;
    const lacking = /^\{"missing": "(\w+)"/.exec(text)?.[1];
    if (!lacking || !(await load(lacking))) return text;
  }
}

/** Return the answer of `simulate` where SciPy is missing: the motion is integrated here. */
async function simulated(payload: string): Promise<string> {
  const text = await answered("simulation_plan", payload);
  const plan = JSON.parse(text) as SimulationPlan & { error?: unknown };
  if (plan.error) return text;
  const duration = plan.times.at(-1)!;
  const states = await simulate(plan, (time) => progress("simulating", time, duration));
  return answered("simulation_answer", JSON.stringify({ ...JSON.parse(payload), ...states, torques: plan.tau }));
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
  work.catch((error: unknown) => post({ kind: "crash", message: error instanceof Error ? error.message : String(error) }));
};
