/* -- double */
/* Angles of points without branches, so that several are computed at once, accurate to two units in the last place
 * while no |x| + |y| exceeds ATAN2_LIMIT_; zeros keep their signs, and NaN remains NaN. The point is mirrored into the
 * first quadrant; there the angle is measured from the nearest of the axes and the diagonal, by the polynomial of
 * fdlibm for |q| up to tan(pi/8). k counts the eighths of a turn from the axis x > 0; pi/4 is the sum of two parts;
 * k times the first is exact. */
/* -- float */
/* Angles of points without branches, so that several are computed at once, accurate to 2.5 units in the last place
 * while no |x| + |y| exceeds ATAN2_LIMIT_; zeros keep their signs, and NaN remains NaN. The point is mirrored into the
 * first quadrant; there the angle is measured from the nearest of the axes and the diagonal, by the polynomial of
 * Cephes for |q| up to tan(pi/8). k counts the eighths of a turn from the axis x > 0; pi/4 is the sum of two parts;
 * k times the first is exact. */
/* -- double */
#define ATAN2_LIMIT_ 1e300
#define ATAN2_SIGN_ 0x8000000000000000ULL
#define ATAN2_ONE_ 0x3ff0000000000000ULL
/* -- float */
#define ATAN2_LIMIT_ 1e37f
#define ATAN2_SIGN_ 0x80000000U
#define ATAN2_ONE_ 0x3f800000U
/* -- both */

#ifdef LIBRARY_
#define ATAN2_(real, word, MASK) \
    union { real r; word w; } angle; \
    angle.r = atan2(y, x);
#else
#define ATAN2_(real, word, MASK) \
    union { real r; word w; } ay, ax, above, below, over, under, one, q, i, j, four, k, angle; \
    ay.r = y; \
    ax.r = x; \
    const word down = ay.w & ATAN2_SIGN_, left = ax.w & ATAN2_SIGN_; \
    ay.w ^= down; \
    ax.w ^= left; \
    const word steep = MASK(ay.r > ax.r*0.41421356237309503); /* not near the x axis */ \
    const word flat = ~MASK(ay.r > ax.r*2.41421356237309510); /* not near the y axis */ \
    above.w = ay.w & flat; \
    below.w = ax.w & steep; \
    over.w = ax.w & flat; \
    under.w = ay.w & steep; \
    const real d = over.r + under.r; \
    one.w = MASK(d == 0) & ATAN2_ONE_; /* the angle of the origin is zero */ \
    q.r = (above.r - below.r)/(d + one.r); \
    q.w ^= left; \
    i.w = steep & ATAN2_ONE_; \
    j.w = ~flat & ATAN2_ONE_; \
/* -- double */
    four.w = left >> 1 | left >> 11; \
/* -- float */
    four.w = left >> 1 | left >> 8; \
/* -- both */
    k.r = four.r - (i.r + j.r); \
    k.w &= ~ATAN2_SIGN_; \
    const real z = q.r*q.r; \
    const real zz = z*z; \
/* -- double */
    const real p = (3.33333333333329318027e-01 + z*-1.99999999998764832476e-01) \
        + zz*((1.42857142725034663711e-01 + z*-1.11111104054623557880e-01) \
        + zz*((9.09088713343650656196e-02 + z*-7.69187620504482999495e-02) \
        + zz*((6.66107313738753120669e-02 + z*-5.83357013379057348645e-02) \
        + zz*((4.97687799461593236017e-02 + z*-3.65315727442169155270e-02) \
        + zz*1.62858201153657823623e-02)))); \
    angle.r = k.r*0.78539816339744827900 + (q.r - (q.r*(z*p) - k.r*3.06161699786838301793e-17)); \
/* -- float */
    const real p = (3.33329492e-01f + z*-1.99777106e-01f) + zz*(1.38776856e-01f + z*-8.05374450e-02f); \
    angle.r = k.r*0.785398006439208984375f + (q.r - (q.r*(z*p) - k.r*1.56958237e-07f)); \
/* -- both */
    angle.w ^= down;
#endif
#define ATAN2_MASK_(condition) (0 - (unsigned long long)(condition))
#define ATAN2_MASKS_(condition) ((words_)(condition))

INLINE_ double atan2_(double y, double x)
{
    ATAN2_(double, unsigned long long, ATAN2_MASK_)
    return angle.r;
}
