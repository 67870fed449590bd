"""One camera, supervised: the newest picture only, frozen or dark, closed at any time, and nothing left over."""

from __future__ import annotations

import gc
import os
import threading
import time
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import pytest
from streams import HURRIED, Line, Talk, number_in, numbered, run, server, until

from vision.camera.feed import Patience
from vision.camera.frame import Image
from vision.camera.jpeg import Decoder
from vision.camera.live import LiveCamera, Sameness
from vision.decoding import decode


def hang_up(line: Line) -> None:
    line.head()
    line.part(numbered(7))


def break_off(line: Line) -> None:
    line.head()
    line.part(numbered(7))
    line.reset()


def stall(line: Line) -> None:
    line.head()
    line.part(numbered(7))
    line.wait()


def say_nothing(line: Line) -> None:
    line.wait()


def drip_head(line: Line) -> None:
    line.say(b"HTTP/1.0 200 OK\r\n")
    for number in count():
        if not line.up:
            return
        line.say(f"X-{number}: y\r\n".encode())
        line.pause()


def nonsense(line: Line) -> None:
    line.say(b"\x00\x01\x02" * 100 + b"\r\n\r\n")


def test_a_slow_reader_gets_the_newest_picture_only() -> None:
    with server(run) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            first = camera.latest(-1, 10)
            assert first is not None
            until(lambda: (camera.latest() or first).index > first.index + 10)
            late = camera.latest(first.index)
            assert late is not None
            assert number_in(late.image) > number_in(first.image) + 10
        finally:
            camera.close()


def test_a_camera_faster_than_the_machine_shows_the_present(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was sent while one picture was decoded is skipped, not worked off."""
    sent = [0]

    def flood(line: Line) -> None:
        line.head()
        for number in count():
            if not line.up:
                return
            sent[0] = number
            line.part(numbered(number))

    quick = Decoder.decode

    def slow(decoder: Decoder, jpeg: bytes) -> Image | None:
        time.sleep(0.1)
        return quick(decoder, jpeg)

    monkeypatch.setattr(Decoder, "decode", slow)
    with server(flood) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            index, gaps, behind = -1, [], []
            for _ in range(12):
                frame = camera.latest(index, 10)
                assert frame is not None
                behind.append(sent[0] - number_in(frame.image))
                gaps.append(frame.index - index)
                index = frame.index
            # 12 pictures a second are decoded of hundreds; the wait for one must not grow
            assert sent[0] > 10 * len(behind)
            assert max(behind[6:]) < 0.5 * sent[0]
        finally:
            camera.close()


def test_the_same_picture_for_long_is_frozen() -> None:
    still = numbered(5)

    def stand(line: Line) -> None:
        line.head()
        while line.up:
            line.part(still)
            line.pause()

    with server(stand) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            until(lambda: camera.status().state == "frozen")
            assert "same picture" in camera.status().sentence
            camera_there.talk = run
            camera_there.drop()
            until(lambda: camera.status().state == "ok")
        finally:
            camera.close()


def test_a_covered_lens_is_dark_not_frozen() -> None:
    black = cv2.imencode(".jpg", np.zeros((96, 128, 3), np.uint8))[1].tobytes()

    def dark(line: Line) -> None:
        line.head()
        while line.up:
            line.part(black)
            line.pause()

    with server(dark) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            frame = camera.latest(-1, 10)
            assert frame is not None
            until(lambda: (camera.latest() or frame).t_s > 2.5)
            assert camera.status().state == "ok"
        finally:
            camera.close()


@pytest.mark.parametrize("pictures", [1, 3])
def test_a_driver_that_hangs_repeats_what_it_has_in_its_buffers(pictures: int) -> None:
    kept = [numbered(number, number) for number in range(pictures)]

    def repeat(line: Line) -> None:
        line.head()
        for number in count():
            if not line.up:
                return
            line.part(kept[number % pictures])
            line.pause()

    with server(repeat) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            until(lambda: camera.status().state == "frozen")
            assert camera.latest() is not None  # it goes on reading
        finally:
            camera.close()


def test_a_still_scene_is_not_frozen() -> None:
    """The grain of a good sensor in good light: one level here and there, and a strong compression after it."""
    noise = np.random.default_rng(1)
    scene = cv2.resize(noise.integers(40, 220, (12, 16, 3)).astype(np.uint8), (640, 480), interpolation=cv2.INTER_CUBIC)
    grains = [noise.normal(0, 0.8, scene.shape) for _ in range(40)]
    quality = [cv2.IMWRITE_JPEG_QUALITY, 80]
    grainy = [np.clip(scene + grain, 0, 255).round().astype(np.uint8) for grain in grains]
    shown = [cv2.imencode(".jpg", image, quality)[1] for image in grainy]
    sameness = Sameness()
    for second in range(120):
        image = decode(shown[second % 40].tobytes())[0]
        assert image is not None
        assert sameness.lasts_s(image, float(second)) == 0.0


def test_nothing_is_left_over_after_thousands_of_losses() -> None:
    def fleeting(line: Line) -> None:
        (hang_up, break_off, nonsense, lambda line: line.head("", "401 No"))[line.number % 4](line)

    def descriptors() -> int:
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    def memory() -> int:
        """Bytes that are really in use."""
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    with server(fleeting) as camera_there:
        camera = LiveCamera(camera_there.url, patience=Patience(0.5, 0.5, (0.0, 0.0)))
        try:
            until(lambda: camera_there.calls > 500, 60)
            threads, before, held = threading.active_count(), descriptors(), memory()
            until(lambda: camera_there.calls > 3000, 120)
            assert threading.active_count() <= threads + 3
            assert descriptors() <= before + 6
            assert memory() < held + 8_000_000  # a kept picture or thread each time would be far more
        finally:
            camera.close()
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("camera")]


@pytest.mark.parametrize("talk", [run, stall, say_nothing, drip_head])
def test_a_camera_can_be_closed_at_any_time(talk: Talk) -> None:
    with server(talk) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        until(lambda: camera_there.calls > 0)
        camera.close()
        until(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("camera")], 5)
        assert camera.latest(10**9, 10) is None  # readers are not kept waiting
