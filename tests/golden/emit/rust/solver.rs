// solver: linear systems
//
// Inputs
//   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
//   v (4): v1 v2 v3 v4
// Outputs
//   x (4)
//   y (2)
// Parameters
//   p (1): m
// Constants, computed once from the parameters by setup
//   k (1): m
//
// Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
// Made by symoro VERSION
#![allow(dead_code, non_snake_case, non_upper_case_globals, clippy::excessive_precision,
    clippy::approx_constant, clippy::too_many_arguments, clippy::needless_range_loop,
    clippy::neg_cmp_op_on_partial_ord, clippy::precedence, clippy::unnecessary_cast,
    clippy::manual_range_contains, clippy::manual_clamp)]

/// Names of the parameters, in their order.
pub const PARAMETERS: [&str; 1] = ["m"];

/// Number of constants that are computed from the parameters.
pub const CONSTANTS: usize = 1;

/// Numbers of entries of inputs and outputs.
pub mod sizes {
    pub const A: usize = 16;
    pub const v: usize = 4;
    pub const x: usize = 4;
    pub const y: usize = 2;
}

/// Constants from parameters, in the order of `PARAMETERS`; call it again after a parameter has changed.
pub fn setup(p: &[f64; 1]) -> [f64; 1] {
    let mut k = [0.0; 1];
    let m = p[0];
    k[0] = m;
    k
}

/// One sample. Matrices are stored by rows.
pub fn call(A: &[f64; 16], v: &[f64; 4], k: &[f64; 1], x: &mut [f64; 4], y: &mut [f64; 2]) {
    let A2 = A[1];
    let A3 = A[2];
    let A4 = A[3];
    let A5 = A[4];
    let A6 = A[5];
    let A7 = A[6];
    let A8 = A[7];
    let A9 = A[8];
    let A10 = A[9];
    let A11 = A[10];
    let A12 = A[11];
    let A13 = A[12];
    let A14 = A[13];
    let A15 = A[14];
    let A16 = A[15];
    let v1 = v[0];
    let v2 = v[1];
    let v3 = v[2];
    let v4 = v[3];
    let m = k[0];
    let solve1_1 = [0.0, A2 + m, A3, A4, A5 + m, A6, A7 + m, A8, A9, A10 + m, A11, A12 + m, A13, A14, A15 + m,
        A16];
    let solve1_2 = [-v1, v2, v3, v4];
    let solve1 = solve_(4, solve1_1, solve1_2);
    let solve2_1 = [solve1[0] + 3.0, 1.0, 0.0, solve1[1] - 2.0];
    let solve2_2 = [v1*solve1[3], 5.0];
    let solve2 = solve_(2, solve2_1, solve2_2);
    y[0] = solve2[0]*solve2[0];
    x[0] = solve1[0];
    x[1] = solve1[1];
    x[2] = solve1[2];
    x[3] = solve1[3];
    y[1] = -solve2[1];
}

/// Solve A x = b for A (n, n) by rows: elimination with partial pivoting.
fn solve_<const N: usize, const M: usize>(n: usize, mut a: [f64; M], mut b: [f64; N]) -> [f64; N] {
    for c in 0..n {
        let mut pivot = c;
        for r in c + 1..n {
            if abs_(a[r*n + c]) > abs_(a[pivot*n + c]) {
                pivot = r;
            }
        }
        if pivot != c {
            for j in c..n {
                a.swap(c*n + j, pivot*n + j);
            }
            b.swap(c, pivot);
        }
        for r in c + 1..n {
            let factor = a[r*n + c]/a[c*n + c];
            for j in c + 1..n {
                a[r*n + j] -= factor*a[c*n + j];
            }
            b[r] -= factor*b[c];
        }
    }
    for r in (0..n).rev() {
        let mut sum = b[r];
        for j in r + 1..n {
            sum -= a[r*n + j]*b[j];
        }
        b[r] = sum/a[r*n + r];
    }
    b
}

#[inline(always)]
fn abs_(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !SIGN_)
}

const SIGN_: u64 = 0x8000_0000_0000_0000;
