// Poses as 4 x 4 matrices (16 numbers, row-major), and their position with angles or a quaternion.

export type Pose = ArrayLike<number>;
export type Triple = [number, number, number];

/** Return the transform with the position x, y, z and the angles roll, pitch, yaw about the fixed axes x, y, z. */
export function pose([x = 0, y = 0, z = 0, roll = 0, pitch = 0, yaw = 0]: ArrayLike<number> & Iterable<number>): number[] {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((a) => [Math.cos(a), Math.sin(a)]) as [
    number, number, number, number, number, number,
  ];
  return [
    ...[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
    ...[sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
    ...[-sp, cp * sr, cp * cr, z],
    ...[0, 0, 0, 1],
  ];
}

/** Return roll, pitch, yaw of a transform; at pitch = +-90 degrees, where only yaw -+ roll is determined, roll is 0. */
export function angles(T: Pose): Triple {
  const cosine = Math.hypot(T[0]!, T[4]!);
  const pitch = Math.atan2(-T[8]!, cosine);
  // cos(pitch) below the rounding errors of a product of rotations
  if (cosine < 1e-12) return [0, pitch, Math.atan2(-T[1]!, T[5]!)];
  return [Math.atan2(T[9]!, T[10]!), pitch, Math.atan2(T[4]!, T[0]!)];
}

/** Return the unit quaternion (w, x, y, z) of a transform, with w >= 0. */
export function quaternion(T: Pose): [number, number, number, number] {
  const [a, b, c] = [T[0]!, T[5]!, T[10]!];
  const squares = [1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c];
  const largest = squares.indexOf(Math.max(...squares));
  const s = 2 * Math.sqrt(squares[largest]!);
  const [x, y, z] = [T[9]! - T[6]!, T[2]! - T[8]!, T[4]! - T[1]!];
  const [xy, xz, yz] = [T[1]! + T[4]!, T[2]! + T[8]!, T[6]! + T[9]!];
  const rows: [number, number, number, number][] = [
    [s / 4, x / s, y / s, z / s],
    [x / s, s / 4, xy / s, xz / s],
    [y / s, xy / s, s / 4, yz / s],
    [z / s, xz / s, yz / s, s / 4],
  ];
  const unit = rows[largest]!;
  return unit[0] < 0 ? (unit.map((value) => -value) as typeof unit) : unit;
}

/** Return the transform with a position and the rotation of a quaternion (w, x, y, z) of any length except zero. */
export function fromQuaternion([px, py, pz]: Triple, given: ArrayLike<number>): number[] | null {
  const length = Math.hypot(given[0]!, given[1]!, given[2]!, given[3]!);
  if (!(length > 0)) return null;
  const [w, x, y, z] = [given[0]! / length, given[1]! / length, given[2]! / length, given[3]! / length];
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), px],
    ...[2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), py],
    ...[2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), pz],
    ...[0, 0, 0, 1],
  ];
}

export function product(A: Pose, B: Pose): number[] {
  const C = new Array<number>(16);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++)
      C[4 * i + j] = A[4 * i]! * B[j]! + A[4 * i + 1]! * B[4 + j]! + A[4 * i + 2]! * B[8 + j]! + A[4 * i + 3]! * B[12 + j]!;
  return C;
}

/** Return the inverse of a rigid transform. */
export function inverse(T: Pose): number[] {
  const [x, y, z] = [T[3]!, T[7]!, T[11]!];
  return [
    ...[T[0]!, T[4]!, T[8]!, -(T[0]! * x + T[4]! * y + T[8]! * z)],
    ...[T[1]!, T[5]!, T[9]!, -(T[1]! * x + T[5]! * y + T[9]! * z)],
    ...[T[2]!, T[6]!, T[10]!, -(T[2]! * x + T[6]! * y + T[10]! * z)],
    ...[0, 0, 0, 1],
  ];
}

/** Return the rotation vector (axis times angle) that turns the axes of A, at index a, to those of B, at index b. */
export function rotationVector(A: Pose, a: number, B: Pose, b: number): Triple {
  // R = B A^T
  const entry = (i: number, j: number): number =>
    B[b + 4 * i]! * A[a + 4 * j]! + B[b + 4 * i + 1]! * A[a + 4 * j + 1]! + B[b + 4 * i + 2]! * A[a + 4 * j + 2]!;
  const v: Triple = [(entry(2, 1) - entry(1, 2)) / 2, (entry(0, 2) - entry(2, 0)) / 2, (entry(1, 0) - entry(0, 1)) / 2];
  const sine = Math.hypot(...v);
  const cosine = (entry(0, 0) + entry(1, 1) + entry(2, 2) - 1) / 2;
  // The antisymmetric part vanishes at half a turn, where R + I = 2 axis axis^T.
  if (cosine < 0 && sine < 1e-6) {
    const k = [0, 1, 2].reduce((best, i) => (entry(i, i) > entry(best, best) ? i : best), 0);
    const column = [0, 1, 2].map((i) => entry(i, k) + (i === k ? 1 : 0)) as Triple;
    const length = Math.hypot(...column);
    return column.map((value) => (value * Math.PI) / length) as Triple;
  }
  const factor = sine > 0 ? Math.atan2(sine, cosine) / sine : 1;
  return v.map((value) => value * factor) as Triple;
}
