/* Start of the program: the vector table and the reset handler, which switches the FPU on, initialises the variables
 * and calls main. The projects of a real board have their own startup code; use that instead. */
#include <stdint.h>

#include "board.h"

extern uint32_t stack_top_, data_image_, data_start_, data_end_, bss_start_, bss_end_; /* addresses of link.ld */

int main(void);

static void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: access to the coprocessors 10 and 11, the FPU */
    __asm__ volatile("dsb\n isb" ::: "memory");
    const uint32_t *from = &data_image_;
    for (volatile uint32_t *to = &data_start_; to < &data_end_; ++to) *to = *from++;
    for (volatile uint32_t *to = &bss_start_; to < &bss_end_; ++to) *to = 0;
    board_exit(main());
}

static void fault(void)
{
    board_text("unexpected exception\n");
    board_exit(1);
}

typedef void (*handler)(void);

__attribute__((section(".vectors"), used)) static const handler vectors[16] = {
    (handler)&stack_top_, reset, fault, fault, fault, fault, fault, fault,
    fault, fault, fault, fault, fault, fault, fault, fault,
};
