#include "clock.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

static uint16_t counted_ticks;
static uint32_t counted_ms;

// Only wakes the sleeping main loop once a millisecond.
ISR(TIMER1_COMPA_vect) { OCR1A = TCNT1 + CLOCK_TICKS_PER_MS; }

void clock_start(void) {
    TCCR1A = 0;
    TCCR1B = _BV(CS11) | _BV(CS10); // 16 MHz / 64
    TIMSK1 = _BV(OCIE1A);
}

uint16_t clock_ticks(void) {
    uint16_t ticks;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { ticks = TCNT1; }
    return ticks;
}

uint32_t clock_ms(void) {
    while ((uint16_t)(clock_ticks() - counted_ticks) >= CLOCK_TICKS_PER_MS) {
        counted_ticks += CLOCK_TICKS_PER_MS;
        counted_ms++;
    }
    return counted_ms;
}
