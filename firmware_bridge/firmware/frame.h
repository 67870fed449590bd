// Frames of the native wire: header, payload and CRC-16/IBM-3740, COBS-coded, closed by a zero.
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_LIMIT 512 // decoded bytes, CRC included
#define HEADER_SIZE 3   // version << 4 | flags, type, sequence number
#define CRC_SIZE 2
#define PAYLOAD_MOST_OUT 20

typedef enum { FRAME_NONE, FRAME_WHOLE, FRAME_DAMAGED, FRAME_CRC, FRAME_TOO_LONG } frame_t;

extern uint8_t frame[FRAME_LIMIT]; // the frame received last, decoded
extern uint16_t frame_size;        // without its CRC

frame_t frame_take(uint8_t byte); // one byte from the line
bool frame_send(uint8_t first, uint8_t type, uint8_t seq, const uint8_t *payload, uint8_t size); // false: no room now

#endif
