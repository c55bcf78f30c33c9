// Logarithms of the sizes of the roots, ascending, by the Newton polygon of the coefficients' logarithms.
template <class Scalar>
inline void quartic_sizes(const Scalar* logs, Scalar* sizes)
{
    Scalar hull[5];
    for (int m = 0; m < 5; ++m) {
        hull[m] = logs[m];
        for (int i = 0; i < m; ++i) {
            for (int j = m + 1; j < 5; ++j) {
                const Scalar chord = (logs[i]*Scalar(j - m) + logs[j]*Scalar(m - i))/Scalar(j - i);
                hull[m] = chord > hull[m] ? chord : hull[m];
            }
        }
    }
    for (int m = 0; m < 4; ++m) {
        sizes[m] = hull[m] - hull[m + 1];
    }
}

// The degree without the leading coefficients that are lost in the round-off of the others, at the roots without them
// or at 1; a, lowest first, by logs. -1 where all are zero.
template <class Scalar>
inline int quartic_degree(const Scalar* logs)
{
    int degree = 4;
    while (degree >= 0 && !(logs[degree] > -Scalar(10000))) {
        --degree;
    }
    for (int d = 1; d < degree; ++d) {
        Scalar reach = Scalar(0);
        Scalar kept = -Scalar(100000);
        Scalar lost = -Scalar(100000);
        for (int j = 0; j < d; ++j) {
            const Scalar size = (logs[j] - logs[d])/Scalar(d - j);
            reach = size > reach ? size : reach;
        }
        for (int j = 0; j <= degree; ++j) {
            const Scalar weight = logs[j] + Scalar(j)*reach;
            kept = j <= d && weight > kept ? weight : kept;
            lost = j > d && weight > lost ? weight : lost;
        }
        if (logs[d] > -Scalar(10000) && lost < kept - Scalar(34.5)) {
            return d;
        }
    }
    return degree;
}

// The unit of x in which the middle roots are about 1, of a, lowest first. Above *degree, a becomes zero.
template <class Scalar>
inline Scalar quartic_unit(Scalar* a, int* degree)
{
    using std::abs;
    using std::exp;
    using std::log;
    Scalar logs[5];
    Scalar sizes[4];
    Scalar total = Scalar(0);
    int least = 5;
    for (int j = 4; j >= 0; --j) {
        total = total + a[j];
        logs[j] = a[j] != Scalar(0) ? log(abs(a[j])) : -Scalar(10000);
        least = a[j] != Scalar(0) ? j : least;
    }
    *degree = abs(total) < Scalar(6) ? quartic_degree(logs) : -1; // -1: not a number, or all zero
    for (int j = *degree + 1; j < 5; ++j) {
        a[j] = Scalar(0);
        logs[j] = -Scalar(10000);
    }
    if (*degree <= least) {
        return Scalar(1);
    }
    quartic_sizes(logs, sizes);
    const Scalar small = sizes[(least + *degree - 1)/2];
    const Scalar large = sizes[(least + *degree)/2];
    Scalar size = Scalar(0.5)*(small + large);
    if (Scalar(60) <= large - small) {
        size = -small > large ? large : small;
    }
    return exp(size < -Scalar(170) ? -Scalar(170) : size > Scalar(170) ? Scalar(170) : size);
}

// Newton's method on f[0] + f[1] x + ... + f[4] x^4, as long as it gets nearer to zero.
template <class Scalar>
inline Scalar quartic_polish(const Scalar* f, Scalar x)
{
    using std::abs;
    Scalar left = (((f[4]*x + f[3])*x + f[2])*x + f[1])*x + f[0];
    for (int m = 0; m < 2; ++m) {
        const Scalar x1 = x - left/(((Scalar(4)*f[4]*x + Scalar(3)*f[3])*x + Scalar(2)*f[2])*x + f[1]);
        const Scalar left1 = (((f[4]*x1 + f[3])*x1 + f[2])*x1 + f[1])*x1 + f[0];
        if (!(abs(left1) < abs(left))) {
            break;
        }
        x = x1;
        left = left1;
    }
    return x;
}

// The real roots of a[0] x^4 + a[1] x^3 + a[2] x^2 + a[3] x + a[4] = 0: 4 roots, ascending, and 4 defects. A
// defect is 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With
// x = unit*tan(t/2) the roots are angles t.
template <class Scalar>
inline void quartic(int, Scalar* a, Scalar* roots)
{
    using std::abs;
    using std::sqrt;
    using std::exp;
    Scalar b[5];
    Scalar back[5];
    Scalar top = Scalar(0);
    int degree;
    for (int j = 0; j < 5; ++j) {
        top = abs(a[j]) > top ? abs(a[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        b[j] = a[4 - j]/top;
    }
    const Scalar unit = quartic_unit(b, &degree);
    const Scalar weights[5] = {Scalar(1)/unit/unit, Scalar(1)/unit, Scalar(1), unit, unit*unit};
    top = Scalar(0);
    for (int j = 0; j < 5; ++j) {
        b[j] = b[j]*weights[j];
        top = abs(b[j]) > top ? abs(b[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        b[j] = b[j]/top;
        back[4 - j] = b[j];
    }
    const Scalar twice = (b[0] + b[4] - b[2])/Scalar(8);
    Scalar k[5] = {(b[0] + b[4])/Scalar(2) - twice, (b[0] - b[4])/Scalar(2), (b[3] + b[1])/Scalar(4), twice,
        (b[1] - b[3])/Scalar(8)};
    Scalar angles[12];
    circle(12, k, angles);
    Scalar below[4]; // |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect
    Scalar found[8];
    Scalar key[4];
    int place[4];
    for (int j = 0; j < 4; ++j) {
        const Scalar s = angles[j];
        const Scalar c = angles[j + 4];
        const Scalar defect = angles[j + 8];
        const Scalar beside = c < Scalar(0) ? s*s/(Scalar(1) - c) : Scalar(1) + c;
        below[j] = defect*defect + Scalar(2)*(Scalar(1) - defect)*beside;
    }
    for (int j = 0; j < 4; ++j) {
        const Scalar s = angles[j];
        const Scalar c = angles[j + 4];
        const Scalar defect = angles[j + 8];
        int nearer = 0; // how many roots are nearer to infinity: those that a lower degree lacks
        for (int i = 0; i < 4; ++i) {
            nearer += below[i] < below[j] || (below[i] <= below[j] && i < j);
        }
        Scalar x = Scalar(0);
        Scalar imaginary = Scalar(0);
        if (defect > Scalar(0)) {
            x = unit*Scalar(2)*(Scalar(1) - defect)*s/below[j];
            imaginary = unit*defect*(Scalar(2) - defect)/below[j];
        } else if (c < Scalar(0)) { // large roots are polished as 1/x, which cannot overflow
            x = unit/quartic_polish(back, s/(Scalar(1) - c));
        } else {
            x = unit*quartic_polish(b, s/(Scalar(1) + c));
        }
        const Scalar relative = imaginary/(Scalar(1) + sqrt(x*x + imaginary*imaginary));
        const int real = nearer >= 4 - degree && relative <= Scalar(1) && abs(x) < Scalar(HUGE_VAL);
        found[j] = real ? x + Scalar(0) : Scalar(0);
        found[j + 4] = real ? relative : Scalar(1);
        key[j] = real ? x : Scalar(HUGE_VAL);
    }
    circle_order(key, place);
    for (int j = 0; j < 8; ++j) {
        roots[place[j % 4] + j/4*4] = found[j];
    }
}
