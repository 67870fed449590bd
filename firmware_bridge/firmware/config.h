// What this build drives. Every value can be given to make: `make SITES=81 BAR=12 MAX_MA=900`.
#ifndef CONFIG_H
#define CONFIG_H

#include <avr/io.h>

#ifndef SITES
#define SITES 64 // lights at board places, first on the chain
#endif
#ifndef BAR
#define BAR 8 // LEDs of the bar before each player; 0: no bars
#endif
#ifndef LAMP_LEDS
#define LAMP_LEDS 1 // the status lamp at the end of the chain, all alike; 0: none
#endif
#define SIDES 2
#define LEDS (SITES + SIDES * BAR + LAMP_LEDS)

#ifndef BRIGHTNESS_CEILING
#define BRIGHTNESS_CEILING 64 // of 255; a host that asks for more gets this
#endif
#ifndef MAX_MA
#define MAX_MA 450 // what supply and wires bear, board included: a USB port gives 500
#endif
#define BOARD_MA 30  // the controller board itself
#define CHANNEL_MA 20 // one colour of one WS2812 at full drive
#define IDLE_MA 1    // a dark WS2812

// 0 leaves the receiver unread while LEDs are written: for the test that shows what then happens.
#ifndef POLL_WHILE_WRITING
#define POLL_WHILE_WRITING 1
#endif

// Wiring. LEDs and buttons share port D; the buttons close to ground, the chip's own pull-ups hold them high.
#define LED_DDR DDRD
#define LED_PORT PORTD
#define LED_PIN PD6 // Nano and Uno: D6
#define BUTTON_PORT PORTD
#define BUTTON_INPUT PIND
#define BUTTON_PINS {PD2, PD3} // D2: first player, D3: second player
#define BUTTONS 2

#if F_CPU != 16000000UL
#error "the LED waveform and the baud rate are counted for 16 MHz"
#endif
#if LEDS < 1 || LEDS > 130
#error "1 to 130 LEDs fit in the memory of this chip"
#endif
#if MAX_MA < BOARD_MA + IDLE_MA * LEDS + CHANNEL_MA
#error "MAX_MA does not even feed the dark LEDs"
#endif

#endif
