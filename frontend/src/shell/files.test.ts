// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";

import { Failure, type Backend } from "../backend/backend";
import { sampleView, CELLS } from "../store/sample";
import { createStore } from "../store/store";
import { openBundled, openFiles, openRequested } from "./files";
import { createShellState, readSettings, type ShellState } from "./shellState";

const UNKNOWN = { kind: "UnknownNameError", message: "no bundled robot called 'nope'", hint: "choose one of: rx90" };

function backend(): Backend {
  return {
    async call<T>(name: string, payload: object = {}): Promise<T> {
      await Promise.resolve();
      if ((payload as { id?: string }).id === "nope") throw new Failure(UNKNOWN);
      return (name === "catalogue" ? { models: [] } : sampleView(CELLS)) as T;
    },
  };
}

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
});

const open = (shell: ShellState, id: string | null, hash = ""): Promise<void> => openRequested(shell, { hash, id }, () => openBundled(shell, "rx90"));

it("opens another robot if the address names an unknown one, and offers the gallery", async () => {
  const shell = createShellState(createStore(backend()), localStorage, false);
  await open(shell, "nope");
  expect(shell.store.view.value!.name).toBe("sample");
  expect(shell.busy.value).toBe(false);
  expect(shell.panel.value).toBe("problem");
  expect(shell.errorReport.value).toMatchObject({ title: "nope cannot be opened", problem: UNKNOWN });
  await shell.errorReport.value!.remedies![0]!.run();
  expect(shell.panel.value).toBe("gallery");
});

it("opens a robot of the address without a message", async () => {
  const shell = createShellState(createStore(backend()), localStorage, false);
  await open(shell, "planar2r");
  expect(shell.panel.value).toBeNull();
});

it("opens another robot if the link of the address is damaged, and reports the damage", async () => {
  const shell = createShellState(createStore(backend()), localStorage, false);
  await open(shell, null, "#robot=eJztwTEBAAAAwqD1T20ND6");
  expect(shell.store.view.value!.name).toBe("sample");
  expect(shell.panel.value).toBe("problem");
  expect(shell.errorReport.value).toMatchObject({ title: "The link cannot be opened", problem: { kind: "LinkError" } });
});

it("opens a file without its unsupported features after a question", async () => {
  const problem = { kind: "NotApplicableError", message: "the file contains tendons", hint: "leave it out, or remove it" };
  const strict: Backend = {
    async call<T>(name: string, payload: object = {}): Promise<T> {
      if (name === "robot_open" && !(payload as { lossy?: boolean }).lossy) throw new Failure(problem);
      return (name === "catalogue" ? { models: [] } : sampleView(CELLS)) as T;
    },
  };
  const shell = createShellState(createStore(strict), localStorage, false);
  const file = Object.assign(new File(["<mujoco/>"], "arm.xml"), { text: async () => "<mujoco/>" });
  await openFiles(shell, [file]);
  expect(shell.store.view.value).toBeNull();
  const [remedy, ...others] = shell.errorReport.value!.remedies!;
  expect(others).toEqual([]);
  await remedy!.run();
  expect(shell.store.view.value!.name).toBe("sample");
  expect(shell.panel.value).toBeNull();
});

it("starts the tour on the first visit only, and never for the robot of a link", () => {
  const linked = createShellState(createStore(backend()), localStorage, false);
  expect(linked.tour.value).toBeNull();
  expect(readSettings(localStorage).toured).toBeUndefined();
  const first = createShellState(createStore(backend()), localStorage);
  expect(first.tour.value).toBe(0);
  first.tour.value = null;
  expect(createShellState(createStore(backend()), localStorage).tour.value).toBeNull();
});

it("shows the robot that was chosen last, also if the answer about an earlier one arrives later", async () => {
  const answers = new Map<string, () => void>();
  const slow: Backend = {
    call: <T,>(name: string, payload: object = {}) => {
      const { id } = payload as { id?: string };
      if (name !== "robot_open") return Promise.resolve({ models: [] } as T);
      return new Promise<T>((resolve) => answers.set(id!, () => resolve(sampleView(CELLS, { name: id! }) as T)));
    },
  };
  const shell = createShellState(createStore(slow), localStorage, false);
  const [first, last] = [openBundled(shell, "first"), openBundled(shell, "last")];
  answers.get("last")!();
  expect(await last).toBe(true);
  shell.store.meshes.value = new Map([["link.stl", new File([], "link.stl")]]);
  answers.get("first")!();
  expect(await first).toBe(false);
  expect(shell.store.view.value!.name).toBe("last");
  expect(shell.store.meshes.value.size).toBe(1);
  expect(shell.busy.value).toBe(false);
});
