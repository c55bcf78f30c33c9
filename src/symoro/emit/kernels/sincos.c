/* Sine and cosine of one angle, without branches, so that a loop over angles is vectorised. To one unit in the last
 * place for |x| up to SINCOS_LIMIT_: n*pi/2 is taken off in three steps, exact or compensated; then the polynomials of
 * fdlibm on [-pi/4, pi/4]. Rounding is by adding 1.5 * 2^52, which needs doubles to be computed as doubles. */
#define SINCOS_LIMIT_ 1e6

static inline void sincos_(double x, double *s, double *c)
{
#if (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 2) || defined(__FAST_MATH__)
    *s = sin(x);
    *c = cos(x);
#else
    const double shift = 6755399441055744.0;
    const double n = (x*0.63661977236758134308 + shift) - shift;
    const double a = x - n*1.57079632673412561417e+00;
    const double w = n*6.07710050630396597660e-11;
    const double b = a - w;
    const double t = n*2.02226624879595063154e-21 - ((a - b) - w);
    const double y = b - t;
    const double e = (b - y) - t;
    const double z = y*y;
    const double v = z*y;
    const double rs = 8.33333333332248946124e-03 + z*(-1.98412698298579493134e-04
        + z*(2.75573137070700676789e-06 + z*(-2.50507602534068634195e-08 + z*1.58969099521155010221e-10)));
    const double sine = y - ((z*(0.5*e - v*rs) - e) + v*1.66666666666666324348e-01);
    const double rc = z*(4.16666666666666019037e-02 + z*(-1.38888888888741095749e-03
        + z*(2.48015872894767294178e-05 + z*(-2.75573143513906633035e-07
        + z*(2.08757232129817482790e-09 + z*-1.13596475577881948265e-11)))));
    const double h = 0.5*z;
    const double u = 1.0 - h;
    const double cosine = u + (((1.0 - u) - h) + (z*rc - y*e));
    const double quarter = n - 4.0*(((n*0.25 - 0.375) + shift) - shift); /* n modulo 4 */
    const double odd = n - 2.0*(((n*0.5 - 0.25) + shift) - shift); /* n modulo 2 */
    const double first = odd > 0.5 ? cosine : sine;
    const double second = odd > 0.5 ? sine : cosine;
    *s = quarter > 1.5 ? -first : first;
    *c = fabs(quarter - 1.5) < 1.0 ? -second : second;
#endif
}
