// @vitest-environment jsdom

import { unzipSync } from "fflate";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { zipped } from "../store/download";
import { sampleView } from "../store/sample";
import { createStore } from "../store/store";
import { downloadProject } from "./downloads";
import { createSession } from "./session";

const HOSTILE = "../../.bashrc.d/x";
let saved: { name: string; content: Blob }[];

beforeEach(() => {
  saved = [];
  let made: Blob;
  vi.stubGlobal("URL", { createObjectURL: (blob: Blob) => ((made = blob), "blob:"), revokeObjectURL: () => undefined });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, content: made });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(new Uint8Array(reader.result as ArrayBuffer));
    reader.readAsArrayBuffer(blob);
  });
}

it("a project is saved under the folder name from the service, not under the robot's name", async () => {
  const answers: Record<string, unknown> = {
    about: {},
    catalogue: { models: [] },
    model: { model: "inverse-dynamics", robot: HOSTILE },
    export: { folder: "_x_inverse_dynamics", files: { "c/x.c": "int x;", "README.md": "read" } },
  };
  const store = createStore({ call: async <T>(name: string) => answers[name] as T });
  const session = createSession(store);
  store.show(sampleView([], { name: HOSTILE }));
  store.requested.value = { model: "inverse-dynamics", options: {} };
  await vi.waitFor(() => expect(session.shown.value).not.toBeNull());
  await downloadProject(session, ["c"]);
  expect(saved.map(({ name }) => name)).toEqual(["_x_inverse_dynamics.zip"]);
  const entries = Object.keys(unzipSync(await bytesOf(saved[0]!.content)));
  expect(entries.sort()).toEqual(["_x_inverse_dynamics/README.md", "_x_inverse_dynamics/c/x.c"]);
  session.dispose();
});

it("an archive contains texts and binary files", async () => {
  const archive = await zipped("robot", { "a.c": "int" }, { "b.fmu": btoa("\u0000\u00ff") });
  const files = unzipSync(await bytesOf(archive));
  expect(Object.entries(files).map(([path, bytes]) => [path, ...bytes])).toEqual([
    ["robot/a.c", 105, 110, 116],
    ["robot/b.fmu", 0, 255],
  ]);
});

it.each([HOSTILE, "..", ".", "", "/etc", "a/../../b", "a\\..\\b", "C:x"])("no archive has an entry in %j", async (path) => {
  await expect(zipped(path, { "x.c": "" })).rejects.toThrow("is not a path inside it");
  await expect(zipped("robot", { [path]: "" })).rejects.toThrow("is not a path inside it");
});
