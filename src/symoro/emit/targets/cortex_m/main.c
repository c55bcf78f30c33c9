/* Example for @NAME@: prints the outputs for sample numbers, their largest error and the instructions per call. */
#include "@NAME@.h"

#include <math.h>

#include "board.h"

#define CALLS 100
#define INSTRUCTIONS_PER_TICK 40 /* of QEMU: a clock of 25 MHz, and one instruction per nanosecond; 1 for clock cycles */
/* Rounding in single precision causes an error of 6e-8 times the condition number of the model, which is about 1e3 for
 * the inertia matrix of a manipulator. A larger error than this has another cause. */
#define LARGEST_ERROR 1e-3f

static float error = 0; /* largest error of all outputs, each relative to its largest entry */

static void print(const char *text, float x)
{
    board_text(text);
    board_number(x);
    board_text("\n");
}

static void show(const char *name, const float *x, int size, int columns)
{
    board_text(name);
    board_text(" =\n");
    for (int e = 0; e < size; ++e) {
        board_number(x[e]);
        board_text((e + 1) % columns == 0 ? "\n" : " ");
    }
}

/* Compare an output with its values in double precision, relative to a scale; NaN equals NaN. */
static void compare(const float *x, const float *expected, int size, float scale)
{
    for (int e = 0; e < size; ++e) {
        if (x[e] == expected[e] || (isnan(x[e]) && isnan(expected[e]))) continue;
        const float difference = fabsf(x[e] - expected[e]) / scale;
        if (!(difference <= error)) error = difference;
    }
}

int main(void)
{
@ARRAYS@

    @CALL@
@OUTPUTS@

    board_start();
    for (int i = 0; i < CALLS; ++i) {
        @CALL@
    }
    const uint32_t instructions = board_ticks() * INSTRUCTIONS_PER_TICK / CALLS;
    print("largest error, relative to the largest entry:", error);
    print("instructions per call:                       ", (float)instructions);
    return !(error <= LARGEST_ERROR);
}
