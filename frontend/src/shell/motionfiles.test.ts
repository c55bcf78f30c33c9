import { describe, expect, it } from "vitest";

import { kindOf, motionIn } from "./motionfiles";

describe("files of motions", () => {
  it.each([
    ["a.csv", "t,q1,tau1\n0,1,2", "log"],
    ["a.csv", "# made by symoro\nt,q1\n0,1", "rows"],
    ["a.csv", "time;q1\n0;1", "rows"],
    ["a.csv", "sigma,alpha,d\n0,0,1", "table"],
    ["a.csv", "Joint_1,Joint_2\n0,1", "table"],
    ["a.csv", "", "table"],
    ["a.yaml", "# x\nsymoro-log: 1\nrate: 5", "description"],
    ["a.yml", "symoro-trajectory: 1", "trajectory"],
    ["a.yaml", "symoro: 1\nname: r", null],
    ["a.par", "t,q1", null],
  ])("%s that begins with %j is %s", (name, text, kind) => {
    expect(kindOf({ name, text })).toBe(kind);
  });

  it("treats all tables with one description as one log", () => {
    const files = [
      { name: "position.csv", text: "J1\n0" },
      { name: "log.yaml", text: "symoro-log: 1" },
      { name: "current.csv", text: "J1\n1" },
    ];
    expect(motionIn(files)).toEqual({
      log: { files: { "position.csv": "J1\n0", "current.csv": "J1\n1" }, description: "symoro-log: 1" },
    });
  });

  it("treats long tables as a log, and starts a description of their columns", () => {
    const rows = "0,0\n".repeat(400);
    const motion = motionIn([
      { name: "current.csv", text: `a,b\n${rows}` },
      { name: "position.csv", text: `c,d\n${rows}` },
    ]) as { log: { files: object; description: string } };
    expect(Object.keys(motion.log.files)).toEqual(["current.csv", "position.csv"]);
    expect(motion.log.description).toContain("position: {file: position.csv, columns: [c, d]}\ntorque: {file: current.csv, columns: [a, b]}");
    const alone = motionIn([{ name: "run.csv", text: `a,b\n${rows}` }]) as { log: { description: string } };
    expect(alone.log.description).toContain("# columns of run.csv: a, b\n");
  });

  it("does not treat a robot's table as a motion", () => {
    expect(motionIn([{ name: "dh.csv", text: "alpha,d,theta,r\n0,0,q1,0" }])).toBeNull();
  });

  it("recognises a trajectory and rows of joint positions", () => {
    expect(motionIn([{ name: "a.yaml", text: "symoro-trajectory: 1" }])).toEqual({ given: { kind: "trajectory", text: "symoro-trajectory: 1" } });
    expect(motionIn([{ name: "a.csv", text: "t,q1\n0,1" }])).toMatchObject({ given: { kind: "rows" } });
  });
});
