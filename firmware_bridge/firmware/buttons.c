#include "buttons.h"

#include <stdbool.h>

#include "clock.h"
#include "config.h"
#include "protocol.h"

#define SAMPLE_MS 5
#define STABLE_SAMPLES 5 // 25 ms alike: a contact bounces for less
#define LONG_MS 1000

static const uint8_t pins[BUTTONS] = BUTTON_PINS;
static struct {
    bool down, told;
    uint8_t changed_samples;
    uint32_t down_ms;
} buttons[BUTTONS];
static uint32_t sample_due_ms;

void buttons_start(void) {
    for (uint8_t i = 0; i < BUTTONS; i++) {
        BUTTON_PORT |= _BV(pins[i]); // inputs after reset; this is the pull-up
    }
}

static void sample(uint8_t i, uint32_t now_ms) {
    bool down = !(BUTTON_INPUT & _BV(pins[i]));
    if (down == buttons[i].down) {
        buttons[i].changed_samples = 0;
    } else if (++buttons[i].changed_samples >= STABLE_SAMPLES) {
        buttons[i].changed_samples = 0;
        buttons[i].down = down;
        if (down) {
            buttons[i].down_ms = now_ms;
            buttons[i].told = false;
        } else if (!buttons[i].told) {
            protocol_event(i, ACTION_PRESSED);
        }
    }
    if (buttons[i].down && !buttons[i].told && now_ms - buttons[i].down_ms >= LONG_MS) {
        buttons[i].told = true;
        protocol_event(i, ACTION_HELD);
    }
}

void buttons_step(void) {
    uint32_t now_ms = clock_ms();
    if ((int32_t)(now_ms - sample_due_ms) < 0) {
        return;
    }
    sample_due_ms = now_ms + SAMPLE_MS;
    for (uint8_t i = 0; i < BUTTONS; i++) {
        sample(i, now_ms);
    }
}
