/* Sines and cosines without branches, so that several angles are processed at once, accurate to one unit in the last
/* -- double */
 * place while the sum of the squared angles does not exceed SINCOS_LIMIT_: n*pi/2 is subtracted in three parts, the
 * first two without error; then the polynomials of fdlibm on [-pi/4, pi/4] are evaluated, and the last bits of n
 * determine the quadrant. n is rounded by adding 1.5 * 2^52. */
#define SINCOS_LIMIT_ 1e10
/* -- float */
 * place while the sum of the squared angles does not exceed SINCOS_LIMIT_: n*pi/2 is subtracted in four parts, the
 * first three without error; then the polynomials of Cephes on [-pi/4, pi/4] are evaluated, and the last bits of n
 * determine the quadrant. n is rounded by adding 1.5 * 2^23. */
#define SINCOS_LIMIT_ 1e7f
/* -- both */

#ifdef LIBRARY_
#define SINCOS_(real, word) \
    union { real r; word w; } sine, cosine; \
    sine.r = sin(x); \
    cosine.r = cos(x);
#else
#define SINCOS_(real, word) \
    union { real r; word w; } turn, sine, cosine; \
    REDUCED_(real) \
    POLYNOMIALS_(real, word)
#define REDUCED_(real) \
/* -- double */
    turn.r = x*0.63661977236758134308 + 6755399441055744.0; \
    const real n = turn.r - 6755399441055744.0; \
    const real a = x - n*1.57079632673412561417e+00; \
    const real b = n*6.07710050630396597660e-11; \
    const real y = a - b; \
    const real e = n*2.02226624879595063154e-21 - ((a - y) - b); /* rounding error of y */
/* -- float */
    turn.r = x*0.636619772f + 12582912.0f; \
    const real n = turn.r - 12582912.0f; \
    const real a = (x - n*1.570556640625f) - n*2.39670277e-04f; \
    const real b = n*1.58906914e-08f; \
    const real y = a - b; \
    const real e = n*2.56334407e-12f - ((a - y) - b); /* rounding error of y */
/* -- both */
#define POLYNOMIALS_(real, word) \
    const real z = y*y; \
    const real zz = z*z; \
/* -- double */
    const real h = 0.5*z; \
    const real u = 1.0 - h; \
    const real p = (8.33333333332248946124e-03 + z*-1.98412698298579493134e-04) \
        + zz*((2.75573137070700676789e-06 + z*-2.50507602534068634195e-08) + zz*1.58969099521155010221e-10); \
    const real q = (4.16666666666666019037e-02 + z*-1.38888888888741095749e-03) \
        + zz*((2.48015872894767294178e-05 + z*-2.75573143513906633035e-07) \
        + zz*(2.08757232129817482790e-09 + z*-1.13596475577881948265e-11)); \
    sine.r = y - ((z*y)*(1.66666666666666324348e-01 - z*p) + u*e); \
/* -- float */
    const real h = 0.5f*z; \
    const real u = 1.0f - h; \
    const real p = 8.33216087e-03f + z*-1.95152959e-04f; \
    const real q = (4.16666457e-02f + z*-1.38873163e-03f) + zz*2.44331571e-05f; \
    sine.r = y - ((z*y)*(1.66666546e-01f - z*p) + u*e); \
/* -- both */
    cosine.r = u + (zz*q + (((1.0 - u) - h) + y*e)); \
    const word swap = (sine.w ^ cosine.w) & (0 - (turn.w & 1)); \
/* -- double */
    sine.w ^= swap ^ ((turn.w & 2) << 62); \
    cosine.w ^= swap ^ (((turn.w + 1) & 2) << 62);
/* -- float */
    sine.w ^= swap ^ ((turn.w & 2) << 30); \
    cosine.w ^= swap ^ (((turn.w + 1) & 2) << 30);
/* -- both */
#endif

INLINE_ void sincos_(double x, double *s, double *c)
{
    SINCOS_(double, unsigned long long)
    *s = sine.r;
    *c = cosine.r;
}
