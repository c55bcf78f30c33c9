// Simulation in a page without SciPy: integration of the emitted JavaScript of a robot.
//
// Method of Dormand and Prince, order 5 with an error estimate of order 4, with variable steps that end at the samples
// (E. Hairer, S. P. Norsett, G. Wanner, "Solving ordinary differential equations I", Springer, 1993, section II.4).
// After each step the loops are closed by Newton's method and the quaternion of the base is normalised.

import { compile, type GeneratedModule } from "../models/emitted";
import { constants } from "../models/evaluate";

/** Answer of `simulation_plan` (src/symoro/ui/service/page_simulation.py). */
export interface SimulationPlan {
  /** First index and end of each part of the state vector. */
  parts: Record<string, [number, number]>;
  start: number[];
  /** Per entry of the state 1 for angles, or the robot's length. */
  units: number[];
  times: number[];
  /** Number of samples per sample that is shown while the simulation runs. */
  every: number;
  tau: number[];
  /** Places of the coordinates among the joints of the tree. */
  at: number[];
  rtol: number;
  atol: number;
  /** Whether joints have Coulomb friction, sign(qd). */
  dry_friction: boolean;
  inputs: Record<string, number[]>;
  values: Record<string, number>;
  /** JavaScript modules: direct dynamics, closure of the loops, kinematics of the wheels. */
  direct: string;
  closing: string | null;
  wheels: string | null;
}

/** States at the times that were reached; `why` is the reason if the motion ended before the last time. */
export interface SimulatedStates {
  times: number[];
  rows: number[][];
  why: string;
}

type Vector = Float64Array;
type Named = Record<string, ArrayLike<number>>;

/** A loaded module as a function of named inputs. */
type Model = (given: Named) => Record<string, Vector>;

async function modelOf(source: string, values: Record<string, number>, addressOf?: (source: string) => string): Promise<Model> {
  const module: GeneratedModule = await compile({ "model.js": source }, addressOf);
  const fixed = constants(module, values);
  const names = Object.entries(module.INPUTS);
  return (given) => {
    const ordered = names.map(([name, shape]) => (shape.length ? given[name] : given[name]?.[0]));
    const outputs = module.call(...ordered, ...fixed);
    return Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, typeof value === "number" ? Float64Array.of(value) : value]),
    );
  };
}

// Coefficients of Dormand and Prince; the last row are the weights of order 5, ERROR the difference to those of order 4.
const A = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];

const SAFETY = 0.9;
const REMAINDER = 1.1; // a step up to this ratio longer reaches the end of an interval
const SLOWER = 0.2; // smallest and largest ratio of consecutive steps
const FASTER = 5;
const LEAST_STEP = 1e-9; // s; where shorter steps would be required, the motion ends
// s; a step of this length is taken by Heun's method if its error is that of the discontinuity of Coulomb friction, sign(qd)
const LEAST_STEP_OF_FRICTION = 1e-4;
const CLOSING_TRIES = 12;
const CLOSED = 1e-11; // closure error of the loops, in units of the robot's length
const ROOM = 1e-5; // distance from a singular configuration, relative
const AGREE = 0.05; // largest change by the closure, relative to the motion in a step
const LEAST_WAY = 1e-8; // rad, or relative to the robot's length; smaller motions are round-off
// ms; time between two reports, and its ratio to the time of a long computation, so that the page can draw each report
const REPORT = 200;
const LONGER = 0.1;

const ANOTHER = "start in another posture, or apply other torques";
const OPEN = `the loops do not close; ${ANOTHER}`;
const SINGULAR = `a singular configuration of the loops is near; ${ANOTHER}`;
const SINGULAR_WHEELS = `the wheels are in a singular configuration, in which the active joints cannot drive the robot; ${ANOTHER}`;
const TOO_SMALL = "the step of the integrator became too small";
const NOT_FINITE = "the state is not finite";

/** Equations of motion: time derivative of the state vector, and its projection (loops closed, unit quaternion). */
class Motion {
  private readonly q: [number, number];
  private readonly qd: [number, number];
  private wheelSign = 0;
  /** Sign of the determinant of the loops, which changes where they become singular. */
  private sign = 0;

  constructor(
    private readonly plan: SimulationPlan,
    private readonly direct: Model,
    private readonly closing: Model | null,
    private readonly wheels: Model | null,
  ) {
    this.q = plan.parts["q"]!;
    this.qd = plan.parts["qd"]!;
  }

  private part(y: Vector, name: string): Vector {
    const [start, end] = this.plan.parts[name]!;
    return y.subarray(start, end);
  }

  private given(y: Vector): Named {
    const parts = Object.keys(this.plan.parts).map((name) => [name, this.part(y, name)] as const);
    const rates = this.part(y, "qd");
    return { ...this.plan.inputs, ...Object.fromEntries(parts), qda: rates, tau: this.plan.tau };
  }

  rates(y: Vector): Vector {
    const dy = new Float64Array(y.length);
    const { parts } = this.plan;
    const given = this.given(y);
    const out = this.direct(given);
    dy.set(out["qdda"] ?? out["qdd"]!, this.qd[0]);
    dy.set(this.treeRates(y, given), this.q[0]);
    if (parts["e"]) {
      dy.set(this.part(y, "ed"), parts["e"][0]);
      dy.set(out["edd"]!, parts["ed"]![0]);
    }
    if (parts["Q0"]) this.moveBase(dy, y, out["Vd0"]!);
    if (this.wheels) this.roll(dy, y, given);
    return dy;
  }

  private treeRates(y: Vector, given: Named): Vector {
    const rates = this.part(y, "qd");
    if (this.closing) return this.closing(given)["qd"]!;
    if (!this.wheels) return rates;
    return product(this.wheels(given)["G"]!, rates).subarray(3);
  }

  private moveBase(dy: Vector, y: Vector, Vd0: Vector): void {
    const { parts } = this.plan;
    const [vx, vy, vz, wx, wy, wz] = this.part(y, "V0") as unknown as [number, number, number, number, number, number];
    const [a, b, c, d] = this.part(y, "Q0") as unknown as [number, number, number, number];
    const n = a * a + b * b + c * c + d * d;
    // R(Q0) v, and the derivative Q0 (0, w) / 2 of the quaternion
    const P = parts["P0"]![0];
    dy[P] = ((a * a + b * b - c * c - d * d) * vx + 2 * (b * c - a * d) * vy + 2 * (b * d + a * c) * vz) / n;
    dy[P + 1] = (2 * (b * c + a * d) * vx + (a * a - b * b + c * c - d * d) * vy + 2 * (c * d - a * b) * vz) / n;
    dy[P + 2] = (2 * (b * d - a * c) * vx + 2 * (c * d + a * b) * vy + (a * a - b * b - c * c + d * d) * vz) / n;
    const Q = parts["Q0"]![0];
    dy[Q] = -(b * wx + c * wy + d * wz) / 2;
    dy[Q + 1] = (a * wx + c * wz - d * wy) / 2;
    dy[Q + 2] = (a * wy + d * wx - b * wz) / 2;
    dy[Q + 3] = (a * wz + b * wy - c * wx) / 2;
    const V = parts["V0"]![0];
    dy.set(Vd0, V);
    dy[V]! -= wy * vz - wz * vy;
    dy[V + 1]! -= wz * vx - wx * vz;
    dy[V + 2]! -= wx * vy - wy * vx;
  }

  private roll(dy: Vector, y: Vector, given: Named): void {
    const [x, along, turn] = product(this.wheels!(given)["G"]!, this.part(y, "qd"));
    const heading = this.part(y, "pose")[2]!;
    const [c, s] = [Math.cos(heading), Math.sin(heading)];
    dy.set([c * x! - s * along!, s * x! + c * along!, turn!], this.plan.parts["pose"]![0]);
  }

  /** Close the loops and normalise the quaternion of the state z after a step from y; return the reason if that fails. */
  project(y: Vector | null, z: Vector): string {
    if (!z.every(Number.isFinite)) return NOT_FINITE;
    if (this.plan.parts["Q0"]) {
      const Q0 = this.part(z, "Q0");
      const length = Math.hypot(...Q0);
      Q0.forEach((x, k) => (Q0[k] = x / length));
    }
    if (this.wheels) {
      const sign = Math.sign(this.wheels(this.given(z))["det"]?.[0] ?? 1);
      if (y && sign !== this.wheelSign) return SINGULAR_WHEELS;
      this.wheelSign = sign;
    }
    return this.closing ? this.close(y, z) : "";
  }

  private close(y: Vector | null, z: Vector): string {
    const q = this.part(z, "q");
    const before = Float64Array.from(q);
    for (let tries = 0; tries < CLOSING_TRIES; tries++) {
      const { dq, gap, det, room } = this.closing!(this.given(z));
      if (!(room![0]! > ROOM)) return SINGULAR;
      dq!.forEach((step, k) => (q[k]! += step));
      if (gap![0]! > CLOSED) continue;
      const sign = Math.sign(det![0]!);
      if (y) {
        const way = this.farthest(this.part(y, "q"), q);
        if (this.farthest(before, q) > AGREE * Math.max(way, LEAST_WAY) || sign !== this.sign) return SINGULAR;
      }
      this.sign = sign;
      return "";
    }
    return OPEN;
  }

  /** Return the largest difference of positions (radians, or relative to the robot's length). */
  private farthest(a: Vector, b: Vector): number {
    return a.reduce((most, x, k) => Math.max(most, Math.abs(x - b[k]!) / this.plan.units[this.q[0] + k]!), 0);
  }

  /**
   * Return the discontinuities of the rates where the velocities that change their signs between states are zero: the sum
   * over these joints, because the discontinuities of joints that move in opposite directions may cancel each other.
   */
  jumps(states: Vector[]): Vector {
    const at = Float64Array.from(states.at(-1)!);
    const total = new Float64Array(at.length);
    const [start, end] = this.qd;
    const reversing = Array.from({ length: end - start }, (_, k) => start + k).filter((i) => states.some((state) => state[i]! * at[i]! <= 0));
    for (const i of reversing) at[i] = 0;
    for (const i of reversing) {
      const [below, above] = [-1, 1].map((side) => this.rates(at.with(i, side * Number.MIN_VALUE))) as [Vector, Vector];
      above.forEach((x, k) => (total[k]! += Math.abs(x - below[k]!)));
    }
    return total;
  }
}

function product(matrix: Vector, vector: Vector): Vector {
  const n = vector.length;
  return Float64Array.from({ length: matrix.length / n }, (_, r) => vector.reduce((sum, x, c) => sum + matrix[r * n + c]! * x, 0));
}

/** Return the states of a step of length h, the last one at its end, its last rates, and the error of each entry. */
function stepped(motion: Motion, y: Vector, first: Vector, h: number): { states: Vector[]; slopes: Vector[]; errors: Vector } {
  const slopes = [first];
  const states = [y];
  for (const row of A) {
    const z = y.map((x, i) => x + h * row.reduce((sum, a, k) => sum + a * slopes[k]![i]!, 0));
    states.push(z);
    slopes.push(motion.rates(z));
  }
  return { states, slopes, errors: y.map((_, i) => h * ERROR.reduce((sum, e, k) => sum + e * slopes[k]![i]!, 0)) };
}

/** Return the root mean square of the errors of a step from y to z, relative to the tolerances and `allowed` errors. */
function relative({ atol, rtol, units }: SimulationPlan, y: Vector, z: Vector, errors: Vector, allowed?: Vector): number {
  const total = errors.reduce((sum, error, i) => {
    const tolerance = atol * units[i]! + rtol * Math.max(Math.abs(y[i]!), Math.abs(z[i]!)) + (allowed?.[i] ?? 0);
    return sum + (error / tolerance) ** 2;
  }, 0);
  return Math.sqrt(total / Math.max(1, y.length));
}

/** Whether the velocity of a joint changes its sign between given derivatives of the state. */
function reverses(slopes: Vector[], [start, end]: [number, number]): boolean {
  return new Set(slopes.map((slope) => Array.from(slope.subarray(start, end), Math.sign).join())).size > 1;
}

/**
 * Whether the errors of a step are not larger than the discontinuities of Coulomb friction: h j for the velocities, and
 * h^2 j for the positions.
 */
function isFriction(motion: Motion, plan: SimulationPlan, states: Vector[], errors: Vector, h: number): boolean {
  const jumps = motion.jumps(states);
  const largest = jumps.reduce((most, jump, i) => Math.max(most, jump / plan.units[i]!), 0);
  return relative(plan, states[0]!, states.at(-1)!, errors, jumps.map((jump, i) => h * (jump + h * largest * plan.units[i]!))) <= 1;
}

/**
 * Return the state after a step of length h by Heun's method. Its weights are positive, so that the mean friction of a step
 * in which sign(qd) changes does not exceed FS; a weight of the method of order 5 is negative.
 */
function steppedWithFriction(motion: Motion, y: Vector, first: Vector, h: number): Vector {
  const second = motion.rates(y.map((x, i) => x + h * first[i]!));
  return y.map((x, i) => x + (h / 2) * (first[i]! + second[i]!));
}

/**
 * Integrate the motion of a plan.
 *
 * @param report receives the time that was reached and the states so far, at first a few times per second.
 * @param addressOf converts source text to an address that can be imported.
 */
export async function simulate(
  plan: SimulationPlan,
  report: (time: number, rows: number[][]) => void = () => undefined,
  addressOf?: (source: string) => string,
): Promise<SimulatedStates> {
  const load = (source: string | null): Promise<Model> | null => (source === null ? null : modelOf(source, plan.values, addressOf));
  const motion = new Motion(plan, (await load(plan.direct))!, await load(plan.closing), await load(plan.wheels));
  let y = Float64Array.from(plan.start);
  const rows = [Array.from(y)];
  const ended = (why: string, time: number): SimulatedStates => ({
    times: plan.times.slice(0, rows.length),
    rows,
    why: `at t = ${Number(time.toPrecision(6))} s ${why}`,
  });
  const start = motion.project(null, y);
  if (start) return ended(start, 0);
  let slope = motion.rates(y);
  let h = (plan.times[1] ?? 0) / 10;
  let t = 0;
  const least = plan.dry_friction ? LEAST_STEP_OF_FRICTION : 0;
  const begin = Date.now();
  let reported = begin;
  for (const end of plan.times.slice(1)) {
    while (t < end) {
      const rest = end - t;
      // A remainder shorter than a step is not left over for a tiny step.
      const length = rest < REMAINDER * h ? rest : Math.min(h, rest / 2);
      const { states, slopes, errors } = stepped(motion, y, slope, length);
      const error = relative(plan, y, states.at(-1)!, errors);
      const ratio = Math.min(FASTER, Math.max(SLOWER, SAFETY * Math.max(error, 1e-10) ** -0.2));
      const shortest = length <= REMAINDER * least;
      // The discontinuities at passive joints, whose velocities are not part of the state, are not known in advance.
      const passive = (plan.closing ?? plan.wheels) !== null && Number.isFinite(error) && reverses(slopes, plan.parts["q"]!);
      const rubbing = error > 1 && shortest && (passive || isFriction(motion, plan, states, errors, length));
      const z = rubbing ? steppedWithFriction(motion, y, slope, length) : states.at(-1)!;
      const accepted = error <= 1 || rubbing;
      const wrong = accepted ? motion.project(y, z) : Number.isFinite(error) ? TOO_SMALL : NOT_FINITE;
      if (wrong) {
        if (length <= LEAST_STEP) return ended(wrong, t);
        h = accepted || !Number.isFinite(error) ? length * SLOWER : Math.max(shortest ? 0 : least, length * Math.min(ratio, 1));
        continue;
      }
      t = length === rest ? end : t + length;
      y = Float64Array.from(z);
      // The last slope is that of the next step, unless the projection has changed the state.
      slope = rubbing || plan.closing || plan.parts["Q0"] ? motion.rates(y) : slopes[6]!;
      // The end of a sample interval does not shorten the following steps.
      h = Math.max(error > 1 ? least : 0, length === rest ? Math.max(h, length * ratio) : length * ratio);
      if (Date.now() - reported > Math.max(REPORT, (Date.now() - begin) * LONGER)) {
        report(t, rows);
        reported = Date.now();
      }
    }
    rows.push(Array.from(y));
  }
  return { times: plan.times, rows, why: "" };
}
