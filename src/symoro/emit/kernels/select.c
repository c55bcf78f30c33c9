/* Choices without branches, which would keep a loop over samples from being vectorised. */
#ifndef INLINE_
#if defined(__GNUC__)
#define INLINE_ static inline __attribute__((always_inline, unused))
#else
#define INLINE_ static inline
#endif
#endif

INLINE_ double select_(int condition, double a, double b)
{
    union { double r; unsigned long long w; } x, y;
    const unsigned long long mask = 0 - (unsigned long long)condition;
    x.r = a;
    y.r = b;
    x.w = (x.w & mask) | (y.w & ~mask);
    return x.r;
}

INLINE_ double sign_(double x)
{
    return select_(x > 0, 1.0, select_(x < 0, -1.0, 0.0));
}

INLINE_ double min_(double a, double b)
{
    return select_(b < a, b, a);
}

INLINE_ double max_(double a, double b)
{
    return select_(b > a, b, a);
}
