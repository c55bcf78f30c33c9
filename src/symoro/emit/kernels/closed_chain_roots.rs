// Eigenvalues and null spaces, for the kernel closed_chain.

type ChainMatrix_ = [[f64; 24]; 24];

type ChainPencil_ = [[f64; 12]; 12];

/// Householder's reduction to Hessenberg form; entries outside n x n must be zero.
fn chain_hessenberg_(n: usize, a: &mut ChainMatrix_) {
    for m in 1..n.saturating_sub(1) {
        let mut v = [0.0; 24];
        let mut sums = [0.0; 24];
        let mut below = 0.0;
        v[m] = a[m][m - 1];
        for r in m + 1..n {
            v[r] = a[r][m - 1];
            below += v[r]*v[r];
        }
        let top = v[m];
        let norm = sqrt_(top*top + below);
        if !(below > 0.0) {
            continue;
        }
        let scale = 1.0/(norm*(norm + abs_(top)));
        v[m] += if top > 0.0 { norm } else { -norm };
        for r in m..n {
            let factor = v[r]*scale;
            for j in 0..24 {
                sums[j] += factor*a[r][j];
            }
        }
        for r in m..n {
            for j in 0..24 {
                a[r][j] -= v[r]*sums[j];
            }
        }
        for row in &mut a[..n] {
            let mut parts = [0.0; 8];
            for j in (m/8*8..24).step_by(8) {
                for k in 0..8 {
                    parts[k] += row[j + k]*v[j + k];
                }
            }
            let sum = scale*(((parts[0] + parts[4]) + (parts[1] + parts[5]))
                + ((parts[2] + parts[6]) + (parts[3] + parts[7])));
            for j in m/8*8..24 {
                row[j] -= sum*v[j];
            }
        }
        a[m][m - 1] = if top > 0.0 { -norm } else { norm };
        for r in m + 1..n {
            a[r][m - 1] = 0.0;
        }
    }
}

/// One double step of Francis on rows low .. end; its shifts are the eigenvalues of [[y, .], [., x]], w the product of
/// the other two entries.
fn chain_francis_(low: usize, end: usize, a: &mut ChainMatrix_, x: f64, y: f64, w: f64) {
    let mut m = end - 2;
    let (mut p, mut q, mut r);
    loop {
        // start as low as two small subdiagonal entries permit
        let z = a[m][m];
        p = ((x - z)*(y - z) - w)/a[m + 1][m] + a[m][m + 1];
        q = a[m + 1][m + 1] - z - (x - z) - (y - z);
        r = a[m + 2][m + 1];
        let size = abs_(p) + abs_(q) + abs_(r);
        (p, q, r) = (p/size, q/size, r/size);
        if m == low {
            break;
        }
        let around = abs_(a[m - 1][m - 1]) + abs_(z) + abs_(a[m + 1][m + 1]);
        if abs_(a[m][m - 1])*(abs_(q) + abs_(r)) <= 1e-16*abs_(p)*around {
            break;
        }
        m -= 1;
    }
    for k in m..end {
        let three = k < end - 1;
        let mut size = 1.0;
        if k > m {
            p = a[k][k - 1];
            q = a[k + 1][k - 1];
            r = if three { a[k + 2][k - 1] } else { 0.0 };
            size = abs_(p) + abs_(q) + abs_(r);
            if size == 0.0 {
                continue;
            }
            (p, q, r) = (p/size, q/size, r/size);
        }
        let mut norm = sqrt_(p*p + q*q + r*r);
        norm = if p < 0.0 { -norm } else { norm };
        if k > m {
            a[k][k - 1] = -norm*size;
            a[k + 1][k - 1] = 0.0;
            if three {
                a[k + 2][k - 1] = 0.0;
            }
        } else if low < m {
            a[k][k - 1] = -a[k][k - 1];
        }
        p += norm;
        let (px, py, v) = (p/norm, q/norm, q/p);
        let (pz, u) = if three { (r/norm, r/p) } else { (0.0, 0.0) };
        for j in k..=end {
            if three {
                let t = a[k][j] + v*a[k + 1][j] + u*a[k + 2][j];
                a[k][j] -= t*px;
                a[k + 1][j] -= t*py;
                a[k + 2][j] -= t*pz;
            } else {
                let t = a[k][j] + v*a[k + 1][j];
                a[k][j] -= t*px;
                a[k + 1][j] -= t*py;
            }
        }
        let last = if k + 3 < end { k + 3 } else { end };
        for row in &mut a[low..=last] {
            if three {
                let t = px*row[k] + py*row[k + 1] + pz*row[k + 2];
                row[k] -= t;
                row[k + 1] -= t*v;
                row[k + 2] -= t*u;
            } else {
                let t = px*row[k] + py*row[k + 1];
                row[k] -= t;
                row[k + 1] -= t*v;
            }
        }
    }
}

/// Real and imaginary parts of the eigenvalues of a matrix that is overwritten.
fn chain_eigenvalues_(n: usize, a: &mut ChainMatrix_) -> ([f64; 24], [f64; 24]) {
    let mut real = [0.0; 24];
    let mut imaginary = [0.0; 24];
    let mut rest = n; // number of eigenvalues that are not yet known
    let mut tries = 0;
    let mut norm = 0.0;
    chain_hessenberg_(n, a);
    for r in 0..n {
        for c in 0..n {
            norm = if abs_(a[r][c]) > norm { abs_(a[r][c]) } else { norm };
        }
    }
    while rest > 0 {
        let end = rest - 1;
        let mut low = end;
        while low > 0 {
            let down = abs_(a[low][low - 1]);
            if down <= 2e-16*(abs_(a[low - 1][low - 1]) + abs_(a[low][low]) + 0.1*norm) {
                break;
            }
            low -= 1;
        }
        let x = a[end][end];
        if low == end {
            real[end] = x;
            imaginary[end] = 0.0;
            rest -= 1;
            tries = 0;
            continue;
        }
        let y = a[end - 1][end - 1];
        let w = a[end][end - 1]*a[end - 1][end];
        if low == end - 1 || tries == 40 {
            // a cluster that does not converge is accepted as it is
            let p = (y - x)/2.0;
            let q = p*p + w;
            let root = sqrt_(abs_(q));
            if q >= 0.0 {
                let z = p + if p < 0.0 { -root } else { root };
                real[end - 1] = x + z;
                real[end] = if z != 0.0 { x - w/z } else { x };
                imaginary[end - 1] = 0.0;
                imaginary[end] = 0.0;
            } else {
                real[end - 1] = x + p;
                real[end] = x + p;
                imaginary[end - 1] = root;
                imaginary[end] = -root;
            }
            rest -= 2;
            tries = 0;
            continue;
        }
        tries += 1;
        if tries % 10 == 0 {
            // exceptional shift, against cycles
            let s = abs_(a[end][end - 1]) + abs_(a[end - 1][end - 2]);
            chain_francis_(low, end, a, x + 0.75*s, x + 0.75*s, -0.4375*s*s);
        } else {
            chain_francis_(low, end, a, x, y, w);
        }
    }
    (real, imaginary)
}

/// A basis of the null space of a matrix (n, n), by complete pivoting: vectors[k] is its k-th vector. Pivots that
/// are small relative to the first count as zero, the last one always. Returns the number of vectors, at most `most`.
fn chain_null_space_(n: usize, a: &mut ChainPencil_, most: usize, vectors: &mut [[f64; 12]; 4]) -> usize {
    let mut column = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let mut rank = 0;
    let mut first = 0.0;
    while rank < n - 1 {
        let (mut row, mut at) = (rank, rank);
        let mut largest = -1.0;
        for r in rank..n {
            for c in rank..n {
                let size = abs_(a[r][c]);
                if size > largest {
                    (largest, row, at) = (size, r, c);
                }
            }
        }
        first = if rank == 0 { largest } else { first };
        if !(largest > CHAIN_NULL_LIMIT_*first) {
            break;
        }
        a.swap(rank, row);
        for line in &mut a[..n] {
            line.swap(rank, at);
        }
        column.swap(rank, at);
        for r in rank + 1..n {
            let factor = a[r][rank]/a[rank][rank];
            for j in rank..n {
                a[r][j] -= factor*a[rank][j];
            }
        }
        rank += 1;
    }
    let count = if n - rank < most { n - rank } else { most };
    for k in 0..count {
        let mut x = [0.0; 12];
        x[n - 1 - k] = 1.0;
        for r in (0..rank).rev() {
            let mut sum = 0.0;
            for j in r + 1..n {
                sum += a[r][j]*x[j];
            }
            x[r] = -sum/a[r][r];
        }
        for j in 0..n {
            vectors[k][column[j]] = x[j];
        }
    }
    count
}

/// high . low and low . low of two vectors of monomials, where low has no factor y (or z).
fn chain_pair_(a: &[f64; 12], b: &[f64; 12], last: usize, by_z: bool, raise: bool) -> f64 {
    let mut sum = 0.0;
    for y in usize::from(!by_z)..4 {
        for z in usize::from(by_z)..last {
            let low = y*last + z;
            let high = low - if by_z { 1 } else { last };
            sum += a[if raise { high } else { low }]*b[low];
        }
    }
    sum
}

/// Solve A X = B in place, A (n, n) and B (n, width - n) side by side; false if A is singular.
fn chain_solve_(n: usize, width: usize, a: &mut [f64]) -> bool {
    for c in 0..n {
        let mut pivot = c;
        for r in c + 1..n {
            if abs_(a[r*width + c]) > abs_(a[pivot*width + c]) {
                pivot = r;
            }
        }
        if !(abs_(a[pivot*width + c]) > 1e-280) {
            return false;
        }
        if pivot != c {
            for j in c..width {
                a.swap(c*width + j, pivot*width + j);
            }
        }
        let inverse = 1.0/a[c*width + c];
        for j in c..width {
            a[c*width + j] *= inverse;
        }
        for r in c + 1..n {
            let factor = a[r*width + c];
            for j in c + 1..width {
                a[r*width + j] -= factor*a[c*width + j];
            }
        }
    }
    for c in (1..n).rev() {
        for r in 0..c {
            let factor = a[r*width + c];
            for j in n..width {
                a[r*width + j] -= factor*a[c*width + j];
            }
        }
    }
    true
}

/// Vectors of monomials in the null space of the pencil at a root, into `vectors`; returns how many. Solutions that
/// have the same value of the pivot are separated by the eigenvectors of multiplication by y + 0.37 z in that space.
fn chain_vectors_(last: usize, at_root: &mut ChainPencil_, vectors: &mut [[f64; 12]; 4]) -> usize {
    let n = 4*last;
    let mut space = [[0.0; 12]; 4];
    let mut action = [[0.0; 24]; 24];
    let count = chain_null_space_(n, at_root, 4, &mut space);
    if count == 1 {
        vectors[0] = space[0];
        return 1;
    }
    for by_z in [false, true] {
        if by_z && last != 3 {
            continue;
        }
        let mut system = [0.0; 32];
        for i in 0..count {
            for j in 0..count {
                system[i*2*count + j] = chain_pair_(&space[j], &space[i], last, by_z, false);
                system[i*2*count + count + j] = chain_pair_(&space[j], &space[i], last, by_z, true);
            }
        }
        if !chain_solve_(count, 2*count, &mut system) {
            return 0;
        }
        for i in 0..count {
            for j in 0..count {
                action[i][j] += if by_z { 0.37 } else { 1.0 }*system[i*2*count + count + j];
            }
        }
    }
    let copy = action;
    let mut made = 0;
    let (real, imaginary) = chain_eigenvalues_(count, &mut action);
    for e in 0..count {
        if !(abs_(imaginary[e]) < 1e-2*(1.0 + abs_(real[e]))) {
            continue;
        }
        let mut shifted = [[0.0; 12]; 12];
        let mut direction = [[0.0; 12]; 4];
        for i in 0..count {
            for j in 0..count {
                shifted[i][j] = copy[i][j] - if i == j { real[e] } else { 0.0 };
            }
        }
        chain_null_space_(count, &mut shifted, 1, &mut direction);
        for k in 0..n {
            vectors[made][k] = 0.0;
            for i in 0..count {
                vectors[made][k] += direction[0][i]*space[i][k];
            }
        }
        made += 1;
    }
    made
}

/// Half angles of the roots of the pencil M2 x^2 + M1 x + M0, x = tan(half), that are real up to `limit`; returns how
/// many. `uncertain` becomes 2 if M0 is singular, 1 if it is nearly singular or other roots are almost real.
fn chain_roots_(
    n: usize, slides: bool, limit: f64, pencil: &[ChainPencil_; 3], halves: &mut [f64; 24], uncertain: &mut i32,
) -> usize {
    let mut system = [0.0; 12*36];
    let mut companion = [[0.0; 24]; 24];
    let mut largest = 0.0;
    for r in 0..n {
        for c in 0..n {
            system[r*3*n + c] = pencil[2][r][c];
            system[r*3*n + n + c] = pencil[0][r][c];
            system[r*3*n + 2*n + c] = pencil[1][r][c];
        }
    }
    let mut count = 0;
    let regular = chain_solve_(n, 3*n, &mut system);
    for r in 0..n {
        companion[r][n + r] = 1.0;
        for c in 0..2*n {
            let entry = -system[r*3*n + n + c];
            companion[n + r][c] = entry;
            largest = if abs_(entry) <= largest { largest } else { abs_(entry) };
        }
    }
    *uncertain = if !regular || !(largest < 1e10) { 2 } else { i32::from(!(largest < CHAIN_LARGE_LIMIT_)) };
    let (real, imaginary) = chain_eigenvalues_(2*n, &mut companion);
    for e in 0..2*n {
        let (t, i) = (real[e], imaginary[e]);
        let size = 1.0 + t*t + i*i;
        if slides && abs_(t) < CHAIN_FAR_LIMIT_ {
            continue;
        }
        if abs_(i) < limit*size {
            let half = atan2_(1.0, t);
            let mut place = count;
            count += 1;
            while place > 0 && halves[place - 1] > half {
                halves[place] = halves[place - 1];
                place -= 1;
            }
            halves[place] = half;
        } else if abs_(i) < CHAIN_NEAR_LIMIT_*size && *uncertain == 0 {
            *uncertain = 1;
        }
    }
    count
}
