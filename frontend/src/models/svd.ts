// Singular values by the one-sided Jacobi method (Hestenes, 1958): pairs of columns are rotated until all are
// orthogonal.

const SWEEPS = 60;
const SMALL = 1e-15;

/**
 * Return the min(rows, columns) singular values of a matrix stored by rows, in descending order; NaN for undefined
 * entries.
 */
export function singularValues(matrix: ArrayLike<number>, rows: number, columns: number): number[] {
  const few = Math.min(rows, columns);
  const across = rows < columns;
  // The smaller dimension becomes the columns, which minimises the number of pairs.
  const vectors = Array.from({ length: few }, (_, j) =>
    Float64Array.from({ length: Math.max(rows, columns) }, (_, i) =>
      across ? matrix[j * columns + i]! : matrix[i * columns + j]!,
    ),
  );
  if (vectors.some((vector) => vector.some((entry) => !Number.isFinite(entry)))) {
    return Array<number>(few).fill(Number.NaN);
  }
  const largest = Math.max(0, ...vectors.map((vector) => Math.max(0, ...vector.map(Math.abs))));
  if (largest === 0) return Array<number>(few).fill(0);
  for (const vector of vectors) vector.forEach((entry, i) => (vector[i] = entry / largest));
  for (let sweep = 0; sweep < SWEEPS && turnAll(vectors); sweep++);
  return vectors.map((vector) => largest * Math.sqrt(dot(vector, vector))).sort((a, b) => b - a);
}

/** Rotate all pairs once; return whether any pair was rotated. */
function turnAll(vectors: Float64Array[]): boolean {
  let rotated = false;
  for (let a = 0; a < vectors.length; a++) {
    for (let b = a + 1; b < vectors.length; b++) rotated = rotate(vectors[a]!, vectors[b]!) || rotated;
  }
  return rotated;
}

function rotate(x: Float64Array, y: Float64Array): boolean {
  const xx = dot(x, x);
  const yy = dot(y, y);
  const xy = dot(x, y);
  if (Math.abs(xy) <= SMALL * Math.sqrt(xx * yy) || xx * yy === 0) return false;
  const zeta = (yy - xx) / (2 * xy);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const c = 1 / Math.hypot(1, t);
  const s = c * t;
  for (let i = 0; i < x.length; i++) {
    const xi = x[i]!;
    const yi = y[i]!;
    x[i] = c * xi - s * yi;
    y[i] = s * xi + c * yi;
  }
  return true;
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}
