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
