/* -- double */
/* Four numbers at once, if the compiler supports vectors. The polynomials below require double arithmetic in the
 * written order; otherwise LIBRARY_ selects the C library. */
/* -- float */
/* Four numbers at once, if the compiler supports vectors. The polynomials below require arithmetic in the written
 * order and at most in double; otherwise LIBRARY_ selects the C library. */
/* -- both */
#if defined(LOOSE_) || (defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2))
#define LIBRARY_
#elif defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__) || defined(__VSX__))
#define LANES_
/* -- double */
typedef double lanes_ __attribute__((vector_size(32)));
typedef unsigned long long words_ __attribute__((vector_size(32)));
/* -- float */
typedef float lanes_ __attribute__((vector_size(16)));
typedef uint32_t words_ __attribute__((vector_size(16)));
/* -- both */
#endif
#if defined(__GNUC__) /* a loop that contains a call is not vectorised */
#define INLINE_ static inline __attribute__((always_inline, unused))
#define RARE_ static __attribute__((noinline, cold))
#else
#define INLINE_ static inline
#define RARE_ static
#endif
/* -- float */
#if defined(LANES_) || !defined(__GNUC__)
#define SHORT_ static inline
#else /* short code on a processor without vectors */
#define SHORT_ static __attribute__((noinline))
#endif
