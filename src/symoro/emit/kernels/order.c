/* What follows is meant in the order in which it is written. Compilers that are allowed to change it are told not to
 * (-funsafe-math-optimizations, -fassociative-math, -ffast-math); where they say so, LOOSE_ keeps to what bears it. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#define LOOSE_
#endif
#if defined(__clang__)
#if __clang_major__ >= 13
#pragma clang fp reassociate(off)
#else /* does not say, and cannot be told */
#undef LOOSE_
#define LOOSE_
#endif
#elif defined(__GNUC__) && (defined(LOOSE_) || __GNUC__ < 12) /* older ones do not say */
#pragma GCC optimize("no-associative-math", "no-unsafe-math-optimizations")
#endif
