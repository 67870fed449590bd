"""docs/recording.md from the film to the drawn one: its commands, as they stand there, over a real film of a match."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import pytest

from controller.cli import main
from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.web.app import start_placement
from vision.boardset import installed_sets
from vision.camera.painter import Painter
from vision.camera.world import World

DOCS = Path(__file__).parents[2] / "docs"
FPS = 10
# Which piece is carried where, and for how many seconds the board then stands still.
MATCH = (("c1", "c2", 1.2), ("a5", "a2", 2.6), ("a2", "a5", 1.6), ("c5", "c4", 1.6))


def commands(page: str) -> list[list[str]]:
    """What the page shows to type: lines that stand apart and begin with `boardref`."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [shlex.split(line)[1:] for line in re.findall(r"^ {4}(boardref .*)$", text, re.M)]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of Transet: South plays, North tries what is not allowed, puts it back, and plays."""
    board = installed_sets()["transet"]
    clock = [0.0]
    world = World(board, start_placement(board), clock=lambda: clock[0])
    painter = Painter(board, 1)
    path = tmp_path_factory.mktemp("film") / "match.mp4"
    first = painter.paint(world.snapshot())
    writer = cv2.VideoWriter(
        str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"mp4v"), FPS, (first.shape[1], first.shape[0])
    )

    def stand(seconds: float) -> None:
        for _ in range(round(seconds * FPS)):
            writer.write(painter.paint(world.snapshot()))
            clock[0] += 1 / FPS

    centres = {site.id: board.centre(site) for site in board.sites}
    stand(1.6)
    for origin, to, still_s in MATCH:
        (x0, y0), (x1, y1) = centres[origin], centres[to]
        token = min(world.as_json()["tokens"], key=lambda one: abs(one["x_mm"] - x0) + abs(one["y_mm"] - y0))["id"]
        world.lift(token)
        for step in range(1, 6):
            world.move(token, x0 + (x1 - x0) * step / 5, y0 + (y1 - y0) * step / 5)
            stand(1 / FPS)
        world.drop(token)
        stand(0.7 + still_s)
    writer.release()
    return path


def test_a_filmed_match_becomes_a_record(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(film, tmp_path / "match.mp4")
    (tmp_path / "table-data").mkdir()
    monkeypatch.chdir(tmp_path)
    shown = commands("recording.md")
    assert {words[1] for words in shown if words[0] == "games"} == {"list", "verify", "players", "export", "import"}
    for words in shown:
        assert main(words) == 0, (words, capsys.readouterr().err)
    with Journal.open("match.db", read_only=True) as journal:
        assert journal.games() == (1,)
        record = fold(journal.rows(1))
    assert [turn.text for turn in record.turns] == ["c1-c2", "c5-c4"]
    assert [(wrong.n, wrong.player, wrong.code) for wrong in record.illegal] == [(1, "North", "TOO_FAR")]
    assert record.names == {"South": "Anna", "North": "Ben"}
    took_s = [turn.took_s for turn in record.turns]
    assert took_s[1] == pytest.approx(sum(0.5 + 0.7 + still_s for *_, still_s in MATCH[1:]), abs=2.0)
    assert "illegal: North TOO_FAR" in Path("match.txt").read_text(encoding="utf-8")
    assert json.loads(Path("match.json").read_text(encoding="utf-8"))["names"] == record.names
    assert len(Path("times.csv").read_text(encoding="utf-8").splitlines()) == 3
    assert ET.parse("last.svg").getroot().tag.endswith("svg")
    sheet = ET.parse("sheet.svg").getroot()
    assert len([one for one in sheet if one.get("class") == "diagram"]) == 4  # the illegal one, too
    assert cv2.VideoCapture("drawn.mp4").read()[0]
    assert Path("drawn.gif").read_bytes().startswith(b"GIF8")
    with Journal.open("table-data/boardref.db", read_only=True) as journal:
        taken = fold(journal.rows(1))
    assert taken.imported is not None
    assert taken.turns == record.turns
    assert taken.illegal == record.illegal


def test_what_the_page_on_games_shows_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", (DOCS / "games.md").read_text(encoding="utf-8"), re.M | re.S)
    [written] = [text for kind, text in blocks if not kind and text.startswith("Game:")]
    [said] = [text for kind, text in blocks if not kind and text.startswith("(")]
    (tmp_path / "game.txt").write_text(written.replace("2. ", said + "2. ", 1), encoding="utf-8")
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    typed = [words for words in commands("games.md") if words[0] == "games"]
    assert len(typed) > 7
    for words in [["games", "import", "game.txt"], *typed]:
        if not any(word.startswith("[") or "…" in word for word in words):
            assert main(["1" if word == "N" else word for word in words]) == 0, (words, capsys.readouterr().err)
    assert "Anna" in capsys.readouterr().out
    with Journal.open("boardref.db", read_only=True) as journal:
        assert fold(journal.rows(1)).names == {}  # the last of these commands on names is --forget
