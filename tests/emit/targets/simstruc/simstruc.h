/* Substitute for the header of Simulink: the macros that an emitted S-function uses, with the documented meaning. */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

#include <stddef.h>

typedef double real_T;
typedef int int_T;
typedef real_T const *const *InputRealPtrsType;

typedef struct {
    double *entries;
    size_t count;
    int is_double, is_complex, is_sparse;
} mxArray;

typedef struct {
    int sizes[2]; /* rows and columns; no columns for a vector */
    int feed;
} port_of_mock;

typedef struct {
    int wanted_parameters, given_parameters, inputs, outputs, states, constants;
    port_of_mock input[16], output[16];
    const real_T *signals[16][4096];
    real_T *results[16];
    real_T work[4096];
    const mxArray *parameter;
    const char *error;
} SimStruct;

#define ssSetNumSFcnParams(S, n) ((S)->wanted_parameters = (n))
#define ssGetNumSFcnParams(S) ((S)->wanted_parameters)
#define ssGetSFcnParamsCount(S) ((S)->given_parameters)
#define ssGetSFcnParam(S, i) ((S)->parameter)
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n), 1)
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n), 1)
#define ssSetInputPortWidth(S, p, n) ((S)->input[p].sizes[0] = (n))
#define ssSetOutputPortWidth(S, p, n) ((S)->output[p].sizes[0] = (n))
#define ssSetInputPortMatrixDimensions(S, p, m, n) ((S)->input[p].sizes[0] = (m), (S)->input[p].sizes[1] = (n), 1)
#define ssSetOutputPortMatrixDimensions(S, p, m, n) ((S)->output[p].sizes[0] = (m), (S)->output[p].sizes[1] = (n), 1)
#define ssSetInputPortDirectFeedThrough(S, p, n) ((S)->input[p].feed = (n))
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumDiscStates(S, n) ((void)(n))
#define ssSetNumRWork(S, n) ((S)->constants = (n))
#define ssGetRWork(S) ((S)->work)
#define ssSetNumSampleTimes(S, n) ((void)(n))
#define ssSetSampleTime(S, i, t) ((void)(t))
#define ssSetOffsetTime(S, i, t) ((void)(t))
#define ssSetModelReferenceSampleTimeDefaultInheritance(S) ((void)(S))
#define ssSetOptions(S, options) ((void)(options))
#define ssSetErrorStatus(S, message) ((S)->error = (message))
#define ssGetErrorStatus(S) ((S)->error)
#define SS_OPTION_EXCEPTION_FREE_CODE 1
#define SS_OPTION_WORKS_WITH_CODE_REUSE 2
#define INHERITED_SAMPLE_TIME -1.0
#define ssGetInputPortRealSignalPtrs(S, p) ((InputRealPtrsType)(S)->signals[p])
#define ssGetOutputPortRealSignal(S, p) ((S)->results[p])
#define UNUSED_ARG(x) (void)(x)

#define mxIsEmpty(array) ((array)->count == 0)
#define mxIsDouble(array) ((array)->is_double)
#define mxIsComplex(array) ((array)->is_complex)
#define mxIsSparse(array) ((array)->is_sparse)
#define mxGetNumberOfElements(array) ((array)->count)
#define mxGetPr(array) ((array)->entries)

#endif
