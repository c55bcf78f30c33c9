/* All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
 * with the eigenvalues of Manocha and Canny 1994. Placements are 3 x 4 by rows.
 * See the documentation of the kernel closed_chain for the equations, the plan and the table of results. */
const CHAIN_REAL_ = 1e-3; /* imaginary part of an angle up to which a root may be real */
const CHAIN_NEAR_ = 0.03; /* the same for a root of multiplicity four or more */
const CHAIN_FAR_ = 1e-5; /* inverse of a length beyond which a sliding pivot is at infinity */
const CHAIN_LARGE_ = 1e6; /* entry of the companion matrix, beyond which roots are inaccurate */
const CHAIN_NULL_ = 1e-6; /* pivot, relative to the largest, that counts as zero in the pencil */
const CHAIN_RANK_ = 1e-9; /* the same for the right side */
const CHAIN_ACCEPT_ = 1e-10; /* defect of a solution, lengths divided by the largest one */
const CHAIN_CLOSE_ = 1e-6; /* defect of a posture below which a solution may be near it */
const CHAIN_ROUND_OFF_ = 1e-14; /* defect of a posture that closes the loop up to rounding */
const CHAIN_WEAK_ = 1e3; /* motion for a unit error, beyond which two solutions nearly coincide */
const CHAIN_SAME_ = 1e-5; /* distance below which two rows may be the same solution */
const CHAIN_GRAIN_ = 1e-6; /* distance below which two joint values are equal in the order of the slots */

/* Rows of zeros. */
function chain_rows_(rows, columns) {
    return Array.from({ length: rows }, () => new Array(columns).fill(0));
}

function chain_compose_(a, b) {
    const product = new Array(12).fill(0);
    for (let r = 0; r < 12; r += 4) {
        for (let c = 0; c < 4; ++c) {
            product[r + c] = a[r] * b[c] + a[r + 1] * b[4 + c] + a[r + 2] * b[8 + c];
        }
        product[r + 3] += a[r + 3];
    }
    return product;
}

function chain_invert_(a) {
    const inverse = new Array(12).fill(0);
    for (let r = 0; r < 3; ++r) {
        for (let c = 0; c < 3; ++c) {
            inverse[4 * r + c] = a[4 * c + r];
        }
        inverse[4 * r + 3] = -(a[r] * a[3] + a[4 + r] * a[7] + a[8 + r] * a[11]);
    }
    return inverse;
}

/* J(value) C */
function chain_joint_(slides, value, placement) {
    const product = placement.slice();
    if (slides) {
        product[11] += value;
        return product;
    }
    const c = Math.cos(value);
    const s = Math.sin(value);
    for (let k = 0; k < 4; ++k) {
        product[k] = c * placement[k] - s * placement[4 + k];
        product[4 + k] = s * placement[k] + c * placement[4 + k];
    }
    return product;
}

/* One arrangement of the loop: joints by roles, and their constants with the shifts; null if it is not valid for the
 * joint types. */
function chain_arrange_(placements, kinds, step) {
    if (!(step[0] >= 0 && step[0] < 12)) {
        return null;
    }
    const arrangement = Math.floor(step[0]);
    const start = arrangement % 6;
    const roles = [0, 1, 2, 3, 4, 5];
    const order = roles.map((i) => (arrangement < 6 ? (start + i) % 6 : (11 - start - i) % 6));
    const shifts = [0, 0, step[1], step[2], step[3], 0];
    const made = order.map((joint, i) => {
        const placement = arrangement < 6 ? placements[joint] : chain_turned_(placements[(joint + 5) % 6]);
        return chain_joint_(kinds[joint], shifts[i], placement);
    });
    const sliding = order.map((joint) => kinds[joint]);
    const slides = sliding[2] && sliding[5]; /* roles 3 and 6 are prismatic */
    if (sliding[5] && !slides) {
        return null;
    }
    return { order, kinds: sliding, slides, shifts, placements: made };
}

/* Inverse of a transform, rotated about x by pi. */
function chain_turned_(placement) {
    const made = chain_invert_(placement);
    for (const k of [1, 2, 4, 7, 8, 11]) {
        made[k] = -made[k];
    }
    return made;
}

/* Functions that both sides have in common, of a product of transforms. */
function chain_functions_(slides, t) {
    const [xx, yx, lx, px, xy, yy, ly, py, xz, yz, lz, pz] = t;
    const crossed = px * ly - py * lx;
    if (slides) {
        return [xx, yx, lx, xy, yy, ly, xz, yz, lz, crossed];
    }
    const pp = px * px + py * py + pz * pz;
    const pl = 2 * (px * lx + py * ly + pz * lz);
    return [
        ...[px, py, pz, lx, ly, lz, pp, pl, py * lz - pz * ly, pz * lx - px * lz, crossed],
        ...[pp * lx - pl * px, pp * ly - pl * py, pp * lz - pl * pz],
    ];
}

/* Along one axis of a grid that starts at an entry: from values at three nodes to coefficients. An angle has (cos,
 * sin, 1), or when `half` (x^2, x, 1) of its half tangent, times 1 + x^2; a length has (r^2, r, 1). */
function chain_fit_(slides, half, grid, start, outer, inner) {
    const root = Math.sqrt(1 / 3);
    for (let first = start; first < start + 3 * inner * outer; first += 3 * inner) {
        for (let i = first; i < first + inner; ++i) {
            const a = grid[i];
            const b = grid[inner + i];
            const c = grid[2 * inner + i];
            const cosine = (2 * a - b - c) / 3;
            const sine = (b - c) * root;
            const mean = (a + b + c) / 3;
            if (slides) {
                grid[i] = (a + c) / 2 - b;
                grid[inner + i] = (c - a) / 2;
                grid[2 * inner + i] = b;
            } else {
                grid[i] = half ? mean - cosine : cosine;
                grid[inner + i] = half ? 2 * sine : sine;
                grid[2 * inner + i] = half ? mean + cosine : mean;
            }
        }
    }
}

/* Coefficients of both sides: the right one over products of (cos, sin, 1), the left one over powers of half
 * tangents. A row has 8 columns of the right side, its constant, and 9 or 27 of the left side. */
function chain_equations_(loop) {
    const { kinds, placements, slides } = loop;
    const at = [0, 1, 2, 3, 4].map((i) =>
        [0, 1, 2].map((k) => chain_joint_(kinds[i], kinds[i] ? k - 1 : (2 * Math.PI * k) / 3, placements[i])),
    );
    const side = chain_rows_(slides ? 10 : 14, slides ? 18 : 36);
    const put = (column, placement) => {
        chain_functions_(slides, placement).forEach((value, f) => {
            side[f][column] = value;
        });
    };
    for (let i = 0; i < 3; ++i) {
        for (let j = 0; j < 3; ++j) {
            const before = chain_compose_(chain_compose_(placements[5], at[0][i]), at[1][j]);
            put(i * 3 + j, chain_invert_(before));
            const after = chain_compose_(at[3][i], at[4][j]);
            for (let k = 0; k < (slides ? 1 : 3); ++k) {
                put(9 + k * 9 + i * 3 + j, chain_compose_(slides ? placements[2] : at[2][k], after));
            }
        }
    }
    for (const row of side) {
        chain_fit_(kinds[0], false, row, 0, 1, 3);
        chain_fit_(kinds[1], false, row, 0, 3, 1);
        for (let k = 9; k < row.length; ++k) {
            row[k] -= row[8];
        }
        if (!slides) {
            chain_fit_(kinds[2], true, row, 9, 1, 9);
        }
        chain_fit_(kinds[3], true, row, 9, slides ? 1 : 3, 3);
        chain_fit_(kinds[4], true, row, 9, slides ? 3 : 9, 1);
    }
    return side;
}

/* Reflections that make the right side triangular, its longest columns first: the rows below do not depend on q1, q2.
 * They are stored in the columns that they have cleared. scales: of the reflections, 0: none; pivots: the resulting
 * diagonal. */
function chain_eliminate_(side) {
    const rows = side.length;
    const width = side[0].length;
    const columns = [0, 1, 2, 3, 4, 5, 6, 7];
    const scales = new Array(8).fill(0);
    const pivots = new Array(8).fill(0);
    let rank = 0;
    let first = 0;
    for (let c = 0; c < 8; ++c) {
        let longest = c;
        let most = -1;
        for (let j = c; j < 8; ++j) {
            let length = 0;
            for (let r = c; r < rows; ++r) {
                length += side[r][j] * side[r][j];
            }
            if (length > most) {
                most = length;
                longest = j;
            }
        }
        for (const row of [columns, ...side]) {
            const swapped = row[c];
            row[c] = row[longest];
            row[longest] = swapped;
        }
        const norm = Math.sqrt(most);
        const top = side[c][c];
        first = c === 0 ? norm : first;
        rank += norm > CHAIN_RANK_ * first ? 1 : 0;
        if (!(norm > 1e-14 * first)) {
            continue;
        }
        pivots[c] = top > 0 ? -norm : norm;
        side[c][c] = top - pivots[c];
        scales[c] = 1 / (norm * (norm + Math.abs(top)));
        const sums = new Array(width).fill(0);
        for (let r = c; r < rows; ++r) {
            const v = side[r][c] * scales[c];
            for (let j = c + 1; j < width; ++j) {
                sums[j] += v * side[r][j];
            }
        }
        for (let r = c; r < rows; ++r) {
            const v = side[r][c];
            for (let j = c + 1; j < width; ++j) {
                side[r][j] -= v * sums[j];
            }
        }
    }
    return { columns, scales, pivots, rank };
}
