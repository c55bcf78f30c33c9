/* Console and timer of a board: text by semihosting, which QEMU and debuggers provide. For a board without a debugger
 * write the texts to its serial port in `board_text`, and wait in `board_exit`. There is no heap and no double. */
#include "board.h"

/* -- semihosting of ARM */

enum { SYS_OPEN = 0x01, SYS_WRITE = 0x05, SYS_EXIT = 0x18 };
enum { MODE_WRITE = 4, STOPPED_APPLICATION_EXIT = 0x20026, STOPPED_RUN_TIME_ERROR = 0x20023 };

static uintptr_t request(uintptr_t operation, uintptr_t argument)
{
    register uintptr_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_text(const char *text)
{
    static uintptr_t console;
    uintptr_t length = 0;
    if (console == 0) {
        const uintptr_t arguments[3] = {(uintptr_t)":tt", MODE_WRITE, 3};
        console = request(SYS_OPEN, (uintptr_t)arguments);
    }
    while (text[length] != '\0') ++length;
    const uintptr_t arguments[3] = {console, (uintptr_t)text, length};
    request(SYS_WRITE, (uintptr_t)arguments);
}

void board_exit(int status)
{
    request(SYS_EXIT, status == 0 ? STOPPED_APPLICATION_EXIT : STOPPED_RUN_TIME_ERROR);
    for (;;) {
    }
}

/* -- SysTick, a timer of 24 bits that counts down */

#define SYSTICK ((volatile uint32_t *)0xE000E010) /* control, reload value, present value */

void board_start(void)
{
    SYSTICK[1] = 0xFFFFFF;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5; /* processor clock, no interrupt */
}

uint32_t board_ticks(void)
{
    return 0xFFFFFF - SYSTICK[2];
}

/* -- numbers, by integers: the decimal digits of x = m 2^e are those of the integer m 2^e, or of m 5^-e if e < 0 */

enum { SIGNIFICANT = 9, MOST_DIGITS = 120, WIDTH = 16 };

/* Multiply a number of n decimal digits, the lowest first; return its new number of digits. */
static int times(unsigned char *digit, int n, int factor)
{
    int carry = 0;
    for (int i = 0; i < n || carry != 0; ++i) {
        const int sum = (i < n ? digit[i] * factor : 0) + carry;
        digit[i] = (unsigned char)(sum % 10);
        carry = sum / 10;
        if (i >= n) n = i + 1;
    }
    return n;
}

/* Round to the significant digits, ties to even; return 1 if the number becomes the next power of ten. */
static int rounded(unsigned char *digit, int n)
{
    const int last = n - SIGNIFICANT; /* place of the last significant digit */
    int rest = 0;                     /* not 0 if a digit after the first omitted one is not 0 */
    if (last <= 0) return 0;
    for (int i = 0; i < last - 1; ++i) {
        rest |= digit[i];
        digit[i] = 0;
    }
    int up = digit[last - 1] > 5 || (digit[last - 1] == 5 && (rest != 0 || digit[last] % 2 == 1));
    digit[last - 1] = 0;
    for (int i = last; up && i < n; ++i) {
        up = digit[i] == 9;
        digit[i] = (unsigned char)(up ? 0 : digit[i] + 1);
    }
    if (up) digit[n - 1] = 1;
    return up;
}

void board_number(float x)
{
    const union { float number; uint32_t word; } bits = {x};
    const int field = (int)(bits.word >> 23 & 0xFF);
    const uint32_t fraction = bits.word & 0x7FFFFF;
    const int e = field == 0 ? -149 : field - 150;
    char text[WIDTH + 8];
    unsigned char digit[MOST_DIGITS] = {0};
    int n = 0, at = 0, low = 0;
    if (bits.word >> 31) text[at++] = '-';
    if (field == 0xFF) {
        for (const char *name = fraction == 0 ? "inf" : "nan"; *name != '\0'; ++name) text[at++] = *name;
    } else {
        for (uint32_t m = field == 0 ? fraction : fraction | 0x800000; m != 0 || n == 0; m /= 10) {
            digit[n++] = (unsigned char)(m % 10);
        }
        for (int i = 0; i < (e < 0 ? -e : e); ++i) n = times(digit, n, e < 0 ? 5 : 2);
        const int zero = n == 1 && digit[0] == 0;
        const int power = rounded(digit, n) + n - 1 + (e < 0 && !zero ? e : 0); /* of ten, of the first digit */
        const int fixed = power >= -4 && power < SIGNIFICANT;
        const int first = fixed ? power : 0; /* power of ten of the first digit before the point */
        while (low < n - 1 && digit[low] == 0) ++low;
        for (int p = first < 0 ? 0 : first, i = n - 1 + p - first; i >= low || p >= 0; --i, --p) {
            if (p == -1) text[at++] = '.';
            text[at++] = (char)('0' + (i < n && i >= 0 ? digit[i] : 0));
        }
        if (!fixed) {
            const int size = power < 0 ? -power : power;
            text[at++] = 'e';
            text[at++] = power < 0 ? '-' : '+';
            text[at++] = (char)('0' + size / 10);
            text[at++] = (char)('0' + size % 10);
        }
    }
    text[at] = '\0';
    for (int i = at; i < WIDTH; ++i) board_text(" ");
    board_text(text);
}
