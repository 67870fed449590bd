#include "rhythm.h"

#include <avr/pgmspace.h>

#define STEPS(ms) ((ms) / 25)
#define BLINK_STEPS STEPS(1000)
#define BREATH_STEPS STEPS(4000)
#define WALK_STEPS STEPS(250) // one LED further
#define PULSE_STEPS STEPS(700)
#define FLASH_STEPS STEPS(150) // DOUBLE: flash, gap, flash, then dark for 1.2 s
#define DOUBLE_STEPS (3 * FLASH_STEPS + STEPS(1200))

// Linear drive of the three hues that stay apart for every common colour vision.
static const pixel_t drive[HUES] PROGMEM = {
    [HUE_WHITE] = {.red = 150, .green = 150, .blue = 150},
    [HUE_BLUE] = {.red = 0, .green = 40, .blue = 255},
    [HUE_AMBER] = {.red = 255, .green = 90, .blue = 0},
};

// A quarter of the breath's sine: 102 = 0.4 of full level.
static const uint8_t quarter[BREATH_STEPS / 4 + 1] PROGMEM = {
    0, 4, 8, 12, 16, 20, 24, 28, 32, 35, 39, 43, 46, 50, 53, 57, 60, 63, 66, 69, 72, 75, 78, 80, 83, 85,
    87, 89, 91, 93, 94, 96, 97, 98, 99, 100, 101, 101, 102, 102, 102,
};

static pixel_t full[HUES], breath[HUES];
static bool first_half; // of the blink's second
static uint8_t walker;  // the lit place of a walking bar

static uint8_t shared(uint8_t value, uint8_t of_255) { return ((uint16_t)value * of_255 + 127) / 255; }

// The level of the breath, 51..255: 0.6 + 0.4 sin.
static uint8_t breath_level(uint8_t step) {
    uint8_t in_half = step % (BREATH_STEPS / 2);
    uint8_t in_quarter = in_half <= BREATH_STEPS / 4 ? in_half : BREATH_STEPS / 2 - in_half;
    uint8_t swing = pgm_read_byte(&quarter[in_quarter]);
    return step < BREATH_STEPS / 2 ? 153 + swing : 153 - swing;
}

static pixel_t hue_pixel(uint8_t hue, uint8_t brightness) {
    pixel_t pixel;
    memcpy_P(&pixel, &drive[hue], sizeof pixel);
    pixel.red = shared(pixel.red, brightness);
    pixel.green = shared(pixel.green, brightness);
    pixel.blue = shared(pixel.blue, brightness);
    return pixel;
}

uint16_t hue_drive(uint8_t hue, uint8_t brightness) {
    pixel_t pixel = hue_pixel(hue, brightness);
    return (uint16_t)pixel.red + pixel.green + pixel.blue;
}

void rhythm_moment(uint32_t step, uint8_t brightness, uint16_t share) {
    uint8_t level = breath_level(step % BREATH_STEPS);
    first_half = step % BLINK_STEPS < BLINK_STEPS / 2;
#if BAR > 0
    walker = step / WALK_STEPS % BAR;
#endif
    for (uint8_t hue = 0; hue < HUES; hue++) {
        pixel_t pixel = hue_pixel(hue, brightness);
        pixel.red = pixel.red * share >> 8;
        pixel.green = pixel.green * share >> 8;
        pixel.blue = pixel.blue * share >> 8;
        full[hue] = pixel;
        breath[hue].red = shared(pixel.red, level);
        breath[hue].green = shared(pixel.green, level);
        breath[hue].blue = shared(pixel.blue, level);
    }
}

static bool lit(uint8_t rhythm, uint8_t age, uint8_t in_bar) {
    switch (rhythm) {
    case RHYTHM_PULSE:
        return age < PULSE_STEPS;
    case RHYTHM_BLINK:
    case RHYTHM_ALT_A:
        return first_half;
    case RHYTHM_ALT_B:
        return !first_half;
    case RHYTHM_DOUBLE:
        return age < FLASH_STEPS || (age >= 2 * FLASH_STEPS && age < 3 * FLASH_STEPS);
    case RHYTHM_WALK:
        return in_bar == RHYTHM_ALONE || in_bar == walker;
    default:
        return true;
    }
}

pixel_t rhythm_pixel(uint8_t code, uint8_t age, uint8_t in_bar) {
    uint8_t rhythm = RHYTHM(code);
    if (rhythm == RHYTHM_BREATHE) {
        return breath[HUE(code)];
    }
    return full[lit(rhythm, age, in_bar) ? HUE(code) : HUE_OFF];
}

bool rhythm_alternates(uint8_t code) { return RHYTHM(code) == RHYTHM_ALT_A || RHYTHM(code) == RHYTHM_ALT_B; }

pixel_t rhythm_lamp(uint8_t code, uint8_t age) {
    if (rhythm_alternates(code) && !lit(RHYTHM(code), age, RHYTHM_ALONE)) {
        return full[HUE_WHITE];
    }
    return rhythm_pixel(code, age, RHYTHM_ALONE);
}

uint8_t rhythm_older(uint8_t code, uint8_t age) {
    switch (RHYTHM(code)) {
    case RHYTHM_PULSE:
        return age < PULSE_STEPS ? age + 1 : age;
    case RHYTHM_DOUBLE:
        return age + 1 < DOUBLE_STEPS ? age + 1 : 0;
    default:
        return 0;
    }
}
