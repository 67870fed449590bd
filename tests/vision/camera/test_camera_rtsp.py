"""RTSP through FFmpeg, against a small real server: MJPEG in RTP (RFC 2435) within the RTSP line itself."""

from __future__ import annotations

import re
import select
import socket
import struct
from itertools import count

import pytest
from streams import HURRIED, Line, Talk, number_in, numbered, server, until

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
