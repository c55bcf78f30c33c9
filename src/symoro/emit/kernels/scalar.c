/* Without comparisons of vectors of integers samples are processed one by one, four arctangents at a time. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__) && !defined(__SSE4_2__)
#define SCALAR_
#endif
