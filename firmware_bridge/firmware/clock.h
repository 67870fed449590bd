// Time since power-up from Timer1, which never stops: interrupts may be off for up to a quarter of a second.
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#define CLOCK_TICKS_PER_MS 250 // one tick is 4 us

void clock_start(void);
uint16_t clock_ticks(void);
uint32_t clock_ms(void); // call at least every 250 ms

#endif
