/* Eigenvalues and null spaces, for the kernel closed_chain. */
/* Householder's reduction to Hessenberg form; entries outside n x n must be zero. */
static void chain_hessenberg_(int n, double a[24][24])
{
    for (int m = 1; m < n - 1; ++m) {
        double v[24] = {0}, sums[24] = {0}, below = 0;
        v[m] = a[m][m - 1];
        for (int r = m + 1; r < n; ++r) {
            v[r] = a[r][m - 1];
            below += v[r] * v[r];
        }
        const double top = v[m], norm = sqrt(top * top + below);
        if (!(below > 0)) {
            continue;
        }
        const double scale = 1 / (norm * (norm + fabs(top)));
        v[m] += top > 0 ? norm : -norm;
        for (int r = m; r < n; ++r) {
            const double factor = v[r] * scale;
            for (int j = 0; j < 24; ++j) {
                sums[j] += factor * a[r][j];
            }
        }
        for (int r = m; r < n; ++r) {
            for (int j = 0; j < 24; ++j) {
                a[r][j] -= v[r] * sums[j];
            }
        }
        for (int r = 0; r < n; ++r) {
            double parts[8] = {0};
            for (int j = m & ~7; j < 24; j += 8) {
                for (int k = 0; k < 8; ++k) {
                    parts[k] += a[r][j + k] * v[j + k];
                }
            }
            const double sum = scale * (((parts[0] + parts[4]) + (parts[1] + parts[5])) +
                                        ((parts[2] + parts[6]) + (parts[3] + parts[7])));
            for (int j = m & ~7; j < 24; ++j) {
                a[r][j] -= sum * v[j];
            }
        }
        a[m][m - 1] = top > 0 ? -norm : norm;
        for (int r = m + 1; r < n; ++r) {
            a[r][m - 1] = 0;
        }
    }
}

/* One double step of Francis on rows low .. end; its shifts are the eigenvalues of [[y, .], [., x]], w the product of
   the other two entries. */
static void chain_francis_(int low, int end, double a[24][24], double x, double y, double w)
{
    int m = end - 2;
    double p, q, r;
    for (;; --m) { /* start as low as two small subdiagonal entries permit */
        const double z = a[m][m];
        p = ((x - z) * (y - z) - w) / a[m + 1][m] + a[m][m + 1];
        q = a[m + 1][m + 1] - z - (x - z) - (y - z);
        r = a[m + 2][m + 1];
        const double size = fabs(p) + fabs(q) + fabs(r);
        p /= size;
        q /= size;
        r /= size;
        if (m == low) {
            break;
        }
        const double around = fabs(a[m - 1][m - 1]) + fabs(z) + fabs(a[m + 1][m + 1]);
        if (fabs(a[m][m - 1]) * (fabs(q) + fabs(r)) <= 1e-16 * fabs(p) * around) {
            break;
        }
    }
    for (int k = m; k < end; ++k) {
        const int three = k < end - 1;
        double size = 1;
        if (k > m) {
            p = a[k][k - 1];
            q = a[k + 1][k - 1];
            r = three ? a[k + 2][k - 1] : 0;
            size = fabs(p) + fabs(q) + fabs(r);
            if (size == 0) {
                continue;
            }
            p /= size;
            q /= size;
            r /= size;
        }
        double norm = sqrt(p * p + q * q + r * r);
        norm = p < 0 ? -norm : norm;
        if (k > m) {
            a[k][k - 1] = -norm * size;
            a[k + 1][k - 1] = 0;
            if (three) {
                a[k + 2][k - 1] = 0;
            }
        } else if (low < m) {
            a[k][k - 1] = -a[k][k - 1];
        }
        p += norm;
        const double px = p / norm, py = q / norm, pz = three ? r / norm : 0, v = q / p, u = three ? r / p : 0;
        double *first = a[k], *second = a[k + 1], *third = three ? a[k + 2] : a[k + 1];
        if (three) {
            for (int j = k; j <= end; ++j) {
                const double t = first[j] + v * second[j] + u * third[j];
                first[j] -= t * px;
                second[j] -= t * py;
                third[j] -= t * pz;
            }
        } else {
            for (int j = k; j <= end; ++j) {
                const double t = first[j] + v * second[j];
                first[j] -= t * px;
                second[j] -= t * py;
            }
        }
        const int last = k + 3 < end ? k + 3 : end;
        if (three) {
            for (int i = low; i <= last; ++i) {
                const double t = px * a[i][k] + py * a[i][k + 1] + pz * a[i][k + 2];
                a[i][k] -= t;
                a[i][k + 1] -= t * v;
                a[i][k + 2] -= t * u;
            }
        } else {
            for (int i = low; i <= last; ++i) {
                const double t = px * a[i][k] + py * a[i][k + 1];
                a[i][k] -= t;
                a[i][k + 1] -= t * v;
            }
        }
    }
}

/* Eigenvalues of a matrix that is overwritten. */
static void chain_eigenvalues_(int n, double a[24][24], double *real, double *imaginary)
{
    int end = n - 1, tries = 0;
    double norm = 0;
    chain_hessenberg_(n, a);
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            norm = fabs(a[r][c]) > norm ? fabs(a[r][c]) : norm;
        }
    }
    while (end >= 0) {
        int low = end;
        for (; low > 0; --low) {
            const double down = fabs(a[low][low - 1]);
            if (down <= 2e-16 * (fabs(a[low - 1][low - 1]) + fabs(a[low][low]) + 0.1 * norm)) {
                break;
            }
        }
        const double x = a[end][end];
        if (low == end) {
            real[end] = x;
            imaginary[end] = 0;
            end -= 1;
            tries = 0;
            continue;
        }
        const double y = a[end - 1][end - 1], w = a[end][end - 1] * a[end - 1][end];
        if (low == end - 1 || tries == 40) { /* a cluster that does not converge is accepted as it is */
            const double p = (y - x) / 2, q = p * p + w, root = sqrt(fabs(q));
            if (q >= 0) {
                const double z = p + (p < 0 ? -root : root);
                real[end - 1] = x + z;
                real[end] = z != 0 ? x - w / z : x;
                imaginary[end - 1] = imaginary[end] = 0;
            } else {
                real[end - 1] = real[end] = x + p;
                imaginary[end - 1] = root;
                imaginary[end] = -root;
            }
            end -= 2;
            tries = 0;
            continue;
        }
        if (++tries % 10 == 0) { /* exceptional shift, against cycles */
            const double s = fabs(a[end][end - 1]) + fabs(a[end - 1][end - 2]);
            chain_francis_(low, end, a, x + 0.75 * s, x + 0.75 * s, -0.4375 * s * s);
        } else {
            chain_francis_(low, end, a, x, y, w);
        }
    }
}

/* A basis of the null space of a matrix (n, n), by complete pivoting: vectors[k] is its k-th vector. Pivots that
   are small relative to the first count as zero, the last one always. Returns the number of vectors, at most `most`. */
static int chain_null_space_(int n, double a[12][12], int most, double vectors[4][12])
{
    int column[12], rank = 0;
    double first = 0;
    for (int k = 0; k < n; ++k) {
        column[k] = k;
    }
    for (; rank < n - 1; ++rank) {
        int row = rank, at = rank;
        double largest = -1;
        for (int r = rank; r < n; ++r) {
            for (int c = rank; c < n; ++c) {
                const double size = fabs(a[r][c]);
                if (size > largest) {
                    largest = size;
                    row = r;
                    at = c;
                }
            }
        }
        first = rank == 0 ? largest : first;
        if (!(largest > chain_null_limit_ * first)) {
            break;
        }
        for (int j = 0; j < n; ++j) {
            const double swapped = a[rank][j];
            a[rank][j] = a[row][j];
            a[row][j] = swapped;
        }
        for (int i = 0; i < n; ++i) {
            const double swapped = a[i][rank];
            a[i][rank] = a[i][at];
            a[i][at] = swapped;
        }
        const int moved = column[rank];
        column[rank] = column[at];
        column[at] = moved;
        for (int r = rank + 1; r < n; ++r) {
            const double factor = a[r][rank] / a[rank][rank];
            for (int j = rank; j < n; ++j) {
                a[r][j] -= factor * a[rank][j];
            }
        }
    }
    const int count = n - rank < most ? n - rank : most;
    for (int k = 0; k < count; ++k) {
        double x[12] = {0};
        x[n - 1 - k] = 1;
        for (int r = rank - 1; r >= 0; --r) {
            double sum = 0;
            for (int j = r + 1; j < n; ++j) {
                sum += a[r][j] * x[j];
            }
            x[r] = -sum / a[r][r];
        }
        for (int j = 0; j < n; ++j) {
            vectors[k][column[j]] = x[j];
        }
    }
    return count;
}

/* high . low and low . low of two vectors of monomials, where low has no factor y (or z). */
static double chain_pair_(const double *a, const double *b, int last, int by_z, int raise)
{
    double sum = 0;
    for (int y = by_z ? 0 : 1; y < 4; ++y) {
        for (int z = by_z ? 1 : 0; z < last; ++z) {
            const int low = y * last + z;
            sum += a[raise ? low - (by_z ? 1 : last) : low] * b[low];
        }
    }
    return sum;
}

/* Solve A X = B in place, A (n, n) and B (n, width - n) side by side; 0 when A is singular. */
static int chain_solve_(int n, int width, double *a)
{
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            if (fabs(a[r * width + c]) > fabs(a[pivot * width + c])) {
                pivot = r;
            }
        }
        if (!(fabs(a[pivot * width + c]) > 1e-280)) {
            return 0;
        }
        for (int j = c; j < width && pivot != c; ++j) {
            const double swapped = a[c * width + j];
            a[c * width + j] = a[pivot * width + j];
            a[pivot * width + j] = swapped;
        }
        const double inverse = 1 / a[c * width + c];
        for (int j = c; j < width; ++j) {
            a[c * width + j] *= inverse;
        }
        for (int r = c + 1; r < n; ++r) {
            const double factor = a[r * width + c];
            for (int j = c + 1; j < width; ++j) {
                a[r * width + j] -= factor * a[c * width + j];
            }
        }
    }
    for (int c = n - 1; c > 0; --c) {
        for (int r = 0; r < c; ++r) {
            const double factor = a[r * width + c];
            for (int j = n; j < width; ++j) {
                a[r * width + j] -= factor * a[c * width + j];
            }
        }
    }
    return 1;
}

/* Vectors of monomials in the null space of the pencil at a root, into `vectors`; returns how many. Solutions that
   have the same value of the pivot are separated by the eigenvectors of multiplication by y + 0.37 z in that space. */
static int chain_vectors_(int last, double at_root[12][12], double vectors[4][12])
{
    const int n = 4 * last;
    double space[4][12], action[24][24] = {{0}}, real[4], imaginary[4], copy[4][4];
    const int count = chain_null_space_(n, at_root, 4, space);
    if (count == 1) {
        for (int k = 0; k < n; ++k) {
            vectors[0][k] = space[0][k];
        }
        return 1;
    }
    for (int by_z = 0; by_z < (last == 3 ? 2 : 1); ++by_z) {
        double system[4 * 8];
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                system[i * 2 * count + j] = chain_pair_(space[j], space[i], last, by_z, 0);
                system[i * 2 * count + count + j] = chain_pair_(space[j], space[i], last, by_z, 1);
            }
        }
        if (!chain_solve_(count, 2 * count, system)) {
            return 0;
        }
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                action[i][j] += (by_z ? 0.37 : 1) * system[i * 2 * count + count + j];
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            copy[i][j] = action[i][j];
        }
    }
    int made = 0;
    chain_eigenvalues_(count, action, real, imaginary);
    for (int e = 0; e < count; ++e) {
        if (!(fabs(imaginary[e]) < 1e-2 * (1 + fabs(real[e])))) {
            continue;
        }
        double shifted[12][12], direction[4][12];
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                shifted[i][j] = copy[i][j] - (i == j ? real[e] : 0);
            }
        }
        chain_null_space_(count, shifted, 1, direction);
        for (int k = 0; k < n; ++k) {
            vectors[made][k] = 0;
            for (int i = 0; i < count; ++i) {
                vectors[made][k] += direction[0][i] * space[i][k];
            }
        }
        made += 1;
    }
    return made;
}

/* Half angles of the roots of the pencil M2 x^2 + M1 x + M0, x = tan(half), that are real up to `limit`; returns how
   many. `uncertain` becomes 2 if M0 is singular, 1 if it is nearly singular or other roots are almost real. */
static int chain_roots_(int n, int kind, double limit, double pencil[3][12][12], double *halves, int *uncertain)
{
    double system[12 * 36], companion[24][24] = {{0}}, real[24], imaginary[24], largest = 0;
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            system[r * 3 * n + c] = pencil[2][r][c];
            system[r * 3 * n + n + c] = pencil[0][r][c];
            system[r * 3 * n + 2 * n + c] = pencil[1][r][c];
        }
    }
    int count = 0;
    const int regular = chain_solve_(n, 3 * n, system);
    for (int r = 0; r < n; ++r) {
        companion[r][n + r] = 1;
        for (int c = 0; c < 2 * n; ++c) {
            companion[n + r][c] = -system[r * 3 * n + n + c];
            largest = fabs(companion[n + r][c]) <= largest ? largest : fabs(companion[n + r][c]);
        }
    }
    *uncertain = !regular || !(largest < 1e10) ? 2 : !(largest < chain_large_limit_);
    chain_eigenvalues_(2 * n, companion, real, imaginary);
    for (int e = 0; e < 2 * n; ++e) {
        const double t = real[e], i = imaginary[e], size = 1 + t * t + i * i;
        if (kind && fabs(t) < chain_far_limit_) {
            continue;
        }
        if (fabs(i) < limit * size) {
            const double half = atan2(1.0, t);
            int place = count++;
            for (; place > 0 && halves[place - 1] > half; --place) {
                halves[place] = halves[place - 1];
            }
            halves[place] = half;
        } else if (fabs(i) < chain_near_limit_ * size && *uncertain == 0) {
            *uncertain = 1;
        }
    }
    return count;
}
