/* Example for chain: evaluates the model for many equal samples and prints the outputs of one.
 * Made by symoro VERSION */
#include "chain.h"

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
    const double p[4] = {0.1, 0.2, 0.3, 0.4};
    double k[7];
    chain_setup(p, k);
    const double q_sample[2] = {0.1, 0.2};
    double *q = to_device(q_sample, 2, 1);
    double *P = to_device(NULL, 6, 1);

    checked(chain_launch(SAMPLES, q, k, P, 0));
    show("P", P, 6, 1, 3);
    checked(cudaFree(q));
    checked(cudaFree(P));
    return 0;
}
