"""Pictures in a stream of bytes: found however the bytes are cut, and never half."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import numbered

from vision.camera.jpeg import LARGEST_BYTES, Splitter, Wholeness, decode

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
    image = decode(whole)
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


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8, 0.95, 0.99])
def test_a_picture_whose_end_was_filled_in_is_damaged(share: float) -> None:
    noise = np.random.default_rng(1)
    photo = cv2.resize(noise.integers(60, 200, (9, 16, 3)).astype(np.uint8), (640, 360), interpolation=cv2.INTER_CUBIC)
    photo = cv2.add(photo, noise.integers(0, 6, photo.shape).astype(np.uint8))
    whole = cv2.imencode(".jpg", photo)[1].tobytes()
    image = decode(whole)
    assert image is not None
    wholeness = Wholeness()
    assert wholeness.fits(image)
    head = whole.index(b"\xff\xda") + 14
    cut_short = whole[: head + int((len(whole) - head) * share)] + b"\xff\xd9"
    harmed = decode(cut_short)
    assert harmed is not None
    assert not wholeness.fits(harmed)
    assert wholeness.fits(image)


def test_even_pictures_are_whole() -> None:
    wholeness = Wholeness()
    for value in (0, 77, 255):
        assert wholeness.fits(np.full((96, 128, 3), value, np.uint8))
    grey = np.full((96, 128, 3), 128, np.uint8)
    assert [wholeness.fits(grey) for _ in range(5)] == [False, False, True, True, True]
    assert decode(b"") is None
    assert decode(b"\xff\xd8\xff\xd9") is None
