// The chip's UART as the data sheet has it, which libsimavr's is not: two bytes of receive buffer and a shift register,
// and what then still comes is lost. Bytes take their time both ways.
#include <simavr/avr_uart.h>
#include <string.h>

#include "harness.h"

#define UCSRA 0xC0
#define UCSRB 0xC1
#define UDR 0xC6
#define UBRRL 0xC4
enum { RXC = 0x80, TXC = 0x40, UDRE = 0x20, DOR = 0x08, U2X = 0x02 };      // UCSRA
enum { RXCIE = 0x80, TXCIE = 0x40, UDRIE = 0x20, RXEN = 0x10, TXEN = 0x08 }; // UCSRB

#define QUEUE 65536
static uint8_t queue[QUEUE]; // what the host has sent and the line has not yet carried
static size_t queued, carried;

static struct {
    uint8_t byte;
    int after_loss;
} held[2];
static int held_count;
static int shift_full, loss, receiving;
static uint8_t shift_byte, arriving;
static uint64_t arrivals; // for the fraction of a cycle

static int out_full, sending;
static uint8_t out_byte, sent_byte;
static unsigned long lost_bytes, taken_bytes;

static uint8_t spoken[4096];
static size_t spoken_count;
static uint64_t spoken_us;
void (*line_heard)(uint8_t byte);

static avr_uart_t *uart;

static void set_flag(uint8_t flag, int on) {
    avr->data[UCSRA] = on ? avr->data[UCSRA] | flag : avr->data[UCSRA] & ~flag;
}

static void show_received(void) {
    set_flag(RXC, held_count > 0);
    set_flag(DOR, held_count > 0 && held[0].after_loss);
}

static void hold(uint8_t byte) {
    held[held_count].byte = byte;
    held[held_count++].after_loss = loss;
    loss = 0;
}

static avr_cycle_count_t receive(avr_t *chip, avr_cycle_count_t when, void *param) {
    (void)chip, (void)param;
    if (receiving) {
        receiving = 0;
        if (!(avr->data[UCSRB] & RXEN)) {
            // nobody listens
        } else if (held_count < 2) {
            hold(arriving);
        } else {
            shift_full = 1;
            shift_byte = arriving;
        }
        show_received();
    }
    if (carried == queued) {
        return 0;
    }
    if (shift_full) { // the start bit of the next byte overwrites it
        shift_full = 0;
        loss = 1;
        lost_bytes++;
    }
    arriving = queue[carried++ % QUEUE];
    receiving = 1;
    arrivals++;
    return when + arrivals * 12500 / 9 - (arrivals - 1) * 12500 / 9; // ten bits at 115200
}

static uint8_t read_data(avr_t *chip, avr_io_addr_t addr, void *param) {
    (void)chip, (void)addr, (void)param;
    if (held_count == 0) {
        return 0;
    }
    uint8_t byte = held[0].byte;
    held[0] = held[1];
    held_count--;
    taken_bytes++;
    if (shift_full) {
        shift_full = 0;
        hold(shift_byte);
    }
    show_received();
    return byte;
}

static uint8_t read_status(avr_t *chip, avr_io_addr_t addr, void *param) {
    (void)param;
    return chip->data[addr];
}

static void write_status(avr_t *chip, avr_io_addr_t addr, uint8_t value, void *param) {
    (void)param;
    uint8_t kept = chip->data[addr] & (RXC | TXC | UDRE | DOR);
    if (value & TXC) {
        kept &= ~TXC;
    }
    chip->data[addr] = kept | (value & U2X);
}

static avr_cycle_count_t sent(avr_t *chip, avr_cycle_count_t when, void *param);

static avr_cycle_count_t byte_cycles(void) {
    return 10 * (avr->data[UCSRA] & U2X ? 8 : 16) * (avr->data[UBRRL] + 1);
}

static void begin_sending(uint8_t byte) {
    sending = 1;
    sent_byte = byte;
    avr_cycle_timer_register(avr, byte_cycles(), sent, NULL);
}

static avr_cycle_count_t sent(avr_t *chip, avr_cycle_count_t when, void *param) {
    (void)chip, (void)when, (void)param;
    sending = 0;
    if (spoken_count == 0) {
        spoken_us = now_us();
    }
    if (spoken_count < sizeof spoken) {
        spoken[spoken_count++] = sent_byte;
    }
    if (line_heard) {
        line_heard(sent_byte);
    }
    if (sent_byte == 0) {
        line_flush_report();
    }
    if (out_full) {
        out_full = 0;
        set_flag(UDRE, 1);
        begin_sending(out_byte);
    } else {
        set_flag(TXC, 1);
    }
    return 0;
}

static void write_data(avr_t *chip, avr_io_addr_t addr, uint8_t value, void *param) {
    (void)chip, (void)addr, (void)param;
    if (!(avr->data[UCSRB] & TXEN) || out_full) {
        return;
    }
    if (sending) {
        out_full = 1;
        out_byte = value;
        set_flag(UDRE, 0);
    } else {
        begin_sending(value);
    }
}

static void write_control(avr_t *chip, avr_io_addr_t addr, uint8_t value, void *param) {
    (void)param;
    chip->data[addr] = value;
}

// The firmware does this once, when it starts.
static void write_speed(avr_t *chip, avr_io_addr_t addr, uint8_t value, void *param) {
    (void)param;
    chip->data[addr] = value;
    fprintf(report, "started %llu\n", (unsigned long long)now_us());
}

static void take_over(uint16_t address, avr_io_read_t read, avr_io_write_t write) {
    avr->io[AVR_DATA_TO_IO(address)].r.c = read;
    avr->io[AVR_DATA_TO_IO(address)].w.c = write;
}

void line_connect(void) {
    for (avr_io_t *io = avr->io_port; io; io = io->next) {
        if (strcmp(io->kind, "uart") == 0) {
            uart = (avr_uart_t *)io;
        }
    }
    take_over(UDR, read_data, write_data);
    take_over(UCSRA, read_status, write_status);
    take_over(UCSRB, NULL, write_control);
    take_over(UBRRL, NULL, write_speed);
    line_reset();
}

void line_reset(void) {
    held_count = shift_full = loss = receiving = out_full = sending = 0;
    line_flush_report();
    avr->data[UCSRA] = UDRE;
    avr_cycle_timer_cancel(avr, receive, NULL);
    avr_cycle_timer_cancel(avr, sent, NULL);
    if (carried != queued) {
        avr_cycle_timer_register(avr, 12500 / 9, receive, NULL);
    }
}

// Both interrupts are asked for as long as their flag stands, not once.
void line_settle(void) {
    if (!avr->sreg[S_I]) {
        return;
    }
    uint8_t control = avr->data[UCSRB];
    if ((control & RXCIE) && held_count > 0 && !uart->rxc.pending) {
        avr_raise_interrupt(avr, &uart->rxc);
    }
    if ((control & UDRIE) && !out_full && !uart->udrc.pending) {
        avr_raise_interrupt(avr, &uart->udrc);
    }
}

size_t line_room(void) { return QUEUE - (queued - carried); }

void line_send(const uint8_t *bytes, size_t count) {
    int idle = carried == queued && !receiving;
    while (count-- > 0 && line_room() > 0) {
        queue[queued++ % QUEUE] = *bytes++;
    }
    if (idle && carried != queued) {
        avr_cycle_timer_register(avr, 1, receive, NULL);
    }
}

void line_flush_report(void) {
    if (spoken_count == 0) {
        return;
    }
    fprintf(report, "said %llu ", (unsigned long long)spoken_us);
    for (size_t i = 0; i < spoken_count; i++) {
        fprintf(report, "%02x", spoken[i]);
    }
    fputc('\n', report);
    spoken_count = 0;
}

void line_count_report(void) {
    fprintf(report, "line %llu %lu %lu\n", (unsigned long long)now_us(), taken_bytes, lost_bytes);
}
