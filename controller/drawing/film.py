"""A game as a film: drawn turn by turn, pieces carried, who plays and what was played beside the board."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from controller.drawing.captions import moment_words, result_words, side, took_text
from controller.drawing.lasting import Strange, show_for
from controller.drawing.layout import Layout
from controller.drawing.lettering import fitting, write
from controller.drawing.moments import Moment, moments
from controller.drawing.painting import BLUE, INK, LINE, PAPER, SOFT, Easel, Image, journeys
from controller.errors import CommandError
from controller.journal.fold import Record
from controller.rules.api import Game
from vision.artwork import draw
from vision.shapes import Polygon, rectangle

MOST_PICTURES = 400
"""Of a GIF: Pillow holds them all until it writes."""

CARRY_S, REST_S, BEGIN_S, END_S = 0.65, 0.95, 1.4, 3.0


@dataclass(frozen=True)
class Look:
    """Size of a film in pixels, and its pictures per second."""

    width: int = 1280
    height: int = 720
    fps: int = 20


FILM, GIF = Look(960, 540, 12), Look(640, 360, 10)
CODECS = {"vp09": FILM, "mp4v": Look()}
"""Video in MP4 that every OpenCV with FFmpeg writes, 4 and 5 alike, and how large.

VP9 is played by browsers and phones, but takes its time, and OpenCV lets nobody hurry it; MPEG-4 is a matter of
seconds, and most players of films show it.
"""


@dataclass(frozen=True)
class Still:
    """A picture and how long it is shown, in s."""

    image: Image
    seconds: float


class Film:
    """The pictures of one game."""

    def __init__(self, record: Record, game: Game, layout: Layout, language: str, look: Look) -> None:
        self._record, self._game, self._layout = record, game, layout
        self._language, self._look = language, look
        self._shown = tuple(moment for moment in moments(record, game) if moment.kind != "illegal")
        height, margin = look.height, look.height * 0.035
        crop_wide = layout.crop_mm[2] / layout.crop_mm[3]
        board_wide = min((height - 2 * margin) * crop_wide, look.width * 0.62)
        self._easel = Easel.within(layout, (margin, margin, board_wide, height - 2 * margin))
        self._panel = (margin * 2.2 + board_wide, margin * 1.4, look.width - margin * 1.6)
        self._empty = np.empty((height, look.width, 3), np.uint8)
        self._empty[:] = PAPER[::-1]
        self._easel.board(self._empty)

    def stills(self) -> Iterator[Still]:
        """Pictures in order. One at rest comes once, with all its time."""
        last = len(self._shown) - 1
        for index, moment in enumerate(self._shown):
            ended = index == last
            panel = self._empty.copy()
            self._words(panel, index, ended)
            if index:
                yield from self._carried(panel, self._shown[index - 1], moment)
            rest = panel.copy()
            self._easel.marks(rest, moment.marked)
            self._easel.pieces(rest, self._layout.pieces(moment.on))
            yield Still(rest, END_S if ended else BEGIN_S if not index else REST_S)

    def _carried(self, panel: Image, before: Moment, moment: Moment) -> Iterator[Still]:
        ground = panel.copy()
        self._easel.marks(ground, moment.marked)
        staying, ways = journeys(
            self._layout, self._layout.pieces(before.on), self._layout.pieces(moment.on), moment.shifts
        )
        self._easel.pieces(ground, staying)
        steps = max(2, round(CARRY_S * self._look.fps))
        for step in range(1, steps):
            share = step / steps
            image = ground.copy()
            for way in ways:
                at = way.at(share)
                if at is not None:
                    self._easel.piece(image, way.kind, at, raised=4 * share * (1 - share))
            yield Still(image, 1 / self._look.fps)

    def _words(self, image: Image, index: int, ended: bool) -> None:
        """The column beside the board."""
        left, y, right = self._panel
        unit, room = self._look.height / 720, right - left
        moment, record, language = self._shown[index], self._record, self._language

        def line(text: str, size: float, y: float, *, bold: bool = False, rgb: tuple[int, int, int] = INK) -> None:
            fitted, px = fitting(text, size * unit, room, bold=bold)
            write(image, fitted, (left, y), px, rgb, bold=bold)

        y += 22 * unit
        day = (record.begun_utc or "")[:10]
        line(" · ".join(part for part in (self._game.name.capitalize(), day) if part), 19, y, rgb=SOFT)
        for player in self._game.players:
            y += 50 * unit
            self._seat(image, player, moment, y, ended)
        y += 30 * unit
        draw(image, [Polygon(rectangle(left, y, room, 1.5 * unit), LINE)], 1.0)
        caption, note = moment_words(moment, record, language)
        number, _, text = caption.partition("  ")
        y += 56 * unit
        line(number, 27, y, rgb=SOFT)
        y += 56 * unit
        if text:
            line(text, 44, y, bold=True)
        y += 38 * unit
        line(note, 22, y, rgb=SOFT)
        if ended:
            head, why = result_words(record, language)
            line(head, 40, y + 74 * unit, bold=True, rgb=BLUE)
            for row, part in enumerate(_rows(why, 34)):
                line(part, 21, y + (112 + 28 * row) * unit, rgb=SOFT)
        else:
            self._past(image, index, y + 60 * unit)
        done = (index + 1) / len(self._shown)
        bottom = self._look.height - 26 * unit
        bars = [Polygon(rectangle(left, bottom, room, 5 * unit), LINE)]
        draw(image, [*bars, Polygon(rectangle(left, bottom, room * done, 5 * unit), BLUE)], 1.0)

    def _seat(self, image: Image, player: str, moment: Moment, y: float, ended: bool) -> None:
        """A side: its piece, its name, its points; whose turn it is stands out."""
        left, _, right = self._panel
        unit, board = self._look.height / 720, self._layout.board
        kinds = [kind for kind in board.kinds if self._game.owner(board.names.get(kind, kind)) == player]
        if kinds:
            size = board.tokens.size_mm
            easel = Easel(self._layout, 30 * unit / size, (0.0, 0.0))
            x, top = easel.origin_mm
            at = (left + 16 * unit, y - 9 * unit)
            easel.piece(image, kinds[-1], (x + at[0] / easel.px_per_mm, top + at[1] / easel.px_per_mm))
        moves = moment.to_move == player and not ended
        start = left + (44 * unit if kinds else 0)
        points = moment.score[self._game.players.index(player)] if moment.score is not None else None
        room = right - start - (70 * unit if points is not None else 0)
        name, px = fitting(side(self._record, player, self._language), 28 * unit, room, bold=moves)
        write(image, name, (start, y), px, BLUE if moves else INK, bold=moves)
        if points is not None:
            write(image, str(points), (right, y), 30 * unit, BLUE if moves else INK, bold=True, anchor="right")

    def _past(self, image: Image, index: int, y: float) -> None:
        """The turns before, newest first."""
        left, _, right = self._panel
        unit = self._look.height / 720
        past = [moment.turn for moment in self._shown[:index] if moment.turn is not None][::-1]
        for row, turn in enumerate(past):
            at = y + row * 30 * unit
            if at > self._look.height - 60 * unit:
                return
            text, px = fitting(f"{turn.n}. {turn.text}", 19 * unit, (right - left) * 0.72)
            write(image, text, (left, at), px, SOFT)
            write(image, took_text(turn.took_s, self._language), (right, at), 17 * unit, SOFT, anchor="right")


def _rows(text: str, length: int) -> list[str]:
    rows = [""]
    for part in text.split():
        if rows[-1] and len(rows[-1]) + len(part) >= length:
            rows.append("")
        rows[-1] = f"{rows[-1]} {part}".strip()
    return rows[:3]


def write_mp4(film: Film, look: Look, path: Path, codec: str = "vp09") -> None:
    """Write a film whole or not at all. CommandError where OpenCV can't."""
    with _Beside(path, ".mp4") as partial:
        try:
            show_for(partial.path, _written(film, look, partial.path, codec, each_once=True))
        except (Strange, OSError):  # another FFmpeg writes it otherwise: then every picture as often as it is shown
            _written(film, look, partial.path, codec, each_once=False)
        reader = cv2.VideoCapture(str(partial.path), cv2.CAP_FFMPEG)  # a full disk is not told while writing
        well = reader.isOpened() and reader.read()[0]
        reader.release()
        if not well:
            raise CommandError(
                f"{path} could not be written as {codec}; check the disk, or use --format gif where OpenCV lacks FFmpeg"
            )
        partial.keep()


def _written(film: Film, look: Look, path: Path, codec: str, *, each_once: bool) -> list[float]:
    """Write the pictures; for how long each is to be shown, in s."""
    writer = cv2.VideoWriter(
        str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*codec), look.fps, (look.width, look.height)
    )
    shown_s: list[float] = []
    if writer.isOpened():
        owed = 0.0
        for still in film.stills():
            owed += still.seconds * look.fps
            times = 1 if each_once else round(owed)
            for _ in range(times):
                writer.write(still.image)
            owed -= round(owed)
            shown_s.append(still.seconds)
        writer.release()
    return shown_s


def write_gif(film: Film, path: Path) -> None:
    """Write an animated GIF whole or not at all. CommandError where Pillow is missing."""
    try:
        from PIL import Image as Pillow
    except ImportError:
        raise CommandError("a GIF needs Pillow: `pip install pillow`, or use --format mp4") from None
    # Drawn twice, so that few pictures are held at a time; of a long game without those of pieces on their way.
    lasting_s: list[float] = []
    ends: list[Image] = []
    for still in film.stills():
        lasting_s.append(still.seconds)
        ends = [ends[0] if ends else still.image, still.image]
    least_s = min(CARRY_S, REST_S) if len(lasting_s) > MOST_PICTURES else 0.0
    lasting = [round(seconds * 1000) for seconds in lasting_s if seconds >= least_s]
    # One palette for all pictures, from the first and the last: nothing flickers.
    palette = Pillow.fromarray(np.vstack(ends)[:, :, ::-1]).quantize(128)
    pictures = (
        Pillow.fromarray(still.image[:, :, ::-1]).quantize(palette=palette, dither=Pillow.Dither.NONE)
        for still in film.stills()
        if still.seconds >= least_s
    )
    with _Beside(path, ".gif") as partial:
        next(pictures).save(
            partial.path, save_all=True, append_images=pictures, duration=lasting, loop=0, optimize=False
        )
        partial.keep()


class _Beside:
    """A file beside the one wanted, put in its place only when it is whole."""

    def __init__(self, path: Path, ending: str) -> None:
        self._wanted, self._ending, self._kept = path, ending, False

    def __enter__(self) -> _Beside:
        try:
            handle, name = tempfile.mkstemp(suffix=self._ending, prefix=".", dir=self._wanted.parent)
        except OSError as error:
            raise CommandError(f"{self._wanted} can't be written ({error.strerror}); check the folder") from None
        os.close(handle)
        self.path = Path(name)
        return self

    def keep(self) -> None:
        """It is whole."""
        self._kept = True

    def __exit__(self, *_: object) -> None:
        if self._kept:
            self.path.chmod(0o644)
            self.path.replace(self._wanted)
        else:
            self.path.unlink(missing_ok=True)
