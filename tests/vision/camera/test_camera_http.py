"""A camera on the network that does everything wrong: each fault is a state with a sentence, and it is found again."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import socket
import threading
import time
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import pytest
from streams import HURRIED, Line, Talk, number_in, numbered, run, server, until

from vision.camera import Camera, open_source
from vision.camera.feed import Patience
from vision.camera.live import LiveCamera, open_live
from vision.errors import VisionError


def said_of(url: str, patience: Patience = HURRIED) -> str:
    """The sentence in which a source is refused."""
    with pytest.raises(VisionError) as caught:
        open_live(url, patience=patience)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_stream_is_followed_and_time_and_epoch_run_on() -> None:
    epochs = iter(range(1, 100_000))
    with server(run) as camera_there:
        camera = open_source(camera_there.url, epoch=lambda: next(epochs))
        try:
            assert isinstance(camera, Camera)
            first = camera.latest()
            assert first is not None
            assert first.image.shape == (96, 128, 3)
            assert first.epoch > 0
            second = camera.latest(first.index)
            assert second is not None
            assert second.index > first.index
            assert second.t_s > first.t_s
            assert second.epoch > first.epoch
            assert number_in(second.image) > number_in(first.image)
            assert camera.status().state == "ok"
            assert camera.status().losses == 0
        finally:
            camera.close()


def stall(line: Line) -> None:
    line.head()
    line.part(numbered(7))
    line.wait()


def hang_up(line: Line) -> None:
    line.head()
    line.part(numbered(7))


def break_off(line: Line) -> None:
    line.head()
    line.part(numbered(7))
    line.reset()


def drip(line: Line) -> None:
    """Bytes come all the time, and never a picture."""
    line.head()
    line.part(numbered(7))
    while line.up:
        line.say(b".")
        line.pause()


def drip_a_byte_a_second(line: Line) -> None:
    """A picture that would be whole in an hour."""
    line.head()
    line.part(numbered(7))
    for byte in b"--f\r\n\r\n" + numbered(7):
        if not line.up:
            return
        line.say(bytes([byte]))
        line.pause(1.0)


def half_a_picture(line: Line) -> None:
    line.head()
    line.part(numbered(7))
    line.say(numbered(7)[:2500])
    line.wait()


def garbage_only(line: Line) -> None:
    line.head()
    noise = np.random.default_rng(3)
    while line.up:
        line.say(noise.bytes(5000))
        line.pause()


def empty_parts(line: Line) -> None:
    line.head()
    while line.up:
        line.part(b"")
        line.pause()


def endless_head(line: Line) -> None:
    line.say(b"HTTP/1.0 200 OK\r\n")
    while line.up:
        line.say(b"X-Pad: " + b"y" * 4000 + b"\r\n")


def no_head_at_all(line: Line) -> None:
    while line.up:
        line.say(numbered(7))
        line.pause()


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


def half_an_answer(line: Line) -> None:
    line.say(b"HTTP/1.0 200 O")


def only_halves(line: Line) -> None:
    line.head()
    while line.up:
        line.part(numbered(7)[:3000])
        line.pause()


FAULTS: list[tuple[Talk, str]] = [
    (stall, "sends no picture any more"),
    (hang_up, "has hung up"),
    (break_off, "broke off"),
    (drip, "sends no picture any more"),
    (drip_a_byte_a_second, "sends no picture any more"),
    (half_a_picture, "sends no picture any more"),
    (empty_parts, "sends no picture any more"),
    (garbage_only, "sends"),
    (endless_head, "no proper answer"),
    (no_head_at_all, "no proper answer"),
    (say_nothing, "takes the call but does not answer"),
    (drip_head, "does not answer"),
    (nonsense, "no proper answer"),
    (half_an_answer, "no proper answer"),
    (only_halves, "damaged pictures only"),
]


@pytest.mark.parametrize(("fault", "words"), FAULTS, ids=[talk.__name__ for talk, _ in FAULTS])
def test_a_camera_that_fails_is_lost_in_one_sentence_and_found_again(fault: Talk, words: str) -> None:
    with server(run) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            assert camera.latest(-1, 10) is not None
            camera_there.talk = lambda line: line.reset()
            camera_there.drop()
            until(lambda: camera.status().state == "lost")
            camera_there.talk = fault
            until(lambda: words in camera.status().sentence)
            status = camera.status()
            assert status.state == "lost"
            assert "taken up again by itself" in status.sentence
            assert status.since_s <= time.monotonic()

            camera_there.talk = run
            camera_there.drop()
            before = camera.latest(-1, 0)
            assert before is not None
            until(lambda: camera.status().state == "ok")
            after = camera.latest(before.index, 10)
            assert after is not None
            assert after.index > before.index
            assert after.t_s > before.t_s
            assert camera.status().losses >= 1
        finally:
            camera.close()


def test_pictures_of_another_size_in_mid_stream_are_taken() -> None:
    """A camera that was set to another size meanwhile, or restarted with one."""
    wide = cv2.imencode(".jpg", np.random.default_rng(2).integers(0, 255, (120, 160, 3)).astype(np.uint8))[1].tobytes()

    def change(line: Line) -> None:
        line.head()
        for number in count():
            if not line.up:
                return
            line.part(wide if number % 20 > 9 else numbered(number))
            line.pause()

    with server(change) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            index, shapes = -1, []
            while len(set(shapes)) < 2 or len(shapes) < 25:
                frame = camera.latest(index, 10)
                assert frame is not None
                index = frame.index
                shapes.append(frame.image.shape)
            assert set(shapes) == {(96, 128, 3), (120, 160, 3)}
            assert camera.status().state == "ok"
            assert camera.status().damaged == camera.status().losses == 0
        finally:
            camera.close()


def cut_within(jpeg: bytes) -> bytes:
    """A picture that lacks a piece from its middle, but ends properly."""
    return jpeg[: len(jpeg) // 2] + jpeg[-200:]


@pytest.mark.parametrize("harm", [lambda jpeg: jpeg[: len(jpeg) * 2 // 3], cut_within, lambda jpeg: jpeg[:4]])
def test_damaged_pictures_are_left_out_and_counted(harm: object) -> None:
    def half_and_half(line: Line) -> None:
        line.head()
        for number in count():
            if not line.up:
                return
            whole = numbered(number)
            line.part(harm(whole) if number % 2 else whole)  # type: ignore[operator]
            line.say(os.urandom(50).replace(b"\xff", b"."))
            line.pause(0.005)

    with server(half_and_half) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            index = -1
            for _ in range(30):
                frame = camera.latest(index, 10)
                assert frame is not None
                assert number_in(frame.image) % 2 == 0
                index = frame.index
            assert camera.status().damaged > 5
            assert camera.status().state == "ok"
        finally:
            camera.close()


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        ("text/html; charset=utf-8", "200 OK", "gives a page"),
        ("application/json", "200 OK", "gives a page"),
        ("image/jpeg", "200 OK", "single picture"),
        ("text/plain", "404 Not Found", "nothing at this address"),
        ("", "403 Forbidden", "refuses"),
        ("", "503 Service Unavailable", "is busy"),
        ("", "500 Oops", "answers with a fault"),
        ("", "401 Unauthorized", "wants a name and password"),
    ],
)
def test_the_wrong_answer_is_named(kind: str, status: str, words: str) -> None:
    with server(lambda line: line.head(kind, status)) as camera_there:
        assert words in said_of(camera_there.url)


def test_a_camera_that_speaks_no_tls_is_named() -> None:
    """https at a port that takes the call and says nothing, and at one that speaks plain http."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert "takes the call but does not answer" in said_of(f"https://127.0.0.1:{silent.getsockname()[1]}/")
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def answer() -> None:
            client, _ = plain.accept()
            client.recv(100)
            client.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
            client.close()

        answering = threading.Thread(target=answer)
        answering.start()
        assert "no safe connection to offer" in said_of(f"https://127.0.0.1:{plain.getsockname()[1]}/")
        answering.join(5)


def test_nobody_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    assert "can't be reached (Connection refused)" in said_of(f"http://127.0.0.1:{port}/")
    assert "no usable address" in said_of("http:///stream")
    assert "no usable address" in said_of("http://host:99999/stream")


def test_a_host_that_swallows_calls_is_given_up() -> None:
    """A listener whose queue is full drops calls as a dead network does."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as hole:
        address = hole.getsockname()
        callers = []
        for _ in range(4):
            caller = socket.socket()
            caller.setblocking(False)
            caller.connect_ex(address)
            callers.append(caller)
        assert "does not answer" in said_of(f"http://127.0.0.1:{address[1]}/")
        for caller in callers:
            caller.close()


def test_name_and_password_are_used_and_never_shown() -> None:
    right = "Basic " + base64.b64encode(b"jan:ge heim").decode()

    def guarded(line: Line) -> None:
        if f"Authorization: {right}\r\n" in line.request:
            run(line)
        else:
            line.head("", "401 Unauthorized", 'WWW-Authenticate: Basic realm="camera"')

    with server(guarded) as camera_there:
        camera = LiveCamera(f"http://jan:ge%20heim@{camera_there.address}/s", patience=HURRIED)
        try:
            assert camera.latest(-1, 10) is not None
            assert camera.name == f"http://{camera_there.address}/s"
            camera_there.talk = lambda line: line.reset()
            camera_there.drop()
            until(lambda: camera.status().state == "lost")
            assert "heim" not in camera.status().sentence + repr(threading.enumerate())
        finally:
            camera.close()
        camera_there.talk = guarded
        said = said_of(f"http://jan:falsch@{camera_there.address}/s")
        assert "401" in said
        assert "falsch" not in said


@pytest.mark.parametrize("algorithm", ["MD5", "SHA-256"])
def test_a_digest_is_answered(algorithm: str) -> None:
    make = hashlib.md5 if algorithm == "MD5" else hashlib.sha256

    def hashed(text: str) -> str:
        return make(text.encode()).hexdigest()

    def guarded(line: Line) -> None:
        said = dict(re.findall(r'(\w+)="?([^",\r]*)"?', line.request.partition("Authorization: Digest ")[2]))
        if said:
            who, what = hashed("jan:a b, c:pw"), hashed("GET:/s?x=1")
            proof = f"{who}:42:{said['nc']}:{said['cnonce']}:auth:{what}"
            if said["response"] == hashed(proof) and said["opaque"] == "q":
                return run(line)
        challenge = f'Digest realm="a b, c", qop="auth,auth-int", nonce="42", opaque="q", algorithm={algorithm}'
        return line.head("", "401 Unauthorized", f"WWW-Authenticate: {challenge}")

    def guarded_comma(line: Line) -> None:
        line.request = line.request.replace('realm="a b, c"', "")
        guarded(line)

    with server(guarded_comma) as camera_there:
        camera = open_live(f"http://jan:pw@{camera_there.address}/s?x=1", patience=HURRIED)
        camera.close()


def test_another_address_is_followed_but_not_for_ever() -> None:
    def elsewhere(line: Line) -> None:
        if line.request.startswith("GET /there"):
            run(line)
        else:
            line.head("", "302 Found", "Location: /there")

    with server(elsewhere) as camera_there:
        open_live(camera_there.url, patience=HURRIED).close()
        camera_there.talk = lambda line: line.head("", "302 Found", "Location: /round")
        assert "from one address to the next" in said_of(camera_there.url)


def test_chunked_coding_is_undone() -> None:
    def chunked(line: Line) -> None:
        line.head("multipart/x-mixed-replace; boundary=f", "200 OK", "Transfer-Encoding: chunked")
        for number in count():
            if not line.up:
                return
            jpeg = numbered(number)
            for at in range(0, len(jpeg), 1000):
                piece = jpeg[at : at + 1000]
                line.say(f"{len(piece):x};note\r\n".encode() + piece[:500])
                line.say(piece[500:] + b"\r\n")
            line.pause()

    with server(chunked) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            first = camera.latest(-1, 10)
            assert first is not None
            until(lambda: number_in((camera.latest() or first).image) > 5)
            assert camera.status().damaged == 0
        finally:
            camera.close()


def test_video_of_another_kind_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "video.avi"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (64, 48))
    for value in range(10, 250, 20):
        writer.write(np.random.default_rng(value).integers(0, 255, (48, 64, 3)).astype(np.uint8))
    writer.release()

    def film(line: Line) -> None:
        line.head("video/x-msvideo", "200 OK", f"Content-Length: {file.stat().st_size}")
        line.say(file.read_bytes())

    with server(film) as camera_there:
        camera = LiveCamera(camera_there.url, patience=HURRIED)
        try:
            frame = camera.latest(-1, 10)
            assert frame is not None
            assert frame.image.shape == (48, 64, 3)
            until(lambda: camera.status().losses > 1)  # it ends, and is opened again
        finally:
            camera.close()
