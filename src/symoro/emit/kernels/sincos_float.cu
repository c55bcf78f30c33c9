/* Sine and cosine without branches, accurate to 2e-7 while the sum of the squared angles does not exceed
 * SINCOS_LIMIT_: n*pi is subtracted in two parts by fused operations, then polynomials on [-pi/2, pi/2] are evaluated
 * (greatest deviation 6e-8), and both change their sign if n is odd. n is rounded by adding 1.5 * 2^23. */
#define SINCOS_LIMIT_ 1e9f

static __device__ __forceinline__ void sincos_(float x, float *s, float *c)
{
    const float turn = fmaf(x, 0.318309886f, 12582912.0f);
    const float n = turn - 12582912.0f;
    const float y = fmaf(n, 8.74227766e-8f, fmaf(n, -3.14159274f, x));
    const float z = y*y;
    float p = fmaf(z, 2.59891135e-6f, -1.98060457e-4f);
    p = fmaf(z, p, 8.33300874e-3f);
    p = fmaf(z, p, -1.66666567e-1f);
    float q = fmaf(z, 2.31890335e-5f, -1.38557085e-3f);
    q = fmaf(z, q, 4.16639633e-2f);
    q = fmaf(z, q, -4.99999315e-1f);
    const int odd = __float_as_int(turn) << 31;
    const float signed_y = __int_as_float(__float_as_int(y) ^ odd);
    *s = fmaf(z*signed_y, p, signed_y);
    *c = __int_as_float(__float_as_int(fmaf(z, q, 1.0f)) ^ odd);
}
