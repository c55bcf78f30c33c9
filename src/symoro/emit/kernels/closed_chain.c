/* Monomials of q1, q2 from the value of the left side, which is overwritten; those of least norm if they are not
   unique. */
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

/* Value of the variable of a vector of monomials. */
static double chain_ratio_(int kind, const double *vector, int last, int by_z)
{
    const double top = chain_pair_(vector, vector, last, by_z, 1), bottom = chain_pair_(vector, vector, last, by_z, 0);
    return kind ? (bottom > 0 ? top / bottom : 0) : 2 * atan2(top, bottom);
}

/* Joint values, in joint order, from the pivot's half angle and a vector of monomials. */
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
    if (!loop->slides) { /* otherwise Newton's first step computes both lengths, because they enter linearly */
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
        defect = entry <= defect ? defect : entry; /* keeps NaN */
    }
    return defect;
}

/* Error twist and Jacobian at the product t of the loop. */
static void chain_jacobian_(const int *kinds, double axes[6][6], const double *t, double *error, double jacobian[6][6])
{
    error[0] = t[3];
    error[1] = t[7];
    error[2] = t[11];
    error[3] = (t[9] - t[6]) / 2;
    error[4] = (t[2] - t[8]) / 2;
    error[5] = (t[4] - t[1]) / 2;
    for (int i = 0; i < 6; ++i) {
        const double *z = axes[i], x = t[3] - axes[i][3], y = t[7] - axes[i][4], w = t[11] - axes[i][5];
        jacobian[0][i] = kinds[i] ? z[0] : z[1] * w - z[2] * y;
        jacobian[1][i] = kinds[i] ? z[1] : z[2] * x - z[0] * w;
        jacobian[2][i] = kinds[i] ? z[2] : z[0] * y - z[1] * x;
        for (int k = 0; k < 3; ++k) {
            jacobian[3 + k][i] = kinds[i] ? 0 : z[k];
        }
    }
}

/* A step of Newton's method from the product t of the loop, into `step`; damped if an angle would change too much,
   because the Jacobian is nearly singular. Returns whether it is damped. step[6] is the largest motion for a unit
   error, the inverse of the smallest singular value except for a factor. */
static int chain_step_(const int *kinds, double axes[6][6], const double *t, double defect,
                       double *step)
{
    const double damping = defect > 1e-6 ? 1e-6 : defect < 1e-12 ? 1e-12 : defect;
    double error[6], jacobian[6][6], system[48];
    chain_jacobian_(kinds, axes, t, error, jacobian);
    for (int damped = 0; damped < 2; ++damped) {
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 7; ++j) {
                double sum = damped && i == j ? damping : 0;
                for (int k = 0; k < 6 && damped; ++k) {
                    sum += jacobian[k][i] * (j < 6 ? jacobian[k][j] : error[k]);
                }
                system[8 * i + j] = damped ? sum : j < 6 ? jacobian[i][j] : error[i];
            }
            system[8 * i + 7] = i % 2 ? 1 : -1;
        }
        int jumps = !chain_solve_(6, 8, system);
        step[6] = 0;
        for (int i = 0; i < 6; ++i) {
            step[i] = system[8 * i + 6];
            jumps |= !kinds[i] && !(fabs(step[i]) < 0.5);
            step[6] = fabs(system[8 * i + 7]) <= step[6] ? step[6] : fabs(system[8 * i + 7]);
        }
        if (!jumps) {
            return damped;
        }
    }
    return 1;
}

/* The best of Newton's iterates from q, angles in (-pi, pi], and the defect q[6]; returns whether the Jacobian is
   nearly singular. */
static int chain_polish_(double placements[6][12], const int *kinds, double *q)
{
    double axes[6][6], t[12], x[6], step[7];
    int settled = 0, damped = 0;
    q[6] = 1e30;
    step[6] = 0;
    for (int i = 0; i < 6; ++i) {
        x[i] = q[i];
    }
    for (int tries = 0; tries < 40; ++tries) {
        for (int i = 0; i < 6; ++i) {
            x[i] -= kinds[i] ? 0 : 2 * chain_pi_ * ceil((x[i] - chain_pi_) / (2 * chain_pi_));
        }
        const double defect = chain_product_(placements, kinds, x, axes, t);
        for (int i = 0; i < 6 && defect < q[6]; ++i) {
            q[i] = x[i];
        }
        q[6] = defect < q[6] ? defect : q[6];
        if (settled || !(defect < 1e30)) {
            break;
        }
        damped = chain_step_(kinds, axes, t, defect, step);
        settled = !damped;
        for (int i = 0; i < 6; ++i) {
            x[i] -= step[i];
            settled &= fabs(step[i]) < 1e-8;
        }
    }
    return damped || !(step[6] < chain_weak_limit_);
}

/* Largest difference of two postures; `turned` becomes the second one with its angles next to those of the first. */
static double chain_distance_(const int *kinds, const double *q, const double *other, double *turned)
{
    double distance = 0;
    for (int i = 0; i < 6; ++i) {
        const double turns = kinds[i] ? 0 : floor((q[i] - other[i]) / (2 * chain_pi_) + 0.5);
        turned[i] = other[i] + 2 * chain_pi_ * turns;
        const double d = fabs(q[i] - turned[i]);
        distance = d <= distance ? distance : d;
    }
    return distance;
}

/* Insert a solution q1 .. q6, defect among `count` of them, unless it is already there: two are the same if the posture
   between them closes the loop as well as they do. Returns the new count. */
static int chain_insert_(double placements[6][12], const int *kinds, const double *q, int count, double table[16][7])
{
    int place = count;
    for (int k = 0; k < count; ++k) {
        double turned[6], axes[6][6], t[12];
        if (chain_distance_(kinds, q, table[k], turned) < chain_same_limit_) {
            for (int i = 0; i < 6; ++i) {
                turned[i] = (turned[i] + q[i]) / 2;
            }
            const double between = chain_product_(placements, kinds, turned, axes, t);
            if (between <= chain_round_off_ || between <= q[6] || between <= table[k][6]) {
                return count;
            }
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
        for (int i = 0; i < 7; ++i) {
            table[k][i] = table[k - 1][i];
        }
    }
    for (int i = 0; i < 7; ++i) {
        table[place][i] = q[i];
    }
    return count + 1;
}

/* Unit vector with the smallest image under J (or its transpose), by inverse iteration. */
static void chain_weakest_(double jacobian[6][6], int transposed, double *v)
{
    for (int i = 0; i < 6; ++i) {
        v[i] = 1 + 0.1 * i;
    }
    for (int tries = 0; tries < 3; ++tries) {
        double system[42], square = 0;
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                double sum = i == j ? 1e-20 : 0; /* keeps an exactly singular matrix solvable */
                for (int k = 0; k < 6; ++k) {
                    sum += transposed ? jacobian[i][k] * jacobian[j][k] : jacobian[k][i] * jacobian[k][j];
                }
                system[7 * i + j] = sum;
            }
            system[7 * i + 6] = v[i];
        }
        chain_solve_(6, 7, system);
        for (int i = 0; i < 6; ++i) {
            square += system[7 * i + 6] * system[7 * i + 6];
        }
        for (int i = 0; i < 6; ++i) {
            v[i] = system[7 * i + 6] / sqrt(square);
        }
    }
}

/* The solutions next to a posture q, added to `count` others; returns the new count. Along the direction v in which
   the error of the loop grows least, it is the parabola c + b s + a s^2 / 2: Newton's method starts at both roots s. */
static int chain_split_(double placements[6][12], const int *kinds, const double *q, int count, double table[16][7])
{
    const double h = 1e-3; /* step of the difference quotient for a */
    double axes[6][6], t[12], error[6], jacobian[6][6], other[6][6], u[6], v[6], x[7], b = 0, sums[3] = {0, 0, 0};
    chain_product_(placements, kinds, q, axes, t);
    chain_jacobian_(kinds, axes, t, error, jacobian);
    chain_weakest_(jacobian, 0, v);
    chain_weakest_(jacobian, 1, u);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i) {
            x[i] = q[i] + (k - 1) * h * v[i];
        }
        chain_product_(placements, kinds, x, axes, t);
        chain_jacobian_(kinds, axes, t, error, other);
        for (int i = 0; i < 6; ++i) {
            sums[k] += u[i] * error[i];
            for (int j = 0; j < 6 && k == 1; ++j) {
                b += u[i] * jacobian[i][j] * v[j];
            }
        }
    }
    const double a = (sums[0] - 2 * sums[1] + sums[2]) / (h * h), d = b * b - 2 * a * sums[1];
    for (int side = -1; side < 2; side += 2) {
        const double s = (side * sqrt(d > 0 ? d : 0) - b) / a;
        if (!(fabs(s) < 0.5)) {
            continue; /* too far for a parabola */
        }
        for (int i = 0; i < 6; ++i) {
            x[i] = q[i] + s * v[i];
        }
        chain_polish_(placements, kinds, x);
        if (x[6] < chain_accept_limit_) {
            count = chain_insert_(placements, kinds, x, count, table);
        }
    }
    return count;
}

/* Solutions of one arrangement, added to `count` others, which are returned. If there is none, `best` becomes the
   posture with the smallest defect. `again` becomes 2 if solutions may be missing, 1 if two of them nearly coincide;
   `uncertain` is that of the roots. */
static int chain_try_(closed_chain_loop_ *loop, double placements[6][12], const int *kinds, double limit, int count,
                      double table[16][7], double *best, int *again, int *uncertain)
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
    int weak = 0, failed = 0;
    const int roots = chain_roots_(n, loop->kinds[loop->slides ? 3 : 2], limit, pencil, halves, uncertain);
    for (int k = 0; k < roots; ++k) {
        if (halves[k] < beyond) {
            continue; /* computed with the previous root, whose null space has several dimensions */
        }
        const double s = sin(halves[k]), c = cos(halves[k]);
        double at_root[12][12], vectors[4][12], q[7];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                at_root[i][j] =
                    pencil[0][i][j] * (s * s) + pencil[1][i][j] * (s * c) + pencil[2][i][j] * (c * c);
            }
        }
        const int made = chain_vectors_(last, at_root, vectors);
        for (int v = 0; v < made; ++v) {
            chain_values_(loop, halves[k], vectors[v], q);
            weak |= chain_polish_(placements, kinds, q);
            for (int i = 0; i < 7 && q[6] < best[6]; ++i) {
                best[i] = q[i];
            }
            if (q[6] < chain_accept_limit_) {
                count = chain_insert_(placements, kinds, q, count, table);
            } else {
                failed = 1;
                count = q[6] < 1e-2 ? chain_split_(placements, kinds, q, count, table) : count;
            }
        }
        beyond = made > 1 ? halves[k] + 1e-7 : beyond;
    }
    *again = *uncertain > 1 || failed || count % 2 || (count == 0 && *uncertain) ? 2 : weak;
    return count;
}

/* Orthonormalise rotation matrices with rounding errors: Newton's iteration for the polar factor. Returns whether it
   was a rotation except for rounding errors. */
static int chain_straighten_(double *a)
{
    int rotation = 1;
    for (int tries = 0; tries < 3; ++tries) {
        double square[9], made[9];
        for (int k = 0; k < 9; ++k) {
            const double *x = a + k / 3 * 4, *y = a + k % 3 * 4;
            square[k] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
            rotation &= tries > 0 || fabs(square[k] - (k % 4 == 0 ? 1 : 0)) < 0.1;
        }
        for (int k = 0; k < 9; ++k) {
            const double *x = square + k / 3 * 3, *y = a + k % 3;
            made[k] = 1.5 * a[k / 3 * 4 + k % 3] - 0.5 * (x[0] * y[0] + x[1] * y[4] + x[2] * y[8]);
        }
        for (int k = 0; k < 9; ++k) {
            a[k / 3 * 4 + k % 3] = made[k];
        }
    }
    return rotation;
}

/* Slightly displaced last transform. */
static void chain_nudge_(const double *a, double size, double *moved)
{
    const double move[12] = {0, 1, -0.7, 0.3, -1, 0, 0.4, -0.5, 0.7, -0.4, 0, 0.6};
    for (int k = 0; k < 12; ++k) {
        moved[k] = a[k] + size * move[k];
    }
    chain_straighten_(moved);
}

static void chain_table_(const double *constants, const double *marks, const double *plan, double *results)
{
    closed_chain_loop_ loop;
    double placements[6][12], scaled[6][12], seen[6][12], table[16][7] = {{0}}, best[7] = {0}, scale = 0, unusable = 0;
    double axes[6][6], product[12];
    int kinds[6], count = 0, uncertain = 0, decided = 0;
    for (int k = 0; k < 72; ++k) {
        placements[k / 12][k % 12] = constants[k];
        unusable += 0 * constants[k];
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
        unusable += !chain_straighten_(scaled[i]);
        for (int k = 0; k < 12; ++k) {
            seen[i][k] = scaled[i][k];
        }
    }
    best[6] = chain_product_(scaled, kinds, best, axes, product);
    /* If two solutions nearly coincide, or some may be missing (real ones come in pairs), another arrangement may be
       better conditioned. At a nearby pose on either side such roots are separate; they are then refined for the
       given pose. */
    for (int tries = 0, again = unusable == 0 ? 2 : 0; again && tries < 5; ++tries) {
        const int before = count;
        if (tries > 2) {
            chain_nudge_(scaled[5], tries == 3 ? 1e-5 : -1e-5, seen[5]);
        }
        if (!chain_arrange_(&loop, seen, kinds, plan + 4 * (tries % 3))) {
            continue;
        }
        const double limit = tries && count == 0 ? chain_near_limit_ : chain_real_limit_;
        count = chain_try_(&loop, scaled, kinds, limit, count, table, best, &again, &uncertain);
        decided |= uncertain == 0 && tries < 3;
        if (again) {
            double rows[16][7];
            const int known = count;
            for (int k = 0; k < 112; ++k) {
                rows[k / 7][k % 7] = table[k / 7][k % 7];
            }
            for (int k = 0; k < known; ++k) {
                count = chain_split_(scaled, kinds, rows[k], count, table);
            }
        }
        again = again == 1 && tries && count == before && count % 2 == 0 ? 0 : again;
    }
    if (count == 0 && unusable == 0 && (!decided || best[6] < chain_close_limit_)) {
        for (int i = 0; i < 6; ++i) {
            table[0][i] = best[i];
        }
        count = 1;
    }
    for (int k = 0; k < 16; ++k) {
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
