"""Link: one supervised serial connection that finds, opens, resends, reconnects and never gives up.

The state lives here, not in the device: the whole Scene is sent on every change and once a second, so a pulled plug
costs nothing. Nothing here ever raises to the caller or blocks it; what is wrong stands in `status()`. What is said on
an open connection is the wire's `Talk`.
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
from dataclasses import replace

import serial

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import LinkState, LinkStatus, Pace
from firmware_bridge.ports import Find, finder, holder, spec_of, usb_serial_port
from firmware_bridge.saying import NOTHING, Reason
from firmware_bridge.scene import DARK, Scene
from firmware_bridge.talk import NOTHING_SHOWN, Lost, Talk
from firmware_bridge.talks import check_wire, split_wire, talk_for

__all__ = ["Link", "LinkState", "LinkStatus", "Pace", "usb_serial_port"]

WRITE_TIMEOUT_S = 0.5

_log = logging.getLogger(__name__)
_FAULTS = (OSError, termios.error)  # pyserial's own error is an OSError; its flush lets termios.error through


class Link:
    """The connection to the lights, with its own thread from construction until `close`.

    `find`: `auto`, `usb:VID:PID[:SERIAL]`, a path, or a function that gives the path(s) to try, asked at every attempt.
    A text may name its wire after a comma: `/dev/ttyUSB0,awa@1000000`. `wire`: one of `firmware_bridge.talks.WIRES`
    where it doesn't; left out, a text's wire is found out and a function's is native. `on_button(button, action)` is
    called in the link's thread, once for each press.
    """

    def __init__(
        self,
        find: Find | str,
        lightmap: LightMap,
        *,
        wire: str | None = None,
        on_button: Callable[[int, int], None] | None = None,
        pace: Pace | None = None,
    ) -> None:
        if isinstance(find, str):
            find, wire = split_wire(find, wire or "auto")
        self._sought = find if isinstance(find, str) else "the lights"
        self._find = finder(find) if isinstance(find, str) else find
        self._map = lightmap
        self._wire = wire or "native"
        check_wire(self._wire)  # an unknown wire is named before anything starts
        self._on_button = on_button
        self._pace = pace or Pace()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._scene, self._epoch = DARK, 0
        self._acknowledged = self._told = NOTHING_SHOWN
        started_s = time.monotonic()
        looking = Reason("looking", sought=self._sought)
        self._status = LinkStatus(LinkState.SEARCHING, looking, started_s, away_since_s=started_s)
        self._turn = 0
        self._ours: str | None = None  # what names the device that answered, where several ports are there
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

    def remap(self, lightmap: LightMap) -> None:
        """From now on Scenes mean this map; the newest is sent again by it at once."""
        with self._lock:
            self._map, self._epoch = lightmap, self._epoch % 0xFFFF + 1
            self._acknowledged = (self._acknowledged[0], None)
        self._wake()

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

    def _become(self, now: LinkStatus) -> None:
        """Stand so from now on; its times and losses follow from how it stood before. Only the link's thread calls."""
        now_s = time.monotonic()
        with self._lock:
            old = self._status
            changed = (old.state, old.reason) != (now.state, now.reason)
            lost = old.device is not None and now.device is None
            away_since_s = None if now.device is not None else now_s if lost else old.away_since_s
            self._status = replace(
                now,
                since_s=now_s if changed else old.since_s,
                losses=old.losses + lost,
                away_since_s=away_since_s,
            )
            if now.state not in (LinkState.READY, LinkState.SUSPECT):
                self._acknowledged = (self._acknowledged[0], None)
        if changed:
            # who looks after the table tells people: once, not at each try for months
            _log.debug("lights: %s%s", now.state, f" ({now.reason})" if now.reason else "")

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                try:
                    self._attempt()
                except Lost as lost:
                    reason = lost.reason
                except _FAULTS as error:
                    reason = Reason("broke", error=error)
                except Exception as error:
                    # The lights must never end a table: whatever this is, say it and try again.
                    _log.exception("lights")
                    reason = Reason("fault", error=f"{type(error).__name__}: {error}")
                else:
                    continue
                self._wait(reason)
        finally:
            self._become(replace(self.status(), state=LinkState.CLOSED, reason=NOTHING, next_try_s=None, device=None))
            with self._lock:
                os.close(self._wake_write)
                os.close(self._wake_read)

    def _paths(self) -> tuple[str, ...]:
        try:
            found = self._find()
        except Exception as error:
            raise Lost(Reason("search_failed", error=error)) from None
        if found is None or isinstance(found, str):
            return (found,) if found else ()
        return tuple(found)

    def _wait(self, reason: Reason) -> None:
        """Back off; a port that appears meanwhile is tried at once."""
        old = self.status()
        attempts = old.attempts + 1
        ends_s = time.monotonic() + self._pace.back_off_s[min(attempts, len(self._pace.back_off_s)) - 1]
        self._become(
            replace(old, state=LinkState.DOWN, reason=reason, attempts=attempts, next_try_s=ends_s, device=None)
        )
        known = self._plugged_in()
        while (left_s := ends_s - time.monotonic()) > 0 and not self._stop.wait(min(left_s, self._pace.look_s)):
            there = self._plugged_in()
            if there - known:
                return
            known = there

    def _plugged_in(self) -> set[str]:
        try:
            return {path for path in self._paths() if os.path.exists(path)}
        except Lost:
            return set()

    def _attempt(self) -> None:
        looking = Reason("looking", sought=self._sought)
        self._become(replace(self.status(), state=LinkState.SEARCHING, reason=looking, next_try_s=None))
        paths = self._paths()
        if not paths:
            raise Lost(Reason("no_port") if self._sought == "auto" else Reason("not_there", sought=self._sought))
        path = paths[self._turn % len(paths)]
        if len(paths) > 1 and self._ours is not None and self.status().attempts <= 1:
            path = next((one for one in paths if spec_of(one) == self._ours), path)  # whatever its name is now
        self._turn += 1  # where several ports could be ours, the next attempt asks the next one
        self._become(replace(self.status(), state=LinkState.OPENING, reason=NOTHING, port=path))
        port = _open(path)
        try:
            self._converse(port, talk_for(self._wire, self._map, self._pace, path))
        finally:
            self._turn -= self.status().device is not None  # it was ours: the same one first
            _close(port)

    def _converse(self, port: serial.Serial, talk: Talk) -> None:
        """Talk over one open port until it is lost or the link is closed."""
        try:
            port.baudrate = talk.baud
        except (ValueError, *_FAULTS):
            wire = talk.capabilities.wire
            raise Lost(Reason("bad_speed", port=port.port, baud=talk.baud, wire=wire)) from None
        port.write(talk.begin(time.monotonic()))
        while not self._stop.is_set():
            with self._lock:
                talk.show(self._scene, self._epoch, self._map)
            if out := talk.due(time.monotonic()):
                port.write(out)
            self._tell(talk)
            if data := self._receive(port, talk.next_s(time.monotonic()) - time.monotonic()):
                talk.take(data, time.monotonic())
                self._tell(talk)
            for button, action in talk.presses():
                self._press(button, action)
        if out := talk.end(time.monotonic()):
            port.write(out)

    def _tell(self, talk: Talk) -> None:
        """Take over how the talk stands, and what the device shows."""
        now, old = talk.standing, self.status()
        if (now.state, now.reason, now.device, now.health) != (old.state, old.reason, old.device, old.health):
            fresh = now.device is not None and old.device is None
            if fresh and old.port is not None:
                self._ours = spec_of(old.port)
            self._become(
                replace(
                    old,
                    state=now.state,
                    reason=now.reason,
                    device=now.device,
                    health=now.health,
                    attempts=0 if fresh else old.attempts,
                    connections=old.connections + fresh,
                )
            )
        with self._lock:
            if talk.acknowledged is not self._told and talk.acknowledged[1] is not None:
                self._acknowledged = self._told = talk.acknowledged

    def _receive(self, port: serial.Serial, timeout_s: float) -> bytes:
        """Wait for bytes, or to be woken by a new scene, at most `timeout_s`."""
        woken = self._wake_read
        ready, _, _ = select.select([port.fileno(), woken], [], [], max(0.0, timeout_s))
        if woken in ready:
            os.read(woken, 4096)
        if len(ready) == (woken in ready):
            return b""
        return bytes(port.read(max(1, port.in_waiting)))

    def _press(self, button: int, action: int) -> None:
        if self._on_button is None:
            return
        try:
            self._on_button(button, action)
        except Exception:
            _log.exception("a button's effect failed")


def _open(path: str) -> serial.Serial:
    try:
        return serial.Serial(path, timeout=0, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
    except _FAULTS as error:
        number = getattr(error, "errno", None)
        if number in (errno.EAGAIN, errno.EBUSY):
            who = holder(path)
            held = Reason("port_held_by", port=path, who=who) if who else Reason("port_held", port=path)
            raise Lost(held) from None
        if number == errno.EACCES:
            raise Lost(Reason("no_permission", port=path)) from None
        if number == errno.ENOENT:
            raise Lost(Reason("port_gone", port=path)) from None
        raise Lost(Reason("port_fault", port=path, error=error)) from None
    except ValueError as error:
        raise Lost(Reason("port_fault", port=path, error=error)) from None


def _close(port: serial.Serial) -> None:
    try:
        port.close()
    except _FAULTS:
        _log.debug("closing a port that is gone", exc_info=True)


