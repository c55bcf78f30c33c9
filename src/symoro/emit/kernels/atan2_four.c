/* Four angles, a[0] to a[3]. Returns whether a point is beyond the limit. */
/* -- double */
static inline int atan2x4_(double y1, double y2, double y3, double y4, double x1, double x2, double x3, double x4,
                           double *a)
/* -- float */
SHORT_ int atan2x4_(double y1, double y2, double y3, double y4, double x1, double x2, double x3, double x4,
                    double *a)
/* -- both */
{
#ifdef LANES_
    const lanes_ y = {y1, y2, y3, y4}, x = {x1, x2, x3, x4};
    ATAN2_(lanes_, words_, ATAN2_MASKS_)
    __builtin_memcpy(a, &angle, sizeof angle);
    const words_ far = ATAN2_MASKS_(ay.r + ax.r > ATAN2_LIMIT_);
    return (far[0] | far[1] | far[2] | far[3]) != 0;
#else
    const double y[4] = {y1, y2, y3, y4}, x[4] = {x1, x2, x3, x4};
    int far = 0;
    for (int i = 0; i < 4; ++i) {
        a[i] = atan2_(y[i], x[i]);
        far |= fabs(y[i]) + fabs(x[i]) > ATAN2_LIMIT_;
    }
    return far;
#endif
}

/* Points beyond the limit, computed by the C library. */
RARE_ void atan2_far_(int n, const double *y, const double *x, double *a)
{
    for (int i = 0; i < n; ++i) a[i] = atan2(y[i], x[i]);
}
