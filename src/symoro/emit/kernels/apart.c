/* The parts of a long function are in separate files and are visible only to each other. */
#if defined(__GNUC__)
#define PART_ __attribute__((visibility("hidden")))
#else
#define PART_
#endif
