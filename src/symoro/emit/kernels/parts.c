/* A function that is too long for a compiler is divided into parts, which are not inlined; kept_ contains the values
 * that later parts need. */
#ifndef PART_
#if defined(__GNUC__)
#define PART_ static __attribute__((noinline))
#else
#define PART_ static
#endif
#endif
