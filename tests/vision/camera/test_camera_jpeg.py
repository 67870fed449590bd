"""Pictures in a stream of bytes: found however the bytes are cut, and never half."""

from __future__ import annotations

import ctypes
import os

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import numbered

from vision.camera.jpeg import LARGEST_BYTES, Decoder, Splitter, Wholeness
from vision.decoding import decode

PICTURES = [numbered(number, number) for number in range(4)]
GARBAGE = st.binary(max_size=60).map(lambda data: data.replace(b"\xff", b"."))


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    """All of `data` in pieces of these sizes, again and again."""
    pieces, at = [], 0
    while at < len(data):
        for size in sizes:
            pieces.append(data[at : at + size])
            at += size
    return pieces


@settings(max_examples=60, deadline=None)
@given(st.lists(GARBAGE, min_size=5, max_size=5), st.lists(st.integers(1, 5000), min_size=1, max_size=4))
def test_every_whole_picture_is_found_however_the_bytes_come(between: list[bytes], sizes: list[int]) -> None:
    data = between[0] + b"".join(jpeg + gap for jpeg, gap in zip(PICTURES, between[1:], strict=True))
    splitter = Splitter()
    assert [jpeg for piece in cut(data, sizes) for jpeg in splitter.feed(piece)] == PICTURES
    assert splitter.damaged == 0


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 3), st.integers(2, 10**6), st.integers(1, 4000), st.integers(100, 9000))
def test_a_hole_costs_no_other_picture(which: int, at: int, length: int, size: int) -> None:
    """Whatever is missing in one picture, those before it are found, and those after it: all, or from soon on."""
    harmed = PICTURES[which]
    at = at % (len(harmed) - 2)
    harmed = harmed[:at] + harmed[at + length :]
    stream = b"--f\r\n\r\n".join([*PICTURES[:which], harmed, *PICTURES[which + 1 :], *PICTURES * 2])
    splitter = Splitter()
    found = [jpeg for piece in cut(stream, [size]) for jpeg in splitter.feed(piece)]
    assert found[:which] == PICTURES[:which]
    behind = found[which:]
    if behind[0] not in PICTURES:
        del behind[0]  # the harmed one, ending in its own end mark or not told from whole
    assert behind == (PICTURES[which + 1 :] + PICTURES * 2)[-len(behind) :]
    assert len(behind) >= len(PICTURES)


def test_a_thumbnail_within_a_picture_is_no_picture() -> None:
    inner = cv2.imencode(".jpg", np.zeros((16, 16, 3), np.uint8))[1].tobytes()
    segment = b"\xff\xe1" + (len(inner) + 2).to_bytes(2, "big") + inner
    whole = PICTURES[0][:2] + segment + PICTURES[0][2:]
    assert Splitter().feed(whole + PICTURES[1]) == [whole, PICTURES[1]]
    image, damage = decode(whole)
    assert damage == ""
    assert image is not None
    assert image.shape == (96, 128, 3)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_upset_it(data: bytes) -> None:
    splitter = Splitter()
    for jpeg in splitter.feed(b"\xff\xd8\xff" + data):
        decode(jpeg)


def test_what_never_ends_is_dropped() -> None:
    splitter = Splitter()
    splitter.feed(PICTURES[0][:-2])
    for _ in range(LARGEST_BYTES // 10**6 + 1):
        assert splitter.feed(bytes(10**6)) == []
    assert splitter.damaged == 1
    assert splitter.feed(PICTURES[1]) == [PICTURES[1]]


def photo(seed: int = 1) -> np.ndarray:
    """Something like a photograph: large soft shapes and a little grain, 640 x 360."""
    noise = np.random.default_rng(seed)
    soft = cv2.resize(noise.integers(60, 200, (9, 16, 3)).astype(np.uint8), (640, 360), interpolation=cv2.INTER_CUBIC)
    return cv2.add(soft, noise.integers(0, 6, soft.shape).astype(np.uint8))


def coded(image: np.ndarray, *more: int) -> tuple[bytes, int]:
    """A JPEG, and where its coded data begin."""
    data = cv2.imencode(".jpg", image, list(more))[1].tobytes()
    at = data.index(b"\xff\xda")
    return data, at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8, 0.95, 0.99])
def test_a_picture_whose_end_was_filled_in_is_damaged(share: float) -> None:
    whole, head = coded(photo())
    image, damage = decode(whole)
    assert image is not None
    assert damage == ""
    wholeness = Wholeness()
    assert wholeness.fits(image)
    cut_short = whole[: head + int((len(whole) - head) * share)] + b"\xff\xd9"
    harmed, damage = decode(cut_short)
    assert harmed is not None
    assert "premature end" in damage
    assert not wholeness.fits(harmed)  # without the decoder's word, where it can't be heard
    assert wholeness.fits(image)
    assert Decoder().decode(cut_short) is None
    assert Decoder().decode(whole) is not None


RESTARTS = int(cv2.IMWRITE_JPEG_RST_INTERVAL), 40
FINE = int(cv2.IMWRITE_JPEG_SAMPLING_FACTOR), int(cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)


@pytest.mark.parametrize("manner", [(), RESTARTS, FINE], ids=["plain", "restarts", "4:4:4"])
@pytest.mark.parametrize("harm", ["hole", "doubled"])
def test_a_hole_within_a_picture_that_fills_the_frame_is_damage(manner: tuple[int, ...], harm: str) -> None:
    """Bytes that are missing or came twice: the frame is full, and most of it is wrong."""
    noise = np.random.default_rng(5)
    whole, head = coded(photo(2), *manner)
    missed = 0
    for _ in range(40):
        at, length = int(noise.integers(head, len(whole) - 2000)), int(noise.integers(100, 1500))
        piece = b"" if harm == "hole" else whole[at : at + length] * 2
        missed += Decoder().decode(whole[:at] + piece + whole[at + length :]) is not None
    assert missed <= 1  # where what is left makes, by chance, just as many blocks


def test_a_camera_with_a_fault_of_its_own_is_believed_in_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    """Some put rubbish before the end mark of every picture, some a byte or two of it: these are whole."""
    whole, _ = coded(photo())
    assert Decoder().decode(whole[:-2] + b"\x12\x34" + whole[-2:]) is not None
    careless = whole[:-2] + bytes(range(1, 60)) + whole[-2:]
    decoder = Decoder()
    shown = [decoder.decode(careless) is not None for _ in range(20)]
    assert shown == [False] * 10 + [True] * 10
    assert decoder.decode(whole) is not None
    assert decoder.decode(careless) is None
    assert capfd.readouterr() == ("", "")  # and nothing of this fills a log


def test_what_others_say_meanwhile_is_no_damage(capfd: pytest.CaptureFixture[str]) -> None:
    whole, head = coded(photo())
    os.write(2, b"words of our own\n")
    assert decode(whole)[1] == ""
    assert decode(whole[: head + 900] + whole[-2:])[1] != ""
    assert decode(whole)[1] == ""
    ctypes.CDLL(None).perror(b"theirs")
    said = capfd.readouterr().err
    assert "words of our own" in said
    assert "theirs" in said


def test_even_pictures_are_whole() -> None:
    wholeness = Wholeness()
    for value in (0, 77, 255):
        assert wholeness.fits(np.full((96, 128, 3), value, np.uint8))
    grey = np.full((96, 128, 3), 128, np.uint8)
    assert [wholeness.fits(grey) for _ in range(5)] == [False, False, True, True, True]
    for nothing in (b"", b"\xff\xd8\xff\xd9"):
        assert decode(nothing)[0] is None
        assert Decoder().decode(nothing) is None
