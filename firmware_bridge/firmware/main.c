// Boardref's lights: an ATmega328P that shows what the host means on WS2812 LEDs, and tells of two buttons.

#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "buttons.h"
#include "clock.h"
#include "leds.h"
#include "lights.h"
#include "protocol.h"
#include "supply.h"
#include "uart.h"

// A program that stands still is started again by the watchdog's interrupt, not by its reset: the old bootloader of
// many Nanos never comes back from that one. If even interrupts are off, the reset follows, as the second chance.
static void watchdog_on(void) {
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDE) | WDTO_250MS;
}

ISR(WDT_vect, ISR_NAKED) { __asm__ volatile("jmp 0"); }

// However the program started, the watchdog may still run, at its shortest: stop it before anything else.
void watchdog_off(void) __attribute__((naked, used, section(".init3")));
void watchdog_off(void) {
    MCUSR = 0;
    wdt_disable();
}

static void sleep_until_interrupt(void) {
    cli();
    if (!uart_waiting()) {
        sleep_enable();
        sei();
        sleep_cpu(); // the instruction after sei() comes before any interrupt: none is missed
        sleep_disable();
    }
    sei();
}

int main(void) {
    clock_start();
    uart_start();
    leds_start();
    buttons_start();
    supply_start();
    protocol_start();
    set_sleep_mode(SLEEP_MODE_IDLE);
    watchdog_on();
    sei();
    for (;;) {
        wdt_reset();
        if (uart_waiting()) {
            protocol_take(uart_get());
        }
        buttons_step();
        lights_step();
        protocol_step();
        sleep_until_interrupt();
    }
}
