#include "frame.h"

#include <util/crc16.h>

#include "uart.h"

uint8_t frame[FRAME_LIMIT];
uint16_t frame_size;

static uint16_t taken;      // decoded bytes so far
static uint8_t block_left;  // of the COBS block being read
static bool zero_owed;      // the block read before stands for a zero, unless the frame ends here
static bool begun, too_long;

static uint16_t crc_of(const uint8_t *bytes, uint16_t size, uint16_t crc) {
    while (size-- > 0) {
        crc = _crc_xmodem_update(crc, *bytes++);
    }
    return crc;
}

static void keep(uint8_t byte) {
    if (taken < FRAME_LIMIT) {
        frame[taken++] = byte;
    } else {
        too_long = true;
    }
}

static frame_t frame_end(void) {
    frame_t found = FRAME_WHOLE;
    frame_size = taken >= CRC_SIZE ? taken - CRC_SIZE : 0;
    if (!begun) {
        found = FRAME_NONE; // zeros between frames, and the host's wake-up
    } else if (too_long) {
        found = FRAME_TOO_LONG;
    } else if (block_left > 0 || frame_size < HEADER_SIZE) {
        found = FRAME_DAMAGED;
    } else if (crc_of(frame, taken, 0xFFFF) != 0) { // the CRC of a frame with its CRC is 0
        found = FRAME_CRC;
    }
    taken = 0;
    block_left = 0;
    zero_owed = begun = too_long = false;
    return found;
}

frame_t frame_take(uint8_t byte) {
    if (byte == 0) {
        return frame_end();
    }
    begun = true;
    if (block_left > 0) {
        block_left--;
        keep(byte);
        return FRAME_NONE;
    }
    if (zero_owed) {
        keep(0);
    }
    block_left = byte - 1;
    zero_owed = byte != 0xFF;
    return FRAME_NONE;
}

bool frame_send(uint8_t first, uint8_t type, uint8_t seq, const uint8_t *payload, uint8_t size) {
    uint8_t raw[HEADER_SIZE + PAYLOAD_MOST_OUT + CRC_SIZE] = {first, type, seq};
    uint8_t length = HEADER_SIZE;
    if (size > PAYLOAD_MOST_OUT || uart_room() < HEADER_SIZE + size + CRC_SIZE + 2) {
        return false;
    }
    while (size-- > 0) {
        raw[length++] = *payload++;
    }
    uint16_t crc = crc_of(raw, length, 0xFFFF);
    raw[length++] = crc >> 8;
    raw[length++] = crc & 0xFF;
    // COBS of fewer than 254 bytes: each zero, and the end, becomes a count before the bytes that lead up to it.
    uint8_t start = 0;
    while (start <= length) {
        uint8_t end = start;
        while (end < length && raw[end] != 0) {
            end++;
        }
        uart_put(end - start + 1);
        while (start < end) {
            uart_put(raw[start++]);
        }
        start++;
    }
    uart_put(0);
    return true;
}
