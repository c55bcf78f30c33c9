/* Four angles, passed as separate arguments to avoid a load from memory: s[0] to s[3] and c[0] to c[3]. Returns the
 * sum of the squares. */
/* -- float */
#ifdef LANES_
/* -- both */
static inline double sincos4_(double x1, double x2, double x3, double x4, double *s, double *c)
{
/* -- double */
#ifdef LANES_
/* -- both */
    const lanes_ x = {x1, x2, x3, x4};
    SINCOS_(lanes_, words_)
    __builtin_memcpy(s, &sine, sizeof sine);
    __builtin_memcpy(c, &cosine, sizeof cosine);
/* -- double */
#else
    const double x[4] = {x1, x2, x3, x4};
    for (int i = 0; i < 4; ++i) sincos_(x[i], s + i, c + i);
#endif
/* -- both */
    return x1*x1 + x2*x2 + x3*x3 + x4*x4;
}

/* -- float */
#endif
#if defined(LANES_) || defined(LIBRARY_)
/* -- both */
/* Angles beyond the limit, computed by the C library. */
RARE_ void sincos_far_(int n, const double *x, double *s, double *c)
{
    for (int i = 0; i < n; ++i) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
}
/* -- float */
#else
/* Short code for a processor without vectors. */
typedef struct { double turn, y, e; } turned_;

/* Reduce an angle beyond the limit by the method of Payne and Hanek: x = m 2^p, with an integer m, is multiplied by 96
 * bits of 2/pi, from the bit on whose product is less than a full turn. Of the result, turn, 2 bits are quarter turns
 * and 62 bits are their fraction, which is not 0, since x is not a multiple of pi/2. Of its product with pi/2, y
 * contains the first 24 bits, and e is minus the others. */
RARE_ turned_ sincos_reduced_(double x)
{
    static const uint32_t bits[7] = { /* of 2/pi, after 16 zeros */
        0x0000A2F9, 0x836E4E44, 0x1529FC27, 0x57D1F534, 0xDDC0DB62, 0x95993C43, 0x9041FE51};
    union { double r; uint32_t w; } angle;
    angle.r = x;
    const uint32_t m = (angle.w & 0x7FFFFF) | 0x800000;
    const uint32_t at = (angle.w >> 23 & 0xFF) - 136, shift = at & 31;
    const uint32_t *b = bits + (at >> 5);
    uint32_t word[3];
    for (int i = 0; i < 3; ++i) word[i] = b[i] << shift | b[i + 1] >> 1 >> (31 - shift);
    uint64_t turn = ((uint64_t)(m*word[0]) << 32) + (uint64_t)m*word[1] + ((uint64_t)m*word[2] >> 32);
    if (angle.w >> 31) turn = 0 - turn;
    angle.w = 0x4B400000 + (uint32_t)((turn + ((uint64_t)1 << 61)) >> 62); /* quarter turns, as in SINCOS_ */
    turn <<= 2;
    double unit = 4.65661287e-10f; /* 2^-31 */
    if (turn >> 63) {
        turn = 0 - turn;
        unit = -unit;
    }
    for (; !(turn >> 63); turn <<= 1) unit *= 0.5f;
    const uint32_t fixed = (uint32_t)((turn >> 32)*0xC90FDAA2 >> 32); /* pi/2 2^31 */
    const double y = (double)fixed;
    const double e = (double)(int32_t)((uint32_t)y - fixed);
    const turned_ result = {angle.r, y*unit, e*unit + (x - x)}; /* NaN if x is not finite */
    return result;
}

/* All angles, of any size: `sincos4_` leaves them to this function. */
SHORT_ void sincos_far_(int n, const double *x_, double *s, double *c)
{
    for (int i = 0; i < n; ++i) {
        const double x = x_[i];
        union { double r; uint32_t w; } turn, sine, cosine;
        turned_ reduced;
        if (x*x <= SINCOS_LIMIT_) {
            REDUCED_(double)
            reduced.turn = turn.r;
            reduced.y = y;
            reduced.e = e;
        } else {
            reduced = sincos_reduced_(x);
        }
        turn.r = reduced.turn;
        const double y = reduced.y, e = reduced.e;
        POLYNOMIALS_(double, uint32_t)
        s[i] = sine.r;
        c[i] = cosine.r;
    }
}
#endif
#ifndef LANES_
static inline double sincos4_(double x1, double x2, double x3, double x4, double *s, double *c)
{
    (void)x1, (void)x2, (void)x3, (void)x4, (void)s, (void)c;
    return 2*SINCOS_LIMIT_;
}
#endif
/* -- both */
