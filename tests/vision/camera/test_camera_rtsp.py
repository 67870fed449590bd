"""RTSP through FFmpeg, against a small real server: MJPEG in RTP (RFC 2435) within the RTSP line itself."""

from __future__ import annotations

import re
import select
import socket
import struct
import time
from itertools import count

import numpy as np
import pytest
from streams import HURRIED, Line, Talk, number_in, numbered, server, until

from vision.camera.capture import CaptureFeed, Delay
from vision.camera.frame import Image
from vision.camera.live import LiveCamera, open_live
from vision.errors import VisionError

SDP = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:track\r\n"


def scan_and_tables(jpeg: bytes) -> tuple[bytes, bytes]:
    """A baseline JPEG's coded data and its quantisation tables."""
    tables, at = b"", 2
    while True:
        marker, length = jpeg[at + 1], int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if marker == 0xDB:
            body = jpeg[at + 4 : at + 2 + length]
            tables += b"".join(body[start + 1 : start + 65] for start in range(0, len(body), 65))
        if marker == 0xDA:
            return jpeg[at + 2 + length : -2], tables
        at += 2 + length


def packets(jpeg: bytes, number: int, first: int) -> list[bytes]:
    """One picture as RTP packets, from sequence number `first` on."""
    scan, tables = scan_and_tables(jpeg)
    made = []
    for at in range(0, len(scan), 1200):
        piece = scan[at : at + 1200]
        head = struct.pack(">BBHBBBB", 0, at >> 16, at & 0xFFFF, 1, 255, 128 // 8, 96 // 8)
        if at == 0:
            head += struct.pack(">BBH", 0, 0, len(tables)) + tables
        last = 0x80 if at + 1200 >= len(scan) else 0
        rtp = struct.pack(">BBHII", 0x80, 26 | last, (first + len(made)) & 0xFFFF, number * 3000, 7)
        made.append(rtp + head + piece)
    return made


def rtsp(then: Talk) -> Talk:
    """Answer until the caller wants to see pictures, and go on with `then`."""

    def talk(line: Line) -> None:
        while line.up:
            method = line.request.split(" ", 1)[0]
            number = re.search(r"CSeq: *(\d+)", line.request)
            assert number is not None
            answer = [f"RTSP/1.0 200 OK\r\nCSeq: {number[1]}"]
            if method == "OPTIONS":
                answer.append("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN")
            elif method == "DESCRIBE":
                answer.append(f"Content-Type: application/sdp\r\nContent-Length: {len(SDP)}")
            elif method == "SETUP":
                answer.append("Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1")
            line.say(("\r\n".join(answer) + "\r\n\r\n" + (SDP if method == "DESCRIBE" else "")).encode())
            if method == "PLAY":
                return then(line)
            if not line.hear():
                return None
        return None

    return talk


def play(line: Line) -> None:
    sequence = 0
    for number in count():
        if not line.up:
            return
        for packet in packets(numbered(number), number, sequence):
            line.say(struct.pack(">BBH", 0x24, 0, len(packet)) + packet)
            sequence += 1
        line.pause()


def stall(line: Line) -> None:
    line.wait()


def hang_up(_line: Line) -> None:
    return


def test_a_stream_is_followed_lost_and_found_again() -> None:
    with server(rtsp(play)) as camera_there:
        camera = LiveCamera(f"rtsp://jan:geheim@{camera_there.address}/live", patience=HURRIED)
        try:
            first = camera.latest(-1, 15)
            assert first is not None
            until(lambda: number_in((camera.latest() or first).image) > number_in(first.image) + 5)
            assert camera.status().state == "ok"
            for fault in (stall, hang_up):
                camera_there.talk = rtsp(fault)
                camera_there.drop()
                until(lambda: camera.status().state == "lost")
                assert "taken up again by itself" in camera.status().sentence
                assert "geheim" not in camera.status().sentence + camera.name
                camera_there.talk = rtsp(play)
                camera_there.drop()
                until(lambda: camera.status().state == "ok")
        finally:
            camera.close()


def drip(line: Line) -> None:
    """A packet that is said to be long, byte by byte."""
    line.say(struct.pack(">BBH", 0x24, 0, 60_000))
    while line.up:
        line.say(b".")
        line.pause(0.05)


def babble(line: Line) -> None:
    """Packets of the right form with nothing in them that makes sense."""
    noise = np.random.default_rng(1)
    while line.up:
        packet = struct.pack(">BBHII", 0x80, 26, int(noise.integers(65536)), 7, 7) + noise.bytes(900)
        line.say(struct.pack(">BBH", 0x24, 0, len(packet)) + packet)
        line.pause()


def halves(line: Line) -> None:
    """Of each picture the first packets only, and then silence."""
    for packet in packets(numbered(7), 7, 0)[:2]:
        line.say(struct.pack(">BBH", 0x24, 0, len(packet)) + packet)
    line.wait()


@pytest.mark.parametrize("fault", [drip, babble, halves])
def test_what_never_becomes_a_picture_is_given_up(fault: Talk, capfd: pytest.CaptureFixture[str]) -> None:
    with server(rtsp(play)) as camera_there:
        camera = LiveCamera(f"rtsp://{camera_there.address}/live", patience=HURRIED)
        try:
            assert camera.latest(-1, 15) is not None
            camera_there.talk = rtsp(fault)
            camera_there.drop()
            until(lambda: camera.status().state == "lost")
            until(lambda: camera_there.calls > 3)  # and called again
            camera_there.talk = rtsp(play)
            camera_there.drop()
            until(lambda: camera.status().state == "ok")
        finally:
            camera.close()
    assert capfd.readouterr() == ("", "")  # FFmpeg's own words are not for people


def test_what_can_not_be_decoded_in_time_does_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer that is too slow: it says so, and from time to time begins again with the present."""
    began_s = time.monotonic()

    def now() -> int:
        return int((time.monotonic() - began_s) / 0.02)

    def live(line: Line) -> None:
        sequence, number = 0, now()
        while line.up:
            for packet in packets(numbered(number & 0xFFFF), number, sequence):
                rtp = packet[:4] + struct.pack(">I", number * 1800) + packet[8:]
                line.say(struct.pack(">BBH", 0x24, 0, len(rtp)) + rtp)
                sequence += 1
            number += 1
            while number > now() and line.up:
                line.pause(0.005)

    quick = CaptureFeed.read

    def slow(feed: CaptureFeed) -> Image | None:
        time.sleep(0.15)
        return quick(feed)

    monkeypatch.setattr(CaptureFeed, "read", slow)
    with server(rtsp(live)) as camera_there:
        camera = LiveCamera(f"rtsp://{camera_there.address}/live", patience=HURRIED)
        try:
            said, late_s, index = set(), [], -1
            while len(late_s) < 16:
                frame = camera.latest(index, 5)
                said.add(camera.status().said.code)
                if frame is not None:
                    index = frame.index
                    late_s.append((now() - number_in(frame.image)) * 0.02)
            until(lambda: camera.status().said.code == "behind")
            assert max(late_s) < 4  # without an end it would be eight
        finally:
            camera.close()


def test_delay_is_told_from_clocks_that_differ() -> None:
    delay = Delay()
    assert max(delay.grown_s(5 + n / 25, 1000 + n / 25 * 1.0005) for n in range(100_000)) < 0.1
    delay = Delay()
    grown = [delay.grown_s(n / 25, n / 10) for n in range(200)]
    assert grown[20] == pytest.approx(20 * 0.06, abs=0.05)
    delay = Delay()
    assert all(delay.grown_s(0.0, n / 10) < 0.11 for n in range(200))  # no time stamps at all


def test_a_server_that_says_nothing_is_given_up() -> None:
    with server(lambda line: line.wait()) as camera_there, pytest.raises(VisionError, match="does not answer"):
        open_live(f"rtsp://{camera_there.address}/live", patience=HURRIED)


def test_nobody_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    with pytest.raises(VisionError, match="does not answer with video"):
        open_live(f"rtsp://127.0.0.1:{port}/live", patience=HURRIED)


def test_a_host_that_swallows_calls_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as hole:
        callers = []
        for _ in range(4):
            caller = socket.socket()
            caller.setblocking(False)
            caller.connect_ex(hole.getsockname())
            callers.append(caller)
        select.select([], callers[:1], [], 1)
        with pytest.raises(VisionError, match="does not answer with video"):
            open_live(f"rtsp://127.0.0.1:{hole.getsockname()[1]}/live", patience=HURRIED)
        for caller in callers:
            caller.close()
