// Directions in which a frame cannot move in a singular posture, from the left null space of its Jacobian.

import { symmetricEigen } from "./ellipsoid";
import { freeJoints, genericPosture, scaleOf } from "./joints";
import { axis, origin, type Point } from "./polyline";
import type { PostureSolver } from "./posture";

/** What a frame cannot do in a singular posture. */
export interface LostMotion {
  /**
   * translation: its origin has no velocity along a direction; rotation: it has no angular velocity about a direction;
   * pivoting: it has none while its origin is at rest.
   */
  kind: "translation" | "rotation" | "pivoting";
  /** Origin of the frame, in frame 0. */
  at: Point;
  /** Unit vector in frame 0. */
  along: Point;
  /** Force and moment about the origin of the frame that do no work in any motion (force in 1/m relative to the moment). */
  wrench: { force: Point; moment: Point };
}

/** Joint displacement of central differences: radians, or part of the robot's size. */
const DIFFERENCE = 1e-5;
/** Singular values below this part of the largest one are errors of the differences (squared in J J'). */
const RANK = 1e-5;
/** Shares of a unit vector that are rounding errors. */
const SMALL = 1e-6;
/** Regular postures from which the directions are determined in which a frame never moves. */
const REGULAR = [1, 1.37, -0.83];

/**
 * Return J J' of the twist of a frame, with lengths relative to the size of the robot, or of the first rows of J alone; null
 * if the loops cannot stay closed.
 */
function twistSquare(solver: PostureSolver, q: number[], frame: number, size: number, rows: number): number[][] | null {
  const at = (k: number, by: number): { p: Point; R: Point[] } | null => {
    const moved = solver.move(q, q.map((value, i) => (i === k ? value + by : value)), false);
    if (!moved.closed) return null;
    const T = solver.transforms(moved.q);
    return { p: origin(T, frame), R: [0, 1, 2].map((c) => axis(T, frame, c as 0 | 1 | 2)) };
  };
  const columns = freeJoints(solver.view, false).map((k): number[] | null => {
    const by = DIFFERENCE * scaleOf(solver.view.joints[k]!, size);
    const [before, after] = [at(k, -by), at(k, by)];
    if (!before || !after) return null;
    const v = after.p.map((x, c) => (x - before.p[c]!) / (2 * DIFFERENCE * size));
    // The unit vectors e of the frame change by w x e, so that the sum of e x de is 2 w.
    const w = [0, 0, 0];
    before.R.forEach((e, n) => cross(e, after.R[n]!).forEach((x, c) => (w[c]! += x / (4 * DIFFERENCE))));
    return [...v, ...w];
  });
  if (columns.some((column) => column === null)) return null;
  return matrix(rows, (r, c) => columns.reduce((sum, column) => sum + column![r]! * column![c]!, 0));
}

/** Return a basis of the null space of a symmetric positive semidefinite matrix. */
function nullSpace(square: number[][]): number[][] {
  const { values, vectors } = symmetricEigen(square);
  const bound = RANK * RANK * Math.max(...values);
  return vectors.filter((_, k) => values[k]! <= bound);
}

/**
 * Return the directions in which a frame can move in general, but not in a posture; none if the posture is regular. They
 * are unique if the directions in which the frame never moves are constant, as those of planar robots. Otherwise the
 * position of the frame is examined without its rotation, as for arms of two or three joints.
 */
export function lostMotions(solver: PostureSolver, q: number[], frame: number, size: number): LostMotion[] {
  return lostAmong(solver, q, frame, size, 6) ?? lostAmong(solver, q, frame, size, 3) ?? [];
}

/** Return the lost directions of the first coordinates of a twist; null if they are not unique. */
function lostAmong(solver: PostureSolver, q: number[], frame: number, size: number, rows: 3 | 6): LostMotion[] | null {
  const square = twistSquare(solver, q, frame, size, rows);
  if (!square) return [];
  const fixed = nullSpace(square);
  const shift = genericPosture(solver.view, size);
  const regular = REGULAR.flatMap((factor) => {
    const moved = solver.move(q, q.map((value, k) => value + factor * shift[k]!), false);
    const one = moved.closed ? twistSquare(solver, moved.q, frame, size, rows) : null;
    return one ? [one] : [];
  });
  if (!regular.length) return [];
  const never = nullSpace(matrix(rows, (r, c) => regular.reduce((sum, one) => sum + one[r]![c]!, 0)));
  if (never.length !== Math.min(...regular.map((one) => nullSpace(one).length))) return null;
  if (fixed.length <= never.length) return [];
  // Orthogonal complement of the constant directions in the null space: projector on the one minus projector on the other.
  const projector = (basis: number[][], r: number, c: number): number => basis.reduce((sum, u) => sum + u[r]! * u[c]!, 0);
  const { values, vectors } = symmetricEigen(matrix(rows, (r, c) => projector(fixed, r, c) - projector(never, r, c)));
  const lost = vectors.filter((_, k) => values[k]! > 0.5);
  const at = origin(solver.transforms(q), frame);
  const zeros = Array.from({ length: 6 - rows }, () => 0);
  return separated(lost.map((u) => [...u, ...zeros])).map((u) => excluded(u, at, size));
}

/** Return another basis of wrenches, with as many pure forces through the origin of the frame as possible. */
function separated(wrenches: number[][]): number[][] {
  const moments = wrenches.map((a) => wrenches.map((b) => dot(a.slice(3), b.slice(3))));
  const { vectors } = symmetricEigen(moments);
  return vectors.map((share) => [0, 1, 2, 3, 4, 5].map((c) => wrenches.reduce((sum, u, k) => sum + share[k]! * u[c]!, 0)));
}

/** Return the motion that a wrench about a point excludes; its force is relative to the size of the robot. */
function excluded(u: number[], at: Point, size: number): LostMotion {
  const [force, moment] = [u.slice(0, 3).map((x) => x / size) as Point, u.slice(3) as Point];
  const wrench = { force, moment };
  if (Math.hypot(...moment) < SMALL) return { kind: "translation", at, along: unit(force), wrench };
  return { kind: Math.hypot(...force) * size < SMALL ? "rotation" : "pivoting", at, along: unit(moment), wrench };
}

/** Return a vector divided by its length, with its first component that is not zero positive. */
function unit(v: Point): Point {
  const length = Math.hypot(...v);
  const first = v.find((x) => Math.abs(x) > SMALL * length) ?? 1;
  return v.map((x) => (Math.abs(x) < SMALL * length ? 0 : (Math.sign(first) * x) / length)) as Point;
}

/** Return what a frame cannot do, in words; coordinates in frame 0. */
export function lostText({ kind, along }: LostMotion, name: string): string {
  const direction = along.findIndex((x) => Math.abs(x) > 1 - SMALL);
  const where = direction >= 0 ? `${"xyz"[direction]}` : `(${along.map(short).join(", ")})`;
  if (kind === "translation") return `${name} cannot move along ${where}`;
  return `${name} cannot turn about ${where}${kind === "pivoting" ? " while its origin is at rest" : ""}`;
}

const short = (x: number): string => String(Number(x.toFixed(3)) + 0);

const matrix = (size: number, entry: (r: number, c: number) => number): number[][] =>
  Array.from({ length: size }, (_, r) => Array.from({ length: size }, (_, c) => entry(r, c)));

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, k) => sum + x * b[k]!, 0);

const cross = (a: Point, b: Point): Point => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
