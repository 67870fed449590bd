// The chain of WS2812 LEDs: what each one is to show, and the waveform that says so.
#ifndef LEDS_H
#define LEDS_H

#include <stdint.h>

#include "config.h"

typedef struct {
    uint8_t green, red, blue; // in the order of the wire
} pixel_t;

extern pixel_t leds[LEDS];

void leds_start(void);
void leds_write(void); // 30 us for each LED, with interrupts off and the receiver polled between bytes

#endif
