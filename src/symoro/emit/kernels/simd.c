/* The samples of a batch do not depend on each other: a compiler may take several at once. */
#if defined(__clang__)
#define SIMD_ _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SIMD_ _Pragma("GCC ivdep")
#else
#define SIMD_
#endif
