// The chip's own supply voltage, measured against its 1.1 V reference.
#ifndef SUPPLY_H
#define SUPPLY_H

#include <stdint.h>

void supply_start(void);
uint16_t supply_mv(void);

#endif
