// Compile the Python modules with which the static site starts: node compile_modules.mjs PYODIDE SYMORO SYMPY TARGET
//
//   PYODIDE         folder of Python for the browser, whose byte code is its own
//   SYMORO, SYMPY   archives of the site
//   TARGET          archive to write: the compiled modules, under the names of their sources followed by "c"
//
// Only modules that the first models and the base parameters of a robot import are compiled, because compiled modules are
// larger than their sources. tools/site_folder.py starts this script.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, symoro, sympy, target] = process.argv.slice(2);

const COMPILE = `
import importlib.machinery, importlib.util, json, marshal, os, sys, zipfile

codes = {}

class Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data, path, **options):
        codes[path] = data, super().source_to_code(data, path, **options)
        return codes[path][1]

sys.path_hooks.insert(0, importlib.machinery.FileFinder.path_hook((Loader, [".py"])))
sys.path.insert(0, SITE)
from symoro.ui.service import page

page.use_plain_arrays()

def ask(name, **payload):
    answer = json.loads(page.answer(name, json.dumps(payload), lambda *_: None))
    if "error" in answer:
        raise SystemExit(f"{name}: {answer['error']}")
    return answer

robot = ask("robot_open", id="rx90")["robot"]
for model in ("jacobian", "inverse-dynamics"):
    ask("model", robot=robot, model=model)
ask("base", robot=robot)
stdlib = os.path.dirname(os.__file__)
with zipfile.ZipFile(stdlib) as sources:
    files = {getattr(module, "__file__", None) or "" for module in sys.modules.values()}
    for file in sorted(file for file in files if file.startswith(stdlib)):
        data = sources.read(os.path.relpath(file, stdlib))
        codes[file] = data, compile(data, file, "exec", dont_inherit=True)
places = (SITE, stdlib)
with zipfile.ZipFile("target.zip", "w") as target:
    for file, (data, code) in codes.items():
        # A header with the hash of the source, which is not compared when the module is imported (PEP 552).
        header = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(data)
        name = os.path.relpath(file, next(place for place in places if file.startswith(place)))
        target.writestr(name + "c", header + marshal.dumps(code))
`;

async function compile() {
  const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
  // Without the columns of errors, which nobody reads in a page, the modules are a quarter smaller.
  const python = await loadPyodide({ indexURL: folder, env: { HOME: "/home/pyodide", PYTHONNODEBUGRANGES: "1" } });
  const site = "/lib/symoro"; // as in frontend/src/backend/pyodide.worker.ts
  python.FS.mkdirTree(site);
  for (const archive of [symoro, sympy]) python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: site });
  python.runPython(`SITE = "${site}"\n${COMPILE}`);
  writeFileSync(target, python.FS.readFile("target.zip"));
}

// Node would print the source line of an error, which has a megabyte.
await compile().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
