#include "uart.h"

#include <avr/interrupt.h>
#include <util/atomic.h>

#define OUT_SIZE 64 // a power of two
#define OUT_MASK (OUT_SIZE - 1)

static volatile uint8_t ring[256]; // its 8-bit indices wrap by themselves
static volatile uint8_t ring_in;
static volatile uint8_t ring_out;
static volatile uint16_t lost;

static volatile uint8_t out[OUT_SIZE];
static volatile uint8_t out_in, out_out;
static volatile bool sent_any;

void uart_start(void) {
    UBRR0 = 16; // with U2X: 117647 baud, 2.1 % fast, which 8N1 bears
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
}

void uart_take(void) {
    uint8_t status = UCSR0A; // before UDR0, which moves the next byte's status up
    uint8_t byte = UDR0;
    if (status & _BV(DOR0)) {
        lost++;
    }
    uint8_t next = ring_in + 1;
    if (next == ring_out) {
        lost++;
        return;
    }
    ring[ring_in] = byte; // a byte with a framing error too: the frame's CRC judges it
    ring_in = next;
}

ISR(USART_RX_vect) { uart_take(); }

ISR(USART_UDRE_vect) {
    UCSR0A = _BV(U2X0) | _BV(TXC0); // "all sent" does not hold any more
    UDR0 = out[out_out];
    out_out = (out_out + 1) & OUT_MASK;
    if (out_out == out_in) {
        UCSR0B &= ~_BV(UDRIE0);
    }
}

bool uart_waiting(void) { return ring_in != ring_out; }

uint8_t uart_get(void) {
    uint8_t byte = ring[ring_out];
    ring_out++;
    return byte;
}

uint8_t uart_room(void) { return (out_out - out_in - 1) & OUT_MASK; }

void uart_put(uint8_t byte) {
    out[out_in] = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        out_in = (out_in + 1) & OUT_MASK;
        UCSR0B |= _BV(UDRIE0);
        sent_any = true;
    }
}

void uart_flush(void) {
    while (out_in != out_out) {
    }
    while (sent_any && !(UCSR0A & _BV(TXC0))) {
    }
}

uint16_t uart_lost(void) {
    uint16_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { count = lost; }
    return count;
}
