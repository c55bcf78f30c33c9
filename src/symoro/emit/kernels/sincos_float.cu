/* Sine and cosine without branches, accurate to 2e-7 while the sum of the squared angles does not exceed
 * SINCOS_LIMIT_: n*pi/2 is subtracted in two parts by fused operations, then polynomials on [-pi/4, pi/4] are
 * evaluated, and the last bits of n determine the quadrant. n is rounded by adding 1.5 * 2^23. */
#define SINCOS_LIMIT_ 1e9f

static __device__ __forceinline__ void sincos_(float x, float *s, float *c)
{
    const float turn = fmaf(x, 0.636619772f, 12582912.0f);
    const int quadrant = __float_as_int(turn);
    const float n = turn - 12582912.0f;
    const float y = fmaf(n, 4.37113900018624283e-8f, fmaf(n, -1.57079637050628662109f, x));
    const float z = y*y;
    const float p = fmaf(z, fmaf(z, -1.9515295891e-4f, 8.3321608736e-3f), -1.6666654611e-1f);
    const float q = fmaf(z, fmaf(z, 2.443315711809948e-5f, -1.388731625493765e-3f), 4.166664568298827e-2f);
    const float sine = fmaf(z*y, p, y);
    const float cosine = fmaf(z, fmaf(z, q, -0.5f), 1.0f);
    const float first = quadrant & 1 ? cosine : sine;
    const float second = quadrant & 1 ? sine : cosine;
    *s = quadrant & 2 ? -first : first;
    *c = (quadrant + 1) & 2 ? -second : second;
}
