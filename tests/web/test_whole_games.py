"""A game of each of the three from set-up to its end: every piece dragged in a real browser, on the real demo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from controller.cli.demo import demo_table
from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.rules.api import Game, Position, Shift
from controller.rules.judging import moved
from controller.rules.registry import game_named
from controller.words import say

PATIENCE_MS = 30_000
# The shortest that a long search among random games found; what each leads to is the rules' to say.
GAMES = {
    "transet": ("", "c1-c2 d5-c4 c2-c3 e5-e4 c3-b4 b5-a4 b4xa5#"),
    "taasen": (
        "",
        "RT=10 GS=14 WS=2 GS=8 WS=1 GS=7 WP=2 GT=14 RT=11 GS=3>WPx WT=2>GS=7 GT=8 RP=10 WS=5 WT=1 GS=12 WS=4 WT=5",
    ),
    "transfer": (
        "vgvg/pgp/pvp/gvgv/bybyb/ososo/p/sosos/ybyby S 0-0",
        "LA3 UC1 UD1 UC1|LB3 UG1 UA1 UG1|LD3 UC3 OG1 OD1 OG1|LE3 UI1 UB1 UI1 OE1 OB1|LH3 UF1 UH1 UF1 OH2|"
        "LF3 UI1 UF1 UI1 OE1 OB1|LA2 LD1 UC3 OD3|LE1 LH1 UI1 UB1 OB1|LE3 UI3 OA3|LF3 UH3 OA2",
    ),
}


@pytest.fixture
def play(tmp_path: Any, serve: Callable[..., Any], page: Page) -> Iterator[Callable[[str], tuple[Any, Page]]]:
    """Starts the demo of a game and opens its page."""
    tables = []

    def start(name: str) -> tuple[Any, Page]:
        table = demo_table(name, tmp_path)
        tables.append(table)
        table.start()
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.goto(serve(table).url)
        return table, page

    yield start
    for table in tables:
        table.stop()


ASIDE_MM = (-25.0, 210.0)  # beside the sheet


def carry(page: Page, table: Any, kind: str, origin: str | None, to: str | None) -> None:
    """Drag the piece of this kind that stands on one site to another; None: beside the sheet."""
    x_mm, y_mm = place(table, origin) if origin else ASIDE_MM
    tokens = [one for one in table.world.as_json()["tokens"] if one["kind"] == kind]
    token = min(tokens, key=lambda one: (one["x_mm"] - x_mm) ** 2 + (one["y_mm"] - y_mm) ** 2)
    spots = []
    for point in ((token["x_mm"], token["y_mm"]), place(table, to) if to else ASIDE_MM):
        spots.append(
            page.evaluate(
                """([x, y]) => {
                    const at = new DOMPoint(x, y).matrixTransform(document.querySelector('#board').getScreenCTM());
                    return [at.x, at.y];
                }""",
                list(point),
            )
        )
    page.mouse.move(*spots[0])
    page.mouse.down()
    page.mouse.move(*spots[1], steps=4)
    page.mouse.up()
    expect(page.locator(".loose.held")).to_have_count(0)


def place(table: Any, site: str) -> tuple[float, float]:
    """Where a site's middle is on the sheet, in mm."""
    x_mm, y_mm = table.world.board_set.centre(site)
    return float(x_mm), float(y_mm)


def hands(game: Game, position: Position, turn: Any) -> Iterator[Shift]:
    """What hands do for a turn. Where only the order in rows counts: the fewest ways that lead to the same rows."""
    if game.tries_two_turns:  # what must leave a site goes before what comes to it
        yield from sorted(game.turn_shifts(position, turn), key=lambda shift: shift.to is not None)
        return
    before, after = game.picture(position), game.picture(game.after(position, turn))
    todo = list(moved(before, after, lambda one, other: float(one != other)))
    full = set(before.on)
    while todo:
        free = [shift for shift in todo if shift.to not in full]
        if free:
            todo.remove(free[0])
            yield free[0]
            full.add(str(free[0].to))
        else:  # they stand in one another's way: one is put aside
            yield replace(todo[0], to=None)
            full.discard(str(todo[0].origin))
            todo[0] = replace(todo[0], origin=None)
            continue
        full.discard(str(free[0].origin))


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_is_dragged(name: str, play: Callable[[str], tuple[Any, Page]], tmp_path: Any) -> None:
    table, page = play(name)
    game = game_named(name)
    layout, line = GAMES[name]
    position = game.parse_position(layout) if layout else game.start()
    if layout:
        table.world.reset(game.picture(position).on)
    turns = re.split(r"\|" if "|" in line else " ", line)
    for number, text in enumerate(turns, 1):
        mover = game.to_move(position)
        assert mover is not None
        begins = "Who begins?" if layout and number == 1 else mover
        expect(page.locator("#headline")).to_have_text(begins, timeout=PATIENCE_MS)
        turn = game.parse_turn(position, text)
        for shift in hands(game, position, turn):
            carry(page, table, shift.piece, shift.origin, shift.to)
        position = game.after(position, turn)
        if number < len(turns):
            expect(page.locator("#turns td.newest")).to_have_count(1, timeout=PATIENCE_MS)
            page.wait_for_function(
                "count => fetch('/api/state').then(r => r.json()).then(s => s.turns.length === count)", arg=number,
                timeout=PATIENCE_MS,
            )  # fmt: skip
    outcome = game.outcome(position)
    assert outcome is not None
    expect(page.locator("body")).to_have_attribute("data-code", "over", timeout=PATIENCE_MS)
    expect(page.locator("#headline")).to_contain_text(str(outcome.winner))
    with Journal.open(tmp_path / "boardref.db", read_only=True) as journal:
        last = journal.games()[-1]
        record = fold(journal.rows(last))
    assert [(row.n, row.position) for row in record.turns][-1] == (len(turns), game.position_text(position))
    assert record.result is not None
    assert (record.result["winner"], record.result["why"]) == (outcome.winner, say(outcome.why))
    assert not record.illegal  # nobody was accused on the way
