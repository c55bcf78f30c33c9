import { describe, expect, it } from "vitest";

import { fixture } from "./fixtures";
import { CsvError, duration, parseCsv, sample, sinusoid } from "./motion";
import { Player, type Clock } from "./player";

const { joints } = fixture("rx90").view;
const ZERO = joints.map(() => 0);

describe("sinusoid", () => {
  it("moves the joints that have a wave about the posture", () => {
    const waves = new Map([[1, { amplitude: 0.5, frequency: 0.25, phase: 0 }]]);
    const motion = sinusoid([1, 2, 3], waves, 4, 10);
    expect(motion.times).toHaveLength(41);
    expect(duration(motion)).toBe(4);
    expect(sample(motion, 1)).toEqual([1, 2.5, 3]);
    expect(sample(motion, 3)[1]).toBeCloseTo(1.5, 12);
  });
});

describe("sample", () => {
  const motion = { times: [1, 2, 4], q: [[0], [10], [0]] };
  it.each([
    [0, 0],
    [1.25, 2.5],
    [2, 10],
    [3, 5],
    [9, 0],
  ])("at %s s is %s", (time, value) => expect(sample(motion, time)[0]).toBeCloseTo(value, 12));
});

describe("CSV", () => {
  it("matches columns with joints by name or number, in any order", () => {
    const motion = parseCsv("time,J2,q1\n0,0.5,0.1\n1,0.6,0.2\n\n", joints, ZERO);
    expect(motion.times).toEqual([0, 1]);
    expect(motion.q[1]!.slice(0, 3)).toEqual([0.2, 0.6, 0]);
  });

  it.each([
    ["", 1, "empty"],
    ["time,J9\n0,1\n", 1, "there is no joint named 'J9'"],
    ["q1,q2\n0,1\n", 1, "the first column must be the time"],
    ["time,q1,J1\n0,1,1\n", 1, "two columns"],
    ["time,q1\n0,1\n1,x\n", 3, "q1: expected a number, got 'x'"],
    ["time,q1\n0,1\n1,\n", 3, "expected a number"],
    ["time,q1\n0,1\n1,2,3\n", 3, "expected 2 numbers, got 3"],
    ["time,q1\n0,1\n0,2\n", 3, "times must increase"],
    ["time,q1\n0,1\n1,Infinity\n", 3, "expected a number"],
    ["time,q1\n0,1\n", 3, "at least two rows"],
  ])("reports the line of an error: %j", (text, line, words) => {
    let thrown: unknown;
    try {
      parseCsv(text, joints, ZERO);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CsvError);
    expect((thrown as CsvError).line).toBe(line);
    expect((thrown as CsvError).message).toContain(words);
  });
});

describe("player", () => {
  function played(loop: boolean) {
    let now = 0;
    let next: (() => void) | null = null;
    const clock: Clock = { now: () => now, frame: (run) => ((next = run), 1), cancel: () => (next = null) };
    const seen: number[] = [];
    let ended = 0;
    const player = new Player(() => [0, 2], (time) => seen.push(time), () => ended++, clock);
    player.loop = loop;
    const tick = (seconds: number) => {
      now += seconds;
      const run = next;
      next = null;
      run?.();
    };
    return { player, tick, seen, ended: () => ended };
  }

  it("runs at the given speed, and repeats", () => {
    const { player, tick, seen } = played(true);
    player.speed = 2;
    player.play();
    tick(0.25);
    tick(0.5);
    tick(0.5);
    expect(seen).toEqual([0.5, 1.5, 0.5]);
    player.pause();
    tick(1);
    expect(seen).toHaveLength(3);
  });

  it("stops at the end unless it repeats, and seeks within the motion", () => {
    const { player, tick, seen, ended } = played(false);
    player.play();
    tick(5);
    expect([seen.at(-1), player.playing, ended()]).toEqual([2, false, 1]);
    player.seek(-3);
    expect(player.time).toBe(0);
  });
});

describe("a log", () => {
  it("is played from its positions only", () => {
    const text = "# a remark\nt,q1,qd1,tau1\n0,0.5,x,1\n\n# another\n1,0.7,,nan\n";
    expect(parseCsv(text, joints, ZERO)).toEqual({ times: [0, 1], q: [[0.5, ...ZERO.slice(1)], [0.7, ...ZERO.slice(1)]] });
  });

  it("needs a position", () => {
    expect(() => parseCsv("t,tau1\n0,1\n1,1", joints, ZERO)).toThrow("no column belongs to a joint");
  });
});
