/// Last frame of the chain K0 J1 K1 .. Jn Kn minus the given entries of the target, and its derivatives, one row per
/// joint. Returns the largest entry. marks: n, tolerance, 12 flags (1: entry given), n joint types: 1 revolute, 2
/// prismatic, negative for the reverse direction.
fn refine_miss_(
    placements: &[f64], target: &[f64], marks: &[f64], q: &[f64; 16], miss: &mut [f64; 12], slopes: &mut [f64; 192],
) -> f64 {
    let n = marks[0] as usize;
    let mut t = [0.0; 12];
    let mut axes = [0.0; 96];
    let mut most = 0.0;
    t.copy_from_slice(&placements[..12]);
    for i in 0..n {
        let b = &placements[12*(i + 1)..12*(i + 2)];
        let way = if marks[14 + i] < 0.0 { -1.0 } else { 1.0 };
        let slides = abs_(marks[14 + i]) > 1.5;
        let (sine, cosine) = if slides { (0.0, 1.0) } else { sincos_one_(q[i]) };
        let (c, s) = (cosine, way*sine);
        for r in 0..3 {
            axes[6*i + r] = way*t[4*r + 2];
            axes[6*i + 3 + r] = t[4*r + 3];
            let x = c*t[4*r] + s*t[4*r + 1];
            let y = c*t[4*r + 1] - s*t[4*r];
            let z = t[4*r + 2];
            let p = t[4*r + 3] + if slides { way*q[i]*z } else { 0.0 };
            for j in 0..4 {
                t[4*r + j] = x*b[j] + y*b[4 + j] + z*b[8 + j] + if j == 3 { p } else { 0.0 };
            }
        }
    }
    for e in 0..12 {
        miss[e] = if marks[2 + e] > 0.5 { t[e] - target[e] } else { 0.0 };
        most = if abs_(miss[e]) <= most { most } else { abs_(miss[e]) }; // keeps NaN
    }
    for i in 0..n {
        let z = &axes[6*i..6*i + 6];
        let slides = abs_(marks[14 + i]) > 1.5;
        for j in 0..4 {
            let last = if j == 3 { 1.0 } else { 0.0 };
            let x = t[j] - last*z[3];
            let y = t[4 + j] - last*z[4];
            let w = t[8 + j] - last*z[5];
            slopes[12*i + j] = if slides { last*z[0] } else { z[1]*w - z[2]*y };
            slopes[12*i + 4 + j] = if slides { last*z[1] } else { z[2]*x - z[0]*w };
            slopes[12*i + 8 + j] = if slides { last*z[2] } else { z[0]*y - z[1]*x };
        }
        for e in 0..12 {
            slopes[12*i + e] = if marks[2 + e] > 0.5 { slopes[12*i + e] } else { 0.0 };
        }
    }
    most
}

/// (J'J + damping) x = right, for the derivatives J, with little damping.
fn refine_solve_(n: usize, slopes: &[f64; 192], right: &[f64; 16], x: &mut [f64; 16]) {
    let mut a = [0.0; 272];
    let mut top = 0.0;
    for i in 0..n {
        for j in 0..n {
            let mut sum = 0.0;
            for e in 0..12 {
                sum += slopes[12*i + e]*slopes[12*j + e];
            }
            a[17*i + j] = sum;
        }
        a[17*i + n] = right[i];
        top = if a[18*i] > top { a[18*i] } else { top };
    }
    for i in 0..n {
        a[18*i] += 1e-14*top;
    }
    for c in 0..n {
        for r in c + 1..n {
            let factor = a[17*r + c]/a[18*c];
            for j in c + 1..=n {
                a[17*r + j] -= factor*a[17*c + j];
            }
        }
    }
    for r in (0..n).rev() {
        let mut sum = a[17*r + n];
        for j in r + 1..n {
            sum -= a[17*r + j]*x[j];
        }
        x[r] = sum/a[18*r];
    }
}

/// The best of Newton's iterates from q; returns its residual.
fn refine_row_(placements: &[f64], target: &[f64], marks: &[f64], q: &mut [f64; 16]) -> f64 {
    let n = marks[0] as usize;
    let mut miss = [0.0; 12];
    let mut slopes = [0.0; 192];
    let mut right = [0.0; 16];
    let mut step = [0.0; 16];
    let mut x = [0.0; 16];
    let mut least = refine_miss_(placements, target, marks, q, &mut miss, &mut slopes);
    for _ in 0..15 {
        for i in 0..n {
            right[i] = 0.0;
            for e in 0..12 {
                right[i] += slopes[12*i + e]*miss[e];
            }
        }
        refine_solve_(n, &slopes, &right, &mut step);
        for i in 0..n {
            x[i] = q[i] - step[i];
        }
        let most = refine_miss_(placements, target, marks, &x, &mut miss, &mut slopes);
        if !(most < least) {
            break;
        }
        least = most;
        q[..n].copy_from_slice(&x[..n]);
    }
    least
}

/// Direction in which the last frame moves least, by inverse iteration; returns whether it moves little.
fn refine_weak_(placements: &[f64], target: &[f64], marks: &[f64], q: &[f64; 16], way: &mut [f64; 16]) -> bool {
    let n = marks[0] as usize;
    let mut miss = [0.0; 12];
    let mut slopes = [0.0; 192];
    let mut x = [0.0; 16];
    let mut top = 0.0;
    let mut least = 0.0;
    refine_miss_(placements, target, marks, q, &mut miss, &mut slopes);
    for i in 0..n {
        let mut square = 0.0;
        for e in 0..12 {
            square += slopes[12*i + e]*slopes[12*i + e];
        }
        top = if square > top { square } else { top };
        way[i] = 1.0 + 0.1*i as f64;
    }
    for _ in 0..3 {
        let mut size = 0.0;
        refine_solve_(n, &slopes, way, &mut x);
        for i in 0..n {
            size += x[i]*x[i];
        }
        for i in 0..n {
            way[i] = x[i]/sqrt_(size);
        }
    }
    for e in 0..12 {
        let mut sum = 0.0;
        for i in 0..n {
            sum += slopes[12*i + e]*way[i];
        }
        least += sum*sum;
    }
    least < 1e-3*top
}

/// The angle between -pi and pi that differs from d by whole turns.
fn refine_turn_(d: f64) -> f64 {
    let (sine, cosine) = sincos_one_(d);
    atan2_(sine, cosine)
}

/// Whether a valid row other than k contains the joint values q.
fn refine_again_(marks: &[f64], rows: &[f64], k: usize, q: &[f64; 16]) -> bool {
    let n = marks[0] as usize;
    for (j, row) in rows.chunks_exact(n + 2).enumerate() {
        let mut same = j != k && (row[n + 1] == 0.0 || row[n + 1] == 2.0);
        for i in 0..n {
            if same {
                let d = row[i] - q[i];
                same = abs_(if abs_(marks[14 + i]) > 1.5 { d } else { refine_turn_(d) }) < 1e-5;
            }
        }
        if same {
            return true;
        }
    }
    false
}

/// One row. If Newton's method stops between two solutions that almost coincide, or at one that another row
/// contains, it is started again on both sides along the direction in which the chain moves least.
fn refine_one_(placements: &[f64], target: &[f64], marks: &[f64], rows: &mut [f64], k: usize) {
    let n = marks[0] as usize;
    let fine = 1e-3*marks[1];
    let start = (n + 2)*k;
    let mut way = [0.0; 16];
    let mut q = [0.0; 16];
    let mut x = [0.0; 16];
    q[..n].copy_from_slice(&rows[start..start + n]);
    let mut least = refine_row_(placements, target, marks, &mut q);
    let mut again = least <= marks[1] && refine_again_(marks, rows, k, &q);
    if (again || !(least <= fine)) && refine_weak_(placements, target, marks, &q, &mut way) {
        let aside = 10.0*sqrt_(if least <= fine { rows[start + n] } else { least });
        for side in [-1.0, 1.0] {
            for i in 0..n {
                x[i] = q[i] + side*aside*way[i];
            }
            let most = refine_row_(placements, target, marks, &mut x);
            if most <= fine && !refine_again_(marks, rows, k, &x) {
                least = most;
                again = false;
                q = x;
                break;
            }
        }
    }
    let row = &mut rows[start..start + n + 2];
    if again {
        row[n + 1] = 3.0;
    } else if least <= marks[1] {
        for i in 0..n {
            row[i] = if abs_(marks[14 + i]) > 1.5 { q[i] } else { refine_turn_(q[i]) };
        }
        row[n] = least;
        row[n + 1] = if row[n + 1] == 2.0 { 2.0 } else { 0.0 };
    }
}

/// Rows of joints, residual and status: those that are approximate solutions of K0 J1 K1 .. Jn Kn = T are refined
/// by Newton's method, and become empty if another row contains the same solution.
fn refine_<const P: usize, const T: usize, const M: usize, const S: usize>(
    _size: usize, placements: [f64; P], target: [f64; T], marks: [f64; M], mut rows: [f64; S],
) -> [f64; S] {
    let n = marks[0] as usize;
    for k in 0..S/(n + 2) {
        let (residual, status) = (rows[(n + 2)*k + n], rows[(n + 2)*k + n + 1]);
        if residual < 1e-2 && (residual > 1e-3*marks[1] || status == 1.0) {
            refine_one_(&placements, &target, &marks, &mut rows, k);
        }
    }
    rows
}
