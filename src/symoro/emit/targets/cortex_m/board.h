/* Functions of the board that the example uses. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Write a text to the console of the emulator or of the debugger. */
void board_text(const char *text);

/* Write a number in a field of 16 characters with 9 significant digits, as printf("%16.9g") does. */
void board_number(float x);

/* Start the timer SysTick at 0; `board_ticks` returns the ticks since then, at most 2^24 - 1. */
void board_start(void);
uint32_t board_ticks(void);

/* End the program; the emulator exits with status 0 if the argument is 0, otherwise with 1. */
void board_exit(int status);

#endif /* board.h */
