"""The Pi camera through `rpicam-vid` (`libcamera-vid` on older systems) as a program of its own.

Works in any virtual environment, and a camera stack that hangs can be killed and started again, which a library in our
own process can't. Pictures come as MJPEG on its stdout, what it says of each on a pipe, its complaints on stderr.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import time

from vision.camera import saying
from vision.camera.feed import Again, FeedError, Patience
from vision.camera.pi_settings import FPS, SIZE, PiControls, PiSettings
from vision.camera.stream import JpegStream

PROGRAMS = ("rpicam-vid", "libcamera-vid")
_UNKNOWN = re.compile(r"unrecognised option '(--[\w-]+)'")
_KEPT_BYTES = 4096
_START_UP = 5
"""Times `open_s`: a Pi that has just been switched on takes its time to start a program."""


def program() -> str | None:
    """The program that is installed here."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class PiCommand:
    """Opens the Pi camera with this number, again and again, with what was learnt of the program before."""

    def __init__(self, number: int, mains_hz: int) -> None:
        self.who = saying.pi(number)
        self.number = number
        self.controls = PiControls(mains_hz)
        self.unknown: set[str] = set()  # options that this version doesn't have

    def open(self, patience: Patience) -> CommandFeed:
        """Start the program."""
        found = program()
        if found is None:
            raise FeedError("not_installed", **self.who, program=PROGRAMS[0])
        return CommandFeed(found, self, patience)

    def arguments(self, held: PiSettings | None, metadata_path: str) -> list[str]:
        """All that the program is told."""
        width, height = SIZE
        told = ["-t", "0", "-n", "--codec", "mjpeg", "--quality", "90", "--flush", "-o", "-"]
        told += ["--width", str(width), "--height", str(height), "--framerate", str(FPS)]
        if self.number:
            told += ["--camera", str(self.number)]
        for option, value in (
            ("--metadata", metadata_path),
            ("--metadata-format", "txt"),
            ("--flicker-period", f"{self.controls.flicker_us}us"),
        ):
            if option not in self.unknown:
                told += [option, value]
        if held is not None:
            arguments = held.arguments()
            for option, value in zip(arguments[::2], arguments[1::2], strict=True):
                if option not in self.unknown:
                    told += [option, value]
        return told


class CommandFeed(JpegStream):
    """One run of the program."""

    def __init__(self, path: str, opener: PiCommand, patience: Patience) -> None:
        super().__init__(opener.who, patience)
        self._opener = opener
        self._held = opener.controls.wanted
        self._said = self._metadata = b""
        self._due_s += _START_UP * patience.open_s - patience.picture_s
        self._told, other_end = os.pipe()
        try:
            self._process = subprocess.Popen(
                [path, *opener.arguments(self._held, f"/dev/fd/{other_end}")],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[other_end],
                start_new_session=True,  # Ctrl-C ends us; we end it
                bufsize=0,
            )
        except OSError as error:
            os.close(self._told)
            raise FeedError("not_started", **self.who, program=path, reason=str(error.strerror)) from None
        finally:
            os.close(other_end)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._out, self._err = self._process.stdout, self._process.stderr
        self._sides = [self._err.fileno(), self._told]

    def fileno(self) -> int:
        """The program's stdout."""
        return self._out.fileno()

    def close(self) -> None:
        """End the program, and see that it is gone: two can't have the camera."""
        self._signal(signal.SIGTERM)
        ends_s = time.monotonic() + 1.0
        # not yet reaped, so that its number can't be another program's when the rest of its group is killed
        while not os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() > ends_s:
                break
            time.sleep(0.01)
        self._signal(signal.SIGKILL)  # what it started itself may hold the camera still
        with contextlib.suppress(subprocess.TimeoutExpired):  # it hangs in the kernel; the next start will say so
            self._process.wait(2.0)
        self._out.close()
        self._err.close()
        os.close(self._told)

    def _signal(self, number: int) -> None:
        """To the program and all that it started: they are a process group of their own."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    def _ready(self, timeout_s: float) -> bool:
        if self._opener.controls.wanted is not self._held:
            raise Again
        ready = select.select([self.fileno(), *self._sides], [], [], timeout_s)[0]
        for side in self._sides[:]:
            if side in ready:
                self._listen(side)
        return self.fileno() in ready

    def _listen(self, side: int) -> None:
        data = os.read(side, 65_536)
        if not data:
            self._sides.remove(side)
        elif side != self._told:
            self._said = (self._said + data)[-_KEPT_BYTES:]
        else:
            self._metadata += data
            *blocks, self._metadata = self._metadata.split(b"\n\n")
            self._metadata = self._metadata[-_KEPT_BYTES:]
            if blocks:
                lines = (line.partition("=") for line in blocks[-1].decode("utf-8", "replace").splitlines())
                told = {name: value for name, equals, value in lines if equals}
                self._opener.controls.told(told, self._held)

    def _receive(self, most: int) -> bytes:
        data = os.read(self.fileno(), most)
        if not data:
            raise self._over()
        return data

    def _over(self) -> Exception:
        """Why the program ended: the last that it said."""
        while self._err.fileno() in self._sides and select.select([self._err], [], [], 0.5)[0]:
            self._listen(self._err.fileno())
        said = self._said.decode("utf-8", "replace")
        unknown = set(_UNKNOWN.findall(said)) - self._opener.unknown
        if unknown:
            self._opener.unknown |= unknown
            self._opener.controls.mains_set = "--flicker-period" not in self._opener.unknown
            return Again()
        code, reason = _reason(said)
        return FeedError(code, **self.who, **({"reason": reason} if reason else {}))


def _reason(said: str) -> tuple[str, str]:
    """What the program's last words mean: a sentence's code, and what it tells of them."""
    lowered = said.lower()
    if "no cameras available" in lowered:
        return "none_found", ""
    if "in use" in lowered or "busy" in lowered or "failed to acquire" in lowered:
        return "in_use", ""
    errors = [line for line in said.splitlines() if "error" in line.lower()] or said.splitlines()
    last = errors[-1].strip() if errors else ""
    last = last.removeprefix("ERROR:").strip(" *!")
    return ("stopped_saying", last) if last else ("stopped", "")
