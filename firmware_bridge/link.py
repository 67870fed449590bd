"""Link: one supervised serial connection that finds, opens, resends, reconnects and never gives up.

The state lives here, not in the device: the whole Scene is sent on every change and once a second, so a pulled plug
costs nothing. Nothing here ever raises to the caller or blocks it; what is wrong stands in `status()`.
"""

from __future__ import annotations

import errno
import logging
import os
import select
import termios
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import serial

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import LinkState, LinkStatus, Pace
from firmware_bridge.ports import Find, finder, holder, usb_serial_port
from firmware_bridge.scene import Scene
from firmware_bridge.wire.native import (
    NACK_CRC,
    NACK_WORDS,
    VERSION,
    WAKE,
    Ack,
    ButtonEvent,
    Clear,
    Decoder,
    DeviceHealth,
    Fault,
    Frame,
    Heartbeat,
    Hello,
    HelloAck,
    Message,
    Nack,
    encode,
)

__all__ = ["Link", "LinkState", "LinkStatus", "Pace", "usb_serial_port"]

BAUD = 115200
WRITE_TIMEOUT_S = 0.5
DARK = Scene("dark", 0)

_log = logging.getLogger(__name__)
_FAULTS = (OSError, termios.error)  # pyserial's own error is an OSError; its flush lets termios.error through


class _Lost(Exception):
    """This connection is over; the text is the reason."""


@dataclass
class _InFlight:
    """The one frame that waits for its answer."""

    wire: bytes
    seq: int
    epoch: int
    scene: Scene
    first_s: float
    sent_s: float
    tries: int = 1


class Link:
    """The connection to the lights, with its own thread from construction until `close`.

    `find`: `auto`, `usb:VID:PID[:SERIAL]`, a path, or a function that gives the path(s) to try, asked at every attempt.
    `on_button(button, action)` is called in the link's thread, once for each press.
    """

    def __init__(
        self,
        find: Find | str,
        lightmap: LightMap,
        *,
        on_button: Callable[[int, int], None] | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._sought = find if isinstance(find, str) else "the lights"
        self._find = finder(find) if isinstance(find, str) else find
        self._map = lightmap
        self._on_button = on_button
        self._pace = pace or Pace()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._scene, self._epoch = DARK, 0
        self._acknowledged: tuple[int, Scene | None] = (0, None)
        self._status = LinkStatus(LinkState.SEARCHING, f"Looking for {self._sought}.", time.time())
        self._turn = 0
        self._thread = threading.Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    def show(self, scene: Scene) -> int:
        """Show `scene` as soon as the line allows; only the latest counts. Returns its epoch."""
        with self._lock:
            if scene == self._scene:
                return self._epoch
            self._scene, self._epoch = scene, self._epoch % 0xFFFF + 1
            epoch = self._epoch
        self._wake()
        return epoch

    @property
    def acknowledged_epoch(self) -> int:
        """The epoch the device last said it shows; 0 before the first."""
        with self._lock:
            return self._acknowledged[0]

    @property
    def acknowledged_scene(self) -> Scene | None:
        """The scene the device last said it shows, None while not connected."""
        with self._lock:
            return self._acknowledged[1]

    def status(self) -> LinkStatus:
        """How the connection is doing now."""
        with self._lock:
            return self._status

    def close(self) -> None:
        """Darken the lights, free the port and end the thread, within two seconds."""
        self._stop.set()
        self._wake()
        self._thread.join(timeout=1.9)

    def _wake(self) -> None:
        with self._lock:
            if self._status.state is LinkState.CLOSED:
                return
            try:
                os.write(self._wake_write, b"w")
            except BlockingIOError:
                return  # full: it wakes up anyway

    def _set(self, state: LinkState, reason: str = "", **more: object) -> None:
        with self._lock:
            old = self._status
            since = old.since if (old.state, old.reason) == (state, reason) else time.time()
            kept: dict[str, object] = {
                "attempts": old.attempts,
                "next_try": None,
                "port": old.port,
                "device": old.device,
                "health": old.health,
            }
            self._status = LinkStatus(state, reason, since, **(kept | more))  # type: ignore[arg-type]
            if state not in (LinkState.READY, LinkState.SUSPECT):
                self._acknowledged = (self._acknowledged[0], None)
        if (old.state, old.reason) != (state, reason):
            _log.info("lights: %s%s", state, f" ({reason})" if reason else "")

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                try:
                    self._attempt()
                except _Lost as lost:
                    reason = str(lost)
                except _FAULTS as error:
                    reason = f"The connection broke ({error}). Check the cable; it is tried again by itself."
                except Exception as error:
                    # The lights must never end a table: whatever this is, say it and try again.
                    _log.exception("lights")
                    reason = f"A fault in the lights' connection ({type(error).__name__}: {error}). It is tried again."
                else:
                    continue
                self._wait(reason)
        finally:
            self._set(LinkState.CLOSED, "", device=None)
            with self._lock:
                os.close(self._wake_write)
                os.close(self._wake_read)

    def _paths(self) -> tuple[str, ...]:
        try:
            found = self._find()
        except Exception as error:
            raise _Lost(f"The search for the lights failed: {error}") from None
        if found is None or isinstance(found, str):
            return (found,) if found else ()
        return tuple(found)

    def _wait(self, reason: str) -> None:
        """Back off; a port that appears meanwhile is tried at once."""
        attempts = self.status().attempts + 1
        pause_s = self._pace.back_off_s[min(attempts, len(self._pace.back_off_s)) - 1]
        self._set(LinkState.DOWN, reason, attempts=attempts, next_try=time.time() + pause_s, device=None)
        ends_s = time.monotonic() + pause_s
        known = self._plugged_in()
        while (left_s := ends_s - time.monotonic()) > 0 and not self._stop.wait(min(left_s, self._pace.look_s)):
            there = self._plugged_in()
            if there - known:
                return
            known = there

    def _plugged_in(self) -> set[str]:
        try:
            return {path for path in self._paths() if os.path.exists(path)}
        except _Lost:
            return set()

    def _attempt(self) -> None:
        self._set(LinkState.SEARCHING, f"Looking for {self._sought}.")
        paths = self._paths()
        if not paths:
            where = "no USB serial port is there" if self._sought == "auto" else f"{self._sought} is not there"
            raise _Lost(f"No lights: {where}. Plug the lights in; `boardref lights list` shows the ports.")
        path = paths[self._turn % len(paths)]
        self._turn += 1  # where several ports could be ours, the next attempt asks the next one
        self._set(LinkState.OPENING, "", port=path)
        port = _open(path)
        try:
            _Session(self, port, path).run()
        finally:
            self._turn -= self.status().device is not None  # it was ours: the same place first
            _close(port)


def _open(path: str) -> serial.Serial:
    try:
        return serial.Serial(path, BAUD, timeout=0, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
    except _FAULTS as error:
        number = getattr(error, "errno", None)
        if number in (errno.EAGAIN, errno.EBUSY):
            who = holder(path)
            raise _Lost(
                f"Port {path} is held by another program{f', {who}' if who else ''}. "
                "Close that; the port is tried again by itself."
            ) from None
        if number == errno.EACCES:
            raise _Lost(f"No permission to open {path}. Add this user to the group dialout and log in again.") from None
        if number == errno.ENOENT:
            raise _Lost(f"Port {path} is not there. Plug the lights in.") from None
        raise _Lost(f"Port {path} can't be opened ({error}).") from None
    except ValueError as error:
        raise _Lost(f"Port {path} can't be opened ({error}).") from None


def _close(port: serial.Serial) -> None:
    try:
        port.close()
    except _FAULTS:
        _log.debug("closing a port that is gone", exc_info=True)


class _Session:
    """One open port, from the greeting until it is lost or the link is closed."""

    def __init__(self, link: Link, port: serial.Serial, path: str) -> None:
        self._link, self._port, self._path = link, port, path
        self._pace = link._pace
        self._decoder = Decoder()
        self._seq = 0
        self._device: HelloAck | None = None
        self._flying: _InFlight | None = None
        self._shown_epoch: int | None = None
        self._next_heartbeat_s = self._next_refresh_s = 0.0
        self._last_event = 0
        self._note = ""

    def run(self) -> None:
        """Greet, then keep the device up to date. Raises _Lost or a serial fault when it is over."""
        self._greet()
        while not self._link._stop.is_set():
            self._send_what_is_due()
            for frame in self._receive(self._until_next_s()):
                self._take(frame)
        self._write(encode(Clear(), self._next_seq()))

    def _greet(self) -> None:
        self._link._set(LinkState.HANDSHAKE, "", port=self._path)
        ends_s = time.monotonic() + self._pace.handshake_s
        self._write(WAKE)
        while time.monotonic() < ends_s and not self._link._stop.is_set():
            seq = self._next_seq()
            self._write(encode(Hello(), seq))
            resend_s = time.monotonic() + self._pace.resend_s
            while (left_s := resend_s - time.monotonic()) > 0 and not self._link._stop.is_set():
                for frame in self._receive(left_s):
                    if isinstance(frame, Frame) and isinstance(frame.message, HelloAck):
                        return self._greeted(frame.message)
        if not self._link._stop.is_set():
            raise _Lost(f"{self._path} does not answer. Is it the lights controller, with Boardref's firmware?")

    def _greeted(self, device: HelloAck) -> None:
        if device.version < VERSION:
            raise _Lost(
                f"The firmware of the lights on {self._path} is too old: it speaks version {device.version}, "
                f"{VERSION} is needed. Update it."
            )
        self._device = device
        wanted = self._link._map.n_sites
        if device.sites < wanted:
            self._note = (
                f"The device says it has {device.sites} site lights, the light map names {wanted}: "
                "the others stay dark. Correct the map or the firmware."
            )
        self._link._set(LinkState.READY, self._note, attempts=0, port=self._path, device=device)

    def _next_seq(self) -> int:
        self._seq = self._seq % 255 + 1
        return self._seq

    def _write(self, data: bytes) -> None:
        self._port.write(data)

    def _until_next_s(self) -> float:
        now_s = time.monotonic()
        if self._flying is not None:
            return max(0.0, self._flying.sent_s + self._pace.resend_s - now_s)
        return max(0.0, min(self._next_heartbeat_s, self._next_refresh_s) - now_s)

    def _receive(self, timeout_s: float) -> list[Frame | Fault]:
        """Wait for bytes, or to be woken by a new scene, at most `timeout_s`."""
        woken = self._link._wake_read
        ready, _, _ = select.select([self._port.fileno(), woken], [], [], timeout_s)
        if woken in ready:
            os.read(woken, 4096)
        if len(ready) == (woken in ready):
            return []
        return self._decoder.feed(self._port.read(max(1, self._port.in_waiting)))

    def _send_what_is_due(self) -> None:
        now_s = time.monotonic()
        with self._link._lock:
            scene, epoch = self._link._scene, self._link._epoch
        resend = self._flying is not None and now_s >= self._flying.sent_s + self._pace.resend_s
        if (self._flying is None or resend) and now_s >= self._next_heartbeat_s:
            self._write(encode(Heartbeat(self._pace.lease_ms, epoch), self._next_seq()))
            self._next_heartbeat_s = now_s + self._pace.heartbeat_s
        if self._flying is None:
            if epoch != self._shown_epoch or now_s >= self._next_refresh_s:
                self._launch(scene, epoch, now_s, now_s, 1)
        elif resend:
            self._again(self._flying, scene, epoch, now_s)

    def _again(self, flying: _InFlight, scene: Scene, epoch: int, now_s: float) -> None:
        if now_s - flying.first_s >= self._pace.down_after_s:
            raise _Lost(f"The lights on {self._path} have stopped answering. Check cable and power.")
        if flying.tries >= self._pace.tries:
            self._link._set(LinkState.SUSPECT, "The lights do not answer; they are asked again.")
        if epoch != flying.epoch:  # something newer is to be shown: the old one need not arrive any more
            self._launch(scene, epoch, now_s, flying.first_s, flying.tries + 1)
            return
        flying.sent_s = now_s
        flying.tries += 1
        self._write(flying.wire)

    def _launch(self, scene: Scene, epoch: int, now_s: float, first_s: float, tries: int) -> None:
        device = self._device
        assert device is not None
        message = self._link._map.message(scene, epoch, device.sites, device.bar, device.max_payload - 5)
        seq = self._next_seq()
        self._flying = _InFlight(encode(message, seq), seq, epoch, scene, first_s, now_s, tries)
        self._next_refresh_s = now_s + self._pace.refresh_s
        self._write(self._flying.wire)

    def _take(self, frame: Frame | Fault) -> None:
        if isinstance(frame, Fault):
            return  # a damaged answer: the frame it belonged to is sent again in time
        message: Message = frame.message
        flying = self._flying
        if isinstance(message, ButtonEvent):
            self._write(encode(Ack(), frame.seq))
            if frame.seq != self._last_event:
                self._last_event = frame.seq
                self._press(message)
        elif isinstance(message, DeviceHealth):
            status = self._link.status()
            self._link._set(status.state, status.reason, health=message)
        elif flying is not None and frame.seq == flying.seq:
            if isinstance(message, Ack):
                self._landed(flying)
            elif isinstance(message, Nack):
                if message.reason == NACK_CRC:
                    soon_s = time.monotonic() + 0.01 - self._pace.resend_s  # at once, but no storm
                    flying.sent_s = min(flying.sent_s, soon_s)
                else:
                    words = NACK_WORDS.get(message.reason, f"reason {message.reason}")
                    self._link._set(LinkState.SUSPECT, f"The lights refuse what they are sent: {words}.")

    def _landed(self, flying: _InFlight) -> None:
        self._flying = None
        self._shown_epoch = flying.epoch
        with self._link._lock:
            self._link._acknowledged = (flying.epoch, flying.scene)
        if self._link.status().state is not LinkState.READY:
            self._link._set(LinkState.READY, self._note)

    def _press(self, event: ButtonEvent) -> None:
        if self._link._on_button is None:
            return
        try:
            self._link._on_button(event.button, event.action)
        except Exception:
            _log.exception("a button's effect failed")
