/* Axes of an array and texts for messages. */
typedef struct {
    const char *name;
    const char *expected;
    int axes;
    size_t shape[AXES_];
    size_t size;
} port_;

/* Write the size of an array as text, such as 7 x 1. */
static void size_text_(const mxArray *array, char *text, size_t length)
{
    const mwSize *sizes = mxGetDimensions(array);
    const mwSize axes = mxGetNumberOfDimensions(array);
    size_t used = 0;
    text[0] = '\0';
    for (mwSize axis = 0; axis < axes && used + 24 < length; ++axis) {
        used += (size_t)sprintf(text + used, "%s%lu", axis > 0 ? " x " : "", (unsigned long)sizes[axis]);
    }
}

/* Stop with an error unless an array is full, real and of class double. */
static void check_class_(const mxArray *array, const char *name)
{
    if (!mxIsDouble(array) || mxIsComplex(array) || mxIsSparse(array)) {
        mexErrMsgIdAndTxt(ID_ "class", "%s must be a full real array of class double, got %s%s%s", name,
                          mxIsSparse(array) ? "a sparse " : "", mxIsComplex(array) ? "complex " : "",
                          mxGetClassName(array));
    }
}

static void size_error_(const mxArray *array, const port_ *port)
{
    char text[256];
    size_text_(array, text, sizeof text);
    mexErrMsgIdAndTxt(ID_ "size", "%s must be %s, got %s", port->name, port->expected, text);
}

/* Return the number of samples of an input: the length of the axis after those of the model. */
static size_t samples_of_(const mxArray *array, const port_ *port)
{
    const mwSize *sizes = mxGetDimensions(array);
    const int axes = (int)mxGetNumberOfDimensions(array);
    const size_t count = (size_t)mxGetNumberOfElements(array);
    int fits = count > 0;
    check_class_(array, port->name);
    if (port->size == 0 && count == 0) {
        return 1;
    }
    if (port->axes < 2 && axes == 2 && (sizes[0] == 1 || sizes[1] == 1)) { /* a vector, as a row or as a column */
        if (count == port->size) {
            return 1;
        }
        fits = fits && port->size == 1;
        if (!fits) {
            size_error_(array, port);
        }
        return count;
    }
    for (int axis = 0; axis < port->axes; ++axis) {
        fits = fits && (axis < axes ? (size_t)sizes[axis] : 1) == port->shape[axis];
    }
    for (int axis = port->axes + 1; axis < axes; ++axis) {
        fits = fits && sizes[axis] == 1;
    }
    if (!fits || port->axes == 0) {
        size_error_(array, port);
    }
    return port->axes < axes ? (size_t)sizes[port->axes] : 1;
}

/* Return the number of samples of all inputs: an input has one sample or that number. */
static size_t common_samples_(size_t samples, size_t count, const port_ *port)
{
    if (count != 1 && samples != 1 && count != samples) {
        mexErrMsgIdAndTxt(ID_ "size", "%s has %lu samples, expected 1 or %lu as in the inputs before it", port->name,
                          (unsigned long)count, (unsigned long)samples);
    }
    return count == 1 ? samples : count;
}

/* Create an output and return its entries. */
static double *created_(mxArray **output, mwSize axes, const mwSize *sizes)
{
    *output = mxCreateNumericArray(axes, sizes, mxDOUBLE_CLASS, mxREAL);
    return mxGetPr(*output);
}
