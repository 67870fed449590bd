// Hues and rhythms: how a light's code looks at one moment. Time goes in steps of 25 ms.
#ifndef RHYTHM_H
#define RHYTHM_H

#include <stdbool.h>
#include <stdint.h>

#include "leds.h"

enum { HUE_OFF, HUE_WHITE, HUE_BLUE, HUE_AMBER, HUES };
enum {
    RHYTHM_STEADY,
    RHYTHM_PULSE,
    RHYTHM_BREATHE,
    RHYTHM_BLINK,
    RHYTHM_DOUBLE,
    RHYTHM_ALT_A,
    RHYTHM_ALT_B,
    RHYTHM_WALK,
    RHYTHMS
};
#define CODE(rhythm, hue) ((rhythm) << 4 | (hue))
#define HUE(code) ((code) & 0x0F)
#define RHYTHM(code) ((code) >> 4)

uint16_t hue_drive(uint8_t hue, uint8_t brightness); // sum of its three colours at full level

// The colours and phases of this moment; `share` of 256 is what the current limit leaves of the brightness.
void rhythm_moment(uint32_t step, uint8_t brightness, uint16_t share);

// At the moment set last: a light that has been so for `age` steps; `in_bar`: its place in a bar, or RHYTHM_ALONE.
pixel_t rhythm_pixel(uint8_t code, uint8_t age, uint8_t in_bar);
#define RHYTHM_ALONE 0xFF
pixel_t rhythm_lamp(uint8_t code, uint8_t age); // a lamp has no partner to alternate with: its own hue and white

bool rhythm_alternates(uint8_t code);
uint8_t rhythm_older(uint8_t code, uint8_t age); // one step later, as far as the rhythm cares

#endif
