/* Example for solver: evaluates the model for many equal samples and prints the outputs of one.
 * Made by symoro VERSION */
#include "solver.h"

#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 1000

static void checked(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

/* Position of an entry of a sample in an array that is stored by samples (1), by entries (0) or shared (2). */
static size_t place(int sample, int entry, int entries, int by_samples)
{
    if (by_samples == 2) return (size_t)entry;
    return by_samples ? (size_t)sample*entries + entry : (size_t)entry*SAMPLES + sample;
}

/* Array of the device with the same numbers in all samples; not initialised if x is NULL. */
static double *to_device(const double *x, int entries, int by_samples)
{
    const size_t bytes = sizeof(double)*SAMPLES*(entries ? entries : 1);
    double *host = (double *)calloc(bytes, 1);
    double *device = NULL;
    for (int i = 0; x && i < SAMPLES; ++i) {
        for (int e = 0; e < entries; ++e) host[place(i, e, entries, by_samples)] = x[e];
    }
    checked(cudaMalloc((void **)&device, bytes));
    checked(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

static void show(const char *name, const double *device, int entries, int by_samples, int columns)
{
    const size_t bytes = sizeof(double)*SAMPLES*(entries ? entries : 1);
    double *host = (double *)malloc(bytes);
    checked(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    printf("%s =\n", name);
    for (int e = 0; e < entries; ++e) {
        const double x = host[place(SAMPLES - 1, e, entries, by_samples)];
        printf("%16.9g%s", (double)x, (e + 1) % columns == 0 ? "\n" : " ");
    }
    free(host);
}

int main(void)
{
    const double p[1] = {0.1};
    double k[1];
    solver_setup(p, k);
    const double A_sample[16] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5,
        1.6};
    const double v_sample[4] = {0.1, 0.2, 0.3, 0.4};
    double *A = to_device(A_sample, 16, 1);
    double *v = to_device(v_sample, 4, 1);
    double *x = to_device(NULL, 4, 1);
    double *y = to_device(NULL, 2, 1);

    checked(solver_launch(SAMPLES, A, v, k, x, y, 0));
    show("x", x, 4, 1, 4);
    show("y", y, 2, 1, 2);
    checked(cudaFree(A));
    checked(cudaFree(v));
    checked(cudaFree(x));
    checked(cudaFree(y));
    return 0;
}
