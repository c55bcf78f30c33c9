// everything: every operation, and names that collide
//
// Inputs
//   q (3), joint positions: q1 q2 q3
//   T (2, 2), by rows: T11 T12 T21 T22
//   n (scalar): lambda
//   unused (2): unused1 unused2
// Outputs
//   t (2, 3), a matrix
//   k (scalar)
//   Q (6)
//   r (9)
//   last (2, 2, 2)
// Parameters
//   p (11): D3 d3 end double _a E k function t2 x_y xY
// Constants, computed once from the parameters by setup
//   k_2 (7): D3 d3 end while_2 MXR k1 k2
//
// Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
// Made by symoro VERSION
#![allow(dead_code, non_snake_case, non_upper_case_globals, clippy::excessive_precision,
    clippy::approx_constant, clippy::too_many_arguments, clippy::needless_range_loop,
    clippy::neg_cmp_op_on_partial_ord, clippy::precedence, clippy::unnecessary_cast,
    clippy::manual_range_contains, clippy::manual_clamp)]

/// Names of the parameters, in their order.
pub const PARAMETERS: [&str; 11] = ["D3", "d3", "end", "double", "_a", "E", "k", "function", "t2", "x_y",
    "xY"];

/// Number of constants that are computed from the parameters.
pub const CONSTANTS: usize = 7;

/// Numbers of entries of inputs and outputs.
pub mod sizes {
    pub const q: usize = 3;
    pub const T: usize = 4;
    pub const n: usize = 1;
    pub const unused: usize = 2;
    pub const t: usize = 6;
    pub const k: usize = 1;
    pub const Q: usize = 6;
    pub const r: usize = 9;
    pub const last: usize = 8;
}

/// Constants from parameters, in the order of `PARAMETERS`; call it again after a parameter has changed.
pub fn setup(p: &[f64; 11]) -> [f64; 7] {
    let mut k_2 = [0.0; 7];
    let D3 = p[0];
    let d3 = p[1];
    let end = p[2];
    let double = p[3];
    let _a = p[4];
    let E = p[5];
    let k_3 = p[6];
    let function = p[7];
    let t2 = p[8];
    let x_y = p[9];
    let xY = p[10];
    let while_2 = D3*d3 + end/double;
    let MXR = -(k_3 + _a*E);
    let k1 = function*while_2 - MXR;
    let k2 = xY - t2*x_y;
    k_2[0] = D3;
    k_2[1] = d3;
    k_2[2] = end;
    k_2[3] = while_2;
    k_2[4] = MXR;
    k_2[5] = k1;
    k_2[6] = k2;
    k_2
}

/// One sample. Matrices are stored by rows.
pub fn call(q: &[f64; 3], T: &[f64; 4], n: f64, unused: &[f64; 2], k_2: &[f64; 7], t: &mut [f64; 6],
    k: &mut f64, Q: &mut [f64; 6], r: &mut [f64; 9], last: &mut [f64; 8]) {
    let _ = unused;
    let q1 = q[0];
    let q2 = q[1];
    let (sine_, cosine_) = sincos_([q1, q2, 0.0, 0.0]);
    let S1 = sine_[0];
    let C1 = cosine_[0];
    let S2 = sine_[1];
    let C2 = cosine_[1];
    let t1 = C1*C2;
    let D3 = k_2[0];
    let d3 = k_2[1];
    let q1_2 = D3*t1 - d3*S1*S2;
    t[0] = q1_2;
    let q3 = q[2];
    let end = k_2[2];
    let class = -(end + q3*q1_2);
    let t3 = select_(q1_2 < q3, 0.8660254037844386*q1_2, class - q1_2);
    t[1] = -t3;
    let T11 = T[0];
    r[4] = select_(q2 == T11, q2, -q3);
    let T22 = T[3];
    let t4 = select_(T11 <= T22, 1.0, 0.0);
    let T12 = T[1];
    let T21 = T[2];
    r[5] = q1*t4 + select_(t4 != 0.0, T12, T21);
    r[0] = sqrt_(1.0 + q1*q1)/(2.0 + S2);
    r[1] = asin_(S1*C2) - atan2_(S1, C1) - acos_(t1) + tan_(0.25*q3) + exp_(-q2);
    r[2] = sign_(q1)*abs_(q2 - q3) + 5.0*sign_(q2 - T11);
    let t5 = t3 - q1_2;
    t[4] = t5;
    t[3] = -S1*t5;
    t[5] = C1*t5;
    let k1 = k_2[5];
    Q[0] = k1*q1;
    r[3] = 1e-12*(min_(q1, -q2) - 1e-07*max_(q3, T12) + 123456789012.0*min_(S1, C2));
    let lambda = n;
    r[6] = lambda*lambda;
    r[7] = -(q1 + lambda);
    last[0] = class/(2.0 + C1);
    last[7] = 0.14285714285714285*T22;
    t[2] = 1.0;
    let MXR = k_2[4];
    *k = MXR;
    let while_2 = k_2[3];
    Q[1] = while_2;
    Q[2] = D3;
    Q[3] = q2;
    Q[4] = -q3;
    let k2 = k_2[6];
    Q[5] = -k2;
    r[8] = 1.5707963267948966;
    last[1] = 0.8660254037844386;
    last[2] = -0.8660254037844386;
    last[3] = -0.6666666666666666;
    last[4] = 0.0;
    last[5] = -1.0;
    last[6] = 0.1;
}

/// Double precision in every precision of the code.
type Wide_ = f64;

/// Exponential function, by the rational approximation of fdlibm for |x| up to log(2)/2.
fn exp_wide_(x: f64) -> f64 {
    if !(x > -745.2 && x < 709.8) {
        return if x > 0.0 { f64::INFINITY } else if x < 0.0 { 0.0 } else { x };
    }
    let k = (x*1.44269504088896338700 + if x < 0.0 { -0.5 } else { 0.5 }) as i64;
    let high = x - k as f64*6.93147180369123816490e-01;
    let low = k as f64*1.90821492927058770002e-10;
    let y = high - low;
    let t = y*y;
    let c = y - t*(1.66666666666666019037e-01 + t*(-2.77777777770155933842e-03
        + t*(6.61375632143793436117e-05 + t*(-1.65339022054652515390e-06 + t*4.13813679705723846039e-08))));
    let e = 1.0 - ((low - y*c/(2.0 - c)) - high);
    let half = k/2;
    let scale = |k: i64| f64::from_bits(((1023 + k) as u64) << 52);
    e*scale(half)*scale(k - half)
}

#[inline(always)]
fn select_(condition: bool, yes: f64, no: f64) -> f64 {
    if condition { yes } else { no }
}

#[inline(always)]
fn sign_(x: f64) -> f64 {
    select_(x > 0.0, 1.0, select_(x < 0.0, -1.0, 0.0))
}

#[inline(always)]
fn min_(a: f64, b: f64) -> f64 {
    select_(b < a, b, a)
}

#[inline(always)]
fn max_(a: f64, b: f64) -> f64 {
    select_(b > a, b, a)
}

#[inline(always)]
fn abs_(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !SIGN_)
}

const SIGN_: u64 = 0x8000_0000_0000_0000;

/// Square root, rounded correctly. Newton's method gives the mantissa of the root to a few units, from a root of the
/// bits; integers determine the last ones, because the square of a mantissa is exact in 128 bits.
fn sqrt_(x: f64) -> f64 {
    if !(x >= f64::MIN_POSITIVE && x < f64::INFINITY) {
        return sqrt_special_(x);
    }
    let bits = x.to_bits();
    let odd = !(bits >> 52) & 1;
    let mantissa = ((bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000) << odd;
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | ((1023 + odd) << 52)); // from 1 to 4
    let mut r = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (m.to_bits() >> 1));
    for _ in 0..4 {
        r = r*(1.5 - 0.5*m*r*r);
    }
    let square = u128::from(mantissa) << 52;
    let mut root = (m*r*4503599627370496.0) as u64;
    while u128::from(root)*u128::from(root) > square {
        root -= 1;
    }
    while u128::from(root + 1)*u128::from(root + 1) <= square {
        root += 1;
    }
    let rest = (square - u128::from(root)*u128::from(root)) as u64;
    root += u64::from(rest > root);
    f64::from_bits(((((bits >> 52) + 1023 - odd)/2 - 1) << 52) + root)
}

/// Square root of zero, of a number below the normal ones, and of what is not positive or not finite.
#[cold]
fn sqrt_special_(x: f64) -> f64 {
    if x > 0.0 && x < 1.0 {
        sqrt_(x*18014398509481984.0)/134217728.0 // 2^54 and its root
    } else if x < 0.0 {
        f64::NAN
    } else {
        x
    }
}

fn exp_(x: f64) -> f64 {
    exp_wide_(x as Wide_) as f64
}

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

#[inline(always)]
fn sincos_one_(x: f64) -> (f64, f64) {
    if sincos_far_(x) { sincos_any_(x) } else { sincos_near_(x) }
}

fn tan_(x: f64) -> f64 {
    let (sine, cosine) = sincos_one_(x);
    sine/cosine
}

const ATAN2_LIMIT_: f64 = 1e300;

const ONE_: u64 = 0x3ff0_0000_0000_0000;

#[inline(always)]
fn mask_(condition: bool) -> u64 {
    0_u64.wrapping_sub(condition as u64)
}

/// Angle of a point without branches, accurate to two units in the last place while |x| + |y| does not exceed
/// ATAN2_LIMIT_; zeros keep their signs, and NaN remains NaN. The point is mirrored into the first quadrant; there the
/// angle is measured from the nearest of the axes and the diagonal, by a polynomial for |q| up to tan(pi/8). k counts
/// the eighths of a turn from the axis x > 0; pi/4 is the sum of two parts; k times the first is exact.
#[inline(always)]
fn atan2_near_(y: f64, x: f64) -> f64 {
    let (down, left) = (y.to_bits() & SIGN_, x.to_bits() & SIGN_);
    let (ay, ax) = (abs_(y), abs_(x));
    let steep = mask_(ay > ax*0.41421356237309503); // not near the x axis
    let flat = !mask_(ay > ax*2.41421356237309510); // not near the y axis
    let above = f64::from_bits(ay.to_bits() & flat);
    let below = f64::from_bits(ax.to_bits() & steep);
    let over = f64::from_bits(ax.to_bits() & flat);
    let under = f64::from_bits(ay.to_bits() & steep);
    let d = over + under;
    let one = f64::from_bits(mask_(d == 0.0) & ONE_); // the angle of the origin is zero
    let q = f64::from_bits(((above - below)/(d + one)).to_bits() ^ left);
    let i = f64::from_bits(steep & ONE_);
    let j = f64::from_bits(!flat & ONE_);
    let four = f64::from_bits(left >> 1 | left >> 11);
    let k = abs_(four - (i + j));
    let z = q*q;
    let zz = z*z;
    let p = (3.33333333333329318027e-01 + z*-1.99999999998764832476e-01)
        + zz*((1.42857142725034663711e-01 + z*-1.11111104054623557880e-01)
        + zz*((9.09088713343650656196e-02 + z*-7.69187620504482999495e-02)
        + zz*((6.66107313738753120669e-02 + z*-5.83357013379057348645e-02)
        + zz*((4.97687799461593236017e-02 + z*-3.65315727442169155270e-02)
        + zz*1.62858201153657823623e-02))));
    let angle = k*0.78539816339744827900 + (q - (q*(z*p) - k*3.06161699786838301793e-17));
    f64::from_bits(angle.to_bits() ^ down)
}

#[inline(always)]
fn atan2_far_(y: f64, x: f64) -> bool {
    abs_(y) + abs_(x) > ATAN2_LIMIT_
}

/// Angle of any point. Beyond the limit the point is moved towards the origin, an infinite one to a diagonal or axis.
#[cold]
#[inline(never)]
fn atan2_any_(y: f64, x: f64) -> f64 {
    if !atan2_far_(y, x) {
        atan2_near_(y, x)
    } else if abs_(y) + abs_(x) < f64::INFINITY || (abs_(y) < f64::INFINITY && abs_(x) < f64::INFINITY) {
        atan2_near_(y*0.0625, x*0.0625)
    } else {
        let unit = |a: f64| {
            let sign = a.to_bits() & SIGN_;
            f64::from_bits(mask_(abs_(a) == f64::INFINITY) & ONE_ | sign)
        };
        atan2_near_(unit(y), unit(x))
    }
}

fn atan2_(y: f64, x: f64) -> f64 {
    if atan2_far_(y, x) { atan2_any_(y, x) } else { atan2_near_(y, x) }
}

fn asin_(x: f64) -> f64 {
    atan2_(x, sqrt_((1.0 - x)*(1.0 + x)))
}

fn acos_(x: f64) -> f64 {
    atan2_(sqrt_((1.0 - x)*(1.0 + x)), x)
}
