"""A folder of pictures as a recording."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from pathlib import Path

from vision.camera.frame import Frame, Image
from vision.errors import VisionError
from vision.picture import whole

SUFFIXES = (".jpg", ".jpeg", ".png")
FPS = 10.0


class FolderRecording:
    """The rows of `timestamps.csv` in their order, or else the pictures sorted by name at `fps` frames a second.

    No other file is read. A frame that can't be read is left out, and `on_skip` is told in one sentence; the frames
    after it keep their index and time.
    """

    def __init__(self, folder: str | Path, fps: float | None, on_skip: Callable[[str], None]) -> None:
        self.name = str(folder)
        self._folder = Path(folder)
        self._on_skip = on_skip
        table = self._folder / "timestamps.csv"
        try:
            self._rows = self._listed(table) if table.is_file() else self._sorted(fps or FPS)
        except OSError as error:
            raise VisionError(f"the folder {folder} can't be read ({error.strerror}); check its permissions") from None

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Frame]:
        for index, (file, t_s) in enumerate(self._rows):
            try:
                image = read_image(self._folder / file)
            except VisionError as error:
                self._on_skip(f"frame {index} is left out: {error}")
                continue
            yield Frame(image, t_s, index)

    def close(self) -> None:
        """Nothing stays open."""

    def _sorted(self, fps: float) -> list[tuple[str, float]]:
        names = sorted(
            entry.name
            for entry in self._folder.iterdir()
            if entry.suffix in SUFFIXES and not entry.name.startswith(".") and entry.is_file()
        )
        if not names:
            raise VisionError(
                f"the folder {self.name} holds no *.jpg, *.jpeg or *.png and no timestamps.csv; give another folder"
            )
        return [(name, index / fps) for index, name in enumerate(names)]

    def _listed(self, table: Path) -> list[tuple[str, float]]:
        try:
            with table.open(encoding="utf-8-sig", newline="") as file:
                lines = [[cell.strip() for cell in line] for line in csv.reader(file) if line]
        except (UnicodeDecodeError, csv.Error) as error:
            raise VisionError(f"{table} is no readable CSV ({error}); write it again as UTF-8 text") from None
        if not lines or lines[0][:2] != ["file", "t_s"]:
            raise VisionError(f"the first line of {table} must be file,t_s; put it there")
        rows: list[tuple[str, float]] = []
        for number, line in enumerate(lines[1:], 2):
            try:
                name, t_s = line[0], float(line[1])
                if not name or not math.isfinite(t_s):
                    raise ValueError
            except (ValueError, IndexError):
                self._on_skip(
                    f"line {number} of {table} is left out: {','.join(line)!r} is no file and time in seconds"
                )
                continue
            rows.append((name, t_s))
        if not rows:
            raise VisionError(f"{table} lists no frames; add rows of file,t_s or remove it")
        first = newest = rows[0][1]
        timed = []
        for name, t_s in rows:
            if t_s < newest:
                self._on_skip(f"{name} in {table} has a time before the frame above it; it is taken as {newest:g} s")
            newest = max(newest, t_s)
            timed.append((name, newest - first))
        return timed


def read_image(path: str | Path) -> Image:
    """A picture file as BGR (h, w, 3). Raises VisionError for one that is missing, damaged or no picture."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise VisionError(f"there is no picture {path}; check the name") from None
    except OSError as error:
        raise VisionError(
            f"the picture {path} can't be read ({error.strerror}); check the name and permissions"
        ) from None
    return whole(data, str(path))
