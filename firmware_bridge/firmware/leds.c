#include "leds.h"

#include <avr/interrupt.h>

#include "clock.h"
#include "uart.h"

#define LATCH_TICKS 75 // 300 us of silence make the LEDs show what they took

pixel_t leds[LEDS];
static uint16_t written_ticks;

void leds_start(void) {
    LED_PORT &= ~_BV(LED_PIN);
    LED_DDR |= _BV(LED_PIN);
    written_ticks = clock_ticks();
}

// One byte, 20 cycles (1.25 us) a bit: high for 5 (312 ns) is a 0, for 11 (688 ns) a 1. Leaves the line low.
static inline void write_byte(uint8_t byte, uint8_t high, uint8_t low) {
    uint8_t bits = 8;
    __asm__ volatile(
        "1: out  %[port], %[high] \n" //  0: up
        "   rjmp .+0              \n"
        "   nop                   \n"
        "   sbrs %[byte], 7       \n" //  4
        "   out  %[port], %[low]  \n" //  5: down, if it is a 0
        "   lsl  %[byte]          \n" //  6
        "   rjmp .+0              \n"
        "   rjmp .+0              \n"
        "   out  %[port], %[low]  \n" // 11: down, if it was a 1
        "   rjmp .+0              \n"
        "   rjmp .+0              \n"
        "   nop                   \n"
        "   dec  %[bits]          \n" // 17
        "   brne 1b               \n" // 18, back at 20
        : [byte] "+r"(byte), [bits] "+r"(bits)
        : [port] "I"(_SFR_IO_ADDR(LED_PORT)), [high] "r"(high), [low] "r"(low));
}

void leds_write(void) {
    while ((uint16_t)(clock_ticks() - written_ticks) < LATCH_TICKS) {
    }
    uint8_t before = SREG;
    cli();
    uint8_t low = LED_PORT & ~_BV(LED_PIN);
    uint8_t high = low | _BV(LED_PIN);
    const uint8_t *byte = (const uint8_t *)leds;
    for (uint16_t left = sizeof leds; left > 0; left--) {
        write_byte(*byte++, high, low);
#if POLL_WHILE_WRITING
        uart_poll();
#endif
    }
    SREG = before;
    written_ticks = clock_ticks();
}
