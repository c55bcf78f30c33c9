/* Monomials of q1, q2 from the value of the left side, which is overwritten; the least ones when they are not fixed. */
static void chain_monomials_(const closed_chain_loop_ *loop, double *known, double *monomials)
{
    const int rank = loop->rank, loose = 8 - rank;
    double solved[8][9], system[72]; /* the triangular system for the columns beyond the rank and for the value */
    for (int c = 0; c < 8; ++c) {
        double sum = 0;
        for (int r = c; r < loop->functions; ++r) {
            sum += loop->side[r][c] * known[r];
        }
        sum *= loop->scales[c];
        for (int r = c; r < loop->functions; ++r) {
            known[r] -= loop->side[r][c] * sum;
        }
    }
    for (int k = 0; k <= loose; ++k) {
        for (int c = rank - 1; c >= 0; --c) {
            double sum = k < loose ? loop->side[c][rank + k] : known[c];
            for (int j = c + 1; j < rank; ++j) {
                sum -= loop->side[c][j] * solved[j][k];
            }
            solved[c][k] = sum / loop->pivots[c];
        }
    }
    for (int i = 0; i < loose; ++i) {
        for (int j = 0; j <= loose; ++j) {
            double sum = i == j ? 1 : 0;
            for (int c = 0; c < rank; ++c) {
                sum += solved[c][i] * solved[c][j];
            }
            system[i * (loose + 1) + j] = sum;
        }
    }
    chain_solve_(loose, loose + 1, system);
    for (int i = 0; i < 8; ++i) {
        double value = i < rank ? solved[i][loose] : system[(i - rank) * (loose + 1) + loose];
        for (int k = 0; k < loose && i < rank; ++k) {
            value -= solved[i][k] * system[k * (loose + 1) + loose];
        }
        monomials[loop->columns[i]] = value;
    }
}

/* The value of the variable that a vector of monomials has. */
static double chain_ratio_(int kind, const double *vector, int last, int by_z)
{
    const double top = chain_pair_(vector, vector, last, by_z, 1), bottom = chain_pair_(vector, vector, last, by_z, 0);
    return kind ? (bottom > 0 ? top / bottom : 0) : 2 * atan2(top, bottom);
}

/* Joint values, in the joints' order, from the pivot's half angle and a vector of monomials. */
static void chain_values_(const closed_chain_loop_ *loop, double half, const double *vector, double *q)
{
    const int last = loop->slides ? 1 : 3, pivot = loop->slides ? 3 : 2;
    double values[6] = {0}, a[12], b[12], chain[12], known[14], monomials[8];
    values[pivot] = loop->kinds[pivot] ? tan(half) : 2 * half;
    values[pivot + 1] = chain_ratio_(loop->kinds[pivot + 1], vector, last, 0);
    if (!loop->slides) {
        values[4] = chain_ratio_(loop->kinds[4], vector, last, 1);
    }
    chain_joint_(loop->kinds[2], values[2], loop->placements[2], chain);
    for (int i = 3; i < 5; ++i) {
        chain_joint_(loop->kinds[i], values[i], loop->placements[i], a);
        chain_compose_(chain, a, b);
        for (int k = 0; k < 12; ++k) {
            chain[k] = b[k];
        }
    }
    chain_functions_(loop->slides, chain, known, 1);
    for (int f = 0; f < loop->functions; ++f) {
        known[f] -= loop->constants[f];
    }
    chain_monomials_(loop, known, monomials);
    values[0] = loop->kinds[0] ? monomials[5] : atan2(monomials[5], monomials[2]);
    values[1] = loop->kinds[1] ? monomials[7] : atan2(monomials[7], monomials[6]);
    if (!loop->slides) { /* else Newton's first step finds both lengths: they enter linearly */
        double product[12];
        chain_joint_(loop->kinds[0], values[0], loop->placements[0], a);
        chain_compose_(loop->placements[5], a, b);
        chain_joint_(loop->kinds[1], values[1], loop->placements[1], a);
        chain_compose_(b, a, product);
        chain_compose_(product, chain, a);
        values[5] = atan2(-a[4], a[0]);
    }
    for (int i = 0; i < 6; ++i) {
        q[loop->order[i]] = values[i] + loop->shifts[i];
    }
}

/* Axes and points of the joints, and the product of the loop; returns the largest entry of |product - 1|. */
static double chain_product_(double placements[6][12], const int *kinds, const double *q, double axes[6][6],
                             double *product)
{
    double chain[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, a[12], defect = 0;
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            axes[i][k] = chain[4 * k + 2];
            axes[i][3 + k] = chain[4 * k + 3];
        }
        chain_joint_(kinds[i], q[i], placements[i], a);
        chain_compose_(chain, a, product);
        for (int k = 0; k < 12; ++k) {
            chain[k] = product[k];
        }
    }
    for (int k = 0; k < 12; ++k) {
        const double entry = fabs(product[k] - (k % 5 == 0 ? 1 : 0));
        defect = entry <= defect ? defect : entry; /* keeps what is not a number */
    }
    return defect;
}

/* A step of Newton's method from an error twist (t is the product of the loop), into `step`; damped where an angle
   would jump, since there the Jacobian is nearly singular. Returns whether it is damped. */
static int chain_step_(const int *kinds, double axes[6][6], const double *t, double defect,
                       double *step)
{
    const double damping = defect > 1e-6 ? 1e-6 : defect < 1e-12 ? 1e-12 : defect;
    const double error[6] = {t[3], t[7], t[11], (t[9] - t[6]) / 2, (t[2] - t[8]) / 2, (t[4] - t[1]) / 2};
    double jacobian[6][6], system[42];
    for (int i = 0; i < 6; ++i) {
        const double *z = axes[i], x = t[3] - axes[i][3], y = t[7] - axes[i][4], w = t[11] - axes[i][5];
        jacobian[0][i] = kinds[i] ? z[0] : z[1] * w - z[2] * y;
        jacobian[1][i] = kinds[i] ? z[1] : z[2] * x - z[0] * w;
        jacobian[2][i] = kinds[i] ? z[2] : z[0] * y - z[1] * x;
        for (int k = 0; k < 3; ++k) {
            jacobian[3 + k][i] = kinds[i] ? 0 : z[k];
        }
    }
    for (int damped = 0; damped < 2; ++damped) {
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 7; ++j) {
                double sum = damped && i == j ? damping : 0;
                for (int k = 0; k < 6 && damped; ++k) {
                    sum += jacobian[k][i] * (j < 6 ? jacobian[k][j] : error[k]);
                }
                system[7 * i + j] = damped ? sum : j < 6 ? jacobian[i][j] : error[i];
            }
        }
        int jumps = !chain_solve_(6, 7, system);
        for (int i = 0; i < 6; ++i) {
            step[i] = system[7 * i + 6];
            jumps |= !kinds[i] && !(fabs(step[i]) < 0.5);
        }
        if (!jumps) {
            return damped;
        }
    }
    return 1;
}

/* The best of Newton's iterates from q, angles in (-pi, pi]; 0 when it is no solution. */
static int chain_polish_(double placements[6][12], const int *kinds, double *q)
{
    double axes[6][6], t[12], x[6], step[6], least = chain_accept_limit_;
    int settled = 0;
    for (int i = 0; i < 6; ++i) {
        x[i] = q[i];
    }
    for (int tries = 0; tries < 16; ++tries) {
        const double defect = chain_product_(placements, kinds, x, axes, t);
        for (int i = 0; i < 6 && defect < least; ++i) {
            q[i] = x[i] - (kinds[i] ? 0 : 2 * chain_pi_ * ceil((x[i] - chain_pi_) / (2 * chain_pi_)));
        }
        least = defect < least ? defect : least;
        if (settled || !(defect < 1e30)) {
            break;
        }
        settled = !chain_step_(kinds, axes, t, defect, step);
        for (int i = 0; i < 6; ++i) {
            x[i] -= step[i];
            settled &= fabs(step[i]) < 1e-8;
        }
    }
    return least < chain_accept_limit_;
}

/* Put a solution in its place among `count` of them, unless it is there already; returns the new count. */
static int chain_insert_(const int *kinds, const double *q, int count, double table[16][6])
{
    int place = count;
    for (int k = 0; k < count; ++k) {
        double distance = 0;
        for (int i = 0; i < 6; ++i) {
            double d = fabs(q[i] - table[k][i]);
            d = !kinds[i] && d > chain_pi_ ? fabs(d - 2 * chain_pi_) : d;
            distance = d > distance ? d : distance;
        }
        if (distance < chain_same_limit_) {
            return count;
        }
    }
    for (int before = 1; place > 0 && before; place -= before) {
        before = 0;
        for (int i = 0; i < 6; ++i) {
            double key = q[i], other = table[place - 1][i];
            key += !kinds[i] && key < chain_grain_limit_ - chain_pi_ ? 2 * chain_pi_ : 0;
            other += !kinds[i] && other < chain_grain_limit_ - chain_pi_ ? 2 * chain_pi_ : 0;
            key = floor(key / chain_grain_limit_ + 0.5);
            other = floor(other / chain_grain_limit_ + 0.5);
            if (key != other) {
                before = key < other;
                break;
            }
        }
    }
    if (count == 16) {
        return count;
    }
    for (int k = count; k > place; --k) {
        for (int i = 0; i < 6; ++i) {
            table[k][i] = table[k - 1][i];
        }
    }
    for (int i = 0; i < 6; ++i) {
        table[place][i] = q[i];
    }
    return count + 1;
}

/* Solutions of one arrangement, added to `count` others; returns the new count, and whether some may be missing. */
static int chain_try_(closed_chain_loop_ *loop, double placements[6][12], const int *kinds, int count,
                      double table[16][6], int *again)
{
    const int last = loop->slides ? 1 : 3, equations = 2 * last, n = 4 * last, inner = 3 * last;
    double pencil[3][12][12] = {{{0}}}, halves[24], beyond = -1;
    chain_equations_(loop);
    chain_eliminate_(loop);
    for (int x = 0; x < 3; ++x) {
        for (int r = 0; r < equations; ++r) {
            for (int c = 0; c < inner; ++c) {
                const double entry = loop->side[8 + r][9 + x * inner + c];
                pencil[x][r][last + c] = entry;
                pencil[x][equations + r][c] = entry;
            }
        }
    }
    int singular = 0, candidates = 0;
    const int roots = chain_roots_(n, loop->kinds[loop->slides ? 3 : 2], pencil, halves, &singular);
    for (int k = 0; k < roots; ++k) {
        if (halves[k] < beyond) {
            continue; /* found with the root before, whose null space has more than one vector */
        }
        const double s = sin(halves[k]), c = cos(halves[k]);
        double at_root[12][12], vectors[4][12], q[6];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                at_root[i][j] =
                    pencil[0][i][j] * (s * s) + pencil[1][i][j] * (s * c) + pencil[2][i][j] * (c * c);
            }
        }
        const int made = chain_vectors_(last, at_root, vectors);
        for (int v = 0; v < made; ++v) {
            chain_values_(loop, halves[k], vectors[v], q);
            candidates += 1;
            if (chain_polish_(placements, kinds, q)) {
                count = chain_insert_(kinds, q, count, table);
            }
        }
        beyond = made > 1 ? halves[k] + 1e-7 : beyond;
    }
    *again = singular || (count > 0 ? count % 2 : candidates > 0);
    return count;
}

/* Rotations that were rounded become rotations again: Newton's iteration for the polar factor. */
static void chain_straighten_(double *a)
{
    for (int tries = 0; tries < 3; ++tries) {
        double square[9], made[9];
        for (int k = 0; k < 9; ++k) {
            const double *x = a + k / 3 * 4, *y = a + k % 3 * 4;
            square[k] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        }
        for (int k = 0; k < 9; ++k) {
            const double *x = square + k / 3 * 3, *y = a + k % 3;
            made[k] = 1.5 * a[k / 3 * 4 + k % 3] - 0.5 * (x[0] * y[0] + x[1] * y[4] + x[2] * y[8]);
        }
        for (int k = 0; k < 9; ++k) {
            a[k / 3 * 4 + k % 3] = made[k];
        }
    }
}

/* The last placement moved a little. */
static void chain_nudge_(double *a)
{
    const double move[12] = {0, 1, -0.7, 0.3, -1, 0, 0.4, -0.5, 0.7, -0.4, 0, 0.6};
    for (int k = 0; k < 12; ++k) {
        a[k] += 1e-5 * move[k];
    }
    chain_straighten_(a);
}

static void chain_table_(const double *constants, const double *marks, const double *plan, double *results)
{
    closed_chain_loop_ loop;
    double placements[6][12], scaled[6][12], seen[6][12], table[16][6], scale = 0, unusable = 0;
    int kinds[6], count = 0;
    for (int k = 0; k < 72; ++k) {
        placements[k / 12][k % 12] = constants[k];
        unusable += k % 4 == 3 ? 0 * constants[k] : !(fabs(constants[k]) < 1.5);
        scale = k % 4 == 3 && fabs(constants[k]) > scale ? fabs(constants[k]) : scale;
    }
    for (int k = 0; k < 12; ++k) {
        unusable += 0 * plan[k];
    }
    for (int i = 0; i < 6; ++i) {
        unusable += 0 * marks[i];
        kinds[i] = marks[i] > 0.5;
    }
    scale = scale > 0 ? scale : 1;
    for (int k = 0; k < 72; ++k) {
        scaled[k / 12][k % 12] = constants[k] / (k % 4 == 3 ? scale : 1);
    }
    for (int i = 0; i < 6; ++i) {
        chain_straighten_(scaled[i]);
        for (int k = 0; k < 12; ++k) {
            seen[i][k] = scaled[i][k];
        }
    }
    /* Real solutions come in pairs, except where two meet: what is odd is tried again in another arrangement. Where
       the loop can move all may fail: last comes a pose nearby, polished on the true one. */
    for (int tries = 0, again = unusable == 0; again && tries < (count > 0 ? 3 : 4); ++tries) {
        if (tries == 3) {
            chain_nudge_(seen[5]);
        }
        if (chain_arrange_(&loop, seen, kinds, plan + 4 * (tries % 3))) {
            count = chain_try_(&loop, scaled, kinds, count, table, &again);
        }
    }
    for (int k = 0; k < 16; ++k) {
        double axes[6][6], product[12];
        for (int i = 0; i < 6; ++i) {
            results[7 * k + i] = k < count ? table[k][i] * (kinds[i] ? scale : 1) : 0;
        }
        results[7 * k + 6] =
            k < count ? chain_product_(placements, kinds, results + 7 * k, axes, product) : 1e30;
    }
}

/* From here on in the caller's type. */
static void closed_chain_(int size, const double *constants, const double *kinds, const double *plan, double *results)
{
    closed_chain_real_ input[90], output[112];
    for (int k = 0; k < 90; ++k) {
        const double entry = k < 72 ? constants[k] : k < 78 ? kinds[k - 72] : plan[k - 78];
        input[k] = (closed_chain_real_)entry;
    }
    chain_table_(input, input + 72, input + 78, output);
    for (int k = 0; k < size; ++k) {
        results[k] = (double)output[k];
    }
}
