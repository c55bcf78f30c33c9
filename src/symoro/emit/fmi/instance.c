/* -- instances: variables, evaluation, integration; shared by FMI 2.0 and FMI 3.0
 *
 * The text before this line defines the sizes and ranges of the value references, the start values and the functions
 * setup_, evaluate_ and tangents_ of one model. There are no static variables, so that instances are independent.
 */

enum { INSTANTIATED_ = 1, INITIALIZATION_ = 2, EVENT_ = 4, CONTINUOUS_ = 8, STEP_ = 16, TERMINATED_ = 32 };
enum { ERROR_ = 64, NOT_FAILED_ = 63 };

typedef struct Instance_ Instance_;
static void report_(Instance_ *m, int discard, const char *text);

struct Instance_ {
    Data_ data;        /* everything that a saved state contains */
#if DIRECTIONS_
    double d[SIZE_];   /* tangents of the variables */
#endif
    int mode;
    int co_simulation;
    void *environment;
    Logger_ logger;
    char *name;
};

static const char *const reasons_[] = {
    "",
    "the loops do not close at these positions of the active joints",
    "a singular configuration of the loops is near, or lies between the last posture and these positions",
    "the loops cannot be followed from the last posture to these positions",
};

static void failed_(Instance_ *m, const char *text)
{
    report_(m, 0, text);
    m->mode = ERROR_;
}

/* Return whether a function may be called now. */
static int allowed_(Instance_ *m, int modes, const char *function)
{
    char text[160];

    if (m == NULL) return 0;
    if (m->mode & modes) return 1;
    snprintf(text, sizeof text, "%s must not be called in this mode of the instance", function);
    report_(m, 0, text);
    return 0;
}

static void start_values_(Instance_ *m)
{
    memset(&m->data, 0, sizeof m->data);
    memcpy(m->data.v, start_, sizeof m->data.v);
    m->data.changed = 1;
    m->data.stale = 1;
#if LOOPS_
    memcpy(m->data.posture, posture_, sizeof m->data.posture);
#endif
    m->mode = INSTANTIATED_;
}

static void destroy_(Instance_ *m)
{
    if (m == NULL) return;
    free(m->name);
    free(m);
}

static Instance_ *created_(const char *name, const char *token, int co_simulation, void *environment, Logger_ logger)
{
    Instance_ *m = (Instance_ *)calloc(1, sizeof *m);
    const size_t length = name != NULL ? strlen(name) : 0;

    if (m == NULL) return NULL;
    m->name = (char *)calloc(length + 1, 1);
    if (m->name == NULL) {
        free(m);
        return NULL;
    }
    if (length) memcpy(m->name, name, length);
    m->co_simulation = co_simulation;
    m->environment = environment;
    m->logger = logger;
    start_values_(m);
    if (token == NULL || strcmp(token, TOKEN_) != 0) {
        report_(m, 0, "the GUID or instantiation token is not that of this FMU");
        destroy_(m);
        return NULL;
    }
    return m;
}

/* Compute derivatives and outputs, if a variable on which they depend has changed; return 0 if this is not possible. */
static int update_(Instance_ *m)
{
    int status, i;

    if (!m->data.stale) return 1;
    if (m->data.changed) setup_(&m->data);
    status = evaluate_(&m->data);
    m->data.changed = m->data.changed && status;
    if (status) {
        for (i = DERIVATIVES_; i < SIZE_; ++i) m->data.v[i] = NAN;
        report_(m, 1, reasons_[status]);
        return 0;
    }
    m->data.stale = 0;
    return 1;
}

static int get_(Instance_ *m, const unsigned int *references, size_t n, double *values, const char *function)
{
    size_t i;

    if (!allowed_(m, NOT_FAILED_, function)) return 0;
    for (i = 0; i < n; ++i) {
        if (references[i] >= SIZE_) {
            report_(m, 0, "there is no variable with this value reference");
            return 0;
        }
    }
    for (i = 0; i < n; ++i) {
        if (references[i] >= DERIVATIVES_ && !update_(m)) return -1;
        values[i] = m->data.v[references[i]];
    }
    return 1;
}

static int set_(Instance_ *m, const unsigned int *references, size_t n, const double *values, const char *function)
{
    size_t i;

    if (!allowed_(m, NOT_FAILED_, function)) return 0;
    for (i = 0; i < n; ++i) {
        const unsigned int r = references[i];
        int modes = INSTANTIATED_ | INITIALIZATION_; /* the start values of the states */

        if (r == 0 || r >= DERIVATIVES_) {
            report_(m, 0, "a variable that does not exist or is computed cannot be set");
            return 0;
        }
        if (r < INPUTS_) modes |= EVENT_ | STEP_;
        else if (r < STATES_) modes |= EVENT_ | CONTINUOUS_ | STEP_;
        if (!(m->mode & modes)) {
            report_(m, 0, "this variable cannot be set in this mode of the instance");
            return 0;
        }
    }
    for (i = 0; i < n; ++i) {
        m->data.v[references[i]] = values[i];
        if (references[i] < INPUTS_) m->data.changed = 1;
        m->data.stale = 1;
    }
    return 1;
}

/* Derivatives of some variables along a direction of inputs and states. */
static int direction_(Instance_ *m, const unsigned int *unknowns, size_t n_unknowns, const unsigned int *knowns,
                      size_t n_knowns, const double *seed, double *sensitivity, const char *function)
{
#if DIRECTIONS_
    size_t i;

    if (!allowed_(m, NOT_FAILED_, function)) return 0;
    for (i = 0; i < n_knowns; ++i) {
        if (knowns[i] < INPUTS_ || knowns[i] >= DERIVATIVES_) {
            report_(m, 0, "directional derivatives are those with respect to inputs and states");
            return 0;
        }
    }
    for (i = 0; i < n_unknowns; ++i) {
        if (unknowns[i] < STATES_ || unknowns[i] >= SIZE_) {
            report_(m, 0, "directional derivatives are those of state derivatives and outputs");
            return 0;
        }
    }
    if (!update_(m)) return -1;
    memset(m->d, 0, sizeof m->d);
    for (i = 0; i < n_knowns; ++i) m->d[knowns[i]] += seed[i];
    tangents_(&m->data, m->d);
    for (i = 0; i < n_unknowns; ++i) sensitivity[i] = m->d[unknowns[i]];
    return 1;
#else
    (void)unknowns, (void)n_unknowns, (void)knowns, (void)n_knowns, (void)seed, (void)sensitivity;
    if (allowed_(m, NOT_FAILED_, function)) report_(m, 0, "this FMU has no directional derivatives");
    return 0;
#endif
}

/* Take the present posture as the one from which the loops are followed. */
static int accept_(Instance_ *m)
{
    if (!update_(m)) return 0;
#if LOOPS_
    memcpy(m->data.posture, m->data.v + POSITIONS_, sizeof m->data.posture);
    m->data.det = m->data.det_now;
#endif
    return 1;
}

#if N_STATES_
/* One step of the Runge-Kutta method of order four, with constant inputs. */
static int runge_kutta_(Instance_ *m, double h)
{
    static const double nodes[] = {0.5, 0.5, 1.0}, weights[] = {1.0, 2.0, 2.0, 1.0};
    double x0[N_STATES_], sum[N_STATES_], *x = m->data.v + STATES_, *dx = m->data.v + DERIVATIVES_;
    int i, stage;

    memcpy(x0, x, sizeof x0);
    memset(sum, 0, sizeof sum);
    for (stage = 0; stage < 4; ++stage) {
        if (!update_(m)) return 0;
        for (i = 0; i < N_STATES_; ++i) sum[i] += weights[stage] * dx[i];
        if (stage < 3) {
            for (i = 0; i < N_STATES_; ++i) x[i] = x0[i] + nodes[stage] * h * dx[i];
            m->data.stale = 1;
        }
    }
    for (i = 0; i < N_STATES_; ++i) x[i] = x0[i] + h / 6.0 * sum[i];
#if QUATERNION_
    {
        double *r = m->data.v + QUATERNION_, length;

        length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
        for (i = 0; i < 4; ++i) r[i] /= length;
    }
#endif
    m->data.stale = 1;
#if LOOPS_
    return accept_(m);
#else
    return 1;
#endif
}
#endif

/* A communication step: inner steps of INNER_STEP_ seconds, of which the last one is shortened. */
static int do_step_(Instance_ *m, double time, double length, const char *function)
{
    if (!allowed_(m, STEP_, function)) return 0;
    if (!(length >= 0) || !isfinite(time) || !isfinite(length)) {
        failed_(m, "the communication step is negative or not finite");
        return 0;
    }
#if N_STATES_
    {
        /* a communication step that rounding made slightly longer than a multiple does not get a tiny last step */
        const double count = ceil(length / INNER_STEP_ - 1e-6);
        double k;

        for (k = 1; k < count; ++k) {
            if (!runge_kutta_(m, INNER_STEP_)) break;
        }
        if (count >= 1 && (k < count || !runge_kutta_(m, length - (count - 1) * INNER_STEP_))) {
            failed_(m, "the step cannot be computed");
            return 0;
        }
    }
#endif
    m->data.v[0] = time + length;
    return 1;
}

/* -- calls that both versions have; the results are 1 (done), 0 (error) and -1 (discard) */

static int moved_(Instance_ *m, int from, int to, const char *function)
{
    if (!allowed_(m, from, function)) return 0;
    m->mode = to;
    return 1;
}

static int initialised_(Instance_ *m, const char *function)
{
    if (!allowed_(m, INITIALIZATION_, function)) return 0;
    if (!accept_(m)) {
        failed_(m, "the initial state is not valid");
        return 0;
    }
    m->mode = m->co_simulation ? STEP_ : EVENT_;
    return 1;
}

static int completed_(Instance_ *m, const char *function)
{
    if (!allowed_(m, CONTINUOUS_, function)) return 0;
    return accept_(m) ? 1 : -1;
}

static int reset_(Instance_ *m)
{
    if (m == NULL) return 0;
    start_values_(m);
    return 1;
}

static int set_time_(Instance_ *m, int modes, double time, const char *function)
{
    if (!allowed_(m, modes, function)) return 0;
    m->data.v[0] = time;
    return 1;
}

static int set_states_(Instance_ *m, const double *x, size_t n, const char *function)
{
    if (!allowed_(m, CONTINUOUS_, function) || n != N_STATES_) return 0;
    if (n) memcpy(m->data.v + STATES_, x, n * sizeof *x);
    m->data.stale = 1;
    return 1;
}

static int get_states_(Instance_ *m, double *x, size_t n, const char *function)
{
    if (!allowed_(m, NOT_FAILED_, function) || n != N_STATES_) return 0;
    if (n) memcpy(x, m->data.v + STATES_, n * sizeof *x);
    return 1;
}

static int get_derivatives_(Instance_ *m, double *x, size_t n, const char *function)
{
    if (!allowed_(m, NOT_FAILED_, function) || n != N_STATES_) return 0;
    if (!update_(m)) return -1;
    if (n) memcpy(x, m->data.v + DERIVATIVES_, n * sizeof *x);
    return 1;
}

static int get_nominals_(Instance_ *m, double *x, size_t n, const char *function)
{
    size_t i;

    if (!allowed_(m, NOT_FAILED_, function) || n != N_STATES_) return 0;
    for (i = 0; i < n; ++i) x[i] = 1;
    return 1;
}

/* Variables of other types: there are none. */
static int none_(Instance_ *m, size_t n)
{
    if (m == NULL) return 0;
    if (n) report_(m, 0, "all variables of this FMU are real numbers in double precision");
    return n == 0;
}

/* Copy the contents of an instance or of bytes to a saved state, which is allocated if there is none. */
static int saved_(const void *from, void **state)
{
    if (*state == NULL) *state = calloc(1, sizeof(Data_));
    if (*state == NULL) return 0;
    memcpy(*state, from, sizeof(Data_));
    return 1;
}

static int restored_(Instance_ *m, const void *state, const char *function)
{
    if (!allowed_(m, NOT_FAILED_, function) || state == NULL) return 0;
    memcpy(&m->data, state, sizeof(Data_));
    return 1;
}

static int serialised_(const void *state, void *bytes, size_t size)
{
    if (state == NULL || size < sizeof(Data_)) return 0;
    memcpy(bytes, state, sizeof(Data_));
    return 1;
}

static int freed_(void **state)
{
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return 1;
}
