/* The following code must be computed in the written order. Compilers with permission to change it are instructed
 * not to (-funsafe-math-optimizations, -fassociative-math, -ffast-math); if they report this permission, LOOSE_
 * selects code that is not affected. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#define LOOSE_
#endif
#if defined(__clang__)
#if __clang_major__ >= 13
#pragma clang fp reassociate(off)
#else /* not reported and not controllable */
#undef LOOSE_
#define LOOSE_
#endif
#elif defined(__GNUC__) && (defined(LOOSE_) || __GNUC__ < 12) /* older ones do not report it */
#pragma GCC optimize("no-associative-math", "no-unsafe-math-optimizations")
#endif
