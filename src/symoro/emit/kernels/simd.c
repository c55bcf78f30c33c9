/* The samples of a batch are independent: a compiler may process several at once. A function for whole blocks of
 * samples has no loop for a remainder, and the results of a sample do not depend on its place. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that calls the library is not vectorised */
#define SIMD_ _Pragma("clang loop vectorize(assume_safety)")
#if defined(__x86_64__) /* vectors on the stack are aligned */
#define BLOCKS_ static __attribute__((noinline, force_align_arg_pointer))
#else
#define BLOCKS_ static __attribute__((noinline))
#endif
#elif defined(__GNUC__)
#define SIMD_ _Pragma("GCC ivdep")
#define BLOCKS_ static __attribute__((noinline, noclone))
#else
#define SIMD_
#define BLOCKS_ static
#endif
