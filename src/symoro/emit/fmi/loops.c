/* -- closed loops: the posture of all joints from the positions of the active joints
 *
 * The posture is followed from the last accepted one along a straight line of the active joints. Each part of the way
 * is predicted with the tangent, then the loops are closed by Newton's method. A part is halved if the prediction opens
 * the loops too far, if the error does not decrease quickly, or if the determinant of the loop equations changes its
 * sign (another assembly mode). Errors are angles, and lengths in units of the largest length of the loops.
 */

#define CLOSED_ 1e-11     /* error before the last Newton step, which makes it a round-off */
#define PREDICTED_ 0.01   /* largest error of a prediction */
#define CHANGED_ 0.3      /* largest error after a change of parameters */
#define SINGULAR_ 1e-5    /* smallest relative pivot of the loop equations */
enum { NEWTON_ = 12, HALVINGS_ = 20 };

/* Close the loops near the posture q for fixed active joints; return 0, or the index of a reason. */
static int newton_(const Data_ *m, double *q, double most, double *det)
{
    double still[ACTIVE_], step[JOINTS_], rates[JOINTS_], gap, room, before = 0;
    int i, tries;

    memset(still, 0, sizeof still);
    for (tries = 0; tries < NEWTON_; ++tries) {
        loops_(m, q, still, step, rates, &gap, det, &room);
        if (!(room > SINGULAR_)) return 2;
        if (tries == 0 ? !(gap <= most) : !(gap <= 0.5 * before || gap <= CLOSED_)) return tries == 0 ? 3 : 1;
        for (i = 0; i < JOINTS_; ++i) q[i] += step[i];
        if (gap <= CLOSED_) return 0;
        before = gap;
    }
    return 1;
}

/* Close the loops at the present positions of the active joints, and compute the velocities of all joints. */
static int close_(Data_ *m)
{
    double q[JOINTS_], z[JOINTS_], way[ACTIVE_], part[ACTIVE_], step[JOINTS_], rates[JOINTS_];
    double gap, room, det, begin = 0, share = 1;
    int i, status, halvings = 0;

    memcpy(q, m->posture, sizeof q);
    if (m->changed) { /* other lengths: close the loops again in the last posture */
        loops_(m, q, m->v + ACTIVE_VELOCITIES_, step, rates, &gap, &m->det, &room);
        det = m->det;
        status = newton_(m, q, CHANGED_, &det);
        if (status == 0 && (det > 0) != (m->det > 0)) status = 2;
        if (status) return status;
        memcpy(m->posture, q, sizeof q);
    }
    det = m->det;
    for (i = 0; i < ACTIVE_; ++i) way[i] = m->v[ACTIVE_POSITIONS_ + i] - q[active_[i]];
    while (begin < 1) {
        for (i = 0; i < ACTIVE_; ++i) part[i] = share * way[i];
        loops_(m, q, part, step, rates, &gap, &det, &room);
        for (i = 0; i < JOINTS_; ++i) z[i] = q[i] + rates[i];
        if (begin + share >= 1) {
            for (i = 0; i < ACTIVE_; ++i) z[active_[i]] = m->v[ACTIVE_POSITIONS_ + i];
        }
        status = newton_(m, z, PREDICTED_, &det);
        if (status == 0 && (det > 0) != (m->det > 0)) status = 2;
        if (status) {
            if (++halvings > HALVINGS_) return status;
            share *= 0.5;
            continue;
        }
        memcpy(q, z, sizeof q);
        begin += share; /* exact, since shares are powers of two */
    }
    m->det_now = det;
    memcpy(m->v + POSITIONS_, q, sizeof q);
    loops_(m, q, m->v + ACTIVE_VELOCITIES_, step, m->v + VELOCITIES_, &gap, &det, &room);
    return 0;
}
