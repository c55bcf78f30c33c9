import { expect, it } from "vitest";

import type { Backend } from "./backend";
import { withPrepared } from "./prepared";

const VIEW = { name: "RX90", robot: { symoro: 1, name: "RX90" } };

function created(): { backend: Backend; called: string[] } {
  const called: string[] = [];
  const slow: Backend = {
    async call<T>(name: string) {
      called.push(name);
      return { slow: name } as T;
    },
  };
  const files: Record<string, Record<string, unknown>> = {
    lists: { "about {}": { version: "1" } },
    rx90: { 'robot_open {"id":"rx90"}': VIEW, 'frames {"loops":true}': { loops: null } },
  };
  return { called, backend: withPrepared(slow, async (file) => files[file] ?? {}) };
}

it("answers from files, without Python", async () => {
  const { backend, called } = created();
  expect(await backend.call("about")).toEqual({ version: "1" });
  const view = await backend.call<typeof VIEW>("robot_open", { id: "rx90" });
  expect(view).toEqual(VIEW);
  expect(await backend.call("frames", { robot: view.robot, loops: true })).toEqual({ loops: null });
  expect(called).toEqual([]);
});

it("asks Python about other calls, other arguments and edited robots", async () => {
  const { backend, called } = created();
  const view = await backend.call<typeof VIEW>("robot_open", { id: "rx90" });
  await backend.call("frames", { robot: view.robot, loops: false });
  await backend.call("frames", { robot: { ...view.robot, name: "other" }, loops: true });
  await backend.call("robot_open", { id: "puma560" });
  await backend.call("catalogue");
  expect(called).toEqual(["frames", "frames", "robot_open", "catalogue"]);
});
