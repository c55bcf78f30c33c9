// Python in a web worker: load the interpreter and symoro from the page's folder, then answer calls.

import type { PyodideInterface } from "pyodide";
import type { PyCallable } from "pyodide/ffi";

import type { Progress } from "./backend";
import type { WorkerMessage, WorkerRequest } from "./worker";

const SITE = "/lib/symoro";

let root = "";
let python: PyodideInterface;
let answer: PyCallable;
const tried = new Set<string>();

function post(message: WorkerMessage): void {
  self.postMessage(message);
}

function step(text: string): void {
  post({ kind: "progress", progress: { step: text } });
}

async function start(archive: string): Promise<void> {
  step("loading Python");
  const module = new URL("pyodide/pyodide.mjs", root).href;
  const sources = fetch(new URL(archive, root));
  const { loadPyodide } = (await import(/* @vite-ignore */ module)) as typeof import("pyodide");
  python = await loadPyodide({ indexURL: new URL("pyodide/", root).href });
  step("loading symoro");
  const response = await sources;
  if (!response.ok) throw new Error(`${archive}: the site answered ${response.status}`);
  python.FS.mkdirTree(SITE);
  python.unpackArchive(await response.arrayBuffer(), "zip", { extractDir: SITE });
  python.runPython(`import sys; sys.path.insert(0, "${SITE}")`);
  answer = python.pyimport("symoro.ui.service.page").answer as PyCallable;
  post({ kind: "ready" });
}

/** Load a package that only few models need, if the site provides it as an archive or as a wheel next to Python. */
async function load(name: string): Promise<boolean> {
  if (tried.has(name)) return false;
  tried.add(name);
  step(`loading ${name}`);
  const response = await fetch(new URL(`python/${name}.zip`, root));
  if (response.ok) {
    python.unpackArchive(await response.arrayBuffer(), "zip", { extractDir: SITE });
    python.runPython("import importlib; importlib.invalidate_caches()");
    return true;
  }
  const file = python.lockfile.packages[name]?.file_name;
  if (!file || !(await fetch(new URL(`pyodide/${file}`, root), { method: "HEAD" })).ok) return false;
  await python.loadPackage(name);
  return true;
}

function progress(title: string, done: number, total: number | undefined): void {
  const progress: Progress = { step: title, done, ...(total !== undefined && { total }) };
  post({ kind: "progress", progress });
}

async function call(name: string, payload: string): Promise<void> {
  for (;;) {
    const text = answer(name, payload, progress) as string;
    const lacking = /^\{"missing": "(\w+)"/.exec(text)?.[1];
    if (!lacking || !(await load(lacking))) return post({ kind: "answer", text });
  }
}

self.onmessage = (event: MessageEvent<WorkerRequest>) => {
  const request = event.data;
  let work: Promise<void>;
  if (request.kind === "start") {
    root = request.root;
    work = start(request.archive);
  } else work = call(request.name, request.payload);
  work.catch((error: unknown) => post({ kind: "crash", message: error instanceof Error ? error.message : String(error) }));
};
