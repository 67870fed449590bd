"""Options, texts, set-ups, games taken up in the middle, and what stands after the end."""

import random
from itertools import permutations
from typing import Any

import pytest

from controller.rules.api import OptionError, Placement, RulesError, TextError
from controller.rules.perft import divide, perft
from controller.rules.taasen import TAASEN as G
from controller.rules.taasen import TaasenPosition

KIND = {
    colour[0].upper() + name[0]: f"{colour}-{name}"
    for colour in ("red", "green", "white")
    for name in ("THAUM", "SCIANE", "PAUPIL")
}
START = "RT=9 RS=9 RP=9 GT=15 GS=15 GP=15 WT=0 WS=0 WP=0 R - -"
PUSH = "RT=7 RS=10 RP=9 GT=15 GS=8 GP=12 WT=2 WS=0 WP=0 R"
CRUSH = "RT=0 RS=10 RP=9 GT=5 GS=11 GP=15 G"
TWO = "RT=11 RP=8 GS=9 GP=15 WS=4 R"
WHITES = "RT=9 RS=10 GT=14 WT=5 WS=2 R"
ATTACKER = "RT=0 RS=9 GT=3 GS=10 GP=15 WT=12 R"
VICTIM = "RT=12 RP=0 GT=2 GS=8 GP=15 WS=10 R"
FLED = "RT=11 RP=0 GT=2 GS=8 GP=15 WS=4 G - WS<10"
LAST = "RT=1 RS=9 GS=0 WP=15 R"


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
    ("name", "value", "position", "less", "more"),
    [
        ("push_mandatory", "false", TWO, set(), {"RT=10"}),  # A1
        ("white_presses_white", "true", WHITES, {"WT=1"}, {"WT=1>WS=0", "WT=1>WS=3"}),  # A2
        ("recursion_binds_escape", "true", "RT=4 GT=15 GS=2 WS=11 R - WS<12", {"RT=10>WS=12"}, {"RT=10>WSx"}),  # A8
        ("no_attack_end", "off", "RT=5 GT=12 WT=0 R", set(), {"RT=1", "RT=4", "RT=7", "WT=2"}),  # A9
    ],
)
def test_options_change_the_turns(name: str, value: str, position: str, less: set[str], more: set[str]) -> None:
    game = G.with_options({name: value})
    default = {G.turn_text(at(position), turn) for turn in G.legal_turns(at(position))}
    chosen = {game.turn_text(at(position), turn) for turn in game.legal_turns(at(position))}
    assert (default - chosen, chosen - default) == (less, more)


def test_a_white_piece_that_fled_may_be_banned_too() -> None:
    game = G.with_options({"white_ban_includes_escape": "true"})
    after = game.judge_turn(at(VICTIM), "RT=11>WS=4").position
    assert game.position_text(after) == FLED.replace("G - ", "G WS ")
    assert game.judge_turn(after, "WS=5").reasons[0].code == "WHITE_JUST_MOVED"
    both = game.with_options({"white_presses_white": "true"}).judge_turn(at(WHITES), "WT=1>WS=0").position
    assert game.position_text(both) == "RT=9 RS=10 GT=14 WT=1 WS=0 G WT+WS WS<2"
    assert game.parse_position(game.position_text(both)) == both


def test_stuck_only_by_the_two_bans() -> None:
    """A-26 and A11: loses, is free of them, or passes."""
    stuck = at("RS=11 RP=1 GT=0 G - GT<2")
    for value, ends in (("loss", True), ("lift", False), ("pass", False)):
        game = G.with_options({"stuck_by_recursion": value})
        assert (game.outcome(stuck) is not None) == ends
    lift = G.with_options({"stuck_by_recursion": "lift"})
    assert [lift.turn_text(stuck, turn) for turn in lift.legal_turns(stuck)] == ["GT=2"]
    assert lift.judge(stuck, shown("RS=11 RP=1 GT=0 G", ("GT", "2"))).answer == "complete"
    assert lift.forced_pass(stuck) is None
    passing = G.with_options({"stuck_by_recursion": "pass"})
    turn = passing.forced_pass(stuck)
    assert list(passing.legal_turns(stuck)) == [turn]
    assert passing.turn_text(stuck, turn) == "--"
    assert passing.parse_turn(stuck, " -- ") == turn
    assert (passing.turn_shifts(stuck, turn), passing.turn_sites(stuck, turn)) == ((), frozenset())
    assert passing.position_text(passing.after(stuck, turn)) == "RS=11 RP=1 GT=0 R - -"
    assert perft(passing, stuck, 1) == 1
    assert passing.judge(stuck, passing.picture(stuck)).answer == "unchanged"
    assert passing.outcome(at("GT=0 RS=2 G")).result == "Red wins"  # stuck without any ban


def test_one_against_one_is_no_draw_with_that_option() -> None:
    game = G.with_options({"no_attack_end": "off"})
    outcome = game.outcome(at("RT=0 GT=2 R"))
    assert (outcome.result, outcome.why) == ("Green wins", "stuck")


def test_a_push_that_may_be_declined_could_still_go_on() -> None:
    game = G.with_options({"push_mandatory": "false"})
    verdict = game.judge(at(PUSH), shown(PUSH, ("RS", "11")))
    assert (verdict.answer, verdict.extendable) == ("complete", True)
    assert [game.turn_text(at(PUSH), turn) for turn in verdict.turns] == ["RS=11"]
    assert game.judge_turn(at(PUSH), "RS=11").complete


def test_a_repeated_position_is_a_draw_with_that_option() -> None:
    game = G.with_options({"repetition_draw": "3"})
    position = game.parse_position("RT=0 RS=9 GT=15 GS=14 WP=5 R")
    shuttle = ["RT=2", "GS=13", "RT=0", "GS=14"]
    seen = []
    for n in range(9):
        outcome = game.outcome(position)
        seen.append(outcome.why if outcome else None)
        if outcome:
            assert not list(game.legal_turns(position))
            break
        position = game.after(position, game.parse_turn(position, shuttle[n % 4]))
    assert seen == [None] * 8 + ["repetition"]
    assert G.outcome(position) is None


def test_who_begins() -> None:
    game = G.with_options({"first": "Green"})
    assert game.to_move(game.start()) == "Green"
    assert game.setup(game.picture(game.start())).position == game.start()


@pytest.mark.parametrize("chosen", [{"nothing": "1"}, {"first": "White"}, {"repetition_draw": "2"}])
def test_unknown_options(chosen: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="option"):
        G.with_options(chosen)


HALVES = [
    (PUSH, "RS=11", [("Green", "reply", "GP")]),
    (PUSH, "rs = 11 > gp ?", [("Green", "reply", "GP")]),
    (CRUSH, "GT=4", [("Red", "remove", "RS")]),
    (TWO, "RT=10", [("Red", "choose", "GS"), ("Red", "choose", "WS")]),
    (TWO, "RT=10>WS?", [("Green", "reply", "WS")]),
    (TWO, "RT=10>GS?", [("Green", "remove", "GS")]),
]


@pytest.mark.parametrize(("position", "text", "owed"), HALVES)
def test_half_a_turn_is_legal_and_not_complete(position: str, text: str, owed: list[tuple[Any, ...]]) -> None:
    verdict = G.judge_turn(at(position), text)
    assert (verdict.legal, verdict.complete, verdict.turn, verdict.position) == (True, False, None, None)
    assert [(one.player, one.act, one.piece) for one in verdict.owed] == [(a, b, KIND[c]) for a, b, c in owed]
    with pytest.raises(RulesError, match="half a turn"):
        G.parse_turn(at(position), text)


@pytest.mark.parametrize("text", [" rs=11>gp=5", "RS = 11 > GP = 5 ", "r s=11>Gp=05"])
def test_every_spelling_of_a_turn_is_read(text: str) -> None:
    assert G.turn_text(at(PUSH), G.parse_turn(at(PUSH), text)) == "RS=11>GP=5"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1), ("RX=1", 1), ("RT", 3), ("RT=", 4), ("RT=16", 4), ("RT=1 2", 6), ("RT=1>", 6), ("RT=1>WS=", 9),
        ("-", 2), ("RT=1>WSx5", 9),
    ],
)  # fmt: skip
def test_a_turn_that_cannot_be_read(text: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        G.judge_turn(G.start(), text)
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1), ("RT=9", 5), ("RT=16 R", 4), ("RT=6 R", 4), ("RT=9 RT=10 R", 6), ("RT=4 RS=4 R", 9),
        ("RT=9 GT=9 R", 9), ("RT=9 X", 6), ("RT=9 R RT", 8), ("RT=9 R - RT<9", 10),
        ("RT=9 R - RS<1", 10), ("RT=9 R - RT<6", 13),
        ("RT=9 R - - -", 12), ("RT=9 R - x", 10), ("RT=nine R", 1),
    ],
)  # fmt: skip
def test_a_position_that_cannot_be_read(text: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        G.parse_position(text)
    assert caught.value.column == column


def test_positions_are_read_in_any_order_and_printed_whole() -> None:
    assert G.position_text(at("wp=0 gt=15  rt=9 ?")) == "RT=9 GT=15 WP=0 ? - -"
    assert G.position_text(at("RT=9 WT=4 GP=11 G WT")) == "RT=9 GP=11 WT=4 G WT -"


@pytest.mark.parametrize("corners", list(permutations((0, 9, 15))))
def test_any_colour_may_stand_on_any_corner(corners: tuple[int, int, int]) -> None:
    stacks = dict(zip("RGW", corners, strict=True))
    text = " ".join(f"{colour}{name}={site}" for colour, site in stacks.items() for name in "TSP") + " R"
    found = G.setup(shown(text))
    assert (found.position, found.wrong, found.right, found.total) == (at(text), (), 9, 9)
    off = G.setup(shown(text, ("WS", None), ("RT", "4"), ("GP", str(corners[2]))))
    assert (off.position, off.nearest, off.right) == (None, at(text), 6)
    assert {(shift.piece, shift.origin, shift.to) for shift in off.wrong} == {
        ("white-SCIANE", None, str(corners[2])),
        ("red-THAUM", "4", str(corners[0])),
        ("green-PAUPIL", str(corners[2]), str(corners[1])),
    }


def test_setup_of_a_board_that_is_not_seen_whole() -> None:
    full = G.picture(G.start())
    part = Placement({s: k for s, k in full.on.items() if s != "9"}, hidden=frozenset({"9"}))
    found = G.setup(part)
    assert (found.position, found.nearest, found.wrong, found.right) == (None, G.start(), (), 6)
    assert len(G.setup(Placement({})).wrong) == 9


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("RT=4 GS=5 R", True), (START, True), ("RT=4 WS=5 GP=8 R", True), ("RT=4 WS=5 R", False),
        ("RT=4 GT=5 WT=9 R", False),
    ],
)  # fmt: skip
def test_a_game_taken_up_in_the_middle(text: str, fits: bool) -> None:
    found = G.midgame(shown(text))
    assert found == (at(text)._replace(mover=None) if fits else None)


def test_no_game_is_taken_up_from_these() -> None:
    kinds = ("red-THAUM",), ("green-SCIANE",)
    for on in (
        {"6": kinds[0], "5": kinds[1]},
        {"4": kinds[0] * 2, "5": kinds[1]},
        {"4": kinds[0], "5": kinds[1], "7": kinds[0]},
        {"9": kinds[0] + kinds[1]},
        {"4": ("red-THAUM", "red-SCIANE"), "5": kinds[1]},
        {"4": ("blue-THAUM",), "5": kinds[1]},
    ):
        assert G.midgame(Placement(on)) is None
    seen = Placement({"4": kinds[0], "5": kinds[1]}, hidden=frozenset({"8"}))
    assert G.midgame(seen) is None


def test_an_unknown_mover_is_shown_by_the_turn() -> None:
    middle = G.midgame(shown(PUSH))
    assert middle is not None
    assert G.position_text(middle).endswith(" ? - -")
    assert {turn.player for turn in G.legal_turns(middle)} == {"Red", "Green"}
    verdict = G.judge(middle, shown(PUSH, ("RS", "11")))
    assert [(one.player, one.act) for one in verdict.owed] == [("Green", "reply")]
    white = G.judge(middle, shown(PUSH, ("WT", "1")))
    assert white.answer == "complete"
    assert {G.to_move(G.after(middle, turn)) for turn in white.turns} == {"Red", "Green"}
    assert G.judge(middle, shown(PUSH, ("RT", "13"))).reasons[0].code == "NOT_ADJACENT"
    assert G.judge(middle, shown(PUSH, ("GT", "13"))).reasons[0].code == "NOT_ADJACENT"
    assert G.judge_turn(middle, "GT=14").legal
    assert G.judge_turn(middle, "WT=1").legal
    for player in G.players:
        assert G.judge(middle, shown(PUSH, ("RS", "11")), player).answer == (
            "illegal" if player == "Green" else "partial"
        )


def test_white_pressed_by_nobody_knows_whom() -> None:
    """ATTACKER: White's Thaum presses GS for Red and nothing for Green."""
    middle = at(ATTACKER[:-1] + "?")
    verdict = G.judge(middle, shown(ATTACKER, ("WT", "11")))
    assert (verdict.answer, verdict.extendable) == ("complete", True)
    assert [turn.player for turn in verdict.turns] == ["Green"]


def test_divide_names_every_first_turn() -> None:
    parts = dict(divide(G, G.start(), 3))
    assert sum(parts.values()) == 108
    assert set(parts) == {"RT=10", "RS=10", "RP=10", "WT=2", "WS=2", "WP=2"}


def test_what_belongs_to_whom() -> None:
    assert [G.owner(kind) for kind in ("red-THAUM", "green-PAUPIL", "white-SCIANE", "blue-DOT")] == [
        "Red", "Green", None, None,
    ]  # fmt: skip
    assert G.lane("7") == "7"
    picture = G.picture(G.start())
    assert G.normal(picture) == picture


def test_pieces_that_do_not_belong() -> None:
    before = at(CRUSH)
    on = dict(shown(CRUSH).on)
    extra = G.judge(before, Placement({**on, "13": ("white-THAUM",)}))
    assert (extra.answer, [(r.code, r.sites) for r in extra.reasons]) == ("illegal", [("EXTRA_PIECE", ("13",))])
    wrong = G.judge(before, Placement({**on, "10": ("white-THAUM",)}))
    assert [(r.code, r.sites) for r in wrong.reasons] == [("WRONG_PIECE", ("10",))]
    alien = G.judge(before, Placement({**on, "13": ("blue-THAUM",)}))
    assert alien.reasons[0].code == "EXTRA_PIECE"


def test_after_the_end_the_board_may_be_cleared() -> None:
    over = G.judge_turn(at(LAST), "RT=2>GSx").position
    assert G.judge(over, G.picture(over)).answer == "unchanged"
    assert G.judge(over, Placement({})).answer == "partial"
    assert G.judge(over, shown(LAST, ("RT", "2"))).answer == "unchanged"  # the crushed piece still stands
    assert G.judge(over, shown("RT=2 RS=9 WP=15 G", ("RS", "10"))).answer == "illegal"


@pytest.mark.parametrize("seed", range(24))
def test_whatever_is_chosen_every_turn_is_judged_and_read_as_it_is(seed: int) -> None:
    rng = random.Random(seed)
    game = G.with_options({name: rng.choice(option.choices) for name, option in G.options.items()})
    position = game.start()
    for _ in range(120):
        turns = list(game.legal_turns(position))
        assert bool(turns) == (game.outcome(position) is None)
        if not turns:
            break
        for turn in turns:
            after = game.after(position, turn)
            assert game.parse_turn(position, game.turn_text(position, turn)) == turn
            assert game.parse_position(game.position_text(after)) == after._replace(past=())
            verdict = game.judge(position, game.picture(after))
            if turn == game.forced_pass(position):
                assert verdict.answer == "unchanged"
                continue
            assert (verdict.answer, verdict.turns) == ("complete", (turn,))
            for stage in game.stages(position, turn):
                assert game.judge(position, stage).answer in ("partial", "complete")
        position = game.after(position, rng.choice(turns))
