/* Example for everything: evaluates the model for many equal samples and prints the outputs of one.
 * Made by symoro VERSION */
#include "everything.h"

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
    const double p[11] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1};
    double k_2[7];
    everything_setup(p, k_2);
    const double q_sample[3] = {0.1, 0.2, 0.3};
    const double T_sample[4] = {0.1, 0.2, 0.3, 0.4};
    const double n_sample[1] = {0.1};
    const double unused_sample[2] = {0.1, 0.2};
    double *q = to_device(q_sample, 3, 1);
    double *T = to_device(T_sample, 4, 1);
    double *n = to_device(n_sample, 1, 1);
    double *unused = to_device(unused_sample, 2, 1);
    double *t = to_device(NULL, 6, 1);
    double *k = to_device(NULL, 1, 1);
    double *Q = to_device(NULL, 6, 1);
    double *r = to_device(NULL, 9, 1);
    double *last = to_device(NULL, 8, 1);

    checked(everything_launch(SAMPLES, q, T, n, unused, k_2, t, k, Q, r, last, 0));
    show("t", t, 6, 1, 3);
    show("k", k, 1, 1, 1);
    show("Q", Q, 6, 1, 6);
    show("r", r, 9, 1, 9);
    show("last", last, 8, 1, 2);
    checked(cudaFree(q));
    checked(cudaFree(T));
    checked(cudaFree(n));
    checked(cudaFree(unused));
    checked(cudaFree(t));
    checked(cudaFree(k));
    checked(cudaFree(Q));
    checked(cudaFree(r));
    checked(cudaFree(last));
    return 0;
}
