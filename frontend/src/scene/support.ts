// Forces of the ground that support a robot at rest.
//
// The base of a robot at rest is in equilibrium if the forces f_i of the ground at the contact points p_i balance gravity
// and the wrenches of the environment. About the centre of mass c:
//
//   sum f_i                   = - m g + sum F_k
//   sum (p_i - c) x f_i       = sum (M_k + (o_k - c) x F_k)
//
// F_k, M_k are the wrenches that the links exert on their environment at the origins o_k of their frames. The remaining
// rows of the static equilibrium determine the joint torques that hold the joints. Of all forces that satisfy the six
// equations, those of least norm are returned. With these torques, `contact-dynamics` returns the same forces (by the
// robot on the ground, of opposite sign) and zero accelerations (tests/ui/test_service_mechanics.py).

import type { Mechanics } from "../backend/messages";
import { inFrame } from "./body";
import { dampedSolution, dot as product } from "./linear";
import { centreOfMass, totalMass } from "./overlay";
import { cross, dot, minus, origin, plus, type Point } from "./polyline";

export interface SupportForce {
  name: string;
  /** Contact point and force of the ground on the robot (N), in frame 0. */
  at: Point;
  force: Point;
  /** Whether the ground would have to pull: the force has a component along gravity. */
  pulls: boolean;
}

/** Largest unbalanced part of the load; the equations are solved to about 1e-10. */
const BALANCED = 1e-6;
/** Part of the load below which a component along gravity is round-off. */
const ROUND_OFF = 1e-9;

/**
 * Return the forces of the ground at the contact points of a robot at rest; null if no forces at these points balance it.
 *
 * `T` contains the transforms of the frames in frame 0, `gravity` is in frame 0, and `size` is the length by which moments
 * are divided.
 */
export function supportForces(T: ArrayLike<number>, mechanics: Mechanics, gravity: Point, size: number): SupportForce[] | null {
  const { contacts, wrenches } = mechanics;
  const centre = centreOfMass(T, mechanics) ?? [0, 0, 0];
  const mass = totalMass(mechanics);
  let force = plus([0, 0, 0], gravity, -mass);
  let moment: Point = [0, 0, 0];
  for (const one of wrenches) {
    const [F, M] = [one.force, one.moment].map((part) => minus(inFrame(T, one.frame, part), origin(T, one.frame))) as [Point, Point];
    force = plus(force, F, 1);
    moment = plus(plus(moment, M, 1), cross(minus(origin(T, one.frame), centre), F), 1);
  }
  const load = [...force, ...moment.map((x) => x / size)];
  const points = contacts.map((one) => inFrame(T, one.frame, one.at));
  const rows = Array.from({ length: 6 }, () => new Float64Array(3 * points.length));
  points.forEach((point, i) => {
    const [x, y, z] = minus(point, centre).map((one) => one / size) as Point;
    const arm = [[0, -z, y], [z, 0, -x], [-y, x, 0]];
    for (let r = 0; r < 3; r++) {
      rows[r]![3 * i + r] = 1;
      rows[3 + r]!.set(arm[r]!, 3 * i);
    }
  });
  const forces = dampedSolution(rows, load, 0, 3 * points.length);
  const whole = Math.hypot(...load);
  if (!rows.every((row, r) => Math.abs(product(row, forces) - load[r]!) <= BALANCED * whole)) return null;
  return contacts.map(({ name }, i) => {
    const f = Array.from(forces.subarray(3 * i, 3 * i + 3)) as Point;
    return { name, at: points[i]!, force: f, pulls: dot(f, gravity) > ROUND_OFF * whole * Math.hypot(...gravity) };
  });
}

/** Return the text of the panel about the forces of the ground; null: they do not exist. */
export function supportText(forces: readonly SupportForce[] | null): { text: string; warning: string } {
  if (!forces) return { text: "", warning: "The robot cannot stand still on these contacts: no forces at these points balance it." };
  const pulling = forces.filter((one) => one.pulls).map((one) => one.name);
  const text = forces.map(({ name, force }) => `${name}: ${Number(Math.hypot(...force).toPrecision(3))} N`).join("; ");
  return { text, warning: pulling.length ? `The ground would have to pull at ${pulling.join(", ")}, which it cannot.` : "" };
}
