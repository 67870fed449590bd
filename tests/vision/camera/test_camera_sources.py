"""Live sources other than the network: devices that are not there, and pipes."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from streams import HURRIED, number_in, numbered, until

from vision.camera import Camera, open_source
from vision.camera.live import LiveCamera
from vision.errors import VisionError


@pytest.mark.parametrize("source", ["/dev/video87", "87"])
def test_a_device_that_is_not_there_yet_is_waited_for(source: str) -> None:
    camera = open_source(source, wait=False)
    try:
        assert isinstance(camera, Camera)
        until(lambda: camera.status().state == "lost")
        assert "no camera /dev/video87" in camera.status().sentence
        assert camera.latest(-1, 0.01) is None
    finally:
        camera.close()
    with pytest.raises(VisionError, match="no camera /dev/video87"):
        open_source(source)


def test_a_device_that_is_no_camera_is_named() -> None:
    with pytest.raises(VisionError, match="the camera /dev/null can't be opened"):
        open_source("/dev/null")


def test_a_usb_camera_is_looked_for_wherever_it_is() -> None:
    if not list(Path("/dev").glob("video*")):
        with pytest.raises(VisionError, match="no USB camera; plug one in"):
            open_source("usb")


def test_a_pipe_is_read_and_its_next_writer_is_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pictures.mjpg"
    os.mkfifo(pipe)
    stopping = threading.Event()

    def write(pictures: int) -> None:
        with pipe.open("wb") as out:
            for number in range(pictures):
                if stopping.wait(0.01):
                    return
                out.write(numbered(number))
                out.flush()

    camera = LiveCamera(str(pipe), patience=HURRIED)
    try:
        until(lambda: "sends no picture" in camera.status().sentence)  # nobody writes yet
        writer = threading.Thread(target=write, args=(5,))
        writer.start()
        first = camera.latest(-1, 10)
        assert first is not None
        writer.join(10)
        while camera.status().losses < 4:
            writer = threading.Thread(target=write, args=(60,))
            writer.start()
            until(lambda: camera.status().state == "ok")
            until(lambda: number_in((camera.latest() or first).image) > 20)
            writer.join(10)
            until(lambda: camera.status().state == "lost")
            assert "pipe" in camera.status().sentence
    finally:
        stopping.set()
        camera.close()
