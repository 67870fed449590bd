"""The cases of the law, by text and as placements; perft counts; options; set-ups."""

from typing import Any

import pytest

from controller.rules.api import Placement, RulesError
from controller.rules.perft import perft
from controller.rules.taasen import TAASEN as G
from controller.rules.taasen import TaasenPosition

KIND = {
    colour[0].upper() + name[0]: f"{colour}-{name}"
    for colour in ("red", "green", "white")
    for name in ("THAUM", "SCIANE", "PAUPIL")
}
START = "RT=9 RS=9 RP=9 GT=15 GS=15 GP=15 WT=0 WS=0 WP=0 R - -"
WHITE_OUT = "RT=9 RS=9 RP=9 GT=15 GS=15 GP=15 WT=2 WS=0 WP=0 G WT -"
STACKS = "RT=10 RS=9 RP=9 GT=14 GS=15 GP=15 WT=0 WS=0 WP=0 R - -"
SEA = "RS=5 RT=9 RP=3 GT=15 GS=8 GP=2 R"
BLOCKED = "RT=7 RS=5 RP=3 GT=12 GS=8 GP=2 R"
POINT = "RS=4 GP=15 R"
PUSH = "RT=7 RS=10 RP=9 GT=15 GS=8 GP=12 WT=2 WS=0 WP=0 R"
PUSHED = "RT=7 RS=11 RP=9 GT=15 GS=8 GP=5 WT=2 WS=0 WP=0 G - GP<12"
CRUSH = "RT=0 RS=10 RP=9 GT=5 GS=11 GP=15 G"
ROOM = "RT=0 RS=10 RP=8 GT=5 GS=12 GP=15 G"
ACROSS = "RT=9 RS=5 GT=8 GS=15 G"
TWO = "RT=11 RP=8 GS=9 GP=15 WS=4 R"
FRIENDS = "RT=5 RS=2 GS=14 GP=15 WT=3 R"
WHITES = "RT=9 RS=10 GT=14 WT=5 WS=2 R"
ATTACKER = "RT=0 RS=9 GT=3 GS=10 GP=15 WT=12 R"
VICTIM = "RT=12 RP=0 GT=2 GS=8 GP=15 WS=10 R"
FLED = "RT=11 RP=0 GT=2 GS=8 GP=15 WS=4 G - WS<10"
PILE = "RT=9 RS=9 RP=9 GT=11 GS=15 GP=15 WT=0 WS=0 WP=0 G"
CHAIN = "RT=4 RS=0 RP=13 GT=8 GS=11 GP=15 R"
LAST = "RT=1 RS=9 GS=0 WP=15 R"
CORNERED = "RS=11 RP=5 GT=2 R"

LEGAL = [
    ("A-01", START, "RT=10", "RT=10 RS=9 RP=9 GT=15 GS=15 GP=15 WT=0 WS=0 WP=0 G - -", None),
    ("A-04", START, "WT=2", WHITE_OUT, None),
    ("A-05", STACKS, "RT=4", None, None),
    ("A-06 sea", SEA, "RS=12", "RT=9 RS=12 RP=3 GT=15 GS=8 GP=2 G - -", None),
    ("A-06 push", SEA, "RS=1>GP=0", "RT=9 RS=1 RP=3 GT=15 GS=8 GP=0 G - GP<2", None),
    ("A-08", BLOCKED, "RS=4", None, None),
    ("A-10 sea", PUSH, "RS=11>GP=5", PUSHED, None),
    ("A-10 land", PUSH, "RS=11>GP=13", None, None),
    ("A-12", PUSHED, "GP=4", None, None),
    ("A-12 push", PUSHED, "GP=1>WT=3", None, None),
    ("A-13", CRUSH, "GT=4>RSx", "RT=0 RP=9 GT=4 GS=11 GP=15 R - -", None),
    ("A-15", ACROSS, "GT=7", "RT=9 RS=5 GT=7 GS=15 R - -", None),
    ("A-16 crush", TWO, "RT=10>GSx", "RT=10 RP=8 GP=15 WS=4 G - -", None),
    ("A-16 push", TWO, "RT=10>WS=5", "RT=10 RP=8 GS=9 GP=15 WS=5 G - WS<4", None),
    ("A-17", FRIENDS, "RT=1", "RT=1 RS=2 GS=14 GP=15 WT=3 G - -", None),
    ("A-17 White", FRIENDS, "WT=7", "RT=5 RS=2 GS=14 GP=15 WT=7 G WT -", None),
    ("A-18", WHITES, "WT=1", "RT=9 RS=10 GT=14 WT=1 WS=2 G WT -", None),
    ("A-18 own", WHITES, "WT=4", "RT=9 RS=10 GT=14 WT=4 WS=2 G WT -", None),
    ("A-19", ATTACKER, "WT=11>GS=4", "RT=0 RS=9 GT=3 GS=4 GP=15 WT=11 G WT GS<10", None),
    ("A-19 Green", ATTACKER[:-1] + "G", "WT=11", None, None),
    ("A-20", VICTIM, "RT=11>WS=4", FLED, None),
    ("A-20 other", VICTIM, "RT=11>WS=9", None, None),
    ("A-20 after", FLED, "WS=5", None, None),
    ("A-21", PILE, "GT=10>RSx", "RT=9 RP=9 GT=10 GS=15 GP=15 WT=0 WS=0 WP=0 R - -", None),
    ("A-22", CHAIN, "RT=10>GS=12", "RT=10 RS=0 RP=13 GT=8 GS=12 GP=15 G - GS<11", None),
    ("A-23", LAST, "RT=2>GSx", "RT=2 RS=9 WP=15 G - -", "Red wins"),
    ("A-26", CORNERED, "RP=1>GT=0", "RS=11 RP=1 GT=0 G - GT<2", "Red wins"),
    ("A-26 on", CORNERED, "RP=1>GT=3", "RS=11 RP=1 GT=3 G - GT<2", None),
]
ILLEGAL = [
    ("A-02", START, "GT=14", "OPPONENT_PIECE"),
    ("A-03", START, "RT=11", "NOT_ADJACENT"),
    ("A-04", WHITE_OUT, "WT=1", "WHITE_JUST_MOVED"),
    ("A-05", STACKS, "RT=9", "OCCUPIED"),
    ("A-07", SEA, "RS=6", "SEA_REST"),
    ("A-08 7", BLOCKED, "RS=7", "SEA_BLOCKED"),
    ("A-08 12", BLOCKED, "RS=12", "SEA_BLOCKED"),
    ("A-09", POINT, "RS=9", "NOT_ADJACENT"),
    ("A-11", PUSH, "RS=11>GP=12", "PUSH_PENDING"),
    ("A-11 another", PUSH, "RS=11>GT=14", "PUSH_PENDING"),
    ("A-11 White", PUSH, "RS=11>WT=3", "PUSH_PENDING"),
    ("A-11 mine", PUSH, "RS=11>RT=3", "PUSH_PENDING"),
    ("A-12", PUSHED, "GP=12", "PUSHED_BACK"),
    ("A-13 another", CRUSH, "GT=4>RT=2", "NOT_PRESSED"),
    ("A-13 stays", CRUSH, "GT=4>RS=9", "OCCUPIED"),
    ("A-14", ROOM, "GT=4>RSx", "NOT_CRUSHED"),
    ("A-14 push", PUSH, "RS=11>GPx", "NOT_CRUSHED"),
    ("A-15 across", ACROSS, "GT=7>RS=4", "NOT_PRESSED"),
    ("A-17 own", FRIENDS, "RT=1>RS=0", "NOT_PRESSED"),
    ("A-18 White", WHITES, "WT=1>WS=0", "NOT_PRESSED"),
    ("A-20 back", FLED, "WS=10", "PUSHED_BACK"),
    ("far escape", PUSH, "RS=11>GP=14", "ESCAPE_NOT_ADJACENT"),
    ("crushed flees", CRUSH, "GT=4>RS=12", "ESCAPE_NOT_ADJACENT"),
    ("escape taken", PUSH, "RS=11>GP=7", "OCCUPIED"),
    ("escape onto the attacker", PUSH, "RS=11>GP=11", "OCCUPIED"),
    ("escape to sea", PUSH, "RS=11>GP=6", "SEA_REST"),
    ("sea from inland", SEA, "RP=6", "SEA_REST"),
    ("stays", START, "RT=9", "NOT_A_TURN"),
    ("gone", CORNERED, "RT=10", "NOT_A_TURN"),
    ("no pass", START, "--", "NOT_A_TURN"),
    ("over", "RT=5 GT=12 WT=0 R", "RT=4", "OUT_OF_TURN"),
]


def at(text: str) -> TaasenPosition:
    return G.parse_position(text)


def shown(text: str, *changes: tuple[str, str | None]) -> Placement:
    """The picture of a position with pieces carried ("RT" to "10"; None = taken off; a dead one is put on)."""
    on = {site: list(kinds) for site, kinds in G.picture(at(text)).on.items()}
    for name, to in changes:
        for kinds in on.values():
            if KIND[name] in kinds:
                kinds.remove(KIND[name])
        if to is not None:
            on.setdefault(to, []).append(KIND[name])
    return Placement({site: tuple(sorted(kinds)) for site, kinds in on.items() if kinds})


@pytest.mark.parametrize(
    ("options", "counts"),
    [({}, [1, 6, 27, 108, 414]), ({"white_presses_white": "true"}, [1, 6, 27, 108, 396])],
)
def test_perft(options: dict[str, str], counts: list[int]) -> None:
    game = G.with_options(options)
    assert [perft(game, game.start(), depth) for depth in range(5)] == counts


def test_the_start_as_text() -> None:
    assert G.position_text(G.start()) == START
    assert at(START) == G.start()


@pytest.mark.parametrize(("case", "position", "turn", "after", "result"), LEGAL, ids=lambda v: str(v)[:8])
def test_legal_cases(case: str, position: str, turn: str, after: str | None, result: str | None) -> None:
    before = at(position)
    verdict = G.judge_turn(before, turn)
    assert (verdict.legal, verdict.complete, verdict.reasons) == (True, True, ())
    assert verdict.turn in list(G.legal_turns(before))
    assert G.turn_text(before, verdict.turn) == turn
    assert verdict.position == G.after(before, verdict.turn)
    if after is not None:
        assert G.position_text(verdict.position) == after
    outcome = G.outcome(verdict.position)
    assert (outcome.result if outcome else None) == result
    seen = G.judge(before, G.picture(verdict.position))
    assert (seen.answer, seen.turns) == ("complete", (verdict.turn,))


@pytest.mark.parametrize(("case", "position", "turn", "code"), ILLEGAL, ids=lambda v: str(v)[:8])
def test_illegal_cases(case: str, position: str, turn: str, code: str) -> None:
    before = at(position)
    verdict = G.judge_turn(before, turn)
    assert (verdict.legal, verdict.complete, verdict.position) == (False, False, None)
    assert verdict.reasons[0].code == code
    assert verdict.reasons[0].rule.startswith("taasen 2")
    with pytest.raises(RulesError, match=code):
        G.parse_turn(before, turn)


@pytest.mark.parametrize(
    ("position", "turns"),
    [
        (START, {"RT=10", "RS=10", "RP=10", "WT=2", "WS=2", "WP=2"}),
        (WHITE_OUT, {"GT=14", "GS=14", "GP=14"}),
    ],
)
def test_all_turns(position: str, turns: set[str]) -> None:
    assert {G.turn_text(at(position), turn) for turn in G.legal_turns(at(position))} == turns


def turns_of(position: str, name: str) -> set[str]:
    return {
        text for turn in G.legal_turns(at(position)) if (text := G.turn_text(at(position), turn)).startswith(name + "=")
    }


def test_turns_of_one_piece() -> None:
    assert turns_of(STACKS, "RT") == {"RT=4", "RT=11"}
    assert turns_of(SEA, "RS") == {"RS=12", "RS=4", "RS=7", "RS=1>GP=0"}
    assert turns_of(BLOCKED, "RS") == {"RS=4", "RS=1>GP=0"}  # A-08; GP stands on 2
    assert {t for t in turns_of(PUSH, "RS") if t.startswith("RS=11")} == {"RS=11>GP=5", "RS=11>GP=13"}
    assert {t for t in turns_of(TWO, "RT") if t.startswith("RT=10")} == {"RT=10>GSx", "RT=10>WS=5"}
    assert turns_of(FLED, "WS") == {"WS=5"}


OWED = [
    # case, position, what moved, owed: player, act, piece, at, to
    ("A-10", PUSH, [("RS", "11")], [("Green", "reply", "GP", "12", {"5", "13"})]),
    ("A-10 lifted", PUSH, [("RS", "11"), ("GP", None)], [("Green", "reply", "GP", None, {"5", "13"})]),
    ("A-10 another lifted", PUSH, [("RS", "11"), ("WT", None)], [("Green", "reply", "GP", "12", {"5", "13"})]),
    ("A-10 attacker lifted", PUSH, [("RS", None)], []),
    ("A-13", CRUSH, [("GT", "4")], [("Red", "remove", "RS", "10", set())]),
    ("A-16", TWO, [("RT", "10")], [("Red", "choose", "GS", "9", set()), ("Red", "choose", "WS", "4", set())]),
    ("A-16 lifted", TWO, [("RT", "10"), ("WS", None)], [("Green", "reply", "WS", None, {"5"})]),
    ("A-16 both lifted", TWO, [("RT", "10"), ("WS", None), ("GS", None)], []),
    ("A-21", PILE, [("GT", "10")], [("Red", "remove", "RS", "9", set())]),
    ("A-13 going on", CRUSH, [("GT", "4"), ("RT", "2")], [("Red", "remove", "RS", "10", set())]),
    ("A-13 pieces lifted", CRUSH, [("RS", None), ("RP", None), ("GP", None)], []),
]


@pytest.mark.parametrize(("case", "position", "changes", "owed"), OWED, ids=lambda v: str(v)[:12])
def test_what_is_owed(
    case: str, position: str, changes: list[tuple[str, str | None]], owed: list[tuple[Any, ...]]
) -> None:
    verdict = G.judge(at(position), shown(position, *changes))
    assert verdict.answer == "partial"
    found = [(one.player, one.act, one.piece, one.at, set(one.to)) for one in verdict.owed]
    assert found == [(player, act, KIND[piece], site, to) for player, act, piece, site, to in owed]
    assert verdict.missing == tuple(sorted(KIND[name] for name, to in changes if to is None))


DONE = [
    ("reply", PUSH, [("RS", "11")], "Green", "PUSH_PENDING"),
    ("reply", PUSH, [("RS", "11")], "Red", None),
    ("reply in a hand", PUSH, [("RS", "11"), ("GP", None)], "Green", "NOT_CRUSHED"),
    ("reply in a hand", PUSH, [("RS", "11"), ("GP", None)], "Red", None),
    ("one more missing", PUSH, [("RS", "11"), ("GP", None), ("WT", None)], "Green", None),
    ("remove", CRUSH, [("GT", "4")], "Red", None),
    ("remove", CRUSH, [("GT", "4")], "Green", None),
    ("choose", TWO, [("RT", "10")], "Red", None),
    ("choose", TWO, [("RT", "10")], "Green", None),
    ("going on", CRUSH, [("GT", "4"), ("RT", "2")], "Red", None),
    ("missing", CRUSH, [("RT", None)], "Green", None),
]


@pytest.mark.parametrize(("case", "position", "changes", "player", "code"), DONE, ids=lambda v: str(v)[:12])
def test_done(case: str, position: str, changes: list[tuple[str, str | None]], player: str, code: str | None) -> None:
    verdict = G.judge(at(position), shown(position, *changes), player)
    assert verdict.answer == ("illegal" if code else "partial")
    assert [reason.code for reason in verdict.reasons] == ([code] if code else [])


def test_done_where_nothing_moved_says_nothing() -> None:
    for player in G.players:
        assert G.judge(G.start(), G.picture(G.start()), player).answer == "unchanged"


PLACED = [
    ("A-02", START, [("GT", "14")], ["OPPONENT_PIECE", "OUT_OF_TURN"]),
    ("A-03", START, [("RT", "11")], ["NOT_ADJACENT"]),
    ("A-04", WHITE_OUT, [("WT", "1")], ["WHITE_JUST_MOVED"]),
    ("A-05", STACKS, [("RT", "9")], ["OCCUPIED", "TWO_ON_A_SITE"]),
    ("A-07", SEA, [("RS", "6")], ["SEA_REST"]),
    ("A-08", BLOCKED, [("RS", "7")], ["SEA_BLOCKED", "OCCUPIED", "TWO_ON_A_SITE"]),
    ("A-09", POINT, [("RS", "9")], ["NOT_ADJACENT"]),
    ("A-11", PUSH, [("RS", "11"), ("GT", "14")], ["PUSH_PENDING"]),
    ("A-12", PUSHED, [("GP", "12")], ["PUSHED_BACK"]),
    ("A-14", ROOM, [("GT", "4"), ("RS", None), ("RT", "2")], ["NOT_CRUSHED"]),
    ("A-15", ACROSS, [("GT", "7"), ("RS", "4")], ["NOT_PRESSED"]),
    ("A-16", TWO, [("RT", "10"), ("GS", "11"), ("WS", "5")], ["BOTH_PRESSED"]),
    ("A-17", FRIENDS, [("RT", "1"), ("RS", "0")], ["NOT_PRESSED", "NOT_A_TURN"]),
    ("A-18", WHITES, [("WT", "1"), ("WS", "0")], ["NOT_PRESSED"]),
    ("A-22", CHAIN, [("RT", "10"), ("GS", "12"), ("RP", "14")], ["NOT_PRESSED"]),
    ("far escape", PUSH, [("RS", "11"), ("GP", "14")], ["ESCAPE_NOT_ADJACENT"]),
    ("escape to sea", PUSH, [("RS", "11"), ("GP", "6")], ["SEA_REST"]),
    ("crushed flees", CRUSH, [("GT", "4"), ("RS", "12")], ["ESCAPE_NOT_ADJACENT"]),
    ("reply first", PUSH, [("GP", "5")], ["OPPONENT_PIECE", "OUT_OF_TURN"]),
    ("reply first", PUSH, [("GP", "14")], ["OPPONENT_PIECE"]),
    ("going on wrongly", CRUSH, [("GT", "4"), ("RT", "8")], ["NOT_ADJACENT"]),
    ("two at once", PUSH, [("RT", "3"), ("RP", "4")], ["NOT_ADJACENT"]),
    ("both wrong", START, [("RT", "4"), ("GT", "8")], ["NOT_ADJACENT", "OPPONENT_PIECE"]),
    ("sea too", START, [("WT", "6")], ["SEA_REST"]),
]


@pytest.mark.parametrize(("case", "position", "changes", "codes"), PLACED, ids=lambda v: str(v)[:10])
def test_illegal_placements(case: str, position: str, changes: list[tuple[str, str | None]], codes: list[str]) -> None:
    before, seen = at(position), shown(position, *changes)
    verdict = G.judge(before, seen)
    assert verdict.answer == "illegal"
    found = [reason.code for reason in verdict.reasons]
    assert found[: len(codes)] == codes
    on = {site: list(kinds) for site, kinds in seen.on.items()}
    for shift in verdict.way_back:
        if shift.origin:
            on[shift.origin].remove(shift.piece)
        if shift.to:
            on.setdefault(shift.to, []).append(shift.piece)
    assert {site: tuple(sorted(kinds)) for site, kinds in on.items() if kinds} == G.picture(before).on
    assert len(verdict.way_back) == len(changes)


ENDS = [
    ("A-24", "RT=5 GT=12 WT=0 R", None, "no_attack"),
    ("A-25", "RS=2 RP=13 GT=0 G", "Red", "stuck"),
    ("A-23", "RT=2 RS=9 WP=15 G", "Red", "elimination"),
    ("A10: draw before stuck", "RT=0 GT=2 R", None, "no_attack"),
    ("A corner", "GT=0 RS=2 G", "Red", "stuck"),
]


@pytest.mark.parametrize(("case", "position", "winner", "why"), ENDS, ids=lambda v: str(v)[:6])
def test_ends(case: str, position: str, winner: str | None, why: str) -> None:
    outcome = G.outcome(at(position))
    assert outcome is not None
    assert (outcome.winner, outcome.why) == (winner, why)
    assert outcome.result == (f"{winner} wins" if winner else "draw")
    assert list(G.legal_turns(at(position))) == []
    assert G.outcome(at("RT=5 RS=9 GT=12 R")) is None
