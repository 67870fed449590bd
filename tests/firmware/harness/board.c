// The board: loads the firmware, runs it as it is told on standard input, and reports on standard output.
//
//   run MS        runs so long, as fast as it can     rx HEX        bytes on the line to the chip
//   real          goes on in real time, with the      press N       closes button N
//                 pseudo-terminal, until `stop`       release N     opens it
//   reset         the chip's reset button             hang 0|1      the program stands still (1: interrupts off)
//   wave, line    timings of the LED waveform; bytes taken and lost by the receiver
//   stack         bytes of memory never used
//
// Each is answered with what happened meanwhile and `ok TIME_US`.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <simavr/sim_elf.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define PIND_ADDRESS 0x29
#define DDRD_ADDRESS 0x2A
#define PORTD_ADDRESS 0x2B
#define WATCHDOG_VECTOR 6
#define WATCHDOG_US 250000
#define LED_BIT 6
#define FIRST_BUTTON_BIT 2
#define RAM_BEGIN 0x100
#define UNUSED 0xA5 // what the memory holds at power-up, so that nothing counts on zeros

FILE *report;
avr_t *avr;
static uint64_t cycles_before; // of earlier lives
static uint64_t last_cycle;
static int real_time, terminal;
static uint8_t pins = 0xFF; // what the outside does to port D: buttons open, held high
static avr_flashaddr_t hung_at;
static uint8_t hung_code[2];
static int hung, bitten;
static uint16_t ram_used_end;

uint64_t now_cycles(void) { return cycles_before + avr->cycle; }

static void write_port(avr_t *chip, avr_io_addr_t addr, uint8_t value, void *param) {
    (void)param;
    uint8_t changed = (chip->data[addr] ^ value) & chip->data[DDRD_ADDRESS];
    chip->data[addr] = value;
    if (changed >> LED_BIT & 1) {
        chain_edge(value >> LED_BIT & 1);
    }
}

static uint8_t read_pins(avr_t *chip, avr_io_addr_t addr, void *param) {
    (void)addr, (void)param;
    uint8_t driven = chip->data[DDRD_ADDRESS], port = chip->data[PORTD_ADDRESS];
    return (port & driven) | (pins & port & ~driven); // an open input without its pull-up reads low
}

static void no_sleep(avr_t *chip, avr_cycle_count_t how_long) { (void)chip, (void)how_long; }

static void hang(int deaf) {
    hung = 1;
    hung_at = avr->pc;
    memcpy(hung_code, avr->flash + hung_at, 2);
    memcpy(avr->flash + hung_at, "\xff\xcf", 2); // a jump to itself
    avr->state = cpu_Running;
    if (deaf) {
        avr->sreg[S_I] = 0;
    }
    chain_cut();
}

static void go_on(void) {
    if (hung) {
        memcpy(avr->flash + hung_at, hung_code, 2);
        hung = 0;
    }
}

static avr_cycle_count_t watchdog_bites(avr_t *chip, avr_cycle_count_t when, void *param) {
    (void)chip, (void)when, (void)param;
    bitten = hung;
    return 0;
}

static void watchdog_barked(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (value && avr->sreg[S_I]) {
        go_on();
    } else if (value) { // libsimavr leaves it at that; the chip resets when as much time has passed again
        avr_cycle_timer_register_usec(avr, WATCHDOG_US, watchdog_bites, NULL);
    }
}

static void after_reset(void) {
    go_on();
    line_reset();
    chain_cut();
}

static void reset(void) {
    avr_reset(avr);
    if (avr->cycle < last_cycle) { // it counts from zero
        cycles_before += last_cycle - avr->cycle;
    }
    last_cycle = avr->cycle;
    after_reset();
}

static avr_cycle_count_t stop_here(avr_t *chip, avr_cycle_count_t when, void *param) {
    (void)chip, (void)when, (void)param;
    return 0;
}

static void run_until(uint64_t cycles) {
    while (now_cycles() < cycles) {
        if (avr_cycle_timer_status(avr, stop_here, NULL) == 0) { // no sleep and no burst goes beyond the end
            avr_cycle_timer_register(avr, cycles - now_cycles(), stop_here, NULL);
        }
        int state = avr_run(avr);
        last_cycle = avr->cycle;
        if (bitten) {
            bitten = 0;
            reset();
        }
        line_settle();
        if (state == cpu_Sleeping && avr_has_pending_interrupts(avr)) {
            avr->state = cpu_Running;
        }
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(report, "fault %llu the chip stopped\n", (unsigned long long)now_us());
            fflush(report);
            exit(1);
        }
    }
    avr_cycle_timer_cancel(avr, stop_here, NULL);
}

static void take_hex(const char *hex) {
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        uint8_t one = byte;
        line_send(&one, 1);
        if (hex[1] == 0) {
            break;
        }
    }
}

static void obey(char *words) {
    char *argument = strchr(words, ' ');
    int number = 0;
    if (argument) {
        *argument++ = 0;
        number = atoi(argument);
    }
    if (strcmp(words, "run") == 0) {
        run_until(now_cycles() + (uint64_t)(atof(argument) * 1000 * CYCLES_PER_US));
    } else if (strcmp(words, "rx") == 0) {
        take_hex(argument);
    } else if (strcmp(words, "press") == 0) {
        pins &= ~(1 << (FIRST_BUTTON_BIT + number));
    } else if (strcmp(words, "release") == 0) {
        pins |= 1 << (FIRST_BUTTON_BIT + number);
    } else if (strcmp(words, "reset") == 0) {
        reset();
    } else if (strcmp(words, "hang") == 0) {
        hang(number);
    } else if (strcmp(words, "wave") == 0) {
        chain_wave_report();
    } else if (strcmp(words, "line") == 0) {
        line_count_report();
    } else if (strcmp(words, "stack") == 0) {
        uint16_t unused = 0;
        while (avr->data[ram_used_end + unused] == UNUSED) {
            unused++;
        }
        fprintf(report, "stack %llu %u\n", (unsigned long long)now_us(), unused);
    } else if (strcmp(words, "real") == 0) {
        real_time = 1;
    } else if (strcmp(words, "stop") == 0) {
        real_time = 0;
    } else {
        fprintf(report, "fault %llu no such command: %s\n", (unsigned long long)now_us(), words);
    }
    line_flush_report();
    fprintf(report, "ok %llu\n", (unsigned long long)now_us());
    fflush(report);
}

static void to_terminal(uint8_t byte) {
    if (real_time && write(terminal, &byte, 1) < 0) {
        // nobody reads: a real line loses it too
    }
}

static void from_terminal(void) {
    uint8_t bytes[256];
    size_t room = line_room();
    ssize_t count = read(terminal, bytes, room < sizeof bytes ? room : sizeof bytes);
    if (count > 0) {
        line_send(bytes, count);
    }
}

static uint64_t wall_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

static void run_real(void) {
    struct pollfd inputs[] = {{0, POLLIN, 0}, {terminal, POLLIN, 0}};
    uint64_t offset_us = wall_us() - now_us();
    while (poll(inputs, 2, 1), !inputs[0].revents) {
        if (inputs[1].revents & POLLIN) {
            from_terminal();
        }
        uint64_t target_us = wall_us() - offset_us;
        if (target_us > now_us() + 50000) { // the machine was busy: time passes no faster than 20 times for the chip
            offset_us += target_us - now_us() - 50000;
            target_us = now_us() + 50000;
        }
        run_until(target_us * CYCLES_PER_US);
        fflush(report);
    }
}

static void open_terminal(void) {
    int slave;
    char name[128];
    struct termios raw;
    if (openpty(&terminal, &slave, name, NULL, NULL) != 0) {
        perror("openpty");
        exit(1);
    }
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw); // the slave stays open, so that a host may come and go
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    line_heard = to_terminal;
    fprintf(report, "terminal 0 %s\n", name);
}

int main(int count, char **words) {
    report = fdopen(dup(1), "w");
    dup2(2, 1); // the simulator prints what it likes
    elf_firmware_t firmware = {0};
    if (count != 2 || elf_read_firmware(words[1], &firmware) != 0) {
        fprintf(stderr, "usage: board FIRMWARE.elf\n");
        return 1;
    }
    avr = avr_make_mcu_by_name("atmega328p");
    avr->log = LOG_ERROR;
    avr_init(avr);
    firmware.frequency = CYCLES_PER_US * 1000000;
    firmware.vcc = firmware.avcc = firmware.aref = 5000;
    avr_load_firmware(avr, &firmware);
    avr->sleep = no_sleep;
    memset(avr->data + RAM_BEGIN, UNUSED, avr->ramend + 1 - RAM_BEGIN);
    ram_used_end = RAM_BEGIN + firmware.datasize + firmware.bsssize + 8; // a few bytes that no start-up code clears
    avr->io[AVR_DATA_TO_IO(PORTD_ADDRESS)].w.c = write_port;
    avr->io[AVR_DATA_TO_IO(PIND_ADDRESS)].r.c = read_pins;
    avr_irq_register_notify(avr_get_interrupt_irq(avr, WATCHDOG_VECTOR), watchdog_barked, NULL);
    line_connect();
    open_terminal();
    fprintf(report, "ok 0\n");
    fflush(report);

    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        obey(line);
        if (real_time) {
            run_real();
        }
    }
    return 0;
}
