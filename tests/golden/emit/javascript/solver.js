/* solver: linear systems
 *
 * Inputs
 *   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
 *   v (4): v1 v2 v3 v4
 * Outputs
 *   x (4)
 *   y (2)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by setup
 *   k (1): m
 *
 * Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
 * Made by symoro VERSION
 */

export const PARAMETERS = ["m"];
export const INPUTS = { A: [4, 4], v: [4] };
export const OUTPUTS = { x: [4], y: [2] };

/* x of A x = b for A (n, n) by rows: elimination with partial pivoting. */
function solve_(n, matrix, right) {
    const a = matrix.slice();
    const b = right.slice();
    const x = new Array(n).fill(0);
    for (let c = 0; c < n; ++c) {
        let pivot = c;
        for (let r = c + 1; r < n; ++r) {
            if (Math.abs(a[r * n + c]) > Math.abs(a[pivot * n + c])) {
                pivot = r;
            }
        }
        for (let j = c; j < n && pivot !== c; ++j) {
            const swapped = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
        }
        const top = b[pivot];
        b[pivot] = b[c];
        b[c] = top;
        for (let r = c + 1; r < n; ++r) {
            const factor = a[r * n + c] / a[c * n + c];
            for (let j = c + 1; j < n; ++j) {
                a[r * n + j] -= factor * a[c * n + j];
            }
            b[r] -= factor * top;
        }
    }
    for (let r = n - 1; r >= 0; --r) {
        let sum = b[r];
        for (let j = r + 1; j < n; ++j) {
            sum -= a[r * n + j] * x[j];
        }
        x[r] = sum / a[r * n + r];
    }
    return x;
}

function sized_(name, array, length, orMore = false) {
    if (!array || (orMore ? array.length < length : array.length !== length)) {
        throw new TypeError(`${name}: ${length} numbers expected, got ${array ? array.length : array}`);
    }
}

/* The parameters in their order. */
function listed_(p) {
    const listed = Array.isArray(p) || ArrayBuffer.isView(p) ? p : PARAMETERS.map((name) => p[name]);
    const missing = PARAMETERS.filter((name, at) => typeof listed[at] !== "number");
    if (missing.length > 0 || listed.length !== PARAMETERS.length) {
        throw new TypeError(`${PARAMETERS.length} parameters expected; missing: ${missing.join(", ") || "none"}`);
    }
    return listed;
}

/** Constants from the parameters, by name or in their order; call it again after a parameter has changed. */
export function setup(p) {
    const listed = listed_(p);
    const m = listed[0];
    return new Float64Array([m]);
}

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export function call(A, v, k, out = { x: new Float64Array(4), y: new Float64Array(2) }) {
    sized_("A", A, 16);
    sized_("v", v, 4);
    sized_("k", k, 1);
    const { x, y } = out;
    const A2 = A[1];
    const A3 = A[2];
    const A4 = A[3];
    const A5 = A[4];
    const A6 = A[5];
    const A7 = A[6];
    const A8 = A[7];
    const A9 = A[8];
    const A10 = A[9];
    const A11 = A[10];
    const A12 = A[11];
    const A13 = A[12];
    const A14 = A[13];
    const A15 = A[14];
    const A16 = A[15];
    const v1 = v[0];
    const v2 = v[1];
    const v3 = v[2];
    const v4 = v[3];
    const m = k[0];
    const solve1_1 = [0, A2 + m, A3, A4, A5 + m, A6, A7 + m, A8, A9, A10 + m, A11, A12 + m, A13, A14, A15 + m,
        A16];
    const solve1_2 = [-v1, v2, v3, v4];
    const solve1 = solve_(4, solve1_1, solve1_2);
    const solve2_1 = [solve1[0] + 3, 1, 0, solve1[1] - 2];
    const solve2_2 = [v1*solve1[3], 5];
    const solve2 = solve_(2, solve2_1, solve2_2);
    y[0] = solve2[0]*solve2[0];
    x[0] = solve1[0];
    x[1] = solve1[1];
    x[2] = solve1[2];
    x[3] = solve1[3];
    y[1] = -solve2[1];
    return out;
}

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export function batch(n, A, v, k, out = { x: new Float64Array(4 * n), y: new Float64Array(2 * n) }) {
    sized_("A", A, 16 * n, true);
    sized_("v", v, 4 * n, true);
    sized_("k", k, 1);
    const A_ = new Float64Array(16);
    const v_ = new Float64Array(4);
    const sample = { x: new Float64Array(4), y: new Float64Array(2) };
    for (let i = 0; i < n; ++i) {
        for (let entry = 0; entry < 16; ++entry) A_[entry] = A[16 * i + entry];
        for (let entry = 0; entry < 4; ++entry) v_[entry] = v[4 * i + entry];
        call(A_, v_, k, sample);
        out.x.set(sample.x, 4 * i);
        out.y.set(sample.y, 2 * i);
    }
    return out;
}
