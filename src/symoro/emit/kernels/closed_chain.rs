/// Monomials of q1, q2 from the value of the left side, which is overwritten; those of least norm if they are not
/// unique.
fn chain_monomials_(arranged: &ChainLoop_, known: &mut [f64; 14]) -> [f64; 8] {
    let rank = arranged.rank;
    let loose = 8 - rank;
    let side = &arranged.side;
    let mut solved = [[0.0; 9]; 8]; // the triangular system for the columns beyond the rank and for the value
    let mut system = [0.0; 72];
    let mut monomials = [0.0; 8];
    for c in 0..8 {
        let mut sum = 0.0;
        for r in c..arranged.functions {
            sum += side[r][c]*known[r];
        }
        sum *= arranged.scales[c];
        for r in c..arranged.functions {
            known[r] -= side[r][c]*sum;
        }
    }
    for k in 0..=loose {
        for c in (0..rank).rev() {
            let mut sum = if k < loose { side[c][rank + k] } else { known[c] };
            for j in c + 1..rank {
                sum -= side[c][j]*solved[j][k];
            }
            solved[c][k] = sum/arranged.pivots[c];
        }
    }
    for i in 0..loose {
        for j in 0..=loose {
            let mut sum = if i == j { 1.0 } else { 0.0 };
            for row in &solved[..rank] {
                sum += row[i]*row[j];
            }
            system[i*(loose + 1) + j] = sum;
        }
    }
    chain_solve_(loose, loose + 1, &mut system);
    for i in 0..8 {
        let mut value = if i < rank { solved[i][loose] } else { system[(i - rank)*(loose + 1) + loose] };
        if i < rank {
            for k in 0..loose {
                value -= solved[i][k]*system[k*(loose + 1) + loose];
            }
        }
        monomials[arranged.columns[i]] = value;
    }
    monomials
}

/// Value of the variable of a vector of monomials.
fn chain_ratio_(slides: bool, vector: &[f64; 12], last: usize, by_z: bool) -> f64 {
    let top = chain_pair_(vector, vector, last, by_z, true);
    let bottom = chain_pair_(vector, vector, last, by_z, false);
    if !slides {
        2.0*atan2_(top, bottom)
    } else if bottom > 0.0 {
        top/bottom
    } else {
        0.0
    }
}

/// Joint values, in joint order, from the pivot's half angle and a vector of monomials.
fn chain_values_(arranged: &ChainLoop_, half: f64, vector: &[f64; 12]) -> [f64; 7] {
    let (last, pivot) = if arranged.slides { (1, 3) } else { (3, 2) };
    let (kinds, placements) = (&arranged.kinds, &arranged.placements);
    let mut values = [0.0; 6];
    values[pivot] = if kinds[pivot] { tan_(half) } else { 2.0*half };
    values[pivot + 1] = chain_ratio_(kinds[pivot + 1], vector, last, false);
    if !arranged.slides {
        values[4] = chain_ratio_(kinds[4], vector, last, true);
    }
    let mut chain = chain_joint_(kinds[2], values[2], &placements[2]);
    for i in 3..5 {
        chain = chain_compose_(&chain, &chain_joint_(kinds[i], values[i], &placements[i]));
    }
    let mut known = chain_functions_(arranged.slides, &chain);
    for f in 0..arranged.functions {
        known[f] -= arranged.constants[f];
    }
    let monomials = chain_monomials_(arranged, &mut known);
    values[0] = if kinds[0] { monomials[5] } else { atan2_(monomials[5], monomials[2]) };
    values[1] = if kinds[1] { monomials[7] } else { atan2_(monomials[7], monomials[6]) };
    if !arranged.slides {
        // otherwise Newton's first step computes both lengths, because they enter linearly
        let b = chain_compose_(&placements[5], &chain_joint_(kinds[0], values[0], &placements[0]));
        let product = chain_compose_(&b, &chain_joint_(kinds[1], values[1], &placements[1]));
        let a = chain_compose_(&product, &chain);
        values[5] = atan2_(-a[4], a[0]);
    }
    let mut q = [0.0; 7];
    for i in 0..6 {
        q[arranged.order[i]] = values[i] + arranged.shifts[i];
    }
    q
}

/// Largest entry of |product - 1| of the loop, its product, and axes and points of the joints.
fn chain_product_(
    placements: &[ChainPlacement_; 6], kinds: &[bool; 6], q: &[f64],
) -> (f64, ChainPlacement_, [[f64; 6]; 6]) {
    let mut chain = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut axes = [[0.0; 6]; 6];
    let mut defect = 0.0;
    for i in 0..6 {
        for k in 0..3 {
            axes[i][k] = chain[4*k + 2];
            axes[i][3 + k] = chain[4*k + 3];
        }
        chain = chain_compose_(&chain, &chain_joint_(kinds[i], q[i], &placements[i]));
    }
    for k in 0..12 {
        let entry = abs_(chain[k] - if k % 5 == 0 { 1.0 } else { 0.0 });
        defect = if entry <= defect { defect } else { entry }; // keeps NaN
    }
    (defect, chain, axes)
}

/// Error twist and Jacobian at the product t of the loop.
fn chain_jacobian_(kinds: &[bool; 6], axes: &[[f64; 6]; 6], t: &ChainPlacement_) -> ([f64; 6], [[f64; 6]; 6]) {
    let error = [t[3], t[7], t[11], (t[9] - t[6])/2.0, (t[2] - t[8])/2.0, (t[4] - t[1])/2.0];
    let mut jacobian = [[0.0; 6]; 6];
    for i in 0..6 {
        let z = &axes[i];
        let (x, y, w) = (t[3] - z[3], t[7] - z[4], t[11] - z[5]);
        jacobian[0][i] = if kinds[i] { z[0] } else { z[1]*w - z[2]*y };
        jacobian[1][i] = if kinds[i] { z[1] } else { z[2]*x - z[0]*w };
        jacobian[2][i] = if kinds[i] { z[2] } else { z[0]*y - z[1]*x };
        for k in 0..3 {
            jacobian[3 + k][i] = if kinds[i] { 0.0 } else { z[k] };
        }
    }
    (error, jacobian)
}

/// A step of Newton's method from the product t of the loop, into `step`; damped if an angle would change too much,
/// because the Jacobian is nearly singular. Returns whether it is damped. step[6] is the largest motion for a unit
/// error, the inverse of the smallest singular value except for a factor.
fn chain_step_(
    kinds: &[bool; 6], axes: &[[f64; 6]; 6], t: &ChainPlacement_, defect: f64, step: &mut [f64; 7],
) -> bool {
    let damping = if defect > 1e-6 { 1e-6 } else if defect < 1e-12 { 1e-12 } else { defect };
    let (error, jacobian) = chain_jacobian_(kinds, axes, t);
    for damped in [false, true] {
        let mut system = [0.0; 48];
        for i in 0..6 {
            for j in 0..7 {
                let mut sum = if i == j { damping } else { 0.0 };
                for k in 0..6 {
                    sum += jacobian[k][i]*if j < 6 { jacobian[k][j] } else { error[k] };
                }
                let plain = if j < 6 { jacobian[i][j] } else { error[i] };
                system[8*i + j] = if damped { sum } else { plain };
            }
            system[8*i + 7] = if i % 2 == 1 { 1.0 } else { -1.0 };
        }
        let mut jumps = !chain_solve_(6, 8, &mut system);
        step[6] = 0.0;
        for i in 0..6 {
            step[i] = system[8*i + 6];
            jumps |= !kinds[i] && !(abs_(step[i]) < 0.5);
            step[6] = if abs_(system[8*i + 7]) <= step[6] { step[6] } else { abs_(system[8*i + 7]) };
        }
        if !jumps {
            return damped;
        }
    }
    true
}

/// The best of Newton's iterates from q, angles in (-pi, pi], and the defect q[6]; returns whether the Jacobian is
/// nearly singular.
fn chain_polish_(placements: &[ChainPlacement_; 6], kinds: &[bool; 6], q: &mut [f64; 7]) -> bool {
    let mut x = [0.0; 6];
    let mut step = [0.0; 7];
    let (mut settled, mut damped) = (false, false);
    q[6] = 1e30;
    x.copy_from_slice(&q[..6]);
    for _ in 0..40 {
        for i in 0..6 {
            x[i] -= if kinds[i] { 0.0 } else { 2.0*CHAIN_PI_*ceil_((x[i] - CHAIN_PI_)/(2.0*CHAIN_PI_)) };
        }
        let (defect, t, axes) = chain_product_(placements, kinds, &x);
        if defect < q[6] {
            q[..6].copy_from_slice(&x);
            q[6] = defect;
        }
        if settled || !(defect < 1e30) {
            break;
        }
        damped = chain_step_(kinds, &axes, &t, defect, &mut step);
        settled = !damped;
        for i in 0..6 {
            x[i] -= step[i];
            settled &= abs_(step[i]) < 1e-8;
        }
    }
    damped || !(step[6] < CHAIN_WEAK_LIMIT_)
}

/// Largest difference of two postures, and the second one with its angles next to those of the first.
fn chain_distance_(kinds: &[bool; 6], q: &[f64; 7], other: &[f64; 7]) -> (f64, [f64; 6]) {
    let mut distance = 0.0;
    let mut turned = [0.0; 6];
    for i in 0..6 {
        let turns = if kinds[i] { 0.0 } else { floor_((q[i] - other[i])/(2.0*CHAIN_PI_) + 0.5) };
        turned[i] = other[i] + 2.0*CHAIN_PI_*turns;
        let d = abs_(q[i] - turned[i]);
        distance = if d <= distance { distance } else { d };
    }
    (distance, turned)
}

/// Insert a solution q1 .. q6, defect among `count` of them, unless it is already there: two are the same if the
/// posture between them closes the loop as well as they do. Returns the new count.
fn chain_insert_(
    placements: &[ChainPlacement_; 6], kinds: &[bool; 6], q: &[f64; 7], count: usize, table: &mut ChainTable_,
) -> usize {
    for row in &table[..count] {
        let (distance, mut turned) = chain_distance_(kinds, q, row);
        if distance < CHAIN_SAME_LIMIT_ {
            for i in 0..6 {
                turned[i] = (turned[i] + q[i])/2.0;
            }
            let (between, _, _) = chain_product_(placements, kinds, &turned);
            if between <= CHAIN_ROUND_OFF_ || between <= q[6] || between <= row[6] {
                return count;
            }
        }
    }
    let grain = |i: usize, x: f64| {
        let turn = if !kinds[i] && x < CHAIN_GRAIN_LIMIT_ - CHAIN_PI_ { 2.0*CHAIN_PI_ } else { 0.0 };
        floor_((x + turn)/CHAIN_GRAIN_LIMIT_ + 0.5)
    };
    let mut place = count;
    while place > 0 {
        let mut before = false;
        for i in 0..6 {
            let (key, other) = (grain(i, q[i]), grain(i, table[place - 1][i]));
            if key != other {
                before = key < other;
                break;
            }
        }
        if !before {
            break;
        }
        place -= 1;
    }
    if count == 16 {
        return count;
    }
    for k in (place..count).rev() {
        table[k + 1] = table[k];
    }
    table[place] = *q;
    count + 1
}

/// Unit vector with the smallest image under J (or its transpose), by inverse iteration.
fn chain_weakest_(jacobian: &[[f64; 6]; 6], transposed: bool) -> [f64; 6] {
    let mut v = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5];
    for _ in 0..3 {
        let mut system = [0.0; 42];
        let mut square = 0.0;
        for i in 0..6 {
            for j in 0..6 {
                let mut sum = if i == j { 1e-20 } else { 0.0 }; // keeps an exactly singular matrix solvable
                for k in 0..6 {
                    sum += if transposed { jacobian[i][k]*jacobian[j][k] } else { jacobian[k][i]*jacobian[k][j] };
                }
                system[7*i + j] = sum;
            }
            system[7*i + 6] = v[i];
        }
        chain_solve_(6, 7, &mut system);
        for i in 0..6 {
            square += system[7*i + 6]*system[7*i + 6];
        }
        for i in 0..6 {
            v[i] = system[7*i + 6]/sqrt_(square);
        }
    }
    v
}

/// The solutions next to a posture q, added to `count` others; returns the new count. Along the direction v in which
/// the error of the loop grows least, it is the parabola c + b s + a s^2 / 2: Newton's method starts at both roots s.
fn chain_split_(
    placements: &[ChainPlacement_; 6], kinds: &[bool; 6], q: &[f64; 7], mut count: usize, table: &mut ChainTable_,
) -> usize {
    let h = 1e-3; // step of the difference quotient for a
    let mut x = [0.0; 7];
    let mut b = 0.0;
    let mut sums = [0.0; 3];
    let (_, t, axes) = chain_product_(placements, kinds, q);
    let (_, jacobian) = chain_jacobian_(kinds, &axes, &t);
    let v = chain_weakest_(&jacobian, false);
    let u = chain_weakest_(&jacobian, true);
    for k in 0..3 {
        for i in 0..6 {
            x[i] = q[i] + (k as f64 - 1.0)*h*v[i];
        }
        let (_, t, axes) = chain_product_(placements, kinds, &x);
        let (error, _) = chain_jacobian_(kinds, &axes, &t);
        for i in 0..6 {
            sums[k] += u[i]*error[i];
        }
    }
    for i in 0..6 {
        for j in 0..6 {
            b += u[i]*jacobian[i][j]*v[j];
        }
    }
    let a = (sums[0] - 2.0*sums[1] + sums[2])/(h*h);
    let d = b*b - 2.0*a*sums[1];
    for side in [-1.0, 1.0] {
        let s = (side*sqrt_(if d > 0.0 { d } else { 0.0 }) - b)/a;
        if !(abs_(s) < 0.5) {
            continue; // too far for a parabola
        }
        for i in 0..6 {
            x[i] = q[i] + s*v[i];
        }
        chain_polish_(placements, kinds, &mut x);
        if x[6] < CHAIN_ACCEPT_LIMIT_ {
            count = chain_insert_(placements, kinds, &x, count, table);
        }
    }
    count
}

/// Solutions of one arrangement, added to `count` others, which are returned, with a number `again`: 2 if solutions may
/// be missing, 1 if two of them nearly coincide. If there is none, `best` becomes the posture with the smallest defect.
/// `uncertain` is that of the roots.
fn chain_try_(
    arranged: &mut ChainLoop_, placements: &[ChainPlacement_; 6], kinds: &[bool; 6], limit: f64, mut count: usize,
    table: &mut ChainTable_, best: &mut [f64; 7], uncertain: &mut i32,
) -> (usize, i32) {
    let last = if arranged.slides { 1 } else { 3 };
    let (equations, n, inner) = (2*last, 4*last, 3*last);
    let mut pencil = [[[0.0; 12]; 12]; 3];
    let mut halves = [0.0; 24];
    let mut beyond = -1.0;
    chain_equations_(arranged);
    chain_eliminate_(arranged);
    for x in 0..3 {
        for r in 0..equations {
            for c in 0..inner {
                let entry = arranged.side[8 + r][9 + x*inner + c];
                pencil[x][r][last + c] = entry;
                pencil[x][equations + r][c] = entry;
            }
        }
    }
    let (mut weak, mut failed) = (false, false);
    let slides = arranged.kinds[if arranged.slides { 3 } else { 2 }];
    let roots = chain_roots_(n, slides, limit, &pencil, &mut halves, uncertain);
    for &half in &halves[..roots] {
        if half < beyond {
            continue; // computed with the previous root, whose null space has several dimensions
        }
        let (s, c) = sincos_one_(half);
        let mut at_root = [[0.0; 12]; 12];
        let mut vectors = [[0.0; 12]; 4];
        for i in 0..n {
            for j in 0..n {
                at_root[i][j] = pencil[0][i][j]*(s*s) + pencil[1][i][j]*(s*c) + pencil[2][i][j]*(c*c);
            }
        }
        let made = chain_vectors_(last, &mut at_root, &mut vectors);
        for vector in &vectors[..made] {
            let mut q = chain_values_(arranged, half, vector);
            weak |= chain_polish_(placements, kinds, &mut q);
            if q[6] < best[6] {
                *best = q;
            }
            if q[6] < CHAIN_ACCEPT_LIMIT_ {
                count = chain_insert_(placements, kinds, &q, count, table);
            } else {
                failed = true;
                count = if q[6] < 1e-2 { chain_split_(placements, kinds, &q, count, table) } else { count };
            }
        }
        beyond = if made > 1 { half + 1e-7 } else { beyond };
    }
    let missing = *uncertain > 1 || failed || count % 2 == 1 || (count == 0 && *uncertain != 0);
    (count, if missing { 2 } else { i32::from(weak) })
}

/// Orthonormalise rotation matrices with rounding errors: Newton's iteration for the polar factor. Returns whether it
/// was a rotation except for rounding errors.
fn chain_straighten_(a: &mut ChainPlacement_) -> bool {
    let mut rotation = true;
    for tries in 0..3 {
        let mut square = [0.0; 9];
        let mut made = [0.0; 9];
        for k in 0..9 {
            let (x, y) = (k/3*4, k % 3*4);
            square[k] = a[x]*a[y] + a[x + 1]*a[y + 1] + a[x + 2]*a[y + 2];
            rotation &= tries > 0 || abs_(square[k] - if k % 4 == 0 { 1.0 } else { 0.0 }) < 0.1;
        }
        for k in 0..9 {
            let (x, y) = (k/3*3, k % 3);
            let turned = square[x]*a[y] + square[x + 1]*a[y + 4] + square[x + 2]*a[y + 8];
            made[k] = 1.5*a[k/3*4 + k % 3] - 0.5*turned;
        }
        for k in 0..9 {
            a[k/3*4 + k % 3] = made[k];
        }
    }
    rotation
}

/// Slightly displaced last transform.
fn chain_nudge_(a: &ChainPlacement_, size: f64) -> ChainPlacement_ {
    let move_ = [0.0, 1.0, -0.7, 0.3, -1.0, 0.0, 0.4, -0.5, 0.7, -0.4, 0.0, 0.6];
    let mut moved = *a;
    for k in 0..12 {
        moved[k] += size*move_[k];
    }
    chain_straighten_(&mut moved);
    moved
}

/// Rows q1 .. q6, defect: the solutions, then empty ones with the defect 1e30.
fn closed_chain_(_size: usize, constants: [f64; 72], marks: [f64; 6], plan: [f64; 12]) -> [f64; 112] {
    let mut placements = [[0.0; 12]; 6];
    let mut table = [[0.0; 7]; 16];
    let mut best = [0.0; 7];
    let mut scale = 0.0;
    let mut unusable = 0.0; // not zero, or NaN, if a number is not finite or a matrix is not a rotation
    let mut count = 0;
    let mut uncertain = 0;
    let mut decided = false;
    for k in 0..72 {
        placements[k/12][k % 12] = constants[k];
        unusable += 0.0*constants[k];
        scale = if k % 4 == 3 && abs_(constants[k]) > scale { abs_(constants[k]) } else { scale };
    }
    for number in plan.iter().chain(&marks) {
        unusable += 0.0*number;
    }
    let kinds = marks.map(|mark| mark > 0.5);
    scale = if scale > 0.0 { scale } else { 1.0 };
    let mut scaled = placements;
    for placement in &mut scaled {
        for k in [3, 7, 11] {
            placement[k] /= scale;
        }
        unusable += if chain_straighten_(placement) { 0.0 } else { 1.0 };
    }
    let mut seen = scaled;
    best[6] = chain_product_(&scaled, &kinds, &best).0;
    // If two solutions nearly coincide, or some may be missing (real ones come in pairs), another arrangement may be
    // better conditioned. At a nearby pose on either side such roots are separate; they are then refined for the
    // given pose.
    let mut again = if unusable == 0.0 { 2 } else { 0 };
    for tries in 0..5 {
        if again == 0 {
            break;
        }
        let before = count;
        if tries > 2 {
            seen[5] = chain_nudge_(&scaled[5], if tries == 3 { 1e-5 } else { -1e-5 });
        }
        let Some(mut arranged) = chain_arrange_(&seen, &kinds, &plan[4*(tries % 3)..]) else {
            continue;
        };
        let limit = if tries > 0 && count == 0 { CHAIN_NEAR_LIMIT_ } else { CHAIN_REAL_LIMIT_ };
        (count, again) =
            chain_try_(&mut arranged, &scaled, &kinds, limit, count, &mut table, &mut best, &mut uncertain);
        decided |= uncertain == 0 && tries < 3;
        if again != 0 {
            let rows = table;
            for row in &rows[..count] {
                count = chain_split_(&scaled, &kinds, row, count, &mut table);
            }
        }
        if again == 1 && tries > 0 && count == before && count % 2 == 0 {
            again = 0;
        }
    }
    if count == 0 && unusable == 0.0 && (!decided || best[6] < CHAIN_CLOSE_LIMIT_) {
        table[0] = best;
        count = 1;
    }
    let mut results = [0.0; 112];
    for k in 0..16 {
        let row = &mut results[7*k..7*k + 7];
        row[6] = 1e30;
        if k < count {
            for i in 0..6 {
                row[i] = table[k][i]*if kinds[i] { scale } else { 1.0 };
            }
            row[6] = chain_product_(&placements, &kinds, row).0;
        }
    }
    results
}
