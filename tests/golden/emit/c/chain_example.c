/* Example for chain: evaluates the model for sample numbers and prints the outputs.
 * Made by symoro VERSION */
#include "chain.h"

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
    const double p[4] = {0.1, 0.2, 0.3, 0.4};
    double k[7];
    const double q[2] = {0.1, 0.2};
    double P[6];

    chain_setup(p, k);
    chain(q, k, P);

    show("P", P, 6, 3);
    return 0;
}
