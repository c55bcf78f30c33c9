/* Fast call path from Python to compiled functions of the form void f(void *const *arrays), without copies or
 * conversions.
 *
 * Only Python's stable ABI from 3.11 on is used, declared here and resolved at run time (`fast_call_open`), so that
 * neither Python's headers nor its library are needed to compile this. Arguments that do not match exactly (another
 * type, shape, order or name) are declined by returning None: the caller then checks them in detail. No data are written
 * after `fast_call_open`, so that several threads may call it at the same time. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST 16 /* largest number of arrays in a call */
#define METH_O 0x0008
#define METH_FASTCALL 0x0080
#define WRITABLE 0x0001
#define CONTIGUOUS_WITH_FORMAT (0x0004 | 0x0008 | 0x0010 | 0x0020)

typedef struct object object;
typedef ptrdiff_t whole; /* Py_ssize_t */

typedef struct { /* Py_buffer */
    void *start;
    object *owner;
    whole bytes;
    whole item;
    int readonly;
    int dimensions;
    char *format;
    whole *shape;
    whole *strides;
    whole *suboffsets;
    void *internal;
} view;

typedef struct { /* PyMethodDef */
    const char *name;
    object *(*function)(object *, object *);
    int flags;
    const char *text;
} method;

static struct { /* in the order of FUNCTIONS in native.py */
    int (*get_buffer)(object *, view *, int);
    void (*release_buffer)(view *);
    object *(*type_of)(object *);
    void (*keep)(object *);
    void (*drop)(object *);
    object *(*entry)(object *, whole);
    char *(*bytes)(object *);
    object *(*dict)(void);
    whole (*length)(object *);
    object *(*get)(object *, object *);
    int (*set)(object *, object *, object *);
    object *(*call)(object *, object *);
    double (*number)(object *);
    void (*clear)(void);
    void (*raise)(object *, const char *);
    void *(*leave)(void);
    void (*enter)(void *);
} py;

/* Contents of `self` of both functions, a tuple. */
enum { PORTS, NONE, ARRAY, FLOAT, EMPTY, NAMES, RESULTS, SHAPES, ERROR };

typedef struct {
    void *constants; /* between inputs and outputs, unless NULL */
    void (*function)(void *const *);
    whole inputs;
    whole outputs;
    whole long_work; /* releases the interpreter lock */
    whole item; /* bytes of a number: 8 for double, 4 for float */
    struct {
        void *preset; /* default of an optional input */
        whole size;
        whole dimensions;
        whole shape[4];
    } port[MOST];
} ports;

static const ports *ports_of(object *self)
{
    return (const ports *)(void *)py.bytes(py.entry(self, PORTS));
}

static int has_type(object *value, object *type)
{
    object *own = py.type_of(value);
    py.drop(own);
    return own == type;
}

static const char *format_of(const ports *p)
{
    return p->item == sizeof(double) ? "d" : "f";
}

static int aligned(const view *v, const ports *p)
{
    return (uintptr_t)v->start % (uintptr_t)p->item == 0;
}

static int fits(const view *v, const ports *p, whole a)
{
    if (v->dimensions != p->port[a].dimensions || strcmp(v->format, format_of(p)) != 0 || !aligned(v, p))
        return 0;
    for (whole i = 0; i < v->dimensions; ++i)
        if (v->shape[i] != p->port[a].shape[i]) return 0;
    return 1;
}

static void work(const ports *p, void *const *arrays)
{
    if (p->long_work) {
        void *state = py.leave();
        p->function(arrays);
        py.enter(state);
    } else {
        p->function(arrays);
    }
}

/* New arrays for all outputs in a dictionary; NULL after an error. */
static object *results(object *self, const ports *p, void **arrays)
{
    object *results = py.dict();
    for (whole b = 0; results && b < p->outputs; ++b) {
        view v;
        object *array = py.call(py.entry(self, EMPTY), py.entry(py.entry(self, SHAPES), b));
        int good = array && py.get_buffer(array, &v, CONTIGUOUS_WITH_FORMAT | WRITABLE) == 0;
        if (good) {
            arrays[b] = v.start;
            py.release_buffer(&v); /* the dictionary keeps the array */
            good = py.set(results, py.entry(py.entry(self, RESULTS), b), array) == 0;
        }
        if (array) py.drop(array);
        if (!good) {
            py.drop(results);
            results = NULL;
        }
    }
    return results;
}

/* A dictionary of inputs -> a dictionary of outputs, or None if an input does not match exactly. */
static object *call(object *self, object *given)
{
    const ports *p = ports_of(self);
    void *arrays[MOST];
    union { double d; float f; } scalars[MOST];
    view views[MOST];
    whole opened = 0, used = 0, a = 0;
    for (; a < p->inputs; ++a) {
        object *value = py.get(given, py.entry(py.entry(self, NAMES), a));
        if (value) {
            ++used;
            if (p->port[a].dimensions == 0 && has_type(value, py.entry(self, FLOAT))) {
                const double number = py.number(value);
                if (p->item == sizeof(double)) scalars[a].d = number;
                else scalars[a].f = (float)number;
                arrays[a] = scalars + a;
                continue;
            }
            if (!has_type(value, py.entry(self, ARRAY))) break;
            if (py.get_buffer(value, views + opened, CONTIGUOUS_WITH_FORMAT) != 0) break;
            arrays[a] = views[opened].start;
            ++opened;
            if (!fits(views + opened - 1, p, a)) break;
        } else if (p->port[a].preset) {
            arrays[a] = p->port[a].preset;
        } else {
            break;
        }
    }
    object *answer;
    if (a < p->inputs || used != py.length(given)) {
        py.clear();
        answer = py.entry(self, NONE);
        py.keep(answer);
    } else {
        if (p->constants) arrays[a++] = p->constants;
        answer = results(self, p, arrays + a);
        if (answer) work(p, arrays);
    }
    while (opened > 0) py.release_buffer(views + --opened);
    return answer;
}

static int has_format(const char *format, const ports *p)
{
    const int one = 1;
    const char order = *(const char *)&one ? '<' : '>';
    if (*format == '@' || *format == '=' || *format == order) ++format;
    return strcmp(format, format_of(p)) == 0;
}

static int overlap(const view *v, const view *w)
{
    const char *start = v->start, *other = w->start;
    return start < other + w->bytes && other < start + v->bytes;
}

/* Buffers of the caller, inputs and then outputs, of the right sizes; returns None. */
static object *raw(object *self, object *const *given, whole count)
{
    const ports *p = ports_of(self);
    void *arrays[MOST];
    view views[MOST];
    char message[160];
    whole opened = 0, next = 0;
    message[0] = 0;
    if (count != p->inputs + p->outputs)
        snprintf(message, sizeof message, "raw requires %d arrays, %d inputs and %d outputs, got %d",
                 (int)(p->inputs + p->outputs), (int)p->inputs, (int)p->outputs, (int)count);
    for (whole a = 0; !message[0] && a < count; ++a) {
        const int out = a >= p->inputs;
        view *v = views + a;
        const int open = py.get_buffer(given[a], v, CONTIGUOUS_WITH_FORMAT | (out ? WRITABLE : 0)) == 0;
        opened += open;
        if (!open || !has_format(v->format, p) || !aligned(v, p)
            || v->bytes != p->port[a].size * p->item)
            snprintf(message, sizeof message, "array %d of raw is not a %scontiguous buffer of %d %s",
                     (int)a + 1, out ? "writable " : "", (int)p->port[a].size,
                     p->item == sizeof(double) ? "doubles" : "floats");
        for (whole b = 0; out && !message[0] && b < a; ++b)
            if (overlap(v, views + b))
                snprintf(message, sizeof message, "arrays %d and %d of raw overlap", (int)b + 1, (int)a + 1);
        if (a == p->inputs && p->constants) arrays[next++] = p->constants;
        arrays[next++] = v->start;
    }
    object *answer = NULL;
    if (message[0]) {
        py.clear();
        py.raise(py.entry(self, ERROR), message);
    } else {
        work(p, arrays);
        answer = py.entry(self, NONE);
        py.keep(answer);
    }
    while (opened > 0) py.release_buffer(views + --opened);
    return answer;
}

method fast_call_by_name = {"call", call, METH_O, NULL};
method fast_call_raw = {"raw", (object *(*)(object *, object *))raw, METH_FASTCALL, NULL};

void fast_call_open(void *const *functions)
{
    memcpy(&py, functions, sizeof py);
}
