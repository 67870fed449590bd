#include "lights.h"

#include <string.h>

#include "clock.h"
#include "leds.h"
#include "rhythm.h"

#define STEP_MS 25
#define IDENTIFY_MS 3000
#define HOST_LOST_DIM_MS 60000UL
#define HOST_LOST_DIM_BRIGHTNESS 16
#define HOST_LOST_CODE CODE(RHYTHM_BREATHE, HUE_AMBER)
#define IDENTIFY_CODE CODE(RHYTHM_BLINK, HUE_WHITE)

#define NOWHERE 0xFF

// The chain: which address begins each stretch of it.
enum { SITE_LIGHTS, FIRST_BAR, SECOND_BAR, LAMP, STRETCHES };
static const struct {
    uint16_t address;
    uint8_t first, count;
} chain[STRETCHES] = {
    [SITE_LIGHTS] = {0, 0, SITES},
    [FIRST_BAR] = {ADDRESS_BAR, SITES, BAR},
    [SECOND_BAR] = {ADDRESS_BAR + 0x100, SITES + BAR, BAR},
    [LAMP] = {ADDRESS_LAMP, SITES + SIDES * BAR, LAMP_LEDS},
};

// Colour bytes that may be lit at full drive, all LEDs together, within the supply's current.
#define MOST_DRIVE ((uint32_t)(MAX_MA - BOARD_MA - IDLE_MA * LEDS) * 255 / CHANNEL_MA)

static uint8_t codes[LEDS]; // the host's scene
static uint8_t ages[LEDS];  // steps since each light became what it is, as far as its rhythm cares
// The scene being received, in the pixels' memory: they are drawn anew after it anyway.
static uint8_t *const coming = (uint8_t *)leds;
static uint8_t scene_brightness;
static uint16_t power_share; // of 256: what the current limit leaves of a scene

static bool has_scene; // from a host whose lease has not ended since
static bool lease_held;
static uint32_t lease_until_ms, lost_since_ms;
static uint8_t identified = NOWHERE;
static uint32_t identify_until_ms;
static uint32_t step_due_ms;
static uint32_t step; // since power-up

// How many LEDs an address has, and the first of them; 0: there is no such light.
static uint8_t leds_of(uint16_t address, uint8_t *first) {
    for (uint8_t i = 0; i < STRETCHES; i++) {
        uint16_t led = address - chain[i].address;
        bool is_bar = i == FIRST_BAR || i == SECOND_BAR;
        if (is_bar ? led == ADDRESS_BAR_WHOLE : i == LAMP && led == 0) {
            *first = chain[i].first;
            return chain[i].count;
        }
        if (led < chain[i].count && i != LAMP) {
            *first = chain[i].first + led;
            return 1;
        }
    }
    return 0;
}

bool lights_known(uint16_t address) {
    uint8_t first;
    return leds_of(address, &first) > 0;
}

bool lights_code_known(uint8_t code) { return HUE(code) < HUES && RHYTHM(code) < RHYTHMS; }

void lights_begin(void) { memset(coming, 0, LEDS); }

void lights_set(uint16_t address, uint8_t code) {
    uint8_t first, count = leds_of(address, &first);
    memset(coming + first, code, count);
}

// What the whole scene could draw at its brightest decides, so that steady lights do not flicker with the others.
static void limit_power(void) {
    uint16_t of_hue[HUES];
    for (uint8_t hue = 0; hue < HUES; hue++) {
        of_hue[hue] = hue_drive(hue, scene_brightness);
    }
    uint32_t drive = 0;
    for (uint8_t i = 0; i < LEDS; i++) {
        uint16_t own = of_hue[HUE(codes[i])];
        uint16_t partner = rhythm_alternates(codes[i]) ? of_hue[HUE_WHITE] : 0; // of a lamp
        drive += own > partner ? own : partner;
    }
    power_share = drive > MOST_DRIVE ? MOST_DRIVE * 256 / drive : 256;
}

void lights_show(uint8_t brightness) {
    for (uint8_t i = 0; i < LEDS; i++) {
        if (coming[i] != codes[i]) {
            codes[i] = coming[i];
            ages[i] = 0;
        }
    }
    has_scene = true;
    lights_brightness(brightness);
}

void lights_brightness(uint8_t brightness) {
    scene_brightness = brightness < BRIGHTNESS_CEILING ? brightness : BRIGHTNESS_CEILING;
    limit_power();
}

void lights_identify(uint16_t address) {
    leds_of(address, &identified);
    identify_until_ms = clock_ms() + IDENTIFY_MS;
}

void lights_lease(uint16_t lease_ms) {
    lease_held = true;
    lease_until_ms = clock_ms() + lease_ms;
}

void lights_greet(void) { has_scene = has_scene && lease_held; }

static void check_times(uint32_t now_ms) {
    if (lease_held && (int32_t)(now_ms - lease_until_ms) >= 0) {
        lease_held = false;
        has_scene = false;
        lost_since_ms = now_ms;
    }
    if (identified != NOWHERE && (int32_t)(now_ms - identify_until_ms) >= 0) {
        identified = NOWHERE;
    }
}

static void draw_scene(void) {
    for (uint8_t i = 0; i < STRETCHES; i++) {
        bool is_bar = i == FIRST_BAR || i == SECOND_BAR;
        for (uint8_t led = 0; led < chain[i].count; led++) {
            uint8_t at = chain[i].first + led, code = codes[at];
            if (HUE(code) != HUE_OFF) {
                uint8_t in_bar = is_bar ? led : RHYTHM_ALONE;
                leds[at] = i == LAMP ? rhythm_lamp(code, ages[at]) : rhythm_pixel(code, ages[at], in_bar);
            }
        }
    }
}

// The middle of the bars breathes amber, or the last LED where there are no bars; after a minute one dim LED is left.
static void draw_host_lost(bool late) {
    pixel_t pixel = rhythm_pixel(HOST_LOST_CODE, 0, RHYTHM_ALONE);
#if BAR == 0
    (void)late;
    leds[LEDS - 1] = pixel;
#else
    const uint8_t middle = BAR > 2 ? (BAR - 1) / 2 : BAR - 1;
    leds[SITES + middle] = pixel;
    if (late) {
        return;
    }
    leds[SITES + BAR + middle] = pixel;
    if (BAR > 2 && BAR % 2 == 0) {
        leds[SITES + middle + 1] = leds[SITES + BAR + middle + 1] = pixel;
    }
#endif
}

void lights_draw(void) {
    uint32_t now_ms = clock_ms();
    check_times(now_ms);
    memset(leds, 0, sizeof leds);
    if (identified != NOWHERE) {
        rhythm_moment(step, BRIGHTNESS_CEILING, 256);
        leds[identified] = rhythm_pixel(IDENTIFY_CODE, 0, RHYTHM_ALONE);
    } else if (has_scene && lease_held) {
        rhythm_moment(step, scene_brightness, power_share);
        draw_scene();
    } else {
        bool late = now_ms - lost_since_ms >= HOST_LOST_DIM_MS;
        rhythm_moment(step, late ? HOST_LOST_DIM_BRIGHTNESS : BRIGHTNESS_CEILING, 256);
        draw_host_lost(late);
    }
    leds_write();
}

void lights_step(void) {
    uint32_t now_ms = clock_ms();
    if ((int32_t)(now_ms - step_due_ms) < 0) {
        return;
    }
    step_due_ms += STEP_MS;
    step++;
    for (uint8_t i = 0; i < LEDS; i++) {
        ages[i] = rhythm_older(codes[i], ages[i]);
    }
    lights_draw();
}
