/* A square root that cannot set errno: otherwise a loop over samples is not vectorised. */
#if defined(__GNUC__)
double sqrt(double) __attribute__((const));
#endif
