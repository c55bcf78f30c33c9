import { expect, it } from "vitest";

import type { Backend } from "./backend";
import { withPrepared } from "./prepared";

const VIEW = { name: "RX90", robot: { symoro: 1, name: "RX90" }, visuals: [] };

function created(): { backend: Backend; called: string[]; loaded: string[] } {
  const called: string[] = [];
  const slow: Backend = {
    async call<T>(name: string) {
      called.push(name);
      return { slow: name } as T;
    },
  };
  const loaded: string[] = [];
  const files: Record<string, Record<string, unknown>> = {
    lists: { "about {}": { version: "1" }, "robots {}": { robots: [{ id: "rx90", name: "RX90" }] } },
    rx90: { 'robot_open {"id":"rx90"}': VIEW, 'frames {"loops":true}': { loops: null } },
  };
  const load = async (file: string) => {
    loaded.push(file);
    return files[file] ?? {};
  };
  return { called, loaded, backend: withPrepared(slow, load) };
}

it("answers from files, without Python", async () => {
  const { backend, called } = created();
  expect(await backend.call("about")).toEqual({ version: "1" });
  const view = await backend.call<typeof VIEW>("robot_open", { id: "rx90" });
  expect(view).toEqual(VIEW);
  expect(await backend.call("frames", { robot: view.robot, loops: true })).toEqual({ loops: null });
  expect(called).toEqual([]);
});

it("calls Python for other calls, other arguments and edited robots", async () => {
  const { backend, called } = created();
  const view = await backend.call<typeof VIEW>("robot_open", { id: "rx90" });
  await backend.call("frames", { robot: view.robot, loops: false });
  await backend.call("frames", { robot: { ...view.robot, name: "other" }, loops: true });
  await backend.call("robot_open", { id: "puma560" });
  await backend.call("catalogue");
  expect(called).toEqual(["frames", "frames", "robot_open", "catalogue"]);
});

it("answers about the robot of a stored session without Python, if its document is that of the bundled robot", async () => {
  const { backend, called, loaded } = created();
  const robot = { ...VIEW.robot };
  const answers = [backend.call("frames", { robot, loops: true }), backend.call("robot_view", { robot })];
  expect(await Promise.all(answers)).toEqual([{ loops: null }, { name: "RX90", robot }]);
  expect(called).toEqual([]);
  expect(loaded).toEqual(["lists", "rx90"]);
});

it("calls Python for an edited robot of a stored session, also under the name of a bundled robot", async () => {
  const { backend, called } = created();
  for (const robot of [{ ...VIEW.robot, symoro: 2 }, { ...VIEW.robot, name: "mine" }]) {
    expect(await backend.call("robot_view", { robot })).toEqual({ slow: "robot_view" });
    expect(await backend.call("frames", { robot, loops: true })).toEqual({ slow: "frames" });
  }
  expect(called).toEqual(["robot_view", "frames", "robot_view", "frames"]);
});

it("loads a file again that could not be loaded", async () => {
  const { backend: other } = created();
  let failures = 1;
  const backend = withPrepared(other, async (file) => {
    if (file === "rx90" && failures--) throw new TypeError("no network");
    return { 'robot_open {"id":"rx90"}': { ...VIEW, title: "from the file" } };
  });
  expect(await backend.call("robot_open", { id: "rx90" })).toEqual(VIEW);
  expect(await backend.call("robot_open", { id: "rx90" })).toMatchObject({ title: "from the file" });
});
