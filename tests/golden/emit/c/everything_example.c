/* Example for everything: evaluates the model for sample numbers and prints the outputs.
 * Made by symoro VERSION */
#include "everything.h"

#include <stdio.h>

static void show(const char *name, const double *x, int size, int columns)
{
    printf("%s =\n", name);
    for (int e = 0; e < size; ++e) {
        printf("%16.9g%s", (double)x[e], (e + 1) % columns == 0 ? "\n" : " ");
    }
}

int main(void)
{
    const double p[11] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1};
    double k_2[7];
    const double q[3] = {0.1, 0.2, 0.3};
    const double T[4] = {0.1, 0.2, 0.3, 0.4};
    const double n[1] = {0.1};
    const double unused[2] = {0.1, 0.2};
    double t[6];
    double k[1];
    double Q[6];
    double r[9];
    double last[8];

    everything_setup(p, k_2);
    everything(q, T, n, unused, k_2, t, k, Q, r, last);

    show("t", t, 6, 3);
    show("k", k, 1, 1);
    show("Q", Q, 6, 6);
    show("r", r, 9, 9);
    show("last", last, 8, 2);
    return 0;
}
