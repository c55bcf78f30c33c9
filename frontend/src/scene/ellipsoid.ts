// Ellipsoids of the velocity and the force of a point, from its Jacobian.

import type { Point } from "./polyline";

export interface Ellipsoid {
  /** Unit vectors of the semi-axes. */
  axes: [Point, Point, Point];
  /** Lengths of the semi-axes, relative to the longest one. */
  lengths: [number, number, number];
}

/** Shortest semi-axis of a velocity ellipsoid that is inverted for the force ellipsoid, relative to the longest. */
const FLATTEST = 0.02;

/**
 * Return the ellipsoid of the velocities J qd with |qd| = 1, from the columns of J. Its semi-axes are the singular values
 * of J, in the directions of the eigenvectors of J J'. Null if J is zero.
 */
export function velocityEllipsoid(columns: Point[]): Ellipsoid | null {
  const square = [0, 1, 2].map((r) => [0, 1, 2].map((c) => columns.reduce((sum, one) => sum + one[r]! * one[c]!, 0)));
  const { values, vectors } = symmetricEigen(square);
  const lengths = values.map((value) => Math.sqrt(Math.max(0, value)));
  const longest = Math.max(...lengths);
  if (!(longest > 0)) return null;
  return { axes: vectors as Ellipsoid["axes"], lengths: lengths.map((x) => x / longest) as Ellipsoid["lengths"] };
}

/**
 * Return the ellipsoid of the forces that unit joint torques balance; its semi-axes are inverse to those of the
 * velocities. Near a singularity the longest one is limited.
 */
export function forceEllipsoid({ axes, lengths }: Ellipsoid): Ellipsoid {
  const inverse = lengths.map((x) => 1 / Math.max(FLATTEST, x));
  const longest = Math.max(...inverse);
  return { axes, lengths: inverse.map((x) => x / longest) as Ellipsoid["lengths"] };
}

/** Return eigenvalues and eigenvectors of a symmetric 3 x 3 matrix by Jacobi rotations. */
export function symmetricEigen(matrix: number[][]): { values: number[]; vectors: Point[] } {
  const a = matrix.map((row) => [...row]);
  const v: number[][] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; sweep++)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]] as const) {
      if (a[p]![q] === 0) continue;
      const angle = Math.atan2(2 * a[p]![q]!, a[q]![q]! - a[p]![p]!) / 2;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let k = 0; k < 3; k++) [a[k]![p], a[k]![q]] = [c * a[k]![p]! - s * a[k]![q]!, s * a[k]![p]! + c * a[k]![q]!];
      for (let k = 0; k < 3; k++) [a[p]![k], a[q]![k]] = [c * a[p]![k]! - s * a[q]![k]!, s * a[p]![k]! + c * a[q]![k]!];
      for (let k = 0; k < 3; k++) [v[k]![p], v[k]![q]] = [c * v[k]![p]! - s * v[k]![q]!, s * v[k]![p]! + c * v[k]![q]!];
    }
  return { values: [a[0]![0]!, a[1]![1]!, a[2]![2]!], vectors: [0, 1, 2].map((c): Point => [v[0]![c]!, v[1]![c]!, v[2]![c]!]) };
}
