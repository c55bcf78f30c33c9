/* polynomials: roots of polynomials
 *
 * Inputs
 *   a (5): a1 a2 a3 a4 a5
 *   k (5): k1 k2 k3 k4 k5
 * Outputs
 *   x (8)
 *   t (12)
 *   pair (8)
 *   none (12)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by polynomials_setup
 *   k_2 (1): m
 *
 * Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
 * Made by symoro VERSION
 */
#include "polynomials.h"

#include <math.h>

/* k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative. */
static __device__ inline double circle_left_(const double *k, double s, double c, double *slope)
{
    const double c2 = (c - s)*(c + s);
    const double s2 = 2.0*s*c;
    *slope = k[2]*c - k[1]*s + 2.0*(k[4]*c2 - k[3]*s2);
    return k[0] + k[1]*c + k[2]*s + k[3]*c2 + k[4]*s2;
}

/* The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative. */
static __device__ inline double circle_resolvent_(double p, double q, double r)
{
    const double big = (p*p + 12.0*r)/9.0;
    const double odd = p*(4.0*r/3.0 - p*p/27.0) - q*q/2.0;
    const double cube = big*big*big;
    const double rest = odd*odd - cube;
    double z = 0.0;
    if (rest < 0.0) {
        const double ratio = odd/sqrt(cube);
        const double angle = acos(ratio < -1.0 ? -1.0 : ratio > 1.0 ? 1.0 : ratio);
        z = -2.0*sqrt(big)*cos((angle + 6.283185307179586)/3.0);
    } else {
        const double root = cbrt(fabs(odd) + sqrt(rest));
        z = root > 0.0 ? root + big/root : 0.0;
        z = odd > 0.0 ? -z : z;
    }
    z = z - 2.0*p/3.0;
    return z < 0.0 ? 0.0 : z;
}

/* Positions of four keys in ascending order. */
static __device__ inline void circle_order_(const double *key, int *place)
{
    for (int j = 0; j < 4; ++j) {
        place[j] = j;
    }
    for (int j = 1; j < 4; ++j) {
        for (int i = 0; i < j; ++i) {
            const int later = key[j] < key[i];
            place[i] += later;
            place[j] -= later;
        }
    }
}

/* The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A
 * defect is 0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With x = tan(u/2), t = u +
 * turn, the equation is a quartic whose leading coefficient is the largest of eight values of the left side; Ferrari's
 * method splits it into two quadratics; finally Newton's method is applied to the equation itself. k is overwritten. */
static __device__ __noinline__ void circle_(int n, double *k, double *slots)
{
    static const double cosines[4] = {-1.0, -0.7071067811865476, 0.0, 0.7071067811865476};
    static const double sines[4] = {0.0, -0.7071067811865476, -1.0, -0.7071067811865476};
    static const double doubled[5] = {1.0, 0.0, -1.0, 0.0, 1.0};
    double top = 0.0;
    for (int j = 0; j < 5; ++j) {
        top = fabs(k[j]) > top ? fabs(k[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        k[j] = k[j]/top;
    }
    int at = 0;
    double largest = 0.0;
    for (int j = 0; j < 4; ++j) {
        const double even = k[0] + doubled[j]*k[3] - doubled[j + 1]*k[4];
        const double value = fabs(even) + fabs(cosines[j]*k[1] + sines[j]*k[2]);
        if (value > largest) {
            largest = value;
            at = j;
        }
    }
    const double c2 = doubled[at];
    const double s2 = -doubled[at + 1];
    const double g = k[3]*c2 + k[4]*s2;
    const double h = k[4]*c2 - k[3]*s2;
    const double side = (k[0] + g)*(cosines[at]*k[1] + sines[at]*k[2]) > 0.0 ? -1.0 : 1.0;
    const double ct = side*cosines[at];
    const double st = side*sines[at];
    const double a = k[1]*ct + k[2]*st;
    const double b = k[2]*ct - k[1]*st;
    const double scale = 1.0/(k[0] - a + g);
    const double a2 = scale*(2.0*k[0] - 6.0*g);
    const double a1 = scale*(2.0*b + 4.0*h);
    const double a0 = scale*(k[0] + a + g);
    /* y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), the larger one of v and w2 - w1 is a
     * square root, the other one is q divided by it. */
    const double e = scale*(0.5*b - h);
    const double p = a2 - 6.0*e*e;
    const double q = a1 - 2.0*e*(a2 - 4.0*e*e);
    const double r = a0 - e*(a1 - e*(a2 - 3.0*e*e));
    const double z = circle_resolvent_(p, q, r);
    const double gap = (p + z)*(p + z) - 4.0*r;
    double v = 0.0;
    double difference = 0.0;
    if (gap <= z*z) {
        v = sqrt(z);
        difference = v > 0.0 ? q/v : 0.0;
    } else {
        difference = q < 0.0 ? -sqrt(gap) : sqrt(gap);
        v = q/difference;
    }
    double unsorted[12];
    double key[4];
    int place[4];
    for (int j = 0; j < 4; ++j) {
        const double sign = j % 2 == 0 ? -0.5 : 0.5;
        const double inside = v*v/4.0 - 0.5*(p + z) - sign*difference;
        const double reach = sqrt(fabs(inside));
        double x = sign*v - e;
        double s = 0.0;
        double c = 1.0;
        double defect = 0.0;
        if (inside < 0.0) {
            /* exp(iu) = (1 + i(x + iy))/(1 - i(x + iy)), y = reach */
            const double squared = 4.0*reach/((1.0 + reach)*(1.0 + reach) + x*x);
            const double su = 2.0*x;
            const double cu = 1.0 - x*x - reach*reach;
            const double shrink = 1.0/sqrt(su*su + cu*cu);
            defect = squared/(1.0 + sqrt(1.0 - squared));
            s = (su*ct + cu*st)*shrink;
            c = (cu*ct - su*st)*shrink;
        } else {
            x = j < 2 ? x - reach : x + reach;
            const double shrink = 1.0/(1.0 + x*x);
            const double su = 2.0*x*shrink;
            const double cu = (1.0 - x*x)*shrink;
            s = su*ct + cu*st;
            c = cu*ct - su*st;
            double slope;
            double left = circle_left_(k, s, c, &slope);
            for (int m = 0; m < 2 && fabs(left) > 1e-16; ++m) {
                const double step = -left/slope;
                const double cosine = 1.0/sqrt(1.0 + step*step);
                const double s1 = (s + c*step)*cosine;
                const double c1 = (c - s*step)*cosine;
                const double left1 = circle_left_(k, s1, c1, &slope);
                if (!(fabs(left1) < fabs(left))) {
                    break;
                }
                s = s1;
                c = c1;
                left = left1;
            }
        }
        if (defect < 0.999999 && s*s + c*c > 0.5) {
            s = c < 0.0 && fabs(s) < 1e-15 ? 0.0 : s; /* pi must not become -pi because of round-off */
            const double d = s/(fabs(s) + fabs(c));
            key[j] = 0.0 <= c ? d : 0.0 <= s ? 2.0 - d : -2.0 - d;
        } else {
            s = 0.0;
            c = 1.0;
            defect = 1.0;
            key[j] = 3.0;
        }
        unsorted[j] = s;
        unsorted[j + 4] = c;
        unsorted[j + 8] = defect;
    }
    circle_order_(key, place);
    for (int j = 0; j < 12; ++j) {
        slots[place[j % 4] + j/4*4] = unsorted[j];
    }
    (void)n;
}

/* Logarithms of the magnitudes of the roots, ascending, from the Newton polygon of the coefficients' logarithms. */
static __device__ inline void quartic_sizes_(const double *logs, double *sizes)
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
static __device__ __noinline__ int quartic_degree_(const double *logs)
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
static __device__ __noinline__ double quartic_unit_(double *a, int *degree)
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
static __device__ inline double quartic_polish_(const double *f, double x)
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
static __device__ __noinline__ void quartic_(int n, double *a, double *roots)
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

struct polynomials_constants {
    double k_2[1];
};

extern "C" __global__ void __launch_bounds__(128) polynomials_kernel(int n, const double *__restrict__ a,
    long long a_sample_, long long a_entry_, const double *__restrict__ k, long long k_sample_,
    long long k_entry_, double *__restrict__ x, long long x_sample_, long long x_entry_,
    double *__restrict__ t, long long t_sample_, long long t_entry_, double *__restrict__ pair,
    long long pair_sample_, long long pair_entry_, double *__restrict__ none, long long none_sample_,
    long long none_entry_, const polynomials_constants constants_)
{
    const int i = blockIdx.x*128 + threadIdx.x;
    if (i >= n) return;
    const double *const k_2 = constants_.k_2;
    a += i*a_sample_;
    k += i*k_sample_;
    x += i*x_sample_;
    t += i*t_sample_;
    pair += i*pair_sample_;
    none += i*none_sample_;
    const double a1 = a[0];
    const double a2 = a[1];
    const double a3 = a[2];
    const double a4 = a[3];
    const double a5 = a[4];
    const double k1 = k[0];
    const double k2 = k[1];
    const double k3 = k[2];
    const double k4 = k[3];
    const double k5 = k[4];
    const double m = k_2[0];
    double quartic1_1[5] = {a1 + m, a2, -a3, a4, a5};
    double quartic1[8];
    quartic_(8, quartic1_1, quartic1);
    double circle2_1[5] = {0.25*k1, k2, k3 + m, -k4, k5};
    double circle2[12];
    circle_(12, circle2_1, circle2);
    double quartic3_1[5] = {0.0, 0.0, 1.0, k1, quartic1[4] - 3.0};
    double quartic3[8];
    quartic_(8, quartic3_1, quartic3);
    double circle4_1[5] = {m, 0.0, 0.0, 0.0, 0.0};
    double circle4[12];
    circle_(12, circle4_1, circle4);
    x[0] = quartic1[0];
    x[1] = quartic1[1];
    x[2] = quartic1[2];
    x[3] = quartic1[3];
    x[4] = quartic1[4];
    x[5] = quartic1[5];
    x[6] = quartic1[6];
    x[7] = quartic1[7];
    t[0] = circle2[0];
    t[1] = circle2[1];
    t[2] = circle2[2];
    t[3] = circle2[3];
    t[4] = circle2[4];
    t[5] = circle2[5];
    t[6] = circle2[6];
    t[7] = circle2[7];
    t[8] = circle2[8];
    t[9] = circle2[9];
    t[10] = circle2[10];
    t[11] = circle2[11];
    pair[0] = quartic3[0];
    pair[1] = quartic3[1];
    pair[2] = quartic3[2];
    pair[3] = quartic3[3];
    pair[4] = quartic3[4];
    pair[5] = quartic3[5];
    pair[6] = quartic3[6];
    pair[7] = quartic3[7];
    none[0] = circle4[0];
    none[1] = circle4[1];
    none[2] = circle4[2];
    none[3] = circle4[3];
    none[4] = circle4[4];
    none[5] = circle4[5];
    none[6] = circle4[6];
    none[7] = circle4[7];
    none[8] = circle4[8];
    none[9] = circle4[9];
    none[10] = circle4[10];
    none[11] = circle4[11];
}

extern "C" void polynomials_setup(const double *p, double *k_2)
{
    const double m = p[0];
    k_2[0] = m;
}

extern "C" cudaError_t polynomials_launch(int n, const double *a, const double *k, const double *k_2, double *x,
    double *t, double *pair, double *none, cudaStream_t stream)
{
    if (n <= 0) return cudaSuccess;
    polynomials_constants constants_;
    for (int e_ = 0; e_ < 1; ++e_) constants_.k_2[e_] = k_2[e_];
    const int blocks_ = n/128 + (n % 128 != 0);
    polynomials_kernel<<<blocks_, 128, 0, stream>>>(n, a, 5, 1, k, 5, 1, x, 8, 1, t, 12, 1, pair, 8, 1, none,
        12, 1, constants_);
    return cudaGetLastError();
}
