/* Sine and cosine without branches, accurate to 2e-16 while the sum of the squared angles does not exceed
 * SINCOS_LIMIT_: n*pi/2 is subtracted in two parts by fused operations, then the polynomials of fdlibm on [-pi/4, pi/4]
 * are evaluated, and the last bits of n determine the quadrant. n is rounded by adding 1.5 * 2^52. */
#define SINCOS_LIMIT_ 1e10

static __device__ __forceinline__ void sincos_(double x, double *s, double *c)
{
    const double turn = fma(x, 0.63661977236758134308, 6755399441055744.0);
    const int quadrant = __double2loint(turn);
    const double n = turn - 6755399441055744.0;
    const double y = fma(n, -6.12323399573676603587e-17, fma(n, -1.57079632679489661923, x));
    const double z = y*y;
    double p = fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08);
    p = fma(z, p, 2.75573137070700676789e-06);
    p = fma(z, p, -1.98412698298579493134e-04);
    p = fma(z, p, 8.33333333332248946124e-03);
    p = fma(z, p, -1.66666666666666324348e-01);
    double q = fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09);
    q = fma(z, q, -2.75573143513906633035e-07);
    q = fma(z, q, 2.48015872894767294178e-05);
    q = fma(z, q, -1.38888888888741095749e-03);
    q = fma(z, q, 4.16666666666666019037e-02);
    q = fma(z, q, -0.5);
    const double sine = fma(z*y, p, y);
    const double cosine = fma(z, q, 1.0);
    const double first = quadrant & 1 ? cosine : sine;
    const double second = quadrant & 1 ? sine : cosine;
    *s = quadrant & 2 ? -first : first;
    *c = (quadrant + 1) & 2 ? -second : second;
}
