// All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
// with the eigenvalues of Manocha and Canny 1994. Placements are 3 x 4 by rows. No heap, no state.
// See the documentation of the kernel closed_chain for the equations, the plan and the table of results.

const CHAIN_REAL_LIMIT_: f64 = 1e-3; // imaginary part of an angle up to which a root may be real
const CHAIN_NEAR_LIMIT_: f64 = 0.03; // the same for a root of multiplicity four or more
const CHAIN_FAR_LIMIT_: f64 = 1e-5; // inverse of a length beyond which a sliding pivot is at infinity
const CHAIN_LARGE_LIMIT_: f64 = 1e6; // entry of the companion matrix, beyond which roots are inaccurate
const CHAIN_NULL_LIMIT_: f64 = 1e-6; // pivot, relative to the largest, that counts as zero in the pencil
const CHAIN_RANK_LIMIT_: f64 = 1e-9; // the same for the right side
const CHAIN_ACCEPT_LIMIT_: f64 = 1e-10; // defect of a solution, lengths divided by the largest one
const CHAIN_CLOSE_LIMIT_: f64 = 1e-6; // defect of a posture below which a solution may be near it
const CHAIN_ROUND_OFF_: f64 = 1e-14; // defect of a posture that closes the loop up to rounding
const CHAIN_WEAK_LIMIT_: f64 = 1e3; // motion for a unit error, beyond which two solutions nearly coincide
const CHAIN_SAME_LIMIT_: f64 = 1e-5; // distance below which two rows may be the same solution
const CHAIN_GRAIN_LIMIT_: f64 = 1e-6; // the same for two joint values in the order of slots
const CHAIN_PI_: f64 = 3.14159265358979323846;

type ChainPlacement_ = [f64; 12];

type ChainTable_ = [[f64; 7]; 16];

/// One arrangement of the loop: joints by roles, their constants with the shifts, and the decomposed right side.
struct ChainLoop_ {
    order: [usize; 6],
    kinds: [bool; 6],
    slides: bool, // roles 3 and 6 are prismatic
    functions: usize,
    shifts: [f64; 6],
    placements: [ChainPlacement_; 6],
    side: [[f64; 36]; 14], // 8 columns of the right side without its constant; 27 of the left side
    constants: [f64; 14],  // of the right side
    scales: [f64; 8],      // of the reflections; 0: none
    pivots: [f64; 8],      // diagonal after the reflections
    columns: [usize; 8],
    rank: usize,
}

fn chain_compose_(a: &ChainPlacement_, b: &ChainPlacement_) -> ChainPlacement_ {
    let mut product = [0.0; 12];
    for r in [0, 4, 8] {
        for c in 0..4 {
            product[r + c] = a[r]*b[c] + a[r + 1]*b[4 + c] + a[r + 2]*b[8 + c];
        }
        product[r + 3] += a[r + 3];
    }
    product
}

fn chain_invert_(a: &ChainPlacement_) -> ChainPlacement_ {
    let mut inverse = [0.0; 12];
    for r in 0..3 {
        for c in 0..3 {
            inverse[4*r + c] = a[4*c + r];
        }
        inverse[4*r + 3] = -(a[r]*a[3] + a[4 + r]*a[7] + a[8 + r]*a[11]);
    }
    inverse
}

/// J(value) C
fn chain_joint_(slides: bool, value: f64, placement: &ChainPlacement_) -> ChainPlacement_ {
    let mut product = [0.0; 12];
    let (s, c) = if slides { (0.0, 1.0) } else { sincos_one_(value) };
    for k in 0..4 {
        product[k] = c*placement[k] - s*placement[4 + k];
        product[4 + k] = s*placement[k] + c*placement[4 + k];
        product[8 + k] = placement[8 + k];
    }
    product[11] += if slides { value } else { 0.0 };
    product
}

/// Joints and constants by roles; None if the arrangement is not valid for the joint types.
fn chain_arrange_(placements: &[ChainPlacement_; 6], kinds: &[bool; 6], step: &[f64]) -> Option<ChainLoop_> {
    if !(step[0] >= 0.0 && step[0] < 12.0) {
        return None;
    }
    let mut made = ChainLoop_ {
        order: [0; 6],
        kinds: [false; 6],
        slides: false,
        functions: 14,
        shifts: [0.0; 6],
        placements: [[0.0; 12]; 6],
        side: [[0.0; 36]; 14],
        constants: [0.0; 14],
        scales: [0.0; 8],
        pivots: [0.0; 8],
        columns: [0; 8],
        rank: 0,
    };
    let arrangement = step[0] as usize;
    let start = arrangement % 6;
    for i in 0..6 {
        let joint = if arrangement < 6 { (start + i) % 6 } else { (11 - start - i) % 6 };
        made.order[i] = joint;
        made.kinds[i] = kinds[joint];
        made.shifts[i] = if i > 1 && i < 5 { step[i - 1] } else { 0.0 };
        let mut placement = placements[joint];
        if arrangement >= 6 {
            // the inverse of the transform before the joint, rotated about x by pi
            placement = chain_invert_(&placements[(joint + 5) % 6]);
            for k in [1, 2, 4, 7, 8, 11] {
                placement[k] = -placement[k];
            }
        }
        made.placements[i] = chain_joint_(kinds[joint], made.shifts[i], &placement);
    }
    made.slides = made.kinds[2] && made.kinds[5];
    made.functions = if made.slides { 10 } else { 14 };
    if made.slides || !made.kinds[5] { Some(made) } else { None }
}

/// Functions that both sides have in common, of a product of transforms.
fn chain_functions_(slides: bool, t: &ChainPlacement_) -> [f64; 14] {
    let mut f = [0.0; 14];
    let (px, py, pz, lx, ly, lz) = (t[3], t[7], t[11], t[2], t[6], t[10]);
    let cross_z = px*ly - py*lx;
    if slides {
        for k in 0..9 {
            f[k] = t[k/3*4 + k % 3];
        }
        f[9] = cross_z;
        return f;
    }
    let pp = px*px + py*py + pz*pz;
    let pl = 2.0*(px*lx + py*ly + pz*lz);
    f[..6].copy_from_slice(&[px, py, pz, lx, ly, lz]);
    f[6] = pp;
    f[7] = pl;
    f[8] = py*lz - pz*ly;
    f[9] = pz*lx - px*lz;
    f[10] = cross_z;
    f[11] = pp*lx - pl*px;
    f[12] = pp*ly - pl*py;
    f[13] = pp*lz - pl*pz;
    f
}

/// Along one axis of a grid: from values at three nodes to coefficients. An angle has (cos, sin, 1), or when `half`
/// (x^2, x, 1) of its half tangent, times 1 + x^2; a length has (r^2, r, 1).
fn chain_fit_(slides: bool, half: bool, grid: &mut [f64], outer: usize, inner: usize) {
    let third = 1.0/3.0;
    let root = 0.57735026918962576451;
    for o in 0..outer {
        let start = 3*inner*o;
        for i in start..start + inner {
            let (a, b, c) = (grid[i], grid[i + inner], grid[i + 2*inner]);
            let cosine = (2.0*a - b - c)*third;
            let sine = (b - c)*root;
            let mean = (a + b + c)*third;
            let made = if slides {
                [(a + c)/2.0 - b, (c - a)/2.0, b]
            } else if half {
                [mean - cosine, 2.0*sine, mean + cosine]
            } else {
                [cosine, sine, mean]
            };
            (grid[i], grid[i + inner], grid[i + 2*inner]) = (made[0], made[1], made[2]);
        }
    }
}

/// Coefficients of both sides: the right one over products of (cos, sin, 1), the left one over powers of half
/// tangents.
fn chain_equations_(arranged: &mut ChainLoop_) {
    let slides = arranged.slides;
    let last = if slides { 1 } else { 3 };
    let mut at = [[[0.0; 12]; 3]; 5];
    for i in 0..5 {
        for k in 0..3 {
            let node = if arranged.kinds[i] { k as f64 - 1.0 } else { k as f64*(2.0*CHAIN_PI_/3.0) };
            at[i][k] = chain_joint_(arranged.kinds[i], node, &arranged.placements[i]);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let a = chain_compose_(&arranged.placements[5], &at[0][i]);
            let right = chain_functions_(slides, &chain_invert_(&chain_compose_(&a, &at[1][j])));
            for f in 0..arranged.functions {
                arranged.side[f][i*3 + j] = right[f];
            }
            let a = chain_compose_(&at[3][i], &at[4][j]);
            for k in 0..last {
                let b = chain_compose_(if slides { &arranged.placements[2] } else { &at[2][k] }, &a);
                let left = chain_functions_(slides, &b);
                for f in 0..arranged.functions {
                    arranged.side[f][9 + k*9 + i*3 + j] = left[f];
                }
            }
        }
    }
    let kinds = arranged.kinds;
    for f in 0..arranged.functions {
        let (right, left) = arranged.side[f].split_at_mut(9);
        chain_fit_(kinds[0], false, right, 1, 3);
        chain_fit_(kinds[1], false, right, 3, 1);
        arranged.constants[f] = right[8];
        for entry in &mut left[..9*last] {
            *entry -= right[8];
        }
        if !slides {
            chain_fit_(kinds[2], true, left, 1, 9);
        }
        chain_fit_(kinds[3], true, left, last, 3);
        chain_fit_(kinds[4], true, left, 3*last, 1);
    }
}

/// Reflections that make the right side triangular, its longest columns first: the rows below do not depend on q1,
/// q2.
fn chain_eliminate_(arranged: &mut ChainLoop_) {
    let rows = arranged.functions;
    let width = if arranged.slides { 18 } else { 36 };
    let mut first = 0.0;
    arranged.rank = 0;
    arranged.columns = [0, 1, 2, 3, 4, 5, 6, 7];
    let side = &mut arranged.side;
    for c in 0..8 {
        let mut longest = c;
        let mut most = -1.0;
        for j in c..8 {
            let mut length = 0.0;
            for r in c..rows {
                length += side[r][j]*side[r][j];
            }
            if length > most {
                most = length;
                longest = j;
            }
        }
        arranged.columns.swap(c, longest);
        for row in &mut side[..rows] {
            row.swap(c, longest);
        }
        let norm = sqrt_(most);
        let top = side[c][c];
        first = if c == 0 { norm } else { first };
        arranged.rank += usize::from(norm > CHAIN_RANK_LIMIT_*first);
        if !(norm > 1e-14*first) {
            arranged.scales[c] = 0.0;
            continue;
        }
        let mut sums = [0.0; 36];
        arranged.pivots[c] = if top > 0.0 { -norm } else { norm };
        side[c][c] = top - arranged.pivots[c];
        arranged.scales[c] = 1.0/(norm*(norm + abs_(top)));
        for r in c..rows {
            let v = side[r][c]*arranged.scales[c];
            for j in 0..width {
                sums[j] += v*side[r][j];
            }
        }
        sums[..=c].fill(0.0); // the reflections are stored in the columns that they have cleared
        for r in c..rows {
            let v = side[r][c];
            for j in 0..width {
                side[r][j] -= v*sums[j];
            }
        }
    }
}
