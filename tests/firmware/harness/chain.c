// Reads the WS2812 waveform back into colours, and keeps the extremes of its timings.
#include <string.h>

#include "harness.h"

#define LATCH_CYCLES (280 * CYCLES_PER_US) // so long low: the LEDs show what they took
#define ONE_CYCLES 8                       // 500 ns: a longer high is a 1

static uint8_t bytes[MAX_CHAIN_BYTES], shown[MAX_CHAIN_BYTES];
static size_t bit_count, shown_count;
static uint64_t rose, fell;
static int waiting, last_bit, cut;
static unsigned long frames;

static struct {
    const char *name;
    uint64_t least, most;
} waves[] = {{"T0H", ~0ULL, 0}, {"T1H", ~0ULL, 0}, {"T0L", ~0ULL, 0}, {"T1L", ~0ULL, 0}, {"gap", ~0ULL, 0}};
enum { T0H, T1H, T0L, T1L, GAP };

static avr_cycle_count_t latch(avr_t *chip, avr_cycle_count_t when, void *param);

static void measure(int which, uint64_t cycles) {
    if (cycles < waves[which].least) {
        waves[which].least = cycles;
    }
    if (cycles > waves[which].most) {
        waves[which].most = cycles;
    }
}

// Each LED that got all its bits shows them; the others keep what they had.
static void show(void) {
    size_t count = bit_count / 24 * 3;
    frames++;
    if ((bit_count % 24 != 0 && !cut) || bit_count > 8 * MAX_CHAIN_BYTES) {
        fprintf(report, "fault %llu %zu bits are no whole LEDs\n", (unsigned long long)now_us(), bit_count);
    } else if (count > shown_count || memcmp(bytes, shown, count) != 0) {
        memcpy(shown, bytes, count);
        shown_count = count > shown_count ? count : shown_count;
        fprintf(report, "leds %llu ", (unsigned long long)(fell / CYCLES_PER_US));
        for (size_t i = 0; i < shown_count; i += 3) { // green, red, blue on the wire
            fprintf(report, "%02x%02x%02x", shown[i + 1], shown[i], shown[i + 2]);
        }
        fputc('\n', report);
    }
    bit_count = 0;
    cut = 0;
}

void chain_cut(void) {
    cut = waiting;
    if (waiting) { // the line falls low with the chip
        fell = now_cycles();
        avr_cycle_timer_cancel(avr, latch, NULL);
        avr_cycle_timer_register(avr, LATCH_CYCLES, latch, NULL);
    }
}

static avr_cycle_count_t latch(avr_t *chip, avr_cycle_count_t when, void *param) {
    (void)chip, (void)param;
    uint64_t quiet = now_cycles() - fell;
    if (quiet < LATCH_CYCLES) {
        return when + LATCH_CYCLES - quiet;
    }
    waiting = 0;
    show();
    return 0;
}

void chain_edge(int level) {
    uint64_t now = now_cycles();
    if (level) {
        uint64_t low = now - fell;
        if (bit_count > 0) {
            // Between two bytes the line may rest a little; inside one it may not.
            measure(bit_count % 8 == 0 ? GAP : last_bit ? T1L : T0L, low);
        }
        if (!waiting) {
            waiting = 1;
            avr_cycle_timer_register(avr, LATCH_CYCLES, latch, NULL);
        }
        rose = now;
        return;
    }
    uint64_t high = now - rose;
    last_bit = high >= ONE_CYCLES;
    measure(last_bit ? T1H : T0H, high);
    if (bit_count < 8 * MAX_CHAIN_BYTES) {
        uint8_t mask = 0x80 >> bit_count % 8;
        bytes[bit_count / 8] = last_bit ? bytes[bit_count / 8] | mask : bytes[bit_count / 8] & ~mask;
    }
    bit_count++;
    fell = now;
}

void chain_wave_report(void) {
    fprintf(report, "wave %llu %lu", (unsigned long long)now_us(), frames);
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        double ns = 1000.0 / CYCLES_PER_US;
        fprintf(report, " %s:%.1f:%.1f", waves[i].name, waves[i].least * ns, waves[i].most * ns);
    }
    fputc('\n', report);
}
