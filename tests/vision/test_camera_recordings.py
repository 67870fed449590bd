"""Recordings: the right frames, in the right order, with the right times; what is broken is said and left out."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.camera import Frame, Recording, open_source
from vision.errors import VisionError


def picture(value: int) -> np.ndarray:
    return np.full((48, 64, 3), value, np.uint8)


def write(path: Path, value: int) -> None:
    assert cv2.imwrite(str(path), picture(value))


def values(frames: list[Frame]) -> list[int]:
    """The grey value of each frame, to the nearest ten: codecs change it a little."""
    return [round(float(frame.image.mean()) / 10) * 10 for frame in frames]


def frames_of(source: Path, fps: float | None = None) -> tuple[list[Frame], list[str]]:
    said: list[str] = []
    recording = open_source(str(source), fps, said.append)
    assert isinstance(recording, Recording)
    frames = list(recording)
    recording.close()
    return frames, said


def test_a_folder_is_read_by_name_at_ten_frames_a_second(tmp_path: Path) -> None:
    for name, value in (("b.png", 20), ("a.jpg", 10), ("c.jpeg", 30), (".hidden.jpg", 90)):
        write(tmp_path / name, value)
    (tmp_path / "truth.json").write_text("not a picture")
    (tmp_path / "d.jpg").mkdir()
    frames, said = frames_of(tmp_path)
    assert values(frames) == [10, 20, 30]
    assert [frame.index for frame in frames] == [0, 1, 2]
    assert [frame.t_s for frame in frames] == pytest.approx([0, 0.1, 0.2])
    assert said == []
    assert [frame.t_s for frame in frames_of(tmp_path, 4)[0]] == pytest.approx([0, 0.25, 0.5])


def test_a_folder_can_be_read_twice(tmp_path: Path) -> None:
    write(tmp_path / "a.png", 10)
    recording = open_source(str(tmp_path))
    assert isinstance(recording, Recording)
    assert len(list(recording)) == len(list(recording)) == 1


def test_timestamps_give_order_and_time_and_nothing_else_is_read(tmp_path: Path) -> None:
    for name, value in (("a.png", 10), ("b.png", 20), ("c.png", 30)):
        write(tmp_path / name, value)
    (tmp_path / "timestamps.csv").write_text("file,t_s\nc.png,5.0\na.png,5.25\nc.png,6\n")
    frames, said = frames_of(tmp_path, 99)
    assert values(frames) == [30, 10, 30]
    assert [frame.t_s for frame in frames] == pytest.approx([0, 0.25, 1])
    assert said == []


def test_broken_frames_are_said_and_left_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "a.jpg", 10)
    whole = cv2.imencode(".jpg", np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8))[1].tobytes()
    (tmp_path / "b.jpg").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "c.jpg").write_bytes(b"")
    (tmp_path / "d.png").write_bytes(b"\x89PNG and then nothing")
    (tmp_path / "e.jpg").write_bytes(b"no picture at all")
    (tmp_path / "f.jpg").write_bytes(whole[: len(whole) // 2] + whole[len(whole) // 2 + 300 :])
    write(tmp_path / "g.jpg", 60)
    frames, said = frames_of(tmp_path)
    assert values(frames) == [10, 60]
    assert [frame.index for frame in frames] == [0, 6]
    assert frames[1].t_s == pytest.approx(0.6)
    assert len(said) == 5
    assert "b.jpg is cut short" in said[0]
    assert "f.jpg is damaged" in said[4]
    assert capfd.readouterr().err == ""  # the decoders' own words are not for people


def test_broken_rows_are_said_and_left_out(tmp_path: Path) -> None:
    write(tmp_path / "a.png", 10)
    (tmp_path / "timestamps.csv").write_text("file,t_s\na.png,1\na.png,late\na.png\na.png,nan\ngone.png,2\na.png,0.5\n")
    frames, said = frames_of(tmp_path)
    assert [frame.t_s for frame in frames] == pytest.approx([0, 1])
    assert len(said) == 5
    assert any("line 3" in line for line in said)
    assert any("gone.png" in line for line in said)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "first line"),
        ("name,time\na.png,1\n", "file,t_s"),
        ("file,t_s\n", "lists no frames"),
        ("file,t_s\n\x00\n", "timestamps.csv"),
    ],
)
def test_a_bad_table_is_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "timestamps.csv").write_text(text)
    with pytest.raises(VisionError, match=words):
        open_source(str(tmp_path), None, lambda _line: None)


@pytest.mark.parametrize(("suffix", "code"), [("avi", "MJPG"), ("mp4", "mp4v"), ("webm", "VP80")])
def test_a_video_gives_every_frame_with_its_own_time(tmp_path: Path, suffix: str, code: str) -> None:
    file = tmp_path / f"video.{suffix}"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*code), 25.0, (64, 48))
    for value in range(10, 250, 20):
        writer.write(picture(value))
    writer.release()
    frames, said = frames_of(file)
    assert values(frames) == list(range(10, 250, 20))
    assert [frame.index for frame in frames] == list(range(12))
    assert [frame.t_s for frame in frames] == pytest.approx([n / 25 for n in range(12)], abs=1e-3)
    assert said == []
    assert [frame.t_s for frame in frames_of(file, 5)[0]] == pytest.approx([n / 5 for n in range(12)])


def test_a_video_that_is_cut_off_ends(tmp_path: Path) -> None:
    file = tmp_path / "video.avi"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (64, 48))
    for value in range(10, 250, 10):
        writer.write(picture(value))
    writer.release()
    data = file.read_bytes()
    file.write_bytes(data[: len(data) * 2 // 3])
    frames, _ = frames_of(file)
    assert 5 < len(frames) < 24
    assert [frame.t_s for frame in frames] == sorted({frame.t_s for frame in frames})


def test_a_frame_that_is_broken_is_not_the_end_of_a_video(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One picture in the middle can't be decoded: it is said and left out, those after it keep index and time."""
    file = tmp_path / "video.avi"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (320, 240))
    noise = np.random.default_rng(1)
    for _ in range(20):
        writer.write(noise.integers(0, 255, (240, 320, 3)).astype(np.uint8))
    writer.release()
    data = bytearray(file.read_bytes())
    begins = [at for at in range(len(data)) if data[at : at + 3] == b"\xff\xd8\xff"]
    assert len(begins) == 20
    data[begins[10] : begins[10] + 4000] = bytes(4000)
    file.write_bytes(data)
    recording = open_source(str(file), None, (said := []).append)
    assert isinstance(recording, Recording)
    for _ in range(2):  # and again, from the beginning
        said.clear()
        frames = list(recording)
        assert [frame.index for frame in frames] == [*range(10), *range(11, 20)]
        assert [frame.t_s for frame in frames] == pytest.approx([frame.index / 25 for frame in frames], abs=1e-3)
        assert len(said) == 1
        assert "frame 10 of" in said[0]
    recording.close()
    assert capfd.readouterr().err == ""


def test_what_is_missing_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    write(tmp_path / "one.PNG", 10)
    (tmp_path / "empty").mkdir()
    for source, words in (
        (tmp_path / "nowhere", "no recording"),
        (tmp_path / "empty", "holds no"),
        (tmp_path / "notes.txt", "no video"),
        (tmp_path / "one.PNG", "single picture"),
        (Path("/dev/video87"), "no camera /dev/video87"),
        (Path("87"), "no camera /dev/video87"),
    ):
        with pytest.raises(VisionError, match=words) as caught:
            open_source(str(source))
        assert "\n" not in str(caught.value)


def test_fps_must_be_sensible(tmp_path: Path) -> None:
    for fps in (0.0, -1.0, float("nan"), 1e9):
        with pytest.raises(VisionError, match="fps"):
            open_source(str(tmp_path), fps)
