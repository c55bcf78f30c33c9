/* Example for polynomials: evaluates the model for many equal samples and prints the outputs of one.
 * Made by symoro VERSION */
#include "polynomials.h"

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
    double k_2[1];
    polynomials_setup(p, k_2);
    const double a_sample[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    const double k_sample[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    double *a = to_device(a_sample, 5, 1);
    double *k = to_device(k_sample, 5, 1);
    double *x = to_device(NULL, 8, 1);
    double *t = to_device(NULL, 12, 1);
    double *pair = to_device(NULL, 8, 1);
    double *none = to_device(NULL, 12, 1);

    checked(polynomials_launch(SAMPLES, a, k, k_2, x, t, pair, none, 0));
    show("x", x, 8, 1, 8);
    show("t", t, 12, 1, 12);
    show("pair", pair, 8, 1, 8);
    show("none", none, 12, 1, 12);
    checked(cudaFree(a));
    checked(cudaFree(k));
    checked(cudaFree(x));
    checked(cudaFree(t));
    checked(cudaFree(pair));
    checked(cudaFree(none));
    return 0;
}
