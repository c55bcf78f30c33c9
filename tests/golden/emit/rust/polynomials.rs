// polynomials: roots of polynomials
//
// Inputs
//   a (5): a1 a2 a3 a4 a5
//   k (5): k1 k2 k3 k4 k5
// Outputs
//   x (8)
//   t (12)
//   pair (8)
//   none (12)
// Parameters
//   p (1): m
// Constants, computed once from the parameters by setup
//   k_2 (1): m
//
// Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
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
    pub const a: usize = 5;
    pub const k: usize = 5;
    pub const x: usize = 8;
    pub const t: usize = 12;
    pub const pair: usize = 8;
    pub const none: usize = 12;
}

/// Constants from parameters, in the order of `PARAMETERS`; call it again after a parameter has changed.
pub fn setup(p: &[f64; 1]) -> [f64; 1] {
    let mut k_2 = [0.0; 1];
    let m = p[0];
    k_2[0] = m;
    k_2
}

/// One sample. Matrices are stored by rows.
pub fn call(a: &[f64; 5], k: &[f64; 5], k_2: &[f64; 1], x: &mut [f64; 8], t: &mut [f64; 12],
    pair: &mut [f64; 8], none: &mut [f64; 12]) {
    let a1 = a[0];
    let a2 = a[1];
    let a3 = a[2];
    let a4 = a[3];
    let a5 = a[4];
    let m = k_2[0];
    let quartic1_1 = [a1 + m, a2, -a3, a4, a5];
    let quartic1 = quartic_(8, quartic1_1);
    let k1 = k[0];
    let k2 = k[1];
    let k3 = k[2];
    let k4 = k[3];
    let k5 = k[4];
    let circle2_1 = [0.25*k1, k2, k3 + m, -k4, k5];
    let circle2 = circle_(12, circle2_1);
    let quartic3_1 = [0.0, 0.0, 1.0, k1, quartic1[4] - 3.0];
    let quartic3 = quartic_(8, quartic3_1);
    let circle4_1 = [m, 0.0, 0.0, 0.0, 0.0];
    let circle4 = circle_(12, circle4_1);
    x[0] = quartic1[0];
    x[1] = quartic1[1];
    x[2] = quartic1[2];
    x[3] = quartic1[3];
    x[4] = quartic1[4];
    x[5] = quartic1[5];
    x[6] = quartic1[6];
    x[7] = quartic1[7];
    t[0] = circle2[0];
    t[1] = circle2[1];
    t[2] = circle2[2];
    t[3] = circle2[3];
    t[4] = circle2[4];
    t[5] = circle2[5];
    t[6] = circle2[6];
    t[7] = circle2[7];
    t[8] = circle2[8];
    t[9] = circle2[9];
    t[10] = circle2[10];
    t[11] = circle2[11];
    pair[0] = quartic3[0];
    pair[1] = quartic3[1];
    pair[2] = quartic3[2];
    pair[3] = quartic3[3];
    pair[4] = quartic3[4];
    pair[5] = quartic3[5];
    pair[6] = quartic3[6];
    pair[7] = quartic3[7];
    none[0] = circle4[0];
    none[1] = circle4[1];
    none[2] = circle4[2];
    none[3] = circle4[3];
    none[4] = circle4[4];
    none[5] = circle4[5];
    none[6] = circle4[6];
    none[7] = circle4[7];
    none[8] = circle4[8];
    none[9] = circle4[9];
    none[10] = circle4[10];
    none[11] = circle4[11];
}

/// k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative.
fn circle_left_(k: &[f64; 5], s: f64, c: f64) -> (f64, f64) {
    let c2 = (c - s)*(c + s);
    let s2 = 2.0*s*c;
    let left = k[0] + k[1]*c + k[2]*s + k[3]*c2 + k[4]*s2;
    (left, k[2]*c - k[1]*s + 2.0*(k[4]*c2 - k[3]*s2))
}

/// The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative.
fn circle_resolvent_(p: f64, q: f64, r: f64) -> f64 {
    let big = (p*p + 12.0*r)/9.0;
    let odd = p*(4.0*r/3.0 - p*p/27.0) - q*q/2.0;
    let cube = big*big*big;
    let rest = odd*odd - cube;
    let mut z;
    if rest < 0.0 {
        let ratio = odd/sqrt_(cube);
        let angle = acos_(if ratio < -1.0 { -1.0 } else if ratio > 1.0 { 1.0 } else { ratio });
        z = -2.0*sqrt_(big)*cos_((angle + 6.283185307179586)/3.0);
    } else {
        let root = cbrt_(abs_(odd) + sqrt_(rest));
        z = if root > 0.0 { root + big/root } else { 0.0 };
        z = if odd > 0.0 { -z } else { z };
    }
    z -= 2.0*p/3.0;
    if z < 0.0 { 0.0 } else { z }
}

/// Positions of four keys in ascending order.
fn circle_order_(key: &[f64; 4]) -> [usize; 4] {
    let mut place = [0, 1, 2, 3];
    for j in 1..4 {
        for i in 0..j {
            if key[j] < key[i] {
                place[i] += 1;
                place[j] -= 1;
            }
        }
    }
    place
}

/// The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A
/// defect is 0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With x = tan(u/2), t = u +
/// turn, the equation is a quartic whose leading coefficient is the largest of eight values of the left side; Ferrari's
/// method splits it into two quadratics; finally Newton's method is applied to the equation itself.
fn circle_(_n: usize, mut k: [f64; 5]) -> [f64; 12] {
    const COSINES: [f64; 4] = [-1.0, -0.7071067811865476, 0.0, 0.7071067811865476];
    const SINES: [f64; 4] = [0.0, -0.7071067811865476, -1.0, -0.7071067811865476];
    const DOUBLED: [f64; 5] = [1.0, 0.0, -1.0, 0.0, 1.0];
    let mut top = 0.0;
    for x in k {
        top = if abs_(x) > top { abs_(x) } else { top };
    }
    for x in &mut k {
        *x /= top;
    }
    let mut at = 0;
    let mut largest = 0.0;
    for j in 0..4 {
        let even = k[0] + DOUBLED[j]*k[3] - DOUBLED[j + 1]*k[4];
        let value = abs_(even) + abs_(COSINES[j]*k[1] + SINES[j]*k[2]);
        if value > largest {
            largest = value;
            at = j;
        }
    }
    let c2 = DOUBLED[at];
    let s2 = -DOUBLED[at + 1];
    let g = k[3]*c2 + k[4]*s2;
    let h = k[4]*c2 - k[3]*s2;
    let side = if (k[0] + g)*(COSINES[at]*k[1] + SINES[at]*k[2]) > 0.0 { -1.0 } else { 1.0 };
    let ct = side*COSINES[at];
    let st = side*SINES[at];
    let a = k[1]*ct + k[2]*st;
    let b = k[2]*ct - k[1]*st;
    let scale = 1.0/(k[0] - a + g);
    let a2 = scale*(2.0*k[0] - 6.0*g);
    let a1 = scale*(2.0*b + 4.0*h);
    let a0 = scale*(k[0] + a + g);
    // y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), the larger one of v and w2 - w1 is a
    // square root, the other one is q divided by it.
    let e = scale*(0.5*b - h);
    let p = a2 - 6.0*e*e;
    let q = a1 - 2.0*e*(a2 - 4.0*e*e);
    let r = a0 - e*(a1 - e*(a2 - 3.0*e*e));
    let z = circle_resolvent_(p, q, r);
    let gap = (p + z)*(p + z) - 4.0*r;
    let v;
    let difference;
    if gap <= z*z {
        v = sqrt_(z);
        difference = if v > 0.0 { q/v } else { 0.0 };
    } else {
        difference = if q < 0.0 { -sqrt_(gap) } else { sqrt_(gap) };
        v = q/difference;
    }
    let mut unsorted = [0.0; 12];
    let mut key = [0.0; 4];
    for j in 0..4 {
        let sign = if j % 2 == 0 { -0.5 } else { 0.5 };
        let inside = v*v/4.0 - 0.5*(p + z) - sign*difference;
        let reach = sqrt_(abs_(inside));
        let mut x = sign*v - e;
        let mut s;
        let mut c;
        let mut defect = 0.0;
        if inside < 0.0 {
            // exp(iu) = (1 + i(x + iy))/(1 - i(x + iy)), y = reach
            let squared = 4.0*reach/((1.0 + reach)*(1.0 + reach) + x*x);
            let su = 2.0*x;
            let cu = 1.0 - x*x - reach*reach;
            let shrink = 1.0/sqrt_(su*su + cu*cu);
            defect = squared/(1.0 + sqrt_(1.0 - squared));
            s = (su*ct + cu*st)*shrink;
            c = (cu*ct - su*st)*shrink;
        } else {
            x = if j < 2 { x - reach } else { x + reach };
            let shrink = 1.0/(1.0 + x*x);
            let su = 2.0*x*shrink;
            let cu = (1.0 - x*x)*shrink;
            s = su*ct + cu*st;
            c = cu*ct - su*st;
            let (mut left, mut slope) = circle_left_(&k, s, c);
            for _ in 0..2 {
                if !(abs_(left) > 1e-16) {
                    break;
                }
                let step = -left/slope;
                let cosine = 1.0/sqrt_(1.0 + step*step);
                let s1 = (s + c*step)*cosine;
                let c1 = (c - s*step)*cosine;
                let (left1, slope1) = circle_left_(&k, s1, c1);
                if !(abs_(left1) < abs_(left)) {
                    break;
                }
                (s, c, left, slope) = (s1, c1, left1, slope1);
            }
        }
        if defect < 0.999999 && s*s + c*c > 0.5 {
            s = if c < 0.0 && abs_(s) < 1e-15 { 0.0 } else { s }; // pi must not become -pi because of round-off
            let d = s/(abs_(s) + abs_(c));
            key[j] = if 0.0 <= c { d } else if 0.0 <= s { 2.0 - d } else { -2.0 - d };
        } else {
            (s, c, defect) = (0.0, 1.0, 1.0);
            key[j] = 3.0;
        }
        unsorted[j] = s;
        unsorted[j + 4] = c;
        unsorted[j + 8] = defect;
    }
    let place = circle_order_(&key);
    let mut slots = [0.0; 12];
    for j in 0..12 {
        slots[place[j % 4] + j/4*4] = unsorted[j];
    }
    slots
}

/// Logarithms of the magnitudes of the roots, ascending, from the Newton polygon of the coefficients' logarithms.
fn quartic_sizes_(logs: &[f64; 5]) -> [f64; 4] {
    let mut hull = *logs;
    for m in 0..5 {
        for i in 0..m {
            for j in m + 1..5 {
                let chord = (logs[i]*(j - m) as f64 + logs[j]*(m - i) as f64)/(j - i) as f64;
                hull[m] = if chord > hull[m] { chord } else { hull[m] };
            }
        }
    }
    [hull[0] - hull[1], hull[1] - hull[2], hull[2] - hull[3], hull[3] - hull[4]]
}

/// Degree without the leading coefficients that are below the round-off of the others, at the roots without them or at
/// 1; a, lowest first, by logs. -1 if all are zero.
fn quartic_degree_(logs: &[f64; 5]) -> i32 {
    let mut degree = 4;
    while degree >= 0 && !(logs[degree as usize] > -10000.0) {
        degree -= 1;
    }
    for d in 1..degree {
        let mut reach = 0.0;
        let mut kept = -100000.0;
        let mut lost = -100000.0;
        for j in 0..d {
            let size = (logs[j as usize] - logs[d as usize])/(d - j) as f64;
            reach = if size > reach { size } else { reach };
        }
        for j in 0..=degree {
            let weight = logs[j as usize] + j as f64*reach;
            kept = if j <= d && weight > kept { weight } else { kept };
            lost = if j > d && weight > lost { weight } else { lost };
        }
        if logs[d as usize] > -10000.0 && lost < kept - 34.5 {
            return d;
        }
    }
    degree
}

/// The unit of x in which the middle roots are about 1, of a, lowest first, and the degree. Above it, a becomes zero.
fn quartic_unit_(a: &mut [f64; 5]) -> (f64, i32) {
    let mut logs = [0.0; 5];
    let mut total = 0.0;
    let mut least = 5;
    for j in (0..5).rev() {
        total += a[j];
        logs[j] = if a[j] != 0.0 { log_(abs_(a[j])) } else { -10000.0 };
        least = if a[j] != 0.0 { j as i32 } else { least };
    }
    let degree = if abs_(total) < 6.0 { quartic_degree_(&logs) } else { -1 }; // -1: not a number, or all zero
    for j in (degree + 1) as usize..5 {
        a[j] = 0.0;
        logs[j] = -10000.0;
    }
    if degree <= least {
        return (1.0, degree);
    }
    let sizes = quartic_sizes_(&logs);
    let small = sizes[((least + degree - 1)/2) as usize];
    let large = sizes[((least + degree)/2) as usize];
    let mut size = 0.5*(small + large);
    if 60.0 <= large - small {
        size = if -small > large { large } else { small };
    }
    (exp_(if size < -170.0 { -170.0 } else if size > 170.0 { 170.0 } else { size }), degree)
}

/// Newton's method on f[0] + f[1] x + ... + f[4] x^4, as long as the residual decreases.
fn quartic_polish_(f: &[f64; 5], mut x: f64) -> f64 {
    let mut left = (((f[4]*x + f[3])*x + f[2])*x + f[1])*x + f[0];
    for _ in 0..2 {
        let x1 = x - left/(((4.0*f[4]*x + 3.0*f[3])*x + 2.0*f[2])*x + f[1]);
        let left1 = (((f[4]*x1 + f[3])*x1 + f[2])*x1 + f[1])*x1 + f[0];
        if !(abs_(left1) < abs_(left)) {
            break;
        }
        (x, left) = (x1, left1);
    }
    x
}

/// The real roots of a[0] x^4 + a[1] x^3 + a[2] x^2 + a[3] x + a[4] = 0: 4 roots, ascending, and 4 defects. A
/// defect is 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With
/// x = unit*tan(t/2) the roots are angles t.
fn quartic_(_n: usize, a: [f64; 5]) -> [f64; 8] {
    let mut b = [0.0; 5];
    let mut back = [0.0; 5];
    let mut top = 0.0;
    for x in a {
        top = if abs_(x) > top { abs_(x) } else { top };
    }
    for j in 0..5 {
        b[j] = a[4 - j]/top;
    }
    let (unit, degree) = quartic_unit_(&mut b);
    let weights = [1.0/unit/unit, 1.0/unit, 1.0, unit, unit*unit];
    top = 0.0;
    for j in 0..5 {
        b[j] *= weights[j];
        top = if abs_(b[j]) > top { abs_(b[j]) } else { top };
    }
    for j in 0..5 {
        b[j] /= top;
        back[4 - j] = b[j];
    }
    let twice = (b[0] + b[4] - b[2])/8.0;
    let k = [(b[0] + b[4])/2.0 - twice, (b[0] - b[4])/2.0, (b[3] + b[1])/4.0, twice, (b[1] - b[3])/8.0];
    let angles = circle_(12, k);
    let mut below = [0.0; 4]; // |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect
    let mut unsorted = [0.0; 8];
    let mut key = [0.0; 4];
    for j in 0..4 {
        let (s, c, defect) = (angles[j], angles[j + 4], angles[j + 8]);
        let beside = if c < 0.0 { s*s/(1.0 - c) } else { 1.0 + c };
        below[j] = defect*defect + 2.0*(1.0 - defect)*beside;
    }
    for j in 0..4 {
        let (s, c, defect) = (angles[j], angles[j + 4], angles[j + 8]);
        let mut nearer = 0; // number of roots nearer to infinity, which a polynomial of lower degree lacks
        for i in 0..4 {
            nearer += i32::from(below[i] < below[j] || (below[i] <= below[j] && i < j));
        }
        let mut x;
        let mut imaginary = 0.0;
        if defect > 0.0 {
            x = unit*2.0*(1.0 - defect)*s/below[j];
            imaginary = unit*defect*(2.0 - defect)/below[j];
        } else if c < 0.0 {
            x = unit/quartic_polish_(&back, s/(1.0 - c)); // large roots are refined as 1/x, which cannot overflow
        } else {
            x = unit*quartic_polish_(&b, s/(1.0 + c));
        }
        let mut relative = imaginary/(1.0 + sqrt_(x*x + imaginary*imaginary));
        let real = nearer >= 4 - degree && relative <= 1.0 && abs_(x) < f64::INFINITY;
        key[j] = if real { x } else { f64::INFINITY };
        if !real {
            (x, relative) = (0.0, 1.0);
        }
        unsorted[j] = x + 0.0;
        unsorted[j + 4] = relative;
    }
    let place = circle_order_(&key);
    let mut roots = [0.0; 8];
    for j in 0..8 {
        roots[place[j % 4] + j/4*4] = unsorted[j];
    }
    roots
}

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

fn cbrt_(x: f64) -> f64 {
    cbrt_wide_(x as Wide_) as f64
}

fn exp_(x: f64) -> f64 {
    exp_wide_(x as Wide_) as f64
}

fn log_(x: f64) -> f64 {
    log_wide_(x as Wide_) as f64
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

#[inline(always)]
fn sincos_one_(x: f64) -> (f64, f64) {
    if sincos_far_(x) { sincos_any_(x) } else { sincos_near_(x) }
}

fn cos_(x: f64) -> f64 {
    sincos_one_(x).1
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

fn acos_(x: f64) -> f64 {
    atan2_(sqrt_((1.0 - x)*(1.0 + x)), x)
}
