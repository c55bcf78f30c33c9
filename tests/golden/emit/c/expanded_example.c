/* Example for expanded: evaluates the model for sample numbers and prints the outputs.
 * Made by symoro VERSION */
#include "expanded.h"

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
    const double p[1] = {0.1};
    double k[2];
    const double q[3] = {0.1, 0.2, 0.3};
    double P[3];

    expanded_setup(p, k);
    expanded(q, k, P);

    show("P", P, 3, 3);
    return 0;
}
