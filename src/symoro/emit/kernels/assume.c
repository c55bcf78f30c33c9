/* A condition that always holds, from which a compiler may conclude. */
#if defined(__GNUC__)
#define ASSUME_(condition) if (!(condition)) __builtin_unreachable()
#else
#define ASSUME_(condition)
#endif
