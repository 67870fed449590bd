"""The eyes' and the table's rows of `boardref bench`: what they measure, not how long it takes."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from controller.cli import bench_eyes, bench_table
from controller.cli.bench import _line
from controller.errors import CommandError
from controller.rules.registry import game_named
from vision.boardset import installed_sets

FRAMES = Path(__file__).parents[1] / "data" / "frames"


def test_every_look_is_measured_against_the_anchor() -> None:
    sets = list(installed_sets().values())
    files = sorted((FRAMES / "transet-a").glob("*.jpg"))[:6]
    rows = list(bench_eyes._measured("transet", sets, map(bench_eyes._read, files)))
    assert [row["what"].partition(": ")[2].split(",")[0] for row in rows] == [
        "cv2.aruco", "a steady frame", "a changed frame", "a cold look"
    ]  # fmt: skip
    assert rows[0]["frames"] == len(files)
    for row in rows:
        assert 0 < row["median"] <= row["p95"]
        assert "ms" in _line(row)
        assert ("ratio" in row) == (row is not rows[0])


def test_pictures_are_measured_game_by_game(tmp_path: Path) -> None:
    sets = list(installed_sets().values())
    files = bench_eyes._files(str(FRAMES / "transet-a"))
    assert bench_eyes._game_in("transet-a", files[:8], sets) == "transet"
    with pytest.raises(CommandError, match="holds no"):
        bench_eyes._files(str(tmp_path))
    (tmp_path / "broken.jpg").write_bytes(b"no picture")
    with pytest.raises(CommandError, match="no readable picture"):
        bench_eyes._read(tmp_path / "broken.jpg")


@pytest.mark.parametrize("board", installed_sets().values(), ids=lambda board: board.name)
def test_simulated_pictures_change(board: bench_table.BoardSet) -> None:
    first, second = islice(bench_eyes._simulated(board), 2)
    assert first.shape == second.shape == (720, 1280, 3)
    assert (first != second).any()


def test_a_plain_turn_carries_one_piece() -> None:
    game, board = game_named("transet"), installed_sets()["transet"]
    places = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
    position = game.start()
    turn = bench_table._plain_turn(game, position, places)
    assert turn is not None
    before, after = game.picture(position).on, game.picture(game.after(position, turn)).on
    origin, to = bench_table._moved(game, position, game.after(position, turn)) or ("", "")
    assert before[origin] == after[to]
    assert origin not in after
    assert to not in before
