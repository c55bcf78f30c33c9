/* All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
   with the eigenvalues of Manocha and Canny 1994. Placements are 3 x 4 by rows. No heap, no state.
   See the documentation of the kernel closed_chain for the equations, the plan and the table of results. */
typedef double closed_chain_real_; /* type of all computations, for any type of the caller */

static const double chain_real_limit_ = 1e-3;    /* imaginary part of an angle up to which a root may be real */
static const double chain_near_limit_ = 0.03;    /* the same for a root of multiplicity four or more */
static const double chain_far_limit_ = 1e-5;     /* inverse of a length beyond which a sliding pivot is at infinity */
static const double chain_large_limit_ = 1e6;    /* entry of the companion matrix, beyond which roots are inaccurate */
static const double chain_null_limit_ = 1e-6;    /* pivot, relative to the largest, that counts as zero in the pencil */
static const double chain_rank_limit_ = 1e-9;    /* the same for the right side */
static const double chain_accept_limit_ = 1e-10; /* defect of a solution, lengths divided by the largest one */
static const double chain_close_limit_ = 1e-6;   /* defect of a posture below which a solution may be near it */
static const double chain_round_off_ = 1e-14;    /* defect of a posture that closes the loop up to rounding */
/* motion for a unit error, beyond which two solutions nearly coincide */
static const double chain_weak_limit_ = 1e3;
static const double chain_same_limit_ = 1e-5;    /* distance below which two rows may be the same solution */
static const double chain_grain_limit_ = 1e-6;   /* the same for two joint values in the order of slots */
static const double chain_pi_ = 3.14159265358979323846;

/* One arrangement of the loop: joints by roles, their constants with the shifts, and the decomposed right side. */
typedef struct {
    int order[6], kinds[6];
    int slides; /* roles 3 and 6 are prismatic */
    int functions;
    double shifts[6], placements[6][12];
    double side[14][36];  /* 8 columns of the right side without its constant; 27 of the left side */
    double constants[14]; /* of the right side */
    double scales[8];     /* of the reflections; 0: none */
    double pivots[8];     /* diagonal after the reflections */
    int columns[8], rank;
} closed_chain_loop_;

static void chain_compose_(const double *a, const double *b, double *product)
{
    for (int r = 0; r < 12; r += 4) {
        for (int c = 0; c < 4; ++c) {
            product[r + c] = a[r] * b[c] + a[r + 1] * b[4 + c] + a[r + 2] * b[8 + c];
        }
        product[r + 3] += a[r + 3];
    }
}

static void chain_invert_(const double *a, double *inverse)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            inverse[4 * r + c] = a[4 * c + r];
        }
        inverse[4 * r + 3] = -(a[r] * a[3] + a[4 + r] * a[7] + a[8 + r] * a[11]);
    }
}

/* J(value) C */
static void chain_joint_(int kind, double value, const double *placement, double *product)
{
    const double c = kind ? 1 : cos(value), s = kind ? 0 : sin(value);
    for (int k = 0; k < 4; ++k) {
        product[k] = c * placement[k] - s * placement[4 + k];
        product[4 + k] = s * placement[k] + c * placement[4 + k];
        product[8 + k] = placement[8 + k];
    }
    product[11] += kind ? value : 0;
}

/* Joints and constants by roles; 0 if the arrangement is not valid for the joint types. */
static int chain_arrange_(closed_chain_loop_ *loop, double placements[6][12], const int *kinds,
                          const double *step)
{
    if (!(step[0] >= 0 && step[0] < 12)) {
        return 0;
    }
    const int arrangement = (int)step[0], start = arrangement % 6;
    for (int i = 0; i < 6; ++i) {
        const int joint = arrangement < 6 ? (start + i) % 6 : (11 - start - i) % 6;
        double made[12];
        loop->order[i] = joint;
        loop->kinds[i] = kinds[joint];
        loop->shifts[i] = i > 1 && i < 5 ? step[i - 1] : 0;
        if (arrangement < 6) {
            for (int k = 0; k < 12; ++k) {
                made[k] = placements[joint][k];
            }
        } else { /* the inverse of the transform before the joint, rotated about x by pi */
            chain_invert_(placements[(joint + 5) % 6], made);
            made[1] = -made[1];
            made[2] = -made[2];
            made[4] = -made[4];
            made[8] = -made[8];
            made[7] = -made[7];
            made[11] = -made[11];
        }
        chain_joint_(kinds[joint], loop->shifts[i], made, loop->placements[i]);
    }
    loop->slides = loop->kinds[2] && loop->kinds[5];
    loop->functions = loop->slides ? 10 : 14;
    return loop->slides || !loop->kinds[5];
}

/* Functions that both sides have in common, of a product of transforms; their distance in the result is `stride`. */
static void chain_functions_(int slides, const double *t, double *f, int stride)
{
    const double px = t[3], py = t[7], pz = t[11], lx = t[2], ly = t[6], lz = t[10];
    const double cross_z = px * ly - py * lx;
    if (slides) {
        for (int k = 0; k < 9; ++k) {
            f[k * stride] = t[k / 3 * 4 + k % 3];
        }
        f[9 * stride] = cross_z;
        return;
    }
    const double pp = px * px + py * py + pz * pz, pl = 2 * (px * lx + py * ly + pz * lz);
    f[0] = px;
    f[stride] = py;
    f[2 * stride] = pz;
    f[3 * stride] = lx;
    f[4 * stride] = ly;
    f[5 * stride] = lz;
    f[6 * stride] = pp;
    f[7 * stride] = pl;
    f[8 * stride] = py * lz - pz * ly;
    f[9 * stride] = pz * lx - px * lz;
    f[10 * stride] = cross_z;
    f[11 * stride] = pp * lx - pl * px;
    f[12 * stride] = pp * ly - pl * py;
    f[13 * stride] = pp * lz - pl * pz;
}

/* Along one axis of a grid: from values at three nodes to coefficients. An angle has (cos, sin, 1), or when `half`
   (x^2, x, 1) of its half tangent, times 1 + x^2; a length has (r^2, r, 1). */
static void chain_fit_(int kind, int half, double *grid, int outer, int inner)
{
    const double third = 1.0 / 3, root = 0.57735026918962576451;
    for (int o = 0; o < outer; ++o, grid += 3 * inner) {
        for (int i = 0; i < inner; ++i) {
            const double a = grid[i], b = grid[inner + i], c = grid[2 * inner + i];
            const double cosine = (2 * a - b - c) * third, sine = (b - c) * root, mean = (a + b + c) * third;
            if (kind) {
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
   tangents. */
static void chain_equations_(closed_chain_loop_ *loop)
{
    double at[5][3][12];
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double node = loop->kinds[i] ? k - 1 : k * (2 * chain_pi_ / 3);
            chain_joint_(loop->kinds[i], node, loop->placements[i], at[i][k]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double a[12], b[12];
            chain_compose_(loop->placements[5], at[0][i], a);
            chain_compose_(a, at[1][j], b);
            chain_invert_(b, a);
            chain_functions_(loop->slides, a, &loop->side[0][i * 3 + j], 36);
            chain_compose_(at[3][i], at[4][j], a);
            for (int k = 0; k < (loop->slides ? 1 : 3); ++k) {
                chain_compose_(loop->slides ? loop->placements[2] : at[2][k], a, b);
                chain_functions_(loop->slides, b, &loop->side[0][9 + k * 9 + i * 3 + j], 36);
            }
        }
    }
    for (int f = 0; f < loop->functions; ++f) {
        double *right = loop->side[f], *left = right + 9;
        chain_fit_(loop->kinds[0], 0, right, 1, 3);
        chain_fit_(loop->kinds[1], 0, right, 3, 1);
        loop->constants[f] = right[8];
        const int count = loop->slides ? 9 : 27;
        for (int k = 0; k < count; ++k) {
            left[k] -= right[8];
        }
        if (!loop->slides) {
            chain_fit_(loop->kinds[2], 1, left, 1, 9);
        }
        chain_fit_(loop->kinds[3], 1, left, loop->slides ? 1 : 3, 3);
        chain_fit_(loop->kinds[4], 1, left, loop->slides ? 3 : 9, 1);
    }
}

/* Reflections that make the right side triangular, its longest columns first: the rows below do not depend on q1,
   q2. */
static void chain_eliminate_(closed_chain_loop_ *loop)
{
    const int rows = loop->functions, width = loop->slides ? 18 : 36;
    double first = 0;
    loop->rank = 0;
    for (int c = 0; c < 8; ++c) {
        loop->columns[c] = c;
    }
    for (int c = 0; c < 8; ++c) {
        int longest = c;
        double most = -1;
        for (int j = c; j < 8; ++j) {
            double length = 0;
            for (int r = c; r < rows; ++r) {
                length += loop->side[r][j] * loop->side[r][j];
            }
            if (length > most) {
                most = length;
                longest = j;
            }
        }
        const int moved = loop->columns[c];
        loop->columns[c] = loop->columns[longest];
        loop->columns[longest] = moved;
        for (int r = 0; r < rows && longest != c; ++r) {
            const double swapped = loop->side[r][c];
            loop->side[r][c] = loop->side[r][longest];
            loop->side[r][longest] = swapped;
        }
        const double norm = sqrt(most), top = loop->side[c][c];
        first = c == 0 ? norm : first;
        loop->rank += norm > chain_rank_limit_ * first;
        if (!(norm > 1e-14 * first)) {
            loop->scales[c] = 0;
            continue;
        }
        double sums[36] = {0};
        loop->pivots[c] = top > 0 ? -norm : norm;
        loop->side[c][c] = top - loop->pivots[c];
        loop->scales[c] = 1 / (norm * (norm + fabs(top)));
        for (int r = c; r < rows; ++r) {
            const double v = loop->side[r][c] * loop->scales[c];
            for (int j = 0; j < width; ++j) {
                sums[j] += v * loop->side[r][j];
            }
        }
        for (int j = 0; j <= c; ++j) {
            sums[j] = 0; /* the reflections are stored in the columns that they have cleared */
        }
        for (int r = c; r < rows; ++r) {
            const double v = loop->side[r][c];
            for (int j = 0; j < width; ++j) {
                loop->side[r][j] -= v * sums[j];
            }
        }
    }
}
