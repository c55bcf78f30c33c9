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
