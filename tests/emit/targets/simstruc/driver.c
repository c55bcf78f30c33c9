/* Calls an S-function as Simulink does; SFUNCTION is its file. Reads the numbers of the parameter and of the signals,
 * and prints the sizes of the ports and the outputs. The entries of a signal are not neighbours in memory. */
#include SFUNCTION

#include <stdio.h>
#include <stdlib.h>

static void read_numbers(double *numbers, size_t count, size_t step)
{
    for (size_t i = 0; i < count; ++i) {
        if (scanf("%lf", &numbers[i * step]) != 1) {
            exit(4);
        }
    }
}

static size_t width(const port_of_mock *port)
{
    return (size_t)(port->sizes[0] * (port->sizes[1] > 0 ? port->sizes[1] : 1));
}

static void show(const char *kind, const port_of_mock *port)
{
    printf("%s %d %d %d\n", kind, port->sizes[0], port->sizes[1], port->feed);
}

int main(void)
{
    static SimStruct S;
    static double signals[16][8192], results[16][4096], numbers[4096];
    mxArray parameter = {numbers, 0, 1, 0, 0};
    double flags[2];
    read_numbers(flags, 2, 1); /* length of the parameter, and whether it is of class double */
    parameter.count = (size_t)flags[0];
    parameter.is_double = flags[1] > 0.5;
    read_numbers(numbers, parameter.count, 1);
    S.parameter = &parameter;
#ifdef MDL_START
    S.given_parameters = 1;
#endif
    mdlInitializeSizes(&S);
    if (S.error != NULL || S.wanted_parameters != S.given_parameters) {
        printf("%s\n", S.error != NULL ? S.error : "wrong number of parameters");
        return 3;
    }
    for (int p = 0; p < S.inputs; ++p) {
        show("input", &S.input[p]);
        read_numbers(signals[p], width(&S.input[p]), 2);
        for (size_t e = 0; e < width(&S.input[p]); ++e) {
            S.signals[p][e] = &signals[p][2 * e];
        }
    }
    for (int p = 0; p < S.outputs; ++p) {
        show("output", &S.output[p]);
        S.results[p] = results[p];
    }
    mdlInitializeSampleTimes(&S);
#ifdef MDL_START
    S.parameter = &(mxArray){numbers, 0, 1, 0, 0}; /* the defaults, before the parameter is changed */
    mdlStart(&S);
    S.parameter = &parameter;
    mdlCheckParameters(&S);
    mdlProcessParameters(&S);
#endif
    mdlOutputs(&S, 0);
    for (int p = 0; p < S.outputs; ++p) {
        for (size_t e = 0; e < width(&S.output[p]); ++e) {
            printf("%.17g\n", results[p][e]);
        }
    }
    mdlTerminate(&S);
    return 0;
}
