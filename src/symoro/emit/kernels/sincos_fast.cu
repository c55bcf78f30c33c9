/* Sine and cosine by the special function unit: absolute error below 5e-7 on [-pi, pi], larger beyond. */
static __device__ __forceinline__ void sincos_(float x, float *s, float *c)
{
    __sincosf(x, s, c);
}
