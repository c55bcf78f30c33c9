/* The samples of a batch are independent: a compiler may process several at once. */
#if defined(__clang__)
#define SIMD_ _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SIMD_ _Pragma("GCC ivdep")
#else
#define SIMD_
#endif
