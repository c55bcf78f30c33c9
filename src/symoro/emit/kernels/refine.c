/* Last frame of the chain K0 J1 K1 .. Jn Kn minus the given entries of the target, and its derivatives, one row per
 * joint. Returns the largest entry. marks: n, tolerance, 12 flags (1: entry given), n joint types: 1 revolute, 2
 * prismatic, negative for the reverse direction. */
static double refine_miss_(const double *placements, const double *target, const double *marks, const double *q,
                           double *miss, double *slopes)
{
    const int n = (int)marks[0];
    double t[12];
    double axes[96];
    double most = 0.0;
    for (int e = 0; e < 12; ++e) {
        t[e] = placements[e];
    }
    for (int i = 0; i < n; ++i) {
        const double *b = placements + 12*(i + 1);
        const double way = marks[14 + i] < 0.0 ? -1.0 : 1.0;
        const int slides = fabs(marks[14 + i]) > 1.5;
        const double c = slides ? 1.0 : cos(q[i]);
        const double s = slides ? 0.0 : way*sin(q[i]);
        for (int r = 0; r < 3; ++r) {
            axes[6*i + r] = way*t[4*r + 2];
            axes[6*i + 3 + r] = t[4*r + 3];
            const double x = c*t[4*r] + s*t[4*r + 1];
            const double y = c*t[4*r + 1] - s*t[4*r];
            const double z = t[4*r + 2];
            const double p = t[4*r + 3] + (slides ? way*q[i]*z : 0.0);
            for (int j = 0; j < 4; ++j) {
                t[4*r + j] = x*b[j] + y*b[4 + j] + z*b[8 + j] + (j == 3 ? p : 0.0);
            }
        }
    }
    for (int e = 0; e < 12; ++e) {
        miss[e] = marks[2 + e] > 0.5 ? t[e] - target[e] : 0.0;
        most = fabs(miss[e]) <= most ? most : fabs(miss[e]); /* keeps NaN */
    }
    for (int i = 0; i < n; ++i) {
        const double *z = axes + 6*i;
        const int slides = fabs(marks[14 + i]) > 1.5;
        for (int j = 0; j < 4; ++j) {
            const double last = j == 3 ? 1.0 : 0.0;
            const double x = t[j] - last*z[3];
            const double y = t[4 + j] - last*z[4];
            const double w = t[8 + j] - last*z[5];
            slopes[12*i + j] = slides ? last*z[0] : z[1]*w - z[2]*y;
            slopes[12*i + 4 + j] = slides ? last*z[1] : z[2]*x - z[0]*w;
            slopes[12*i + 8 + j] = slides ? last*z[2] : z[0]*y - z[1]*x;
        }
        for (int e = 0; e < 12; ++e) {
            slopes[12*i + e] = marks[2 + e] > 0.5 ? slopes[12*i + e] : 0.0;
        }
    }
    return most;
}

/* (J'J + damping) x = right, for the derivatives J, with little damping. */
static void refine_solve_(int n, const double *slopes, const double *right, double *x)
{
    double a[272];
    double top = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int e = 0; e < 12; ++e) {
                sum = sum + slopes[12*i + e]*slopes[12*j + e];
            }
            a[17*i + j] = sum;
        }
        a[17*i + n] = right[i];
        top = a[18*i] > top ? a[18*i] : top;
    }
    for (int i = 0; i < n; ++i) {
        a[18*i] = a[18*i] + 1e-14*top;
    }
    for (int c = 0; c < n; ++c) {
        for (int r = c + 1; r < n; ++r) {
            const double factor = a[17*r + c]/a[18*c];
            for (int j = c + 1; j <= n; ++j) {
                a[17*r + j] -= factor*a[17*c + j];
            }
        }
    }
    for (int r = n - 1; r >= 0; --r) {
        double sum = a[17*r + n];
        for (int j = r + 1; j < n; ++j) {
            sum -= a[17*r + j]*x[j];
        }
        x[r] = sum/a[18*r];
    }
}

/* The best of Newton's iterates from q; returns its residual. */
static double refine_row_(const double *placements, const double *target, const double *marks, double *q)
{
    const int n = (int)marks[0];
    double miss[12];
    double slopes[192];
    double right[16] = {0.0};
    double step[16] = {0.0};
    double x[16] = {0.0};
    double least = refine_miss_(placements, target, marks, q, miss, slopes);
    for (int tries = 0; tries < 15; ++tries) {
        for (int i = 0; i < n; ++i) {
            right[i] = 0.0;
            for (int e = 0; e < 12; ++e) {
                right[i] = right[i] + slopes[12*i + e]*miss[e];
            }
        }
        refine_solve_(n, slopes, right, step);
        for (int i = 0; i < n; ++i) {
            x[i] = q[i] - step[i];
        }
        const double most = refine_miss_(placements, target, marks, x, miss, slopes);
        if (!(most < least)) {
            break;
        }
        least = most;
        for (int i = 0; i < n; ++i) {
            q[i] = x[i];
        }
    }
    return least;
}

/* Direction in which the last frame moves least, by inverse iteration; returns whether it moves little. */
static int refine_weak_(const double *placements, const double *target, const double *marks, const double *q,
                        double *way)
{
    const int n = (int)marks[0];
    double miss[12];
    double slopes[192];
    double x[16] = {0.0};
    double top = 0.0;
    double least = 0.0;
    refine_miss_(placements, target, marks, q, miss, slopes);
    for (int i = 0; i < n; ++i) {
        double square = 0.0;
        for (int e = 0; e < 12; ++e) {
            square = square + slopes[12*i + e]*slopes[12*i + e];
        }
        top = square > top ? square : top;
        way[i] = 1.0 + 0.1*(double)i;
    }
    for (int tries = 0; tries < 3; ++tries) {
        double size = 0.0;
        refine_solve_(n, slopes, way, x);
        for (int i = 0; i < n; ++i) {
            size = size + x[i]*x[i];
        }
        for (int i = 0; i < n; ++i) {
            way[i] = x[i]/sqrt(size);
        }
    }
    for (int e = 0; e < 12; ++e) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            sum = sum + slopes[12*i + e]*way[i];
        }
        least = least + sum*sum;
    }
    return least < 1e-3*top;
}

/* Whether a valid row other than k contains the joint values q. */
static int refine_again_(int count, const double *marks, const double *rows, int k, const double *q)
{
    const int n = (int)marks[0];
    for (int j = 0; j < count; ++j) {
        const double *row = rows + (n + 2)*j;
        int same = j != k && (row[n + 1] == 0.0 || row[n + 1] == 2.0);
        for (int i = 0; i < n && same; ++i) {
            const double d = row[i] - q[i];
            same = fabs(fabs(marks[14 + i]) > 1.5 ? d : atan2(sin(d), cos(d))) < 1e-5;
        }
        if (same) {
            return 1;
        }
    }
    return 0;
}

/* One row. If Newton's method stops between two solutions that almost coincide, or at one that another row
 * contains, it is started again on both sides along the direction in which the chain moves least. */
static void refine_one_(int count, const double *placements, const double *target, const double *marks,
                        double *rows, int k)
{
    const int n = (int)marks[0];
    const double fine = 1e-3*marks[1];
    double *row = rows + (n + 2)*k;
    double way[16] = {0.0};
    double q[16] = {0.0};
    double x[16] = {0.0};
    for (int i = 0; i < n; ++i) {
        q[i] = row[i];
    }
    double least = refine_row_(placements, target, marks, q);
    int again = least <= marks[1] && refine_again_(count, marks, rows, k, q);
    if ((again || !(least <= fine)) && refine_weak_(placements, target, marks, q, way)) {
        const double aside = 10.0*sqrt(least <= fine ? row[n] : least);
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < n; ++i) {
                x[i] = q[i] + (double)side*aside*way[i];
            }
            const double most = refine_row_(placements, target, marks, x);
            if (most <= fine && !refine_again_(count, marks, rows, k, x)) {
                least = most;
                again = 0;
                for (int i = 0; i < n; ++i) {
                    q[i] = x[i];
                }
                break;
            }
        }
    }
    if (again) {
        row[n + 1] = 3.0;
    } else if (least <= marks[1]) {
        for (int i = 0; i < n; ++i) {
            row[i] = fabs(marks[14 + i]) > 1.5 ? q[i] : atan2(sin(q[i]), cos(q[i]));
        }
        row[n] = least;
        row[n + 1] = row[n + 1] == 2.0 ? 2.0 : 0.0;
    }
}

/* Rows of joints, residual and status: those that are approximate solutions of K0 J1 K1 .. Jn Kn = T are refined
 * by Newton's method, and become empty if another row contains the same solution. */
static void refine_(int size, const double *placements, const double *target, const double *marks,
                    const double *rows, double *results)
{
    const int n = (int)marks[0];
    const int count = size/(n + 2);
    for (int e = 0; e < size; ++e) {
        results[e] = rows[e];
    }
    for (int k = 0; k < count; ++k) {
        const double *row = results + (n + 2)*k;
        if (row[n] < 1e-2 && (row[n] > 1e-3*marks[1] || row[n + 1] == 1.0)) {
            refine_one_(count, placements, target, marks, results, k);
        }
    }
}
