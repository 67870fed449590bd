"""The virtual device as a WLED board on its serial line, with the weaknesses of its parser."""

from __future__ import annotations

import json
from typing import Any

from firmware_bridge.rhythm import Rgb
from firmware_bridge.virtual.look import StripState
from firmware_bridge.virtual.strips import BLACK, StripBrain

VERSION = "0.15.0"
OWN_LOOK: Rgb = (16, 6, 0)  # of the first LED, while nobody speaks to it
_BAUDS = range(0xB0, 0xB8)
_SILENT_COMMANDS = b"IloLO"


class WledBrain(StripBrain):
    """WLED: Adalight and TPM2 frames for 2.5 s each, JSON, and commands of one byte.

    Outside frames every byte may be a command. TPM2's length is read as two bytes, each divided by three. A JSON object
    swallows the byte after it, and is given up after 0.1 s without a byte. A new baud rate makes it deaf to this one.
    """

    frame_start = b"Ada"
    boot_s = 2.0
    lease_s = 2.5
    json_gap_s = 0.1

    def restart(self) -> None:
        """Everything as after power-up."""
        self._state = "idle"
        self._left = 0
        self._place = 0
        self._colour = bytearray()
        self._count = self._check = 0
        self._text = bytearray()
        self._own: list[Rgb] = [OWN_LOOK, *[BLACK] * max(0, self.count - 1)][: self.count]
        self._set_by_json = False
        self._deaf = False
        self._commands = bytearray()

    def started(self) -> None:
        """Said once, at its start."""
        self.say(b"Ada\r\n")

    def strip(self, now_s: float) -> StripState:
        """Frames' colours while they come, then its own look or what JSON has set."""
        live = not self.is_lost(now_s)
        pixels = self._pixels if live else tuple(self._own)
        lost = not live and not self._set_by_json
        return StripState(pixels, lost, self._frames, 0, bytes(self._commands))

    def byte(self, byte: int, now_s: float) -> None:
        """One byte in the state that the ones before led to."""
        if self._deaf:
            return
        if self._state == "json" and now_s - self._heard_s > self.json_gap_s:
            self._state = "idle"
        getattr(self, f"_in_{self._state}")(byte, now_s)

    def _in_idle(self, byte: int, now_s: float) -> None:
        if byte == ord("A"):
            self._state = "d"
        elif byte == 0xC9:
            self._state = "kind"
        elif byte == ord("{") and not self.faults.old_firmware:
            self._state, self._text = "json", bytearray(b"{")
        elif byte == ord("v") and not self.faults.old_firmware:
            self.say(f"WLED {VERSION}\r\n".encode())
        elif byte in _BAUDS or byte in _SILENT_COMMANDS:
            self._commands.append(byte)
            self._deaf = byte in _BAUDS and byte != 0xB0

    def _in_d(self, byte: int, now_s: float) -> None:
        self._state = "a" if byte == ord("d") else "idle"

    def _in_a(self, byte: int, now_s: float) -> None:
        self._state = "high" if byte == ord("a") else "idle"

    def _in_high(self, byte: int, now_s: float) -> None:
        self._begin(byte * 0x100)
        self._check, self._state = byte, "low"

    def _in_low(self, byte: int, now_s: float) -> None:
        self._left += byte + 1
        self._check ^= byte ^ 0x55
        self._state = "check"

    def _in_check(self, byte: int, now_s: float) -> None:
        self._state = "colour" if byte == self._check else "idle"

    def _in_kind(self, byte: int, now_s: float) -> None:
        self._state = "tpm2_high" if byte == 0xDA else "idle"
        if byte == 0xAA:
            self.say(b"\xac")

    def _in_tpm2_high(self, byte: int, now_s: float) -> None:
        self._begin(byte * 0x100 // 3)
        self._state = "tpm2_low"

    def _in_tpm2_low(self, byte: int, now_s: float) -> None:
        self._left += byte // 3
        self._state = "colour"

    def _begin(self, left: int) -> None:
        self._left = left
        self._frame = bytearray()

    def _in_colour(self, byte: int, now_s: float) -> None:
        self._frame.append(byte)
        if len(self._frame) % 3:
            return
        self._left = (self._left - 1) % 0x10000
        if self._left == 0:
            self._state = "idle"
            self.show(bytes(self._frame), now_s)

    def _in_json(self, byte: int, now_s: float) -> None:
        self._text.append(byte)
        if byte != ord("}"):
            return
        try:
            told: Any = json.loads(self._text)
        except ValueError:
            return  # not whole yet, or nonsense that ends with a pause
        self._state = "swallow"
        if isinstance(told, dict):
            self._do(told, now_s)

    def _in_swallow(self, byte: int, now_s: float) -> None:
        self._state = "idle"

    def _do(self, told: dict[str, Any], now_s: float) -> None:
        segment = told.get("seg")
        if isinstance(segment, dict) and isinstance(segment.get("i"), list):
            self._set(segment["i"])
        if told.get("v") is True:
            self.say(json.dumps(self._told(), separators=(",", ":")).encode() + b"\r\n")

    def _told(self) -> dict[str, Any]:
        leds = {"count": self.count, "pwr": 40, "fps": 0, "maxpwr": 850, "maxseg": 32, "bootps": 0}
        info = {"ver": VERSION, "vid": 2410270, "leds": leds, "name": "virtual", "brand": "WLED", "mac": "001122334455"}
        return {"state": {"on": True, "bri": 255, "transition": 7, "ps": -1, "seg": [{"id": 0}]}, "info": info}

    def _set(self, items: list[Any]) -> None:
        """`[first, colour]` or `[first, end, colour]`, again and again."""
        first = end = None
        for item in items:
            if isinstance(item, int):
                first, end = (item, None) if first is None or end is not None else (first, item)
            elif isinstance(item, str) and first is not None:
                colour = _hexadecimal(item)
                for place in range(first, first + 1 if end is None else end):
                    if place < self.count and len(colour) == 3:
                        self._own[place] = (colour[0], colour[1], colour[2])
                first = end = None
        self._set_by_json = True


def _hexadecimal(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""  # damaged on the way


class WledJsonBrain(WledBrain):
    """The same board, spoken to by JSON only."""

    frame_start = b'{"s'
