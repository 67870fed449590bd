"""What a plug-in inherits (`controller.rules.simple`), shown with the worked example of docs/your-own-game."""

from __future__ import annotations

import importlib.util
import random
import sys
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import key_of, pieces, some_scenes

from controller.rules.api import Game, OptionError, Placement, RulesError, TextError
from controller.rules.perft import perft
from controller.rules.simple import Standing

EXAMPLE = Path(__file__).parents[2] / "docs" / "your-own-game" / "boardref_breakthrough.py"


def load_example() -> Any:
    """The example's module, read from its file; the package itself is installed in test_plugin_package.py."""
    spec = importlib.util.spec_from_file_location("boardref_breakthrough", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GAME: Game = load_example().BREAKTHROUGH
SCENES = some_scenes(GAME, 10)


def by_geometry(men: frozenset[tuple[str, int, int]], mover: str, depth: int) -> int:
    """Lines of so many turns, counted on coordinates: a second engine, written from the rules."""
    if depth == 0:
        return 1
    ahead, other = (1, "N") if mover == "S" else (-1, "S")
    reached = any(y == (5 if side == "S" else 0) for side, _, y in men)
    if reached or not any(side == mover for side, _, _ in men):
        return 0
    lines = 0
    for side, x, y in men:
        for dx in (-1, 0, 1) if side == mover else ():
            to = (x + dx, y + ahead)
            if not (0 <= to[0] < 6 and 0 <= to[1] < 6) or (mover, *to) in men or (dx == 0 and (other, *to) in men):
                continue
            lines += by_geometry(men - {(side, x, y), (other, *to)} | {(mover, *to)}, other, depth - 1)
    return lines


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_example_has_as_many_lines_as_a_second_engine_counts(depth: int) -> None:
    men = frozenset((side, x, y) for side, ranks in (("S", (0, 1)), ("N", (4, 5))) for y in ranks for x in range(6))
    assert perft(GAME, GAME.start(), depth) == by_geometry(men, "S", depth)


def test_one_piece_elsewhere_is_illegal_unless_a_turn_ends_or_passes_there() -> None:
    answers = dict.fromkeys(("unchanged", "complete", "partial", "illegal"), 0)
    for scene in SCENES:
        standing = pieces(scene.before)
        for i, (kind, origin) in enumerate(standing):
            for site in sorted(GAME.sites - {origin}):
                placement = laid([*standing[:i], (kind, site), *standing[i + 1 :]])
                verdict = GAME.judge(scene.position, placement)
                assert verdict.answer == scene.expected(placement), (scene.position, kind, origin, site)
                answers[verdict.answer] += 1
                if verdict.answer == "illegal":
                    mine = GAME.owner(kind) == GAME.to_move(scene.position)
                    code = "NOT_ONE_STEP_AHEAD" if mine else "OUT_OF_TURN"
                    crowded = len(placement.on[site]) > 1
                    assert verdict.reasons[0].code == code
                    assert ("TWO_ON_A_SITE" in {reason.code for reason in verdict.reasons}) == crowded
                    (back,) = verdict.way_back
                    assert (back.piece, back.origin, back.to) == (kind, site, origin)
    assert answers["illegal"] > 4_000
    assert answers["complete"] > 80
    assert answers["partial"] > 5  # a man on top of the one it captures


def test_every_end_is_complete_and_every_stage_names_what_is_owed() -> None:
    owed = 0
    for scene in SCENES:
        mover = GAME.to_move(scene.position)
        for key, end in scene.ends.items():
            verdict = GAME.judge(scene.position, end)
            assert verdict.answer == "complete"
            (turn,) = verdict.turns
            assert key_of(GAME, GAME.picture(GAME.after(scene.position, turn))) == key
            assert GAME.parse_turn(scene.position, GAME.turn_text(scene.position, turn)) == turn
            assert turn in list(GAME.legal_turns(scene.position, end))
        for stage in scene.stages.values():
            for done in (None, *GAME.players):
                verdict = GAME.judge(scene.position, stage, done)
                assert verdict.answer == "partial"  # only hinted at
                assert {act.player for act in verdict.owed} == {mover}
                owed += 1
    assert owed > 30


def test_a_piece_only_removed_or_out_of_sight_is_never_illegal() -> None:
    rng = random.Random(1)
    for scene in SCENES:
        for placement in (scene.before, *list(scene.ends.values())[:5], *list(scene.stages.values())[:5]):
            there = pieces(placement)
            for gone in rng.sample(list(combinations(range(len(there)), 2)), 5):
                left = laid([piece for i, piece in enumerate(there) if i not in gone])
                assert GAME.judge(scene.position, left).answer in ("unchanged", "complete", "partial")
            hidden = frozenset(rng.sample(sorted(GAME.sites), 6))
            on = {site: kinds for site, kinds in placement.on.items() if site not in hidden}
            assert GAME.judge(scene.position, Placement(on, (), hidden)).answer != "illegal"


def test_set_up_and_a_game_in_progress_are_recognised() -> None:
    start = GAME.start()
    assert GAME.setup(GAME.picture(start)).position == start
    lacking = laid(pieces(GAME.picture(start))[1:])
    found = GAME.setup(lacking)
    assert found.position is None
    assert (found.right, found.total, len(found.wrong)) == (23, 24, 1)
    for scene in SCENES:
        taken_up = GAME.midgame(scene.before)
        assert isinstance(taken_up, Standing)
        assert taken_up.mover is None
        both = {(t.player, t.shifts) for t in GAME.legal_turns(taken_up)}
        one = {(t.player, t.shifts) for t in GAME.legal_turns(scene.position)}
        assert one < both
    crowd = laid([*pieces(GAME.picture(start)), ("dark-MAN", "a1")])
    assert GAME.midgame(crowd) is None
    assert GAME.midgame(laid([("dark-MAN", "a3")])) is None


@given(st.sampled_from(SCENES))
def test_position_texts_are_read_back(scene: Any) -> None:
    for position in (scene.position, GAME.with_mover(scene.position, "North")):
        assert GAME.parse_position(GAME.position_text(position)) == position
    nobody = GAME.midgame(scene.before)
    assert GAME.parse_position(GAME.position_text(nobody)) == nobody


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_its_column(text: str) -> None:
    for read in (GAME.parse_position, lambda text: GAME.parse_turn(GAME.start(), text)):
        with suppress(RulesError):
            read(text)
            continue
        with pytest.raises(RulesError, match=r"\(column \d+\)$|is no legal turn here"):
            read(text)


def test_written_turns_are_judged() -> None:
    start = GAME.start()
    assert GAME.judge_turn(start, "b2-c3").legal
    assert [r.code for r in GAME.judge_turn(start, "b2-b4").reasons] == ["NOT_ONE_STEP_AHEAD"]
    assert GAME.judge_turn(start, "b5-b4").reasons[0].code == "OUT_OF_TURN"
    assert [r.code for r in GAME.judge_turn(start, "b4-b5").reasons] == ["NOT_A_TURN"]
    with pytest.raises(TextError, match=r"no site 'g3' in breakthrough \(column 7\)"):
        GAME.judge_turn(start, "b2-c3 g3-g4")
    with pytest.raises(OptionError):
        GAME.with_options({"anything": "true"})


def test_a_finished_game_has_no_turns_and_nobody_is_accused_of_clearing_the_board() -> None:
    over = GAME.parse_position("a6=dark-MAN b5=light-MAN b2=dark-MAN North")
    outcome = GAME.outcome(over)
    assert outcome is not None
    assert outcome.winner == "South"
    assert not list(GAME.legal_turns(over))
    assert GAME.judge(over, laid([("dark-MAN", "a6")])).answer == "partial"


def laid(standing: list[tuple[str, str]]) -> Placement:
    on: dict[str, tuple[str, ...]] = {}
    for kind, site in standing:
        on[site] = tuple(sorted((*on.get(site, ()), kind)))
    return Placement(on)
