// Ellipsoids of the velocity and the force of a point, from its Jacobian.

import { freeJoints, genericPosture, scaleOf } from "./joints";
import { origin, type Point } from "./polyline";
import type { PostureSolver } from "./posture";

export interface Ellipsoid {
  /** Unit vectors of the semi-axes. */
  axes: [Point, Point, Point];
  /** Lengths of the semi-axes, relative to the longest one. */
  lengths: [number, number, number];
}

/** Shortest semi-axis of a velocity ellipsoid that is inverted for the force ellipsoid, relative to the longest. */
const FLATTEST = 0.02;
/** Semi-axes below this part of the longest one are errors of the differences. */
const ZERO = 1e-4;
/** Joint displacement of central differences: radians, or part of the robot's size. */
const DIFFERENCE = 1e-5;

/**
 * Return the columns of the Jacobian of the position of a frame, by central differences along the joints that the user
 * moves; null if the loops cannot stay closed. A unit velocity of a prismatic joint is one length of the robot per second.
 *
 * @param size size of the robot in metres
 */
export function positionJacobian(solver: PostureSolver, q: number[], frame: number, size: number, broken = false): Point[] | null {
  const at = (k: number, by: number): Point | null => {
    const moved = solver.move(q, q.map((value, i) => (i === k ? value + by : value)), broken);
    return moved.closed ? origin(solver.transforms(moved.q), frame) : null;
  };
  const columns = freeJoints(solver.view, broken).map((k): Point | null => {
    const unit = scaleOf(solver.view.joints[k]!, size);
    const [before, after] = [at(k, -DIFFERENCE * unit), at(k, DIFFERENCE * unit)];
    return before && after && ([0, 1, 2].map((c) => (after[c]! - before[c]!) / (2 * DIFFERENCE)) as Point);
  });
  return columns.every((column) => column !== null) ? columns : null;
}

/** Return the number of directions in which a frame moves in general: the rank of its Jacobian near a posture. */
export function mobility(solver: PostureSolver, q: number[], frame: number, size: number, broken = false): number {
  const shift = genericPosture(solver.view, size);
  const generic = solver.move(q, q.map((value, k) => value + shift[k]!), broken).q;
  const velocity = velocityEllipsoid(positionJacobian(solver, generic, frame, size, broken) ?? []);
  return velocity ? velocity.lengths.filter((x) => x > ZERO).length : 3;
}

/**
 * Return the ellipsoid of the velocities J qd with |qd| = 1, from the columns of J. Its semi-axes are the singular values
 * of J, in the directions of the eigenvectors of J J', with the length of the longest one. Null if J is zero.
 */
export function velocityEllipsoid(columns: Point[]): (Ellipsoid & { longest: number }) | null {
  const square = [0, 1, 2].map((r) => [0, 1, 2].map((c) => columns.reduce((sum, one) => sum + one[r]! * one[c]!, 0)));
  const { values, vectors } = symmetricEigen(square);
  const lengths = values.map((value) => Math.sqrt(Math.max(0, value)));
  const longest = Math.max(...lengths);
  if (!(longest > 0)) return null;
  return { axes: vectors as Ellipsoid["axes"], lengths: lengths.map((x) => x / longest) as Ellipsoid["lengths"], longest };
}

/**
 * Return the ellipsoid of the forces that unit joint torques balance; its semi-axes are inverse to those of the
 * velocities. Near a singularity the longest one is limited. It is flat in directions in which the point never moves,
 * such as the normal of the plane of a planar robot, because the bearings carry these forces.
 *
 * @param mobile number of directions in which the point moves in general
 */
export function forceEllipsoid({ axes, lengths }: Ellipsoid, mobile = 3): Ellipsoid {
  const order = [0, 1, 2].sort((a, b) => lengths[b]! - lengths[a]!);
  const inverse = lengths.map((x, k) => (order.indexOf(k) < mobile ? 1 / Math.max(FLATTEST, x) : 0));
  const longest = Math.max(...inverse);
  return { axes, lengths: inverse.map((x) => x / longest) as Ellipsoid["lengths"] };
}

/** Return eigenvalues and eigenvectors of a small symmetric matrix by Jacobi rotations. */
export function symmetricEigen(matrix: number[][]): { values: number[]; vectors: number[][] } {
  const a = matrix.map((row) => [...row]);
  const places = a.map((_, k) => k);
  const v: number[][] = places.map((r) => places.map((c) => (r === c ? 1 : 0)));
  const pairs = places.flatMap((p) => places.slice(p + 1).map((q) => [p, q] as const));
  for (let sweep = 0; sweep < 12; sweep++)
    for (const [p, q] of pairs) {
      if (a[p]![q] === 0) continue;
      // The smaller of the two angles, at most 45 degrees, with which the sweeps converge for each size.
      const difference = a[q]![q]! - a[p]![p]!;
      const angle = (Math.atan2(2 * a[p]![q]!, Math.abs(difference)) / 2) * (difference < 0 ? -1 : 1);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (const k of places) [a[k]![p], a[k]![q]] = [c * a[k]![p]! - s * a[k]![q]!, s * a[k]![p]! + c * a[k]![q]!];
      for (const k of places) [a[p]![k], a[q]![k]] = [c * a[p]![k]! - s * a[q]![k]!, s * a[p]![k]! + c * a[q]![k]!];
      for (const k of places) [v[k]![p], v[k]![q]] = [c * v[k]![p]! - s * v[k]![q]!, s * v[k]![p]! + c * v[k]![q]!];
    }
  return { values: places.map((k) => a[k]![k]!), vectors: places.map((c) => v.map((row) => row[c]!)) };
}
