// The serial line: 115200 8N1, a ring each way. The receiver is emptied by interrupt, and by uart_poll() where
// interrupts are off: a byte takes 87 us to arrive and the chip holds only two.
#ifndef UART_H
#define UART_H

#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>


void uart_start(void);
void uart_take(void); // moves one received byte into the ring; call it only where one is there and interrupts are off

static inline void uart_poll(void) {
    if (UCSR0A & _BV(RXC0)) {
        uart_take();
    }
}

bool uart_waiting(void);
uint8_t uart_get(void); // only if uart_waiting()
uint8_t uart_room(void);
void uart_put(uint8_t byte); // only if uart_room()
void uart_flush(void);       // waits until all is sent
uint16_t uart_lost(void);    // bytes lost because they were not read in time, at least

#endif
