// Small dense linear algebra for the numeric inverse: orthonormal bases and damped least squares.

/** Rows are kept if their part outside the basis exceeds this fraction of the longest row (rounding is about 1e-15). */
const INDEPENDENT = 1e-8;
/** Damping relative to the mean squared row length; it makes systems with dependent rows solvable. */
const REGULARISATION = 1e-13;

export type Vector = Float64Array;

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Subtract from a row its components along orthonormal vectors. */
export function removeComponents(row: Vector, basis: readonly Vector[]): void {
  for (const unit of basis) {
    const part = dot(row, unit);
    if (part !== 0) for (let i = 0; i < row.length; i++) row[i]! -= part * unit[i]!;
  }
}

/** Extend an orthonormal basis by the independent directions of rows that are orthogonal to it already. */
export function extendBasis(basis: Vector[], rows: readonly Vector[]): void {
  const longest = Math.sqrt(Math.max(0, ...rows.map((row) => dot(row, row))));
  const added: Vector[] = [];
  for (const row of rows) {
    const unit = Float64Array.from(row);
    // The second pass removes the rounding errors of the first.
    removeComponents(unit, added);
    removeComponents(unit, added);
    const length = Math.sqrt(dot(unit, unit));
    if (!(length > INDEPENDENT * longest)) continue;
    for (let i = 0; i < unit.length; i++) unit[i]! /= length;
    added.push(unit);
  }
  basis.push(...added);
}

/**
 * Return x = B^T (B B^T + damping I)^-1 r, the solution of min |B x - r|^2 + damping |x|^2, by a Cholesky
 * factorisation.
 */
export function dampedSolution(rows: readonly Vector[], r: ArrayLike<number>, damping: number, size: number): Vector {
  const m = rows.length;
  const x = new Float64Array(size);
  const trace = rows.reduce((sum, row) => sum + dot(row, row), 0);
  if (!(trace > 0)) return x;
  const shift = damping + (REGULARISATION * trace) / m;
  const L = rows.map((row, i) => {
    const line = new Float64Array(m);
    for (let j = 0; j <= i; j++) line[j] = dot(row, rows[j]!) + (i === j ? shift : 0);
    return line;
  });
  for (let i = 0; i < m; i++)
    for (let j = 0; j <= i; j++) {
      let sum = L[i]![j]!;
      for (let k = 0; k < j; k++) sum -= L[i]![k]! * L[j]![k]!;
      L[i]![j] = i === j ? Math.sqrt(Math.max(sum, shift)) : sum / L[j]![j]!;
    }
  const y = Float64Array.from(r);
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < i; k++) y[i]! -= L[i]![k]! * y[k]!;
    y[i]! /= L[i]![i]!;
  }
  for (let i = m - 1; i >= 0; i--) {
    for (let k = i + 1; k < m; k++) y[i]! -= L[k]![i]! * y[k]!;
    y[i]! /= L[i]![i]!;
  }
  rows.forEach((row, i) => {
    for (let k = 0; k < size; k++) x[k]! += row[k]! * y[i]!;
  });
  return x;
}
