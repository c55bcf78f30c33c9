/* Four angles, passed as separate arguments to avoid a load from memory: s[0] to s[3] and c[0] to c[3]. Returns the
 * sum of the squares. */
/* -- double */
static inline double sincos4_(double x1, double x2, double x3, double x4, double *s, double *c)
/* -- float */
FOUR_ double sincos4_(double x1, double x2, double x3, double x4, double *s, double *c)
/* -- both */
{
#ifdef LANES_
    const lanes_ x = {x1, x2, x3, x4};
    SINCOS_(lanes_, words_)
    __builtin_memcpy(s, &sine, sizeof sine);
    __builtin_memcpy(c, &cosine, sizeof cosine);
#else
    const double x[4] = {x1, x2, x3, x4};
    for (int i = 0; i < 4; ++i) sincos_(x[i], s + i, c + i);
#endif
    return x1*x1 + x2*x2 + x3*x3 + x4*x4;
}

/* Angles beyond the limit, computed by the C library. */
RARE_ void sincos_far_(int n, const double *x, double *s, double *c)
{
    for (int i = 0; i < n; ++i) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
}
