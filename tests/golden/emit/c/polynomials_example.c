/* Example for polynomials: evaluates the model for sample numbers and prints the outputs.
 * Made by symoro VERSION */
#include "polynomials.h"

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
    double k_2[1];
    const double a[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    const double k[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    double x[8];
    double t[12];
    double pair[8];
    double none[12];

    polynomials_setup(p, k_2);
    polynomials(a, k, k_2, x, t, pair, none);

    show("x", x, 8, 8);
    show("t", t, 12, 12);
    show("pair", pair, 8, 8);
    show("none", none, 12, 12);
    return 0;
}
