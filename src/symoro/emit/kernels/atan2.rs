/* -- double */
const ATAN2_LIMIT_: f64 = 1e300;

const ONE_: u64 = 0x3ff0_0000_0000_0000;

#[inline(always)]
fn mask_(condition: bool) -> u64 {
    0_u64.wrapping_sub(condition as u64)
}
/* -- float */
const ATAN2_LIMIT_: f64 = 1e37;

const ONE_: u32 = 0x3f80_0000;

#[inline(always)]
fn mask_(condition: bool) -> u32 {
    0_u32.wrapping_sub(condition as u32)
}
/* -- both */

/* -- double */
/// Angle of a point without branches, accurate to two units in the last place while |x| + |y| does not exceed
/* -- float */
/// Angle of a point without branches, accurate to 2.5 units in the last place while |x| + |y| does not exceed
/* -- both */
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
/* -- double */
    let four = f64::from_bits(left >> 1 | left >> 11);
/* -- float */
    let four = f32::from_bits(left >> 1 | left >> 8);
/* -- both */
    let k = abs_(four - (i + j));
    let z = q*q;
    let zz = z*z;
/* -- double */
    let p = (3.33333333333329318027e-01 + z*-1.99999999998764832476e-01)
        + zz*((1.42857142725034663711e-01 + z*-1.11111104054623557880e-01)
        + zz*((9.09088713343650656196e-02 + z*-7.69187620504482999495e-02)
        + zz*((6.66107313738753120669e-02 + z*-5.83357013379057348645e-02)
        + zz*((4.97687799461593236017e-02 + z*-3.65315727442169155270e-02)
        + zz*1.62858201153657823623e-02))));
    let angle = k*0.78539816339744827900 + (q - (q*(z*p) - k*3.06161699786838301793e-17));
/* -- float */
    let p = (3.33329492e-01_f32 + z*-1.99777106e-01_f32) + zz*(1.38776856e-01_f32 + z*-8.05374450e-02_f32);
    let angle = k*0.785398006439208984375_f32 + (q - (q*(z*p) - k*1.56958237e-07_f32));
/* -- both */
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

/// Angles of several points, in a loop without branches, which compilers vectorise.
#[inline(always)]
fn atan2_all_<const N: usize>(y: [f64; N], x: [f64; N]) -> [f64; N] {
    let mut angles = [0.0; N];
    let mut far = false;
    for i in 0..N {
        angles[i] = atan2_near_(y[i], x[i]);
        far |= atan2_far_(y[i], x[i]);
    }
    if far {
        for i in 0..N {
            angles[i] = atan2_any_(y[i], x[i]);
        }
    }
    angles
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
