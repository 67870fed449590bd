#include "supply.h"

#include <avr/io.h>

#define REFERENCE_MV 1100UL

static uint16_t convert(void) {
    ADCSRA |= _BV(ADSC);
    while (ADCSRA & _BV(ADSC)) {
    }
    return ADC;
}

void supply_start(void) {
    ADMUX = _BV(REFS0) | 0x0E; // the reference, measured against the supply
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
}

uint16_t supply_mv(void) {
    convert(); // the first after a pause is rough
    uint16_t steps = convert();
    return steps > 0 ? REFERENCE_MV * 1024 / steps : 0;
}
