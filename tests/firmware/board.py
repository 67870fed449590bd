"""A simulated ATmega328P board with the firmware: told what to do line by line, in simulated time or in real time."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_bridge.wire.native import (
    Decoder,
    Fault,
    Frame,
    Heartbeat,
    Hello,
    Message,
    encode,
)

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "firmware_bridge" / "firmware"
NEEDS: dict[str, str] = runpy.run_path(str(HERE.parents[1] / "deploy" / "start.py"))["FIRMWARE_NEEDS"]

Rgb = tuple[int, int, int]


def missing_packages() -> list[str]:
    """The Debian packages that building needs and that are not installed."""
    return [
        package
        for package, brings in sorted(NEEDS.items())
        if not (os.path.exists(brings) if "/" in brings else shutil.which(brings))
    ]


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def build_firmware(folder: Path, options: dict[str, int]) -> Path:
    """The Makefile's own build, warnings being errors."""
    _run("make", "-C", str(SOURCE), f"BUILD={folder}", *(f"{name}={value}" for name, value in options.items()))
    return folder / "boardref-lights.elf"


def build_board(folder: Path) -> Path:
    """The simulated board around libsimavr."""
    program = folder / "board"
    sources = [str(path) for path in sorted((HERE / "harness").glob("*.c"))]
    flags = ("-O2", "-Wall", "-Wextra", "-Werror", "-o", str(program))
    _run("gcc", *flags, *sources, "-lsimavr", "-lelf", "-lutil", "-lm")
    return program


@dataclass
class Report:
    """What the board has said since it was last asked. Times in seconds of the chip's time since power-up."""

    leds: list[tuple[float, tuple[Rgb, ...]]] = field(default_factory=list)  # each change of what is shown
    said: list[tuple[float, bytes]] = field(default_factory=list)  # bytes the chip sent, with the first one's time
    frames: list[tuple[float, Frame | Fault]] = field(default_factory=list)  # the same as messages
    starts: list[float] = field(default_factory=list)
    wave_ns: dict[str, tuple[float, float]] = field(default_factory=dict)  # T0H, T1H, T0L, T1L, gap -> least, most
    wave_frames: int = 0
    line: tuple[int, int] = (0, 0)  # bytes the receiver took, bytes it lost
    unused_stack: int = 0

    @property
    def messages(self) -> list[Message]:
        """The sound messages."""
        return [frame.message for _, frame in self.frames if isinstance(frame, Frame)]


class Board:
    """One board, powered up from construction until `close`. In lockstep until `real_time`."""

    def __init__(self, program: Path, firmware: Path) -> None:
        self._process = subprocess.Popen(
            [program, firmware],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self._lines: list[str] = []
        self._arrived = threading.Condition()
        self._answers = 0
        self._asked = 1  # it reports once by itself when it is ready
        self._ended = False
        self._decoder = Decoder()
        self._seq = 0
        self.now_s = 0.0
        self.path = ""
        self.shown: tuple[Rgb, ...] = ()  # what the LEDs show now
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._wait()
        self.collect()
        self.run(0.01)  # it clears its memory before it listens

    def close(self) -> None:
        """Power off."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._reader.join(10)
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._arrived:
                self._lines.append(line)
                self._answers += line.startswith("ok ")
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()

    def _wait(self) -> None:
        with self._arrived:
            self._arrived.wait_for(lambda: self._ended or self._answers >= self._asked, 60)
            assert self._answers >= self._asked, f"the simulated board ended: {self._lines[-3:]}"

    def tell(self, command: str) -> None:
        """One command of harness/board.c; returns when it is done."""
        assert self._process.stdin is not None
        self._asked += 1
        self._process.stdin.write(command + "\n")
        self._wait()

    def collect(self) -> Report:
        """Everything since the last time."""
        with self._arrived:
            lines, self._lines = self._lines, []
        report = Report()
        for line in lines:
            word, time_us, *rest = line.split()
            time_s = int(time_us) / 1e6
            if word == "ok":
                self.now_s = time_s
            else:
                self._note(report, word, time_s, rest)
        return report

    def _note(self, report: Report, word: str, time_s: float, rest: list[Any]) -> None:
        match word:
            case "leds":
                raw = bytes.fromhex(rest[0])
                self.shown = tuple((raw[i], raw[i + 1], raw[i + 2]) for i in range(0, len(raw), 3))
                report.leds.append((time_s, self.shown))
            case "said":
                said = bytes.fromhex(rest[0])
                report.said.append((time_s, said))
                report.frames += [(time_s, frame) for frame in self._decoder.feed(said)]
            case "started":
                report.starts.append(time_s)
            case "terminal":
                self.path = rest[0]
            case "wave":
                report.wave_frames = int(rest[0])
                for wave in rest[1:]:
                    name, least, most = wave.split(":")
                    report.wave_ns[name] = (float(least), float(most))
            case "line":
                report.line = (int(rest[0]), int(rest[1]))
            case "stack":
                report.unused_stack = int(rest[0])
            case _:
                raise AssertionError(f"{word} {time_s} {' '.join(rest)}")

    def run(self, seconds: float) -> Report:
        """Let so much of the chip's time pass; what happened in it."""
        self.tell(f"run {seconds * 1000:.3f}")
        return self.collect()

    def send(self, data: bytes) -> None:
        """Put bytes on the line to the chip; they arrive while it runs."""
        if data:
            self.tell(f"rx {data.hex()}")

    def next_seq(self) -> int:
        self._seq = self._seq % 255 + 1
        return self._seq

    def say(self, message: Message, seq: int | None = None) -> int:
        """Send one message. Returns its sequence number."""
        seq = self.next_seq() if seq is None else seq
        self.send(encode(message, seq))
        return seq

    def ask(self, message: Message, seq: int | None = None) -> Message:
        """Send one message and let time pass until it is answered."""
        seq = self.say(message, seq)
        for _ in range(20):
            for _, frame in self.run(0.01).frames:
                if isinstance(frame, Frame) and frame.seq == seq:
                    return frame.message
        raise AssertionError(f"no answer to {message}")

    def greet(self, lease_ms: int = 60000) -> Message:
        """Begin as a host does: hello, then a long lease."""
        self.send(b"\0\0")
        found = self.ask(Hello())
        self.say(Heartbeat(lease_ms, 0))
        self.run(0.005)
        return found
