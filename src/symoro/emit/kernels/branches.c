/* All branches of an inverse geometric model over samples of its free parameter, and a solver for control loops.
 *
 * Before this text: descent.c with its definitions, and
 *   SOLUTIONS           rows of the model per sample of the parameter
 *   PARAMETER           index of the given joint; SWIVEL for the swivel angle, NO_PARAMETER if there is none
 *   FIRST, LAST, CLOSED range of the parameter; CLOSED is 1 if both ends are the same configuration
 *   EXACT               1 if the model solves this arm, 0 if it solves a similar arm and its rows are only seeds
 *   MARGIN              rad or m: a seed may be outside a limit by this distance, because its solution may be inside
 *   ONLY_VALID          1 if seeds that are no solutions of the similar arm are not refined
 *   BLOCK, LANES        samples per call of the model, and rows that are refined together
 *   SEEDS(T, q0, parameter, q, status, residual)     the model for BLOCK samples, entry after entry
 *   ERRORS(q, T, e, J, placed)             the pose error for LANES postures, entry after entry
 *   LIMITS              tolerance of the limits of each joint (rad or m)
 *   HOME                zero, or the nearest limit, of each joint
 *   TURNS, SPEED        for each joint, 1 if it is revolute, and its largest speed (rad/s or m/s)
 *   PROBLEM             the constant Problem of descent.c
 *   BRANCHES, MANY, START, TRACK, TRACKER     names that the header declares
 *
 * The model verifies its solutions by direct geometry. Seeds are refined by damped Newton steps, LANES rows at a time; a
 * lane whose row is finished takes the next seed. Every returned row satisfies the pose by direct geometry. If no row is within the limits, those with the smallest
 * violation are moved into the limits and iterated there, and then the parameter is sampled more densely.
 */
enum {
    SWIVEL = -1,
    NO_PARAMETER = -2,
    FOLD = EXACT ? 0 : 4, /* samples beyond the end of a branch whose rows are refined */
    STEPS = 12,   /* largest number of Newton steps of a seed */
    SPARES = 16,  /* rows outside the limits that are kept */
    ROUNDS = 3,   /* samplings, each four times as dense as the one before */
    RECORD = JOINTS + 4,
    DISTANCE = JOINTS,
    RESIDUAL,
    VALUE,
    BRANCH
};

/* rad or m: two rows of one sample with smaller differences are the same solution. */
#define SAME_ROW 1e-6
/* A row is final if its residual is below this part of the tolerance, or if a step no longer reduces it. */
#define FINAL 1e-2

/* rad, or multiples of the unit of a prismatic joint: a row that leaves this range is abandoned. */
#define DIVERGED 100.0

typedef struct {
    double q[JOINTS], parameter;
    int branch;
} Seed;

typedef struct {
    const double *T, *near;
    size_t capacity, count;
    double *rows, best[JOINTS], best_distance, best_residual;
    Seed spares[SPARES];
    double violations[SPARES];
    int spare_count, nearest_only; /* nearest_only: no rows, only the nearest solution */
} Search;

/* First and last number of full turns that bring joint j into its limits, widened by `margin`; returns how far the
 * joint is outside if there is none, otherwise 0. */
static double turns_within(int j, double q, double margin, double *first, double *last)
{
    const double low = PROBLEM.lower[j] - LIMITS[j] - margin, high = PROBLEM.upper[j] + LIMITS[j] + margin;
    if (!TURNS[j]) {
        *first = *last = 0;
        return q < low ? low - q : q > high ? q - high : 0;
    }
    if (q >= low && q <= high && q - low < TURN && high - q < TURN) { /* most rows */
        *first = *last = 0;
        return 0;
    }
    *first = ceil((low - q) / TURN);
    *last = floor((high - q) / TURN);
    if (*first <= *last) return 0;
    return fmin(low - (q + TURN * *last), q + TURN * *first - high);
}

/* Number of turns nearest to a position, among those from first to last. */
static double nearest_turn(int j, double q, double near, double first, double last)
{
    const double turn = TURNS[j] ? floor((near - q) / TURN + 0.5) : 0;
    return fmin(fmax(turn, first), last);
}

static void keep_spare(Search *search, const double *q, double parameter, int branch, double violation)
{
    int at = search->spare_count < SPARES ? search->spare_count++ : SPARES;
    while (at > 0 && violation < search->violations[at - 1]) {
        --at;
        if (at + 1 < SPARES) {
            search->spares[at + 1] = search->spares[at];
            search->violations[at + 1] = search->violations[at];
        }
    }
    if (at >= SPARES) return;
    for (int j = 0; j < JOINTS; ++j) search->spares[at].q[j] = q[j];
    search->spares[at].parameter = parameter;
    search->spares[at].branch = branch;
    search->violations[at] = violation;
}

/* Largest distance of a posture from its limits, up to full turns. */
static double violation_of(const double *q, double margin)
{
    double first, last, largest = 0;
    for (int j = 0; j < JOINTS; ++j) largest = fmax(largest, turns_within(j, q[j], margin, &first, &last));
    return largest;
}

static void store(Search *search, const double *q, double residual, double parameter, int branch)
{
    double sum = 0;
    for (int j = 0; j < JOINTS; ++j) sum += (q[j] - search->near[j]) * (q[j] - search->near[j]);
    if (sum < search->best_distance) {
        search->best_distance = sum;
        search->best_residual = residual;
        for (int j = 0; j < JOINTS; ++j) search->best[j] = q[j];
    }
    if (search->count < search->capacity) {
        double *row = search->rows + RECORD * search->count;
        for (int j = 0; j < JOINTS; ++j) row[j] = q[j];
        row[DISTANCE] = sqrt(sum);
        row[RESIDUAL] = residual;
        row[VALUE] = parameter;
        row[BRANCH] = branch;
    }
    ++search->count;
}

/* Whether the same solution is among the latest rows of the same sample. */
static int is_repeated(const Search *search, const double *q, double parameter)
{
    const size_t stored = search->count < search->capacity ? search->count : search->capacity;
    for (size_t back = 0; back < 4 * SOLUTIONS && back < stored; ++back) {
        const double *row = search->rows + RECORD * (stored - 1 - back);
        double apart = 0;
        if (!(fabs(row[VALUE] - parameter) < SAME_ROW)) continue;
        for (int j = 0; j < JOINTS; ++j) {
            const double d = q[j] - row[j];
            apart = fmax(apart, fabs(TURNS[j] ? d - TURN * floor(d / TURN + 0.5) : d));
        }
        if (apart < SAME_ROW) return 1;
    }
    return 0;
}

/* Store a solution with all its full turns within the limits; without limits the turn nearest to `near`. */
static void offer(Search *search, const double *q, double residual, double parameter, int branch, int refined)
{
    double first[JOINTS], last[JOINTS], turn[JOINTS], wound[JOINTS], largest = 0;
    for (int j = 0; j < JOINTS; ++j) {
        largest = fmax(largest, turns_within(j, q[j], 0, first + j, last + j));
        if (!(last[j] - first[j] < INFINITY) || search->nearest_only)
            first[j] = last[j] = nearest_turn(j, q[j], search->near[j], first[j], last[j]);
        turn[j] = first[j];
    }
    if (largest > 0) {
        keep_spare(search, q, parameter, branch, largest);
        return;
    }
    if (PARAMETER >= 0) parameter = q[PARAMETER < 0 ? 0 : PARAMETER];
    if (refined && is_repeated(search, q, parameter)) return; /* the solutions of the model differ */
    for (;;) {
        int j = 0;
        for (int i = 0; i < JOINTS; ++i) wound[i] = q[i] + TURN * turn[i];
        store(search, wound, residual, parameter, branch);
        while (j < JOINTS && turn[j] >= last[j]) {
            turn[j] = first[j];
            ++j;
        }
        if (j == JOINTS) return;
        turn[j] += 1;
    }
}

/* One damped Newton step of all lanes: x = J'(J J' + lambda I)^-1 e. Lane after lane, without branches. */
static void step_lanes(double (*restrict e)[LANES], double (*restrict J)[LANES], double (*restrict q)[LANES])
{
    double A[ROWS][ROWS][LANES], b[ROWS][LANES], lambda[LANES];
    for (int l = 0; l < LANES; ++l) lambda[l] = 0;
    for (int r = 0; r < ROWS; ++r)
        for (int l = 0; l < LANES; ++l) {
            b[r][l] = e[r][l] * PROBLEM.rows[r];
            lambda[l] += 0.5 * b[r][l] * b[r][l];
        }
    for (int l = 0; l < LANES; ++l) {
        const double cost = lambda[l];
        lambda[l] = PROBLEM.damping * (cost < MOST_COST ? cost : MOST_COST);
    }
    for (int r = 0; r < ROWS; ++r)
        for (int j = 0; j < JOINTS; ++j)
            for (int l = 0; l < LANES; ++l) J[JOINTS * r + j][l] *= PROBLEM.rows[r] * PROBLEM.columns[j];
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c <= r; ++c) {
            for (int l = 0; l < LANES; ++l) A[r][c][l] = 0;
            for (int j = 0; j < JOINTS; ++j)
                for (int l = 0; l < LANES; ++l) A[r][c][l] += J[JOINTS * r + j][l] * J[JOINTS * c + j][l];
        }
    for (int r = 0; r < ROWS; ++r)
        for (int l = 0; l < LANES; ++l) lambda[l] += FLOOR * A[r][r][l];
    for (int r = 0; r < ROWS; ++r) { /* Cholesky; A[r][r] becomes the inverse of the pivot */
        for (int l = 0; l < LANES; ++l) A[r][r][l] += lambda[l] + 1e-300;
        for (int c = 0; c < r; ++c) {
            for (int k = 0; k < c; ++k)
                for (int l = 0; l < LANES; ++l) A[r][c][l] -= A[r][k][l] * A[c][k][l];
            for (int l = 0; l < LANES; ++l) A[r][c][l] *= A[c][c][l];
        }
        for (int k = 0; k < r; ++k)
            for (int l = 0; l < LANES; ++l) A[r][r][l] -= A[r][k][l] * A[r][k][l];
        for (int l = 0; l < LANES; ++l) A[r][r][l] = A[r][r][l] > 0 ? 1 / sqrt(A[r][r][l]) : 0;
        for (int k = 0; k < r; ++k)
            for (int l = 0; l < LANES; ++l) b[r][l] -= A[r][k][l] * b[k][l];
        for (int l = 0; l < LANES; ++l) b[r][l] *= A[r][r][l];
    }
    for (int r = ROWS - 1; r >= 0; --r) {
        for (int k = r + 1; k < ROWS; ++k)
            for (int l = 0; l < LANES; ++l) b[r][l] -= A[k][r][l] * b[k][l];
        for (int l = 0; l < LANES; ++l) b[r][l] *= A[r][r][l];
    }
    for (int j = 0; j < JOINTS; ++j)
        for (int r = 0; r < ROWS; ++r)
            for (int l = 0; l < LANES; ++l) q[j][l] += PROBLEM.columns[j] * J[JOINTS * r + j][l] * b[r][l];
}

/* Refine seeds until they satisfy the pose, and offer the solutions. */
static void refine_seeds(Search *search, const Seed *seeds, int count)
{
    double q[JOINTS][LANES], best[JOINTS][LANES], T[16][LANES], e[ROWS][LANES], J[ROWS * JOINTS][LANES];
    double placed[ENTRIES][LANES], last[LANES], residual[LANES], mark[LANES];
    int owner[LANES], steps[LANES], next = 0, busy = 0;
    for (int i = 0; i < 16; ++i)
        for (int l = 0; l < LANES; ++l) T[i][l] = search->T[i];
    for (int l = 0; l < LANES; ++l) {
        owner[l] = -1;
        for (int j = 0; j < JOINTS; ++j) q[j][l] = count ? seeds[0].q[j] : 0;
    }
    for (;;) {
        for (int l = 0; l < LANES && next < count; ++l)
            if (owner[l] < 0) {
                for (int j = 0; j < JOINTS; ++j) q[j][l] = seeds[next].q[j];
                owner[l] = next++;
                steps[l] = 0;
                last[l] = mark[l] = INFINITY;
                ++busy;
            }
        if (!busy) return;
        ERRORS(&q[0][0], &T[0][0], &e[0][0], &J[0][0], &placed[0][0]);
        for (int l = 0; l < LANES; ++l) residual[l] = 0;
        for (int i = 0; i < ENTRIES; ++i)
            for (int l = 0; l < LANES; ++l) {
                const double off = PROBLEM.scales[i] * fabs(placed[i][l] - search->T[PLACES[i]]);
                residual[l] = off <= residual[l] ? residual[l] : off; /* keeps NaN */
            }
        for (int l = 0; l < LANES; ++l) {
            if (owner[l] < 0) continue;
            const int better = residual[l] < last[l];
            if (better)
                for (int j = 0; j < JOINTS; ++j) best[j][l] = q[j][l];
            const double reached = better ? residual[l] : last[l];
            int final = reached <= FINAL * PROBLEM.tolerance || (!better && reached <= PROBLEM.tolerance);
            final = final || steps[l]++ >= STEPS || !(residual[l] < INFINITY);
            last[l] = reached;
            if (steps[l] % CHECK == 0) { /* a seed without progress is abandoned early */
                final = final || !(reached < PROBLEM.patience * mark[l]);
                mark[l] = reached;
            }
            if (!final) continue;
            if (reached <= PROBLEM.tolerance) {
                double row[JOINTS];
                for (int j = 0; j < JOINTS; ++j) row[j] = best[j][l];
                offer(search, row, reached, seeds[owner[l]].parameter, seeds[owner[l]].branch, 1);
            }
            owner[l] = -1;
            --busy;
        }
        if (!busy) continue;
        step_lanes(e, J, q);
        for (int l = 0; l < LANES; ++l) {
            double largest = 0;
            for (int j = 0; j < JOINTS; ++j) largest = fmax(largest, fabs(q[j][l] / PROBLEM.columns[j]));
            if (owner[l] >= 0 && largest <= DIVERGED) continue;
            busy -= owner[l] >= 0;
            owner[l] = -1;
            for (int j = 0; j < JOINTS; ++j) q[j][l] = 0; /* sines and cosines of large angles take long */
        }
    }
}

static int is_solution(double status)
{
    return status == 0 || status == 2;
}

/* Whether a row of one branch is a solution, or one of the FOLD samples before or after it is. Where a branch ends at a
 * fold, its formulas still yield postures close to the fold, from which Newton's method converges to its other side. */
static int is_near_solution(const double *status, int l)
{
    const int first = l < FOLD ? 0 : l - FOLD, last = l + FOLD < BLOCK ? l + FOLD : BLOCK - 1;
    for (int i = first; i <= last; ++i)
        if (is_solution(status[i])) return 1;
    return 0;
}

/* Solve the model at `samples` values of the parameter and offer its rows. */
static void sample(Search *search, size_t samples)
{
    double T[16][BLOCK], q0[JOINTS][BLOCK], parameter[BLOCK];
    double q[SOLUTIONS * JOINTS][BLOCK], status[SOLUTIONS][BLOCK], residual[SOLUTIONS][BLOCK];
    Seed seeds[2 * SOLUTIONS * BLOCK];
    int count = 0;
    const double margin = MARGIN;
    const double step = (LAST - FIRST) / (CLOSED ? (double)samples : samples > 1 ? (double)samples - 1 : 1);
    if (PARAMETER == NO_PARAMETER) samples = 1;
    for (int i = 0; i < 16; ++i)
        for (int l = 0; l < BLOCK; ++l) T[i][l] = search->T[i];
    for (int j = 0; j < JOINTS; ++j)
        for (int l = 0; l < BLOCK; ++l) q0[j][l] = search->near[j];
    for (size_t start = 0; start < samples; start += BLOCK) {
        for (int l = 0; l < BLOCK; ++l) {
            parameter[l] = FIRST + step * ((double)(start + (size_t)l) + (CLOSED ? 0.5 : 0));
            if (PARAMETER >= 0) q0[PARAMETER < 0 ? 0 : PARAMETER][l] = parameter[l];
        }
        SEEDS(&T[0][0], &q0[0][0], parameter, &q[0][0], &status[0][0], &residual[0][0]);
        for (int l = 0; l < BLOCK && start + (size_t)l < samples; ++l)
            for (int b = 0; b < SOLUTIONS; ++b) {
                Seed *seed = seeds + count;
                double sum = 0;
                if (ONLY_VALID && !is_near_solution(status[b], l)) continue;
                for (int j = 0; j < JOINTS; ++j) sum += seed->q[j] = q[JOINTS * b + j][l];
                if (!(fabs(sum) < INFINITY)) continue;
                seed->parameter = parameter[l];
                seed->branch = b;
                const double violation = violation_of(seed->q, margin);
                if (violation > 0)
                    keep_spare(search, seed->q, parameter[l], b, violation + margin);
                else if (EXACT && is_solution(status[b][l]) && residual[b][l] <= PROBLEM.tolerance)
                    offer(search, seed->q, residual[b][l], parameter[l], b, 0);
                else
                    ++count;
            }
        if (count >= SOLUTIONS * BLOCK || start + BLOCK >= samples) { /* rather many seeds at once: all lanes are used */
            refine_seeds(search, seeds, count);
            count = 0;
        }
    }
}

/* Iterate within the limits from rows outside them, those with the smallest violation first. */
static void move_into_limits(Search *search)
{
    Seed spares[SPARES];
    const int count = search->spare_count;
    for (int i = 0; i < count; ++i) spares[i] = search->spares[i];
    search->spare_count = 0;
    for (int i = 0; i < count; ++i) {
        double *q = spares[i].q, first, last, steps = 0;
        State state;
        for (int j = 0; j < JOINTS; ++j) {
            turns_within(j, q[j], 0, &first, &last);
            /* without a turn inside the limits, the one nearest to their middle */
            const double middle = 0.5 * (PROBLEM.lower[j] + PROBLEM.upper[j]);
            const double turn = first <= last ? nearest_turn(j, q[j], search->near[j], first, last)
                                : TURNS[j]    ? floor((middle - q[j]) / TURN + 0.5)
                                              : 0;
            q[j] = fmin(fmax(q[j] + TURN * turn, PROBLEM.lower[j]), PROBLEM.upper[j]);
        }
        if (descend(&PROBLEM, q, search->T, &state, &steps))
            offer(search, q, state.residual, spares[i].parameter, spares[i].branch, 1);
    }
}

static int is_pose(const double *T)
{
    for (int i = 0; i < ENTRIES; ++i)
        if (!(fabs(T[PLACES[i]]) < INFINITY)) return 0;
    return 1;
}

/* Search all branches; with `thorough`, not only at the given samples if there is no row within the limits. */
static void search_branches(Search *search, size_t samples, int thorough)
{
    search->count = 0;
    search->best_distance = INFINITY;
    search->best_residual = INFINITY;
    search->spare_count = 0;
    if (!is_pose(search->T) || samples == 0) return;
    sample(search, samples);
    for (int round = 0; round < ROUNDS && !search->count && thorough; ++round) {
        move_into_limits(search);
        if (!search->count && PARAMETER != NO_PARAMETER && round + 1 < ROUNDS) sample(search, samples *= 4);
    }
}

/* Sort the numbers of rows by their distance (heap sort: no recursion and no memory). */
static void sort_rows(const double *rows, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; ++i) order[i] = i;
    for (size_t start = count / 2, end = count; end > 1;) {
        size_t root, child, moved;
        if (start > 0) {
            --start;
        } else {
            --end;
            moved = order[0];
            order[0] = order[end];
            order[end] = moved;
        }
        for (root = start; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && rows[RECORD * order[child + 1] + DISTANCE] > rows[RECORD * order[child] + DISTANCE])
                ++child;
            if (!(rows[RECORD * order[child] + DISTANCE] > rows[RECORD * order[root] + DISTANCE])) break;
            moved = order[root];
            order[root] = order[child];
            order[child] = moved;
        }
    }
}

/* Offer the solution that the descent reaches from the given posture: usually the nearest one. */
static void continue_from(Search *search, const double *near)
{
    double q[JOINTS], steps = 0;
    State state;
    for (int j = 0; j < JOINTS; ++j) q[j] = fmin(fmax(near[j], PROBLEM.lower[j]), PROBLEM.upper[j]);
    if (is_pose(search->T) && descend(&PROBLEM, q, search->T, &state, &steps))
        offer(search, q, state.residual, NAN, -1, 1);
}

size_t BRANCHES(const double *T, const double *near, size_t samples, size_t capacity, double *rows, size_t *order)
{
    Search search;
    search.T = T;
    search.near = near ? near : HOME;
    search.capacity = capacity;
    search.rows = rows;
    search.nearest_only = 0;
    search_branches(&search, samples, 1);
    if (near) continue_from(&search, near);
    if (order) sort_rows(rows, search.count < capacity ? search.count : capacity, order);
    return search.count;
}

size_t MANY(size_t poses, const double *T, const double *near, size_t near_step, size_t samples, size_t capacity,
            double *rows, size_t *counts)
{
    size_t total = 0;
    for (size_t i = 0; i < poses; ++i) {
        const size_t left = total < capacity ? capacity - total : 0;
        const double *posture = near ? near + near_step * i : NULL;
        counts[i] = BRANCHES(T + 16 * i, posture, samples, left, rows + RECORD * (capacity - left), NULL);
        total += counts[i];
    }
    return total;
}

/* Largest difference between two postures (rad or m). */
static double farthest(const double *p, const double *q)
{
    double largest = 0;
    for (int j = 0; j < JOINTS; ++j) largest = fmax(largest, fabs(p[j] - q[j]));
    return largest;
}

int TRACK(TRACKER *tracker, const double *T, double dt)
{
    double goal[JOINTS], share = 1, steps = 0;
    int state = TRACK_OK, j;
    State s;
    if (!is_pose(T) || !(dt >= 0)) {
        tracker->residual = NAN;
        return TRACK_HELD;
    }
    for (j = 0; j < JOINTS; ++j) goal[j] = tracker->goal[j];
    if (!descend(&PROBLEM, goal, T, &s, &steps) || farthest(goal, tracker->goal) > tracker->jump) {
        Search search;
        search.T = T;
        search.near = tracker->goal;
        search.capacity = 0;
        search.rows = NULL;
        search.nearest_only = 1;
        search_branches(&search, tracker->samples, 0);
        int held = !search.count;
        for (j = 0; j < JOINTS && !held; ++j) goal[j] = search.best[j];
        if (!held && farthest(goal, tracker->goal) > tracker->jump) {
            state = TRACK_JUMPED;
            held = !tracker->allow_jump;
        }
        if (held) {
            look(&PROBLEM, tracker->q, T, &s);
            tracker->residual = s.residual;
            return TRACK_HELD;
        }
    }
    for (j = 0; j < JOINTS; ++j) tracker->goal[j] = goal[j];
    for (j = 0; j < JOINTS; ++j) {
        const double way = fabs(goal[j] - tracker->q[j]), most = tracker->speed[j] * dt;
        if (way > most) share = fmin(share, most / way);
    }
    for (j = 0; j < JOINTS; ++j)
        tracker->q[j] = share < 1 ? tracker->q[j] + share * (goal[j] - tracker->q[j]) : goal[j];
    if (share < 1 && state == TRACK_OK) state = TRACK_LIMITED;
    look(&PROBLEM, tracker->q, T, &s);
    tracker->residual = s.residual;
    return state;
}

void START(TRACKER *tracker, const double *q)
{
    for (int j = 0; j < JOINTS; ++j) {
        tracker->q[j] = tracker->goal[j] = q[j];
        tracker->speed[j] = SPEED[j];
    }
    tracker->jump = DEFAULT_JUMP;
    tracker->allow_jump = 0;
    tracker->samples = DEFAULT_SAMPLES;
    tracker->residual = 0;
}
