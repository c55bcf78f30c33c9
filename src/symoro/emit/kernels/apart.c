/* The parts of a long function are in files of their own: seen from each other, and from nowhere else. */
#if defined(__GNUC__)
#define PART_ __attribute__((visibility("hidden")))
#else
#define PART_
#endif
