#include "protocol.h"

#include <avr/boot.h>
#include <avr/interrupt.h>
#include <string.h>
#include <util/atomic.h>

#include "clock.h"
#include "config.h"
#include "frame.h"
#include "lights.h"
#include "supply.h"
#include "uart.h"

#define VERSION 1
#define FIRST (VERSION << 4)
#define WANTS_ACK 1
#define FIRMWARE 0x0100
#define HAS_LAMP 1
#define HAS_BUTTONS 2
#define CAPABILITIES ((LAMP_LEDS > 0 ? HAS_LAMP : 0) | HAS_BUTTONS)

enum {
    HELLO = 0x01,
    HEARTBEAT = 0x02,
    SCENE = 0x10,
    CLEAR = 0x13,
    IDENTIFY = 0x14,
    BRIGHTNESS = 0x15,
    REBOOT = 0x1F,
    HELLO_ACK = 0x81,
    ACK = 0x82,
    NACK = 0x83,
    EVENT = 0x90,
    STATUS = 0x91,
};
// What a frame is answered with: 0, or why it is refused.
typedef enum { DONE, REFUSED_CRC, REFUSED_TOO_LONG, REFUSED_UNKNOWN, REFUSED_SITE } answer_t;

#define SCENE_HEAD 5 // epoch, scene, brightness, count
#define LIGHT_SIZE 3 // address, code
#define STALE 8      // a sequence number up to so many behind the newest is a late copy
#define EVENT_REPEAT_MS 200
#define STATUS_MS 5000
#define EVENTS 4

static uint8_t newest_seq; // 0: none yet
static answer_t newest_answer;
static uint16_t received, damaged;
static uint32_t status_due_ms, counted_ms, uptime_s;

static struct {
    uint8_t button, action;
} events[EVENTS]; // the first is being told, the others wait
static uint8_t event_count;
static uint32_t event_due_ms;
// Survives a reset, or the host would take the first press after one for a copy of the last before it.
static uint8_t event_seq __attribute__((section(".noinit")));

static uint16_t word_at(const uint8_t *bytes) { return (uint16_t)bytes[0] << 8 | bytes[1]; }

static void put_word(uint8_t *bytes, uint16_t word) {
    bytes[0] = word >> 8;
    bytes[1] = word & 0xFF;
}

static void answer(answer_t what, uint8_t seq) {
    uint8_t payload = what;
    frame_send(FIRST, what == DONE ? ACK : NACK, seq, &payload, 1); // no room: the host asks again
}

static void greet(uint8_t seq) {
    uint8_t payload[18] = {VERSION};
    put_word(payload + 1, FIRMWARE);
    put_word(payload + 3, SITES);
    payload[5] = BAR;
    put_word(payload + 6, CAPABILITIES);
    put_word(payload + 8, FRAME_LIMIT);
    for (uint8_t i = 0; i < 8; i++) { // lot, wafer and place of this chip, read within three cycles of asking
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { payload[10 + i] = boot_signature_byte_get(0x0E + i); }
    }
    frame_send(FIRST, HELLO_ACK, seq, payload, sizeof payload);
    newest_seq = 0;
    event_count = 0; // pressed for a host that was not there
    lights_greet();
}

static answer_t show(const uint8_t *payload, uint16_t size) {
    if (size < SCENE_HEAD || size != SCENE_HEAD + (uint16_t)LIGHT_SIZE * payload[4]) {
        return REFUSED_UNKNOWN;
    }
    const uint8_t *end = payload + size;
    for (const uint8_t *light = payload + SCENE_HEAD; light < end; light += LIGHT_SIZE) {
        if (!lights_code_known(light[2])) {
            return REFUSED_UNKNOWN;
        }
        if (!lights_known(word_at(light))) {
            return REFUSED_SITE;
        }
    }
    lights_begin(); // all of it is sound: nothing is ever shown in part
    for (const uint8_t *light = payload + SCENE_HEAD; light < end; light += LIGHT_SIZE) {
        lights_set(word_at(light), light[2]);
    }
    lights_show(payload[3]);
    return DONE;
}

static answer_t obey(uint8_t type, const uint8_t *payload, uint16_t size) {
    switch (type) {
    case SCENE:
        return show(payload, size);
    case CLEAR:
        if (size != 0) {
            return REFUSED_UNKNOWN;
        }
        lights_begin();
        lights_show(0);
        return DONE;
    case IDENTIFY:
        if (size != 2) {
            return REFUSED_UNKNOWN;
        }
        if (!lights_known(word_at(payload))) {
            return REFUSED_SITE;
        }
        lights_identify(word_at(payload));
        return DONE;
    case BRIGHTNESS:
        if (size != 1) {
            return REFUSED_UNKNOWN;
        }
        lights_brightness(payload[0]);
        return DONE;
    case REBOOT:
        return size == 0 ? DONE : REFUSED_UNKNOWN;
    default:
        return REFUSED_UNKNOWN;
    }
}

static void reboot(void) {
    uart_flush();
    cli();
    __asm__ volatile("jmp 0"); // the start-up code and the start functions set everything anew
}

static bool is_late_copy(uint8_t seq) {
    uint8_t behind = newest_seq >= seq ? newest_seq - seq : newest_seq + 255 - seq;
    return seq != 0 && newest_seq != 0 && behind <= STALE;
}

static void take_command(uint8_t type, uint8_t seq, bool wants_ack, const uint8_t *payload, uint16_t size) {
    answer_t done;
    if (is_late_copy(seq)) {
        done = seq == newest_seq ? newest_answer : DONE; // the answer was lost: say it again, do nothing twice
    } else {
        done = newest_answer = obey(type, payload, size);
        newest_seq = seq > 0 ? seq : newest_seq;
        lights_draw(); // before the answer: what is acknowledged is what can be seen
        if (type == REBOOT && done == DONE) {
            answer(DONE, seq);
            reboot();
        }
    }
    if (wants_ack || done != DONE) {
        answer(done, seq);
    }
}

// The first event that waits is told from now on, under a number of its own.
static void begin_event(void) {
    event_seq = event_seq == 255 ? 1 : event_seq + 1;
    event_due_ms = clock_ms();
}

static bool from_host(uint8_t type) {
    return type == HELLO || type == HEARTBEAT || type == SCENE || type == CLEAR || type == IDENTIFY ||
           type == BRIGHTNESS || type == REBOOT || type == ACK;
}

static void take_frame(void) {
    uint8_t first = frame[0], type = frame[1], seq = frame[2];
    const uint8_t *payload = frame + HEADER_SIZE;
    uint16_t size = frame_size - HEADER_SIZE;
    received++;
    if ((type & 0x80) != 0) { // an answer, or our own voice come back: never answered
        if (type == ACK && event_count > 0 && seq == event_seq && (first >> 4) == VERSION) {
            memmove(events, events + 1, sizeof events - sizeof events[0]);
            if (--event_count > 0) {
                begin_event();
            }
        }
    } else if (first >> 4 != VERSION || (first & 0x0E) != 0 || !from_host(type)) {
        answer(REFUSED_UNKNOWN, seq);
    } else if (type == HELLO && size == 1) {
        greet(seq);
    } else if (type == HEARTBEAT && size == 4) {
        lights_lease(word_at(payload));
    } else {
        take_command(type, seq, first & WANTS_ACK, payload, size);
    }
}

void protocol_take(uint8_t byte) {
    switch (frame_take(byte)) {
    case FRAME_NONE:
        break;
    case FRAME_WHOLE:
        take_frame();
        break;
    case FRAME_CRC:
        damaged++;
        if (frame[0] >> 4 == VERSION && (frame[0] & 0x0E) == 0 && from_host(frame[1]) && frame[1] != ACK && frame[2]) {
            answer(REFUSED_CRC, frame[2]); // it looks like a command: the host may send it again at once
        }
        break;
    default:
        damaged++;
    }
}

void protocol_event(uint8_t button, uint8_t action) {
    if (event_count == EVENTS) {
        return;
    }
    events[event_count].button = button;
    events[event_count].action = action;
    if (event_count++ == 0) {
        begin_event();
    }
}

static void tell_event(uint32_t now_ms) {
    uint8_t payload[2] = {events[0].button, events[0].action};
    if (frame_send(FIRST | WANTS_ACK, EVENT, event_seq, payload, sizeof payload)) {
        event_due_ms = now_ms + EVENT_REPEAT_MS;
    }
}

static void tell_status(uint32_t now_ms) {
    uint8_t payload[12];
    for (; now_ms - counted_ms >= 1000; counted_ms += 1000) { // the milliseconds begin anew after seven weeks
        uptime_s++;
    }
    put_word(payload, uptime_s >> 16);
    put_word(payload + 2, uptime_s & 0xFFFF);
    put_word(payload + 4, received);
    put_word(payload + 6, damaged);
    put_word(payload + 8, uart_lost());
    put_word(payload + 10, supply_mv());
    if (frame_send(FIRST, STATUS, 0, payload, sizeof payload)) {
        status_due_ms = now_ms + STATUS_MS;
    }
}

void protocol_start(void) { status_due_ms = STATUS_MS; }

void protocol_step(void) {
    uint32_t now_ms = clock_ms();
    if (event_count > 0 && (int32_t)(now_ms - event_due_ms) >= 0) {
        tell_event(now_ms);
    }
    if ((int32_t)(now_ms - status_due_ms) >= 0) {
        tell_status(now_ms);
    }
}
