// A simulated ATmega328P board: libsimavr runs the firmware, the parts it models too kindly are here.
#ifndef HARNESS_H
#define HARNESS_H

#include <simavr/sim_avr.h>
#include <stdint.h>
#include <stdio.h>

#define CYCLES_PER_US 16
#define MAX_CHAIN_BYTES 1024

extern FILE *report; // lines for the test: `word time_us ...`
extern avr_t *avr;

uint64_t now_cycles(void); // since the start, over all resets
static inline uint64_t now_us(void) { return now_cycles() / CYCLES_PER_US; }

// The serial line, 115200 both ways.
void line_connect(void);
void line_reset(void);
void line_settle(void); // after each step of the chip
void line_send(const uint8_t *bytes, size_t count); // to the chip
size_t line_room(void);
void line_flush_report(void);
void line_count_report(void);
extern void (*line_heard)(uint8_t byte); // from the chip

// The chain of LEDs on PD6.
void chain_edge(int level);
void chain_cut(void); // the chip stops in the middle of what it says, perhaps
void chain_wave_report(void);

#endif
