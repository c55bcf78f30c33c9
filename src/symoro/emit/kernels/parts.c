/* A function that is too long for a compiler is cut into parts, which stay apart; kept_ holds what later ones need. */
#ifndef PART_
#if defined(__GNUC__)
#define PART_ static __attribute__((noinline))
#else
#define PART_ static
#endif
#endif
