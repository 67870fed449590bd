// What the lights say: the host's scene, the device's own "host lost", and one light to be identified.
#ifndef LIGHTS_H
#define LIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

// Addresses on the wire: a site's index, LED i of a side's bar, or the lamp.
#define ADDRESS_BAR 0x4000 // + side * 0x100 + i
#define ADDRESS_BAR_WHOLE 0xFF
#define ADDRESS_LAMP 0x7FFF

bool lights_known(uint16_t address); // is there such a light?
bool lights_code_known(uint8_t code); // rhythm << 4 | hue

// A new scene: begin, set each light, then show. Lights keep their rhythm's phase where they do not change.
void lights_begin(void);
void lights_set(uint16_t address, uint8_t code);
void lights_show(uint8_t brightness);

void lights_brightness(uint8_t brightness);
void lights_identify(uint16_t address);
void lights_lease(uint16_t lease_ms); // the host lives: what it showed may stay for so long
void lights_greet(void);              // a host says hello: a scene left from before is not its own

void lights_step(void); // call often: renders and writes the LEDs 40 times a second
void lights_draw(void); // now, for a new scene

#endif
