// The conversation with the host: takes frames, answers, and tells of buttons and health.
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdint.h>

enum { ACTION_PRESSED, ACTION_HELD };

void protocol_start(void);
void protocol_take(uint8_t byte); // one byte from the line
void protocol_event(uint8_t button, uint8_t action);
void protocol_step(void); // call often: what is said unasked

#endif
