/* Calls from XLA: handlers of its foreign function interface, compiled once per machine and version of jaxlib.
 *
 * Models are registered under a number, which is the attribute `id` of a call. The attribute `shared` has a bit for each
 * input that all samples have in common; other inputs and all outputs have an axis of samples in front. The runtime's
 * function for batches computes on the CPU, a kernel of the device on the GPU. */
#ifndef _WIN32
#include <sched.h>
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30, THREADS_PER_BLOCK = 128 };
enum {
    GRAIN = 2000000, /* smallest number of operations per thread, about 0.1 ms */
    PORTIONS = 4,    /* per thread, so that a thread that is interrupted does not delay the others for long */
    TILE = 64        /* portions are multiples of it, so that the results do not depend on the number of threads */
};

typedef void (*Call)(size_t n, const size_t *steps, void *const *arrays);
typedef int (*Launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                      void **);

typedef struct Model {
    int64_t id;
    int64_t device;       /* number of the GPU; 0 on the CPU */
    void *function;       /* Call on the CPU, a kernel on the GPU */
    void *constants;      /* argument between inputs and outputs; NULL if there is none */
    int64_t by_value;     /* on the GPU: the constants are an argument by value */
    int64_t sizes[MOST];  /* entries of each input and output */
    int64_t entries[MOST]; /* on the GPU: whether the array is stored entry by entry */
    struct Model *next;
} Model;

static Model *models;
static Launch launch;

/* Registers a model. Python's lock excludes simultaneous registrations; calls may run at the same time. */
int xla_call_register(int64_t id, int64_t device, void *function, void *constants, int64_t by_value, int64_t count,
                      const int64_t *sizes, const int64_t *entries)
{
    Model *model = count <= MOST ? calloc(1, sizeof *model) : NULL;
    if (model == NULL)
        return 1;
    model->id = id;
    model->device = device;
    model->function = function;
    model->constants = constants;
    model->by_value = by_value;
    memcpy(model->sizes, sizes, (size_t)count * sizeof *sizes);
    memcpy(model->entries, entries, (size_t)count * sizeof *entries);
    model->next = models;
    __atomic_store_n(&models, model, __ATOMIC_RELEASE);
    return 0;
}

/* Sets the driver's function that launches kernels. */
void xla_call_driver(void *function)
{
    memcpy(&launch, &function, sizeof launch);
}

static const Model *registered(int64_t id, int64_t device)
{
    const Model *model = __atomic_load_n(&models, __ATOMIC_ACQUIRE);
    while (model != NULL && (model->id != id || model->device != device))
        model = model->next;
    return model;
}

static int64_t attribute(const XLA_FFI_CallFrame *frame, const char *name)
{
    for (int64_t at = 0; at < frame->attrs.size; ++at) {
        const XLA_FFI_ByteSpan *span = frame->attrs.names[at];
        if (span->len == strlen(name) && memcmp(span->ptr, name, span->len) == 0)
            return *(const int64_t *)((const XLA_FFI_Scalar *)frame->attrs.attrs[at])->value;
    }
    return 0;
}

static XLA_FFI_Error *failure(const XLA_FFI_CallFrame *frame, const char *message)
{
    XLA_FFI_Error_Create_Args error;
    memset(&error, 0, sizeof error);
    error.struct_size = sizeof error;
    error.message = message;
    error.errc = XLA_FFI_Error_Code_FAILED_PRECONDITION;
    return frame->api->XLA_FFI_Error_Create(&error);
}

/* XLA requests the version of the interface before the first call. The type of the extension has different names in
 * different versions of the header, and is therefore not named. */
static int metadata(const XLA_FFI_CallFrame *frame)
{
    if (frame->extension_start == NULL || frame->extension_start->type != XLA_FFI_Extension_Metadata)
        return 0;
    XLA_FFI_Metadata *answer = ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata;
    answer->api_version.major_version = XLA_FFI_API_MAJOR;
    answer->api_version.minor_version = XLA_FFI_API_MINOR;
    return 1;
}

static XLA_FFI_Buffer *input(const XLA_FFI_CallFrame *frame, int64_t at) { return frame->args.args[at]; }
static XLA_FFI_Buffer *output(const XLA_FFI_CallFrame *frame, int64_t at) { return frame->rets.rets[at]; }

static const char NOT_REGISTERED[] = "this model is not registered in this process: call to_jax before";

/* -- the CPU: portions of the samples, which the threads of XLA and the calling one take one after the other */

typedef struct {
    Call call;
    size_t steps[MOST];
    char *arrays[MOST + 1];
    size_t moves[MOST + 1]; /* bytes from one sample to the next */
    int64_t count;          /* of arrays */
    size_t samples, portion;
    size_t next, done; /* samples that were taken, and that are computed */
    int users;
} Work;

static void compute(Work *work)
{
    void *moved[MOST + 1];
    for (;;) {
        const size_t start = __atomic_fetch_add(&work->next, work->portion, __ATOMIC_RELAXED);
        if (start >= work->samples)
            return;
        const size_t left = work->samples - start, n = left < work->portion ? left : work->portion;
        for (int64_t a = 0; a < work->count; ++a)
            moved[a] = work->arrays[a] + start * work->moves[a];
        work->call(n, work->steps, moved);
        __atomic_fetch_add(&work->done, n, __ATOMIC_RELEASE);
    }
}

static void release(Work *work)
{
    if (__atomic_sub_fetch(&work->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(work);
}

/* A task of XLA's threads. If it starts late, the samples are computed already, and it only releases its data. */
static void task(void *data)
{
    compute(data);
    release(data);
}

static int64_t threads_of(const XLA_FFI_CallFrame *frame)
{
    int64_t threads = 1;
    XLA_FFI_ThreadPool_NumThreads_Args pool;
    memset(&pool, 0, sizeof pool);
    pool.struct_size = sizeof pool;
    pool.ctx = frame->ctx;
    pool.num_threads = &threads;
    XLA_FFI_Error *error = frame->api->XLA_FFI_ThreadPool_NumThreads(&pool);
    if (error == NULL)
        return threads;
    XLA_FFI_Error_Destroy_Args destroyed;
    memset(&destroyed, 0, sizeof destroyed);
    destroyed.struct_size = sizeof destroyed;
    destroyed.error = error;
    frame->api->XLA_FFI_Error_Destroy(&destroyed);
    return 1;
}

/* Starts a task; returns whether it will run. */
static int scheduled(const XLA_FFI_CallFrame *frame, Work *work)
{
    XLA_FFI_ThreadPool_Schedule_Args pool;
    memset(&pool, 0, sizeof pool);
    pool.struct_size = sizeof pool;
    pool.ctx = frame->ctx;
    pool.task = task;
    pool.data = work;
    return frame->api->XLA_FFI_ThreadPool_Schedule(&pool) == NULL;
}

static void share_out(const XLA_FFI_CallFrame *frame, Work *work, int64_t operations)
{
    const double useful = (double)operations * (double)work->samples / GRAIN;
    int64_t threads = useful < 2 ? 1 : threads_of(frame);
    if ((double)threads > useful)
        threads = (int64_t)useful;
    work->portion = work->samples;
#ifndef _WIN32
    if (threads > 1) {
        const size_t pieces = (size_t)threads * PORTIONS * TILE;
        work->portion = (work->samples + pieces - 1) / pieces * TILE;
        for (int64_t other = 1; other < threads; ++other) {
            __atomic_add_fetch(&work->users, 1, __ATOMIC_RELAXED);
            if (!scheduled(frame, work)) {
                __atomic_sub_fetch(&work->users, 1, __ATOMIC_RELAXED);
                break;
            }
        }
    }
    compute(work);
    while (__atomic_load_n(&work->done, __ATOMIC_ACQUIRE) < work->samples)
        sched_yield();
#else
    compute(work);
#endif
}

XLA_FFI_Error *xla_call_cpu(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame))
        return NULL;
    const Model *model = registered(attribute(frame, "id"), 0);
    if (model == NULL)
        return failure(frame, NOT_REGISTERED);
    const int64_t shared = attribute(frame, "shared"), inputs = frame->args.size, outputs = frame->rets.size;
    const size_t bytes = (size_t)attribute(frame, "bytes");
    Work *work = calloc(1, sizeof *work);
    if (work == NULL)
        return failure(frame, "there is not enough memory");
    work->users = 1;
    work->samples = (size_t)output(frame, 0)->dims[0];
    memcpy(&work->call, &model->function, sizeof work->call);
    for (int64_t a = 0; a < inputs; ++a) {
        work->steps[a] = shared >> a & 1 ? 0 : (size_t)model->sizes[a];
        work->moves[work->count] = bytes * work->steps[a];
        work->arrays[work->count++] = input(frame, a)->data;
    }
    if (model->constants != NULL)
        work->arrays[work->count++] = model->constants;
    for (int64_t a = 0; a < outputs; ++a) {
        work->moves[work->count] = bytes * (size_t)model->sizes[inputs + a];
        work->arrays[work->count++] = output(frame, a)->data;
    }
    share_out(frame, work, attribute(frame, "operations"));
    release(work);
    return NULL;
}

/* -- the GPU */

/* The kernel has the arguments n, then address, distance of samples and distance of entries of each array, and the
 * constants, by value or as an address of the device. */
XLA_FFI_Error *xla_call_cuda(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame))
        return NULL;
    XLA_FFI_DeviceOrdinal_Get_Args device;
    memset(&device, 0, sizeof device);
    device.struct_size = sizeof device;
    device.ctx = frame->ctx;
    XLA_FFI_Stream_Get_Args stream;
    memset(&stream, 0, sizeof stream);
    stream.struct_size = sizeof stream;
    stream.ctx = frame->ctx;
    XLA_FFI_Error *error = frame->api->XLA_FFI_DeviceOrdinal_Get(&device);
    if (error == NULL)
        error = frame->api->XLA_FFI_Stream_Get(&stream);
    if (error != NULL)
        return error;
    const Model *model = registered(attribute(frame, "id"), device.device_ordinal);
    if (model == NULL || launch == NULL)
        return failure(frame, NOT_REGISTERED);
    const int64_t shared = attribute(frame, "shared"), inputs = frame->args.size, outputs = frame->rets.size;
    const int64_t n = output(frame, 0)->dims[0];
    if (n == 0)
        return NULL;
    int64_t numbers[3 * MOST + 2];
    void *arguments[3 * MOST + 2];
    int64_t at = 0;
    numbers[at++] = n;
    for (int64_t a = 0; a < inputs + outputs; ++a) {
        const int is_shared = a < inputs && (shared >> a & 1);
        void *data = a < inputs ? input(frame, a)->data : output(frame, a - inputs)->data;
        numbers[at++] = (int64_t)(intptr_t)data;
        numbers[at++] = is_shared ? 0 : model->entries[a] ? 1 : model->sizes[a];
        numbers[at++] = model->entries[a] && !is_shared ? n : 1;
    }
    if (model->constants != NULL && !model->by_value)
        numbers[at++] = (int64_t)(intptr_t)model->constants;
    for (int64_t a = 0; a < at; ++a)
        arguments[a] = &numbers[a];
    if (model->constants != NULL && model->by_value)
        arguments[at++] = model->constants;
    const unsigned blocks = (unsigned)((n + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK);
    if (launch(model->function, blocks, 1, 1, THREADS_PER_BLOCK, 1, 1, 0, stream.stream, arguments, NULL))
        return failure(frame, "the driver did not launch the kernel");
    return NULL;
}
