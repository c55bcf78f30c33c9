/* Logarithms of the magnitudes of the roots, ascending, from the Newton polygon of the coefficients' logarithms. */
static inline void quartic_sizes_(const double *logs, double *sizes)
{
    double hull[5];
    for (int m = 0; m < 5; ++m) {
        hull[m] = logs[m];
        for (int i = 0; i < m; ++i) {
            for (int j = m + 1; j < 5; ++j) {
                const double chord = (logs[i]*(double)(j - m) + logs[j]*(double)(m - i))/(double)(j - i);
                hull[m] = chord > hull[m] ? chord : hull[m];
            }
        }
    }
    for (int m = 0; m < 4; ++m) {
        sizes[m] = hull[m] - hull[m + 1];
    }
}

/* Degree without the leading coefficients that are below the round-off of the others, at the roots without them or at
 * 1; a, lowest first, by logs. -1 if all are zero. */
static int quartic_degree_(const double *logs)
{
    int degree = 4;
    while (degree >= 0 && !(logs[degree] > -10000.0)) {
        --degree;
    }
    for (int d = 1; d < degree; ++d) {
        double reach = 0.0;
        double kept = -100000.0;
        double lost = -100000.0;
        for (int j = 0; j < d; ++j) {
            const double size = (logs[j] - logs[d])/(double)(d - j);
            reach = size > reach ? size : reach;
        }
        for (int j = 0; j <= degree; ++j) {
            const double weight = logs[j] + (double)j*reach;
            kept = j <= d && weight > kept ? weight : kept;
            lost = j > d && weight > lost ? weight : lost;
        }
        if (logs[d] > -10000.0 && lost < kept - 34.5) {
            return d;
        }
    }
    return degree;
}

/* The unit of x in which the middle roots are about 1, of a, lowest first. Above *degree, a becomes zero. */
static double quartic_unit_(double *a, int *degree)
{
    double logs[5];
    double sizes[4];
    double total = 0.0;
    int least = 5;
    for (int j = 4; j >= 0; --j) {
        total = total + a[j];
        logs[j] = a[j] != 0.0 ? log(fabs(a[j])) : -10000.0;
        least = a[j] != 0.0 ? j : least;
    }
    *degree = fabs(total) < 6.0 ? quartic_degree_(logs) : -1; /* -1: not a number, or all zero */
    for (int j = *degree + 1; j < 5; ++j) {
        a[j] = 0.0;
        logs[j] = -10000.0;
    }
    if (*degree <= least) {
        return 1.0;
    }
    quartic_sizes_(logs, sizes);
    const double small = sizes[(least + *degree - 1)/2];
    const double large = sizes[(least + *degree)/2];
    double size = 0.5*(small + large);
    if (60.0 <= large - small) {
        size = -small > large ? large : small;
    }
    return exp(size < -170.0 ? -170.0 : size > 170.0 ? 170.0 : size);
}

/* Newton's method on f[0] + f[1] x + ... + f[4] x^4, as long as the residual decreases. */
static inline double quartic_polish_(const double *f, double x)
{
    double left = (((f[4]*x + f[3])*x + f[2])*x + f[1])*x + f[0];
    for (int m = 0; m < 2; ++m) {
        const double x1 = x - left/(((4.0*f[4]*x + 3.0*f[3])*x + 2.0*f[2])*x + f[1]);
        const double left1 = (((f[4]*x1 + f[3])*x1 + f[2])*x1 + f[1])*x1 + f[0];
        if (!(fabs(left1) < fabs(left))) {
            break;
        }
        x = x1;
        left = left1;
    }
    return x;
}

/* The real roots of a[0] x^4 + a[1] x^3 + a[2] x^2 + a[3] x + a[4] = 0: 4 roots, ascending, and 4 defects. A
 * defect is 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With
 * x = unit*tan(t/2) the roots are angles t. */
static void quartic_(int n, double *a, double *roots)
{
    double b[5];
    double back[5];
    double top = 0.0;
    int degree;
    for (int j = 0; j < 5; ++j) {
        top = fabs(a[j]) > top ? fabs(a[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        b[j] = a[4 - j]/top;
    }
    const double unit = quartic_unit_(b, &degree);
    const double weights[5] = {1.0/unit/unit, 1.0/unit, 1.0, unit, unit*unit};
    top = 0.0;
    for (int j = 0; j < 5; ++j) {
        b[j] = b[j]*weights[j];
        top = fabs(b[j]) > top ? fabs(b[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        b[j] = b[j]/top;
        back[4 - j] = b[j];
    }
    const double twice = (b[0] + b[4] - b[2])/8.0;
    double k[5] = {(b[0] + b[4])/2.0 - twice, (b[0] - b[4])/2.0, (b[3] + b[1])/4.0, twice,
        (b[1] - b[3])/8.0};
    double angles[12];
    circle_(12, k, angles);
    double below[4]; /* |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect */
    double unsorted[8];
    double key[4];
    int place[4];
    for (int j = 0; j < 4; ++j) {
        const double s = angles[j];
        const double c = angles[j + 4];
        const double defect = angles[j + 8];
        const double beside = c < 0.0 ? s*s/(1.0 - c) : 1.0 + c;
        below[j] = defect*defect + 2.0*(1.0 - defect)*beside;
    }
    for (int j = 0; j < 4; ++j) {
        const double s = angles[j];
        const double c = angles[j + 4];
        const double defect = angles[j + 8];
        int nearer = 0; /* number of roots nearer to infinity, which a polynomial of lower degree lacks */
        for (int i = 0; i < 4; ++i) {
            nearer += below[i] < below[j] || (below[i] <= below[j] && i < j);
        }
        double x = 0.0;
        double imaginary = 0.0;
        if (defect > 0.0) {
            x = unit*2.0*(1.0 - defect)*s/below[j];
            imaginary = unit*defect*(2.0 - defect)/below[j];
        } else if (c < 0.0) { /* large roots are refined as 1/x, which cannot overflow */
            x = unit/quartic_polish_(back, s/(1.0 - c));
        } else {
            x = unit*quartic_polish_(b, s/(1.0 + c));
        }
        const double relative = imaginary/(1.0 + sqrt(x*x + imaginary*imaginary));
        const int real = nearer >= 4 - degree && relative <= 1.0 && fabs(x) < INFINITY;
        unsorted[j] = real ? x + 0.0 : 0.0;
        unsorted[j + 4] = real ? relative : 1.0;
        key[j] = real ? x : INFINITY;
    }
    circle_order_(key, place);
    for (int j = 0; j < 8; ++j) {
        roots[place[j % 4] + j/4*4] = unsorted[j];
    }
    (void)n;
}
