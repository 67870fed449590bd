"""The Pi camera: a program that behaves like the real one in every way it can fail, and a stand-in for the library."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from streams import HURRIED, number_in, numbered, until

from vision.camera import open_source
from vision.camera.command import _reason
from vision.camera.feed import Patience
from vision.camera.feeds import is_live, opener_of
from vision.camera.live import LiveCamera, open_live
from vision.camera.pi_settings import PiSettings
from vision.errors import VisionError

PATIENT = Patience(open_s=1.0, picture_s=2.0, back_off_s=(0.02, 0.1))
"""A busy machine may stop our stand-in for a moment; that is no loss."""


class Pi:
    """A Pi whose camera program is ours. `mood` decides how it behaves, from now on."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        (folder / "pictures").mkdir()
        for number in range(100):
            (folder / "pictures" / f"{number:03}.jpg").write_bytes(numbered(number))
        self.mood("works")
        (folder / "calls").touch()
        script = folder / "bin" / name
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).with_name("rpicam_vid.py")}" "$@"\n')
        script.chmod(0o755)

    def mood(self, mood: str) -> None:
        fresh = self.folder / "mood.new"
        fresh.write_text(mood)
        fresh.replace(self.folder / "mood")

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()


def a_pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Pi:
    pi = Pi(tmp_path, name)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("RPICAM_DIR", str(tmp_path))
    return pi


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pi:
    return a_pi(tmp_path, monkeypatch, "rpicam-vid")


@contextmanager
def camera_of(source: str = "pi") -> Iterator[LiveCamera]:
    camera = LiveCamera(source, patience=PATIENT)
    try:
        yield camera
    finally:
        camera.close()


def children() -> list[str]:
    """The command lines of our own children that still run."""
    return list(running().values())


def pids() -> list[int]:
    return list(running())


def running() -> dict[int, str]:
    found = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
            if int(words[1]) == os.getpid() and words[0] != "Z":
                found[int(entry.parent.name)] = entry.with_name("cmdline").read_bytes().decode()
        except (OSError, ValueError):
            continue
    return {pid: line for pid, line in found.items() if "rpicam_vid.py" in line}


def started_for(folder: Path) -> list[str]:
    """The command lines of all that runs for this folder's camera, whoever started it; other tables run such, too."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"RPICAM_DIR={folder}\0" in entry.read_bytes().decode("utf-8", "replace"):
                found.append(entry.with_name("cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " "))
        except OSError:
            continue
    return [line for line in found if line]


def dead_children() -> list[str]:
    """Our own children that have ended and that nobody has asked about."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == os.getpid() and words[0] == "Z":
            found.append(entry.parent.name)
    return found


@pytest.mark.parametrize("name", ["rpicam-vid", "libcamera-vid"])
def test_pictures_come_under_either_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    pi = a_pi(tmp_path, monkeypatch, name)
    camera = open_source("pi")
    try:
        first = camera.latest(-1, 10)  # type: ignore[union-attr]
        assert first is not None
        until(lambda: number_in((camera.latest() or first).image) > number_in(first.image) + 5)  # type: ignore[union-attr]
        assert "--codec mjpeg" in pi.calls()[0]
        assert "--camera" not in pi.calls()[0]
    finally:
        camera.close()
    assert not children()


def test_the_second_camera_has_its_number(pi: Pi) -> None:
    with camera_of("pi:1") as camera:
        assert camera.latest(-1, 10) is not None
        assert "--camera 1" in pi.calls()[0]


@pytest.mark.parametrize(
    ("mood", "words"),
    [
        ("dies", "has stopped (camera frontend has timed out)"),
        ("crashes", "has stopped"),
        ("no camera", "none is found; check its ribbon cable"),
        ("stalls", "sends no picture any more"),
    ],
)
def test_a_camera_that_fails_is_lost_in_one_sentence_and_found_again(pi: Pi, mood: str, words: str) -> None:
    with camera_of() as camera:
        before = camera.latest(-1, 10)
        assert before is not None
        pi.mood("dies")
        until(lambda: camera.status().state == "lost")
        pi.mood(mood)
        until(lambda: words in camera.status().sentence)
        assert camera.status().state == "lost"
        pi.mood("works")
        until(lambda: camera.status().state == "ok")
        after = camera.latest(before.index, 10)
        assert after is not None
        assert after.t_s > before.t_s
    assert not children()


def test_a_camera_in_other_hands_is_named(pi: Pi) -> None:
    with camera_of() as first:
        assert first.latest(-1, 10) is not None
        with pytest.raises(VisionError, match="another program uses it"):
            open_live("pi", patience=HURRIED)


def test_half_pictures_are_left_out(pi: Pi) -> None:
    pi.mood("halves")
    with camera_of() as camera:
        index = -1
        for _ in range(20):
            frame = camera.latest(index, 10)
            assert frame is not None
            assert number_in(frame.image) % 2 == 0
            index = frame.index
        assert camera.status().damaged >= 5


def test_complaints_do_not_stop_it(pi: Pi) -> None:
    pi.mood("talks")
    with camera_of() as camera:
        first = camera.latest(-1, 10)
        assert first is not None
        until(lambda: (camera.latest() or first).index > 60)  # 120 kB on stderr


def test_a_program_that_does_not_listen_is_killed(pi: Pi) -> None:
    pi.mood("deaf")
    with camera_of() as camera:
        assert camera.latest(-1, 10) is not None
        assert children()
    until(lambda: not children())


@pytest.mark.parametrize("mood", ["works", "deaf"])
def test_what_the_program_started_itself_ends_with_it(pi: Pi, mood: str) -> None:
    """Where `rpicam-vid` is a script that starts the real one, that holds the camera."""
    script = pi.folder / "bin" / "rpicam-vid"
    script.write_text(script.read_text().replace("exec ", "") + "exit $?\n")
    pi.mood(mood)

    with camera_of() as camera:
        assert camera.latest(-1, 10) is not None
        assert len(started_for(pi.folder)) == 2  # the script and the program
    until(lambda: not started_for(pi.folder))


def test_no_dead_child_is_left(pi: Pi) -> None:
    pi.mood("dies")
    with camera_of() as camera:
        until(lambda: len(pi.calls()) > 5)
        pi.mood("crashes")
        until(lambda: len(pi.calls()) > 8)
        pi.mood("works")
        until(lambda: camera.status().state == "ok")
        assert len(dead_children()) == 0
    assert len(dead_children()) == 0


def test_a_program_that_hangs_is_killed_and_started_again(pi: Pi) -> None:
    with camera_of() as camera:
        before = camera.latest(-1, 10)
        assert before is not None
        (hanging,) = pids()
        os.kill(hanging, signal.SIGSTOP)
        until(lambda: camera.status().state == "lost")
        until(lambda: camera.status().state == "ok")
        assert hanging not in pids()
        assert len(pi.calls()) >= 2
    assert not children()


def test_nothing_is_left_over_after_many_starts(pi: Pi) -> None:
    pi.mood("dies")
    with camera_of() as camera:
        until(lambda: len(pi.calls()) > 3)
        threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
        until(lambda: len(pi.calls()) > 18)
        assert threading.active_count() == threads
        assert len(os.listdir("/proc/self/fd")) <= descriptors + 4
        assert camera.status().state == "lost"
        assert camera.status().losses == 1  # lost once, and still
    assert not children()


def test_settings_are_held_read_back_and_kept_over_restarts(pi: Pi) -> None:
    with camera_of() as camera:
        assert camera.latest(-1, 10) is not None
        assert camera.status().lock is None
        assert "--flicker-period 10000us" in pi.calls()[0]
        assert "--shutter" not in pi.calls()[0]
        assert set(camera.controls.lock().loose) == {"exposure", "gain", "white_balance"}  # not yet read back

        def held() -> set[str]:
            lock = camera.status().lock
            return set(lock.locked) if lock is not None else set()

        until(lambda: held() == {"exposure", "gain", "white_balance", "focus", "mains"})
        assert camera.status().state == "ok"
        assert camera.status().losses == 0  # a restart of our own is no loss
        arguments = pi.calls()[-1]
        assert "--shutter " in arguments
        assert "--awbgains " in arguments
        assert "--autofocus-mode manual --lens-position " in arguments

        pi.mood("dies")
        until(lambda: camera.status().state == "lost")
        pi.mood("works")
        until(lambda: camera.status().state == "ok")
        assert pi.calls()[-1].partition("--shutter")[2] == arguments.partition("--shutter")[2]

        camera.controls.release()
        until(lambda: "--shutter" not in pi.calls()[-1])
        until(lambda: camera.status().lock is None and camera.status().state == "ok")


def test_a_setting_that_does_not_hold_is_said(pi: Pi) -> None:
    pi.mood("stubborn")
    with camera_of() as camera:
        assert camera.latest(-1, 10) is not None
        camera.controls.lock()

        def loose() -> str:
            lock = camera.status().lock
            return lock.loose.get("exposure", "") if lock is not None else ""

        until(lambda: "stays at" in loose())
        lock = camera.status().lock
        assert lock is not None
        assert "gain" in lock.locked
        assert "exposure: the camera stays at" in lock.sentence


def test_an_old_program_is_not_asked_twice_what_it_does_not_know(pi: Pi) -> None:
    pi.mood("old")
    with camera_of() as camera:
        frame = camera.latest(-1, 20)
        assert frame is not None
        assert camera.status().losses == 0
        calls = pi.calls()
        assert "--metadata" not in calls[-1]
        assert "--flicker-period" not in calls[-1]
        assert len(calls) == 4  # one for each of three options, and one that works
        lock = camera.controls.lock()
        assert not lock.locked
        assert "does not say" in lock.loose["exposure"]
        pi.mood("dies")
        until(lambda: camera.status().state == "lost")
        assert "--metadata" not in pi.calls()[-1]


def test_without_the_program_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(VisionError, match="install rpicam-apps"):
        open_live("rpicam", patience=HURRIED)
    with pytest.raises(VisionError, match="picamera2, which can't be imported"):
        open_live("picamera2", patience=HURRIED)


def test_the_last_words_become_advice() -> None:
    assert _reason("") == ("stopped", "")
    assert _reason("INFO x\nERROR: *** no cameras available ***\n") == ("none_found", "")
    assert _reason("ERROR RPI: Device or resource busy") == ("in_use", "")
    assert _reason("INFO a\nterminate called\n") == ("stopped_saying", "terminate called")


def test_settings_are_read_from_text_and_from_the_library() -> None:
    text = PiSettings.of({"ExposureTime": "9988", "AnalogueGain": "2.5", "ColourGains": "[ 1.5, 1.9 ]"})
    library = PiSettings.of({"ExposureTime": 9988, "AnalogueGain": 2.5, "ColourGains": (1.5, 1.9)})
    assert text == library == PiSettings(9988, 2.5, (1.5, 1.9), None)
    assert PiSettings.of({"ExposureTime": "9988"}) is None
    assert PiSettings.of({"ExposureTime": "x", "AnalogueGain": "", "ColourGains": "[]"}) is None
    assert "AfMode" not in text.controls()  # a fixed lens


class Picamera2:
    """The part of the library that is used, as its manual describes it; its pictures come on a thread of its own."""

    mood = "works"
    camera_controls: ClassVar = {"AeFlickerPeriod": (100, 1_000_000, None), "LensPosition": (0, 10, 1)}
    alive = 0

    def __init__(self, number: int) -> None:
        if Picamera2.mood == "no camera":
            raise IndexError("list index out of range")
        self.number = number
        self.post_callback: Any = None
        self._settings: dict[str, Any] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        Picamera2.alive += 1

    def create_video_configuration(self, main: dict[str, Any], controls: dict[str, Any]) -> dict[str, Any]:
        assert main["format"] == "RGB888"
        return controls

    def configure(self, controls: dict[str, Any]) -> None:
        self._settings |= controls

    def set_controls(self, controls: dict[str, Any]) -> None:
        self._settings |= controls

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def close(self) -> None:
        Picamera2.alive -= 1

    def _run(self) -> None:
        noise = np.random.default_rng(1)
        while not self._stop.wait(0.02):
            if Picamera2.mood == "stalls":
                continue
            wander = noise.uniform(0.7, 1.4)
            auto = self._settings.get("AeEnable", True)
            metadata = {
                "ExposureTime": int(20_000 * wander),
                "AnalogueGain": 2 * wander,
                "ColourGains": (1.5 * wander, 1.9),
            }
            if not auto:
                metadata |= {name: self._settings[name] for name in metadata}
            picture = noise.integers(0, 255, (96, 128, 3)).astype(np.uint8)
            self.post_callback(
                SimpleNamespace(make_array=lambda _, p=picture: p, get_metadata=lambda m=metadata: m)
            )


def test_the_library_is_used_where_it_can_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=Picamera2))
    monkeypatch.setattr(Picamera2, "mood", "works")
    with camera_of("picamera2") as camera:
        assert camera.latest(-1, 10) is not None
        camera.controls.lock()

        def held() -> set[str]:
            lock = camera.status().lock
            return set(lock.locked) if lock is not None else set()

        until(lambda: held() == {"exposure", "gain", "white_balance", "mains"})
        camera.controls.release()
        until(lambda: camera.status().lock is None)
        Picamera2.mood = "stalls"
        until(lambda: "sends no picture any more" in camera.status().sentence)
        Picamera2.mood = "no camera"
        until(lambda: "can't be opened" in camera.status().sentence)
        Picamera2.mood = "works"
        until(lambda: camera.status().state == "ok")
    assert Picamera2.alive == 0


def test_names_of_sources() -> None:
    for source in ("pi", "pi:1", "rpicam", "picamera2:1", "usb", "0", "/dev/video0", "rtsp://host/x"):
        assert is_live(source), source
        assert opener_of(source).who["name"]
    for source in ("pipe.avi", "pi.avi", "pictures", "pi:x"):
        assert not is_live(source), source
