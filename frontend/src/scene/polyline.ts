// Polyline from a frame to the next one along its parameters: b along z, d along x, r along z.

export type Point = [number, number, number];

export interface Polyline {
  /** Origin of frame i, the points after b and after d, and the origin of frame j. */
  points: [Point, Point, Point, Point];
}

/** Squared sine of the angle between axes that count as parallel. */
const PARALLEL = 1e-6;
/** Lengths below this part of the longest one are rounding errors. */
const SHORT = 1e-9;

/**
 * Return the polyline between two frames in modified Denavit-Hartenberg parameters, from their transforms: P = b z_i +
 * d x + r z_j, with x along the common normal of the two axes. For parallel axes b = 0. The tip of a flexible link i
 * replaces its frame.
 */
export function parameterPolyline(
  T: ArrayLike<number>,
  i: number,
  j: number,
  tip: { at: Point; z: Point } | null = null,
): Polyline {
  const [from, to] = [tip?.at ?? origin(T, i), origin(T, j)];
  const [zi, zj] = [tip?.z ?? axis(T, i, 2), axis(T, j, 2)];
  const P = minus(to, from);
  const normal = cross(zi, zj);
  const square = dot(normal, normal);
  let b = 0;
  let r = dot(P, zj);
  if (square > PARALLEL) {
    b = dot(cross(P, zj), normal) / square;
    r = dot(cross(zi, P), normal) / square;
  }
  return { points: [from, plus(from, zi, b), plus(to, zj, -r), to] };
}

/** Return the origin of frame j; `T` contains the transforms from frame 1 on, frame 0 is the identity. */
export function origin(T: ArrayLike<number>, j: number): Point {
  if (j === 0) return [0, 0, 0];
  const at = 16 * (j - 1);
  return [T[at + 3]!, T[at + 7]!, T[at + 11]!];
}

export function axis(T: ArrayLike<number>, j: number, column: number): Point {
  if (j === 0) return [+(column === 0), +(column === 1), +(column === 2)];
  const at = 16 * (j - 1) + column;
  return [T[at]!, T[at + 4]!, T[at + 8]!];
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** Return the size of a robot: the largest distance of a frame from the base; one metre if there is none. */
export function robotSize(T: ArrayLike<number>, ifZero = 1): number {
  let largest = 0;
  for (let j = 1; j <= T.length / 16; j++) {
    const length = distance(origin(T, j), [0, 0, 0]);
    if (Number.isFinite(length)) largest = Math.max(largest, length);
  }
  return largest || ifZero;
}

/** Return the typical link length, for the size of arrows: the median of the nonzero lengths. */
export function typicalLength(T: ArrayLike<number>, antecedents: number[]): number {
  const lengths = antecedents
    .map((ant, k) => distance(origin(T, ant), origin(T, k + 1)))
    .sort((a, b) => a - b);
  const drawn = lengths.filter((length) => length > SHORT * lengths.at(-1)!);
  return drawn[drawn.length >> 1] ?? 0;
}

/**
 * Return points of the cubic curve between two points with given unit directions at its ends. The tangents have the
 * length of the chord, as those of a slightly bent beam.
 */
export function hermite(from: Point, u: Point, to: Point, v: Point, pieces: number): Point[] {
  const length = distance(from, to);
  return Array.from({ length: pieces + 1 }, (_, k) => {
    const s = k / pieces;
    const start = plus([0, 0, 0], from, 1 - 3 * s ** 2 + 2 * s ** 3);
    const end = plus(start, to, 3 * s ** 2 - 2 * s ** 3);
    return plus(plus(end, u, length * (s - 2 * s ** 2 + s ** 3)), v, length * (s ** 3 - s ** 2));
  });
}

export function minus(a: Point, b: Point): Point {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function plus(a: Point, direction: Point, by: number): Point {
  return [a[0] + by * direction[0], a[1] + by * direction[1], a[2] + by * direction[2]];
}

export function dot(a: Point, b: Point): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Point, b: Point): Point {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
