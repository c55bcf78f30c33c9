// expanded: position, expanded
//
// Inputs
//   q (3): q1 q2 q3
// Outputs
//   P (3)
// Parameters
//   p (1): D3
// Constants, computed once from the parameters by setup
//   k (2): D3 k1
//
// Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
// Made by symoro VERSION
#![allow(dead_code, non_snake_case, non_upper_case_globals, clippy::excessive_precision,
    clippy::approx_constant, clippy::too_many_arguments, clippy::needless_range_loop,
    clippy::neg_cmp_op_on_partial_ord, clippy::precedence, clippy::unnecessary_cast,
    clippy::manual_range_contains, clippy::manual_clamp)]

/// Names of the parameters, in their order.
pub const PARAMETERS: [&str; 1] = ["D3"];

/// Number of constants that are computed from the parameters.
pub const CONSTANTS: usize = 2;

/// Numbers of entries of inputs and outputs.
pub mod sizes {
    pub const q: usize = 3;
    pub const P: usize = 3;
}

/// Constants from parameters, in the order of `PARAMETERS`; call it again after a parameter has changed.
pub fn setup(p: &[f64; 1]) -> [f64; 2] {
    let mut k = [0.0; 2];
    let D3 = p[0];
    let k1 = 1.0 + D3;
    k[0] = D3;
    k[1] = k1;
    k
}

/// One sample. Matrices are stored by rows.
pub fn call(q: &[f64; 3], k: &[f64; 2], P: &mut [f64; 3]) {
    let q1 = q[0];
    let q2 = q[1];
    let q3 = q[2];
    let (sine_, cosine_) = sincos_([q1, q2, q3, 0.0]);
    let S1 = sine_[0];
    let C1 = cosine_[0];
    let S2 = sine_[1];
    let C2 = cosine_[1];
    let S3 = sine_[2];
    let C3 = cosine_[2];
    let D3 = k[0];
    let k1 = k[1];
    P[0] = C1*(D3*C2 - C3*k1*S2);
    P[1] = S1*(D3*C2 - C3*k1*S2);
    P[2] = C3*k1*S2 - D3*C2 - C2*S3;
}

/// Double precision in every precision of the code.
type Wide_ = f64;

#[inline(always)]
fn abs_(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !SIGN_)
}

const SIGN_: u64 = 0x8000_0000_0000_0000;

/// Sine and cosine of n pi/2 + y - e with |y| up to pi/4, by the polynomials of fdlibm; e is small.
#[inline(always)]
fn quadrant_(n: u64, y: f64, e: f64) -> (f64, f64) {
    let z = y*y;
    let zz = z*z;
    let h = 0.5*z;
    let u = 1.0 - h;
    let p = (8.33333333332248946124e-03 + z*-1.98412698298579493134e-04)
        + zz*((2.75573137070700676789e-06 + z*-2.50507602534068634195e-08) + zz*1.58969099521155010221e-10);
    let q = (4.16666666666666019037e-02 + z*-1.38888888888741095749e-03)
        + zz*((2.48015872894767294178e-05 + z*-2.75573143513906633035e-07)
        + zz*(2.08757232129817482790e-09 + z*-1.13596475577881948265e-11));
    let sine = (y - ((z*y)*(1.66666666666666324348e-01 - z*p) + u*e)).to_bits();
    let cosine = (u + (zz*q + (((1.0 - u) - h) + y*e))).to_bits();
    let swap = (sine ^ cosine) & 0_u64.wrapping_sub(n & 1);
    let minus = [(n & 2) << 62, (n.wrapping_add(1) & 2) << 62];
    (f64::from_bits(sine ^ swap ^ minus[0]), f64::from_bits(cosine ^ swap ^ minus[1]))
}

/// Sine and cosine without branches, accurate to one unit in the last place for angles up to 1e5: n pi/2 is subtracted
/// in three parts, the first two without error. n is rounded by adding 1.5 * 2^52.
#[inline(always)]
fn sincos_wide_(x: f64) -> (f64, f64) {
    let turn = x*0.63661977236758134308 + 6755399441055744.0;
    let n = turn - 6755399441055744.0;
    let a = x - n*1.57079632673412561417e+00;
    let b = n*6.07710050630396597660e-11;
    let y = a - b;
    quadrant_(turn.to_bits(), y, n*2.02226624879595063154e-21 - ((a - y) - b))
}

/// The bits of 2/pi, after 64 zeros.
const TWO_OVER_PI_: [u64; 20] = [
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
];

/// Sine and cosine of any angle. Beyond 1e5 the number of quarter turns modulo 4 is the product of the mantissa with
/// 192 bits of 2/pi, without the bits that are multiples of a whole turn (Payne and Hanek's method).
#[cold]
#[inline(never)]
fn sincos_any_wide_(x: f64) -> (f64, f64) {
    if (-1e5..=1e5).contains(&x) {
        return sincos_wide_(x);
    }
    let bits = x.to_bits() & 0x7fff_ffff_ffff_ffff;
    if bits >= 0x7ff0_0000_0000_0000 {
        return (f64::NAN, f64::NAN);
    }
    let mantissa = u128::from((bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000);
    let first = (bits >> 52) as usize - 1013;
    let word = |at: usize| {
        let pair = u128::from(TWO_OVER_PI_[first/64 + at]) << 64 | u128::from(TWO_OVER_PI_[first/64 + at + 1]);
        (pair << (first % 64)) >> 64
    };
    let low = word(2)*mantissa;
    let middle = word(1)*mantissa + (low >> 64);
    let high = (word(0)*mantissa + (middle >> 64)) as u64;
    let turns = (u128::from(high) << 64) | u128::from(middle as u64);
    let mut n = high >> 62;
    let mut fraction = (turns << 2) | u128::from(low as u64 >> 62); // of a quarter turn, by 2^128
    let above = fraction >> 127 == 1;
    if above {
        n += 1;
        fraction = fraction.wrapping_neg();
    }
    let zeros = fraction.leading_zeros();
    fraction <<= zeros;
    let (f1, f0) = (fraction >> 64, u128::from(fraction as u64));
    let (p1, p0) = (0xc90f_daa2_2168_c234, 0xc4c6_628b_80dc_1cd1); // pi/2 by 2^127
    let angle = f1*p1 + ((f1*p0) >> 64) + ((f0*p1) >> 64); // by 2^(127 + zeros)
    let scale = f64::from_bits(u64::from(1023 - 52 - zeros) << 52);
    let upper = (angle >> 75) as f64*scale;
    let lower = ((angle >> 22) & 0x001f_ffff_ffff_ffff) as f64*scale/9007199254740992.0;
    let y = upper + lower;
    let e = (y - upper) - lower;
    let (sine, cosine) = if above { quadrant_(n, -y, -e) } else { quadrant_(n, y, e) };
    (if x < 0.0 { -sine } else { sine }, cosine)
}

const SINCOS_LIMIT_: f64 = 1e5;

#[inline(always)]
fn sincos_near_(x: f64) -> (f64, f64) {
    sincos_wide_(x)
}

/// Sine and cosine of any angle; those of NaN and of infinite angles are NaN.
#[cold]
#[inline(never)]
fn sincos_any_(x: f64) -> (f64, f64) {
    let (sine, cosine) = sincos_any_wide_(x as Wide_);
    (sine as f64, cosine as f64)
}

#[inline(always)]
fn sincos_far_(x: f64) -> bool {
    abs_(x) > SINCOS_LIMIT_
}

/// Sines and cosines of several angles, in a loop without branches, which compilers vectorise.
#[inline(always)]
fn sincos_<const N: usize>(x: [f64; N]) -> ([f64; N], [f64; N]) {
    let mut sines = [0.0; N];
    let mut cosines = [0.0; N];
    let mut far = false;
    for i in 0..N {
        (sines[i], cosines[i]) = sincos_near_(x[i]);
        far |= sincos_far_(x[i]);
    }
    if far {
        for i in 0..N {
            (sines[i], cosines[i]) = sincos_any_(x[i]);
        }
    }
    (sines, cosines)
}
