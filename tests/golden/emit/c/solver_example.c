/* Example for solver: evaluates the model for sample numbers and prints the outputs.
 * Made by symoro VERSION */
#include "solver.h"

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
    double k[1];
    const double A[16] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6};
    const double v[4] = {0.1, 0.2, 0.3, 0.4};
    double x[4];
    double y[2];

    solver_setup(p, k);
    solver(A, v, k, x, y);

    show("x", x, 4, 4);
    show("y", y, 2, 2);
    return 0;
}
