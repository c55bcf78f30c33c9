/// Double precision in every precision of the code.
type Wide_ = f64;

/// Cube root by Halley's method, from a third of the bits.
fn cbrt_wide_(x: f64) -> f64 {
    let a = if x < 0.0 { -x } else { x };
    if !(a > 0.0 && a < f64::INFINITY) {
        return x;
    }
    if a < f64::MIN_POSITIVE {
        return cbrt_wide_(x*18014398509481984.0)/262144.0; // 2^54 and its cube root
    }
    let mut t = f64::from_bits(a.to_bits()/3 + 0x2a9f_7893_0000_0000);
    for _ in 0..3 {
        let r = t/a*t*t;
        t = t*((r + 2.0)/(2.0*r + 1.0));
    }
    t = t + t*((1.0 - t/a*t*t)/3.0);
    if x < 0.0 { -t } else { t }
}

/// Natural logarithm, by the polynomial of fdlibm for the mantissa.
fn log_wide_(x: f64) -> f64 {
    if !(x > 0.0 && x < f64::INFINITY) {
        return if x == 0.0 { -f64::INFINITY } else if x < 0.0 { f64::NAN } else { x };
    }
    if x < f64::MIN_POSITIVE {
        return log_wide_(x*18014398509481984.0) - 37.429947750237048; // 54 log(2)
    }
    let from_root = x.to_bits().wrapping_sub(0x3fe6_a09e_667f_3bcd); // the mantissa is between the roots of 1/2 and 2
    let k = ((from_root as i64) >> 52) as f64;
    let m = f64::from_bits((from_root & 0x000f_ffff_ffff_ffff) + 0x3fe6_a09e_667f_3bcd);
    let f = m - 1.0;
    let s = f/(2.0 + f);
    let z = s*s;
    let w = z*z;
    let even = w*(3.999999999940941908e-01 + w*(2.222219843214978396e-01 + w*1.531383769920937332e-01));
    let odd = z*(6.666666666666735130e-01
        + w*(2.857142874366239149e-01 + w*(1.818357216161805012e-01 + w*1.479819860511658591e-01)));
    let half = 0.5*f*f;
    k*6.93147180369123816490e-01 - ((half - (s*(half + (even + odd)) + k*1.90821492927058770002e-10)) - f)
}

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

/* From here on in the caller's type. */
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

/* -- double */
const SIGN_: u64 = 0x8000_0000_0000_0000;
/* -- float */
const SIGN_: u32 = 0x8000_0000;
/* -- both */

/* -- double */
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
/* -- float */
/// Square root, rounded correctly. Newton's method gives the mantissa of the root to a few units, from a root of the
/// bits; integers determine the last ones, because the square of a mantissa is exact in 64 bits.
fn sqrt_(x: f32) -> f32 {
    if !(x >= f32::MIN_POSITIVE && x < f32::INFINITY) {
        return sqrt_special_(x);
    }
    let bits = x.to_bits();
    let odd = !(bits >> 23) & 1;
    let mantissa = ((bits & 0x007f_ffff) | 0x0080_0000) << odd;
    let m = f32::from_bits((bits & 0x007f_ffff) | ((127 + odd) << 23)); // from 1 to 4
    let mut r = f32::from_bits(0x5f37_59df - (m.to_bits() >> 1));
    for _ in 0..3 {
        r = r*(1.5 - 0.5*m*r*r);
    }
    let square = u64::from(mantissa) << 23;
    let mut root = (m*r*8388608.0) as u32;
    while u64::from(root)*u64::from(root) > square {
        root -= 1;
    }
    while u64::from(root + 1)*u64::from(root + 1) <= square {
        root += 1;
    }
    let rest = (square - u64::from(root)*u64::from(root)) as u32;
    root += u32::from(rest > root);
    f32::from_bits(((((bits >> 23) + 127 - odd)/2 - 1) << 23) + root)
}
/* -- both */

/// Square root of zero, of a number below the normal ones, and of what is not positive or not finite.
#[cold]
fn sqrt_special_(x: f64) -> f64 {
    if x > 0.0 && x < 1.0 {
/* -- double */
        sqrt_(x*18014398509481984.0)/134217728.0 // 2^54 and its root
/* -- float */
        sqrt_(x*16777216.0)/4096.0 // 2^24 and its root
/* -- both */
    } else if x < 0.0 {
        f64::NAN
    } else {
        x
    }
}

fn cbrt_(x: f64) -> f64 {
    cbrt_wide_(x as Wide_) as f64
}

fn exp_(x: f64) -> f64 {
    exp_wide_(x as Wide_) as f64
}

fn log_(x: f64) -> f64 {
    log_wide_(x as Wide_) as f64
}

/// The largest integer that is not greater than x.
fn floor_(x: f64) -> f64 {
    if !(abs_(x) < 4503599627370496.0) {
        return x; // an integer, infinite or NaN
    }
    let integer = x as i64 as f64;
    if integer > x { integer - 1.0 } else { integer }
}

fn ceil_(x: f64) -> f64 {
    -floor_(-x)
}
