"""The cases of the law, by text and as placements; perft counts; options."""

import pytest

from controller.rules.api import OptionError, Placement, RulesError, TextError
from controller.rules.perft import divide, perft
from controller.rules.transet import TRANSET as G

START = "rbkbr/5/5/5/RBKBR S"
MID = "r1kbr/5/3b1/3K1/RBB1R S"
LATE = "rbk1r/2K2/3b1/B4/R2BR S"
SWAP = "1bkbr/B4/r4/1K3/R2BR S"

LEGAL = [
    ("T-01", START, "c1-c2", "c1-c2", "rbkbr/5/5/2K2/RB1BR N", None),
    ("T-07", "r1kbr/2b2/5/2K2/RB1BR S", "c2-d2&d1-c1", "d1-c1&c2-d2", "r1kbr/2b2/5/3K1/RBB1R N", None),
    ("T-08", MID, "d2xd3@b5", "d2xd3@b5", "rbkbr/5/3K1/5/RBB1R N", None),
    ("T-12", MID, "d2-d1&b1-b2", "b1-b2&d2-d1", "r1kbr/5/3b1/1B3/R1BKR N", None),
    ("T-15", MID, "d2-e2&e1-d1", "e1-d1&d2-e2", "r1kbr/5/3b1/4K/RBBR1 N", None),
    ("T-16", LATE, "c4-d5", "c4-d5#", "rbkKr/5/3b1/B4/R2BR N", "South wins"),
    ("T-17", LATE, "c4xc5", "c4xc5#", "rbK1r/5/3b1/B4/R2BR N", "South wins"),
    ("T-19", LATE, "c4-b4&a2-b2", "c4-b4&a2-b2", "rbk1r/1K3/3b1/1B3/R2BR N", None),
    ("T-20", SWAP, "a4-a5&b2-b1", "a4-a5&b2-b1#", "Bbkbr/5/r4/5/RK1BR N", "South wins"),
    ("T-21", SWAP, "b2xa3@a5", "b2xa3@a5", "rbkbr/B4/K4/5/R2BR N", None),
]
ILLEGAL = [
    ("T-02", START, "a1-b2", "WRONG_STEP"),
    ("T-03", START, "b1-b2", "WRONG_STEP"),
    ("T-04", START, "c1-c3", "TOO_FAR"),
    ("T-05", START, "c1-d1&d1-c1", "SWOP_TARGET_TAKEN"),
    ("T-06", START, "a5-a4", "NOT_YOUR_PAWN"),
    ("T-09", MID, "d2xd3", "NO_REPLACEMENT"),
    ("T-10", MID, "d2xd3@a5", "BAD_REPLACEMENT"),
    ("T-11", MID, "d2xd3@b4", "BAD_REPLACEMENT"),
    ("T-13", MID, "d2-c2", "SIDEWAYS_ALONE"),
    ("T-14", MID, "a1-a2&e1-e2", "SWOP_NOT_OPPOSITE"),
    ("T-18", LATE, "c4-b4&d1-c1", "SWOP_NOT_OPPOSITE"),
    ("T-22", SWAP, "b2-b3&a4-a3", "SWOP_TARGET_TAKEN"),
    ("back", MID, "d2-d1", "BACKWARD_ALONE"),
    ("own", MID, "a1-b1", "OWN_PAWN_THERE"),
    ("one target", "rbkbr/5/2K2/5/RBR1B S", "c1-c2&c3-c2", "SWOP_SAME_TARGET"),
    ("nothing there", MID, "d2xd3@b5&", None),
    ("no victim", MID, "d2xc3@b5", "NOT_CAPTURED"),
    ("nobody", MID, "a3-a4", "NOT_YOUR_PAWN"),
    ("diagonal half", MID, "d2-c3&b1-b2", "WRONG_STEP"),
    ("itself", MID, "d2-d2", "NOT_A_TURN"),
    ("after the end", "rbK1r/5/3b1/B4/R2BR N", "a5-a4", "OUT_OF_TURN"),
]


def placement(text: str) -> dict[str, tuple[str, ...]]:
    return dict(G.picture(G.parse_position(text)).on)


def moved(text: str, *shifts: tuple[str, str | None]) -> Placement:
    """The picture of a position with pawns carried ("d2" to "d3"; None = taken off); a pawn may land on another."""
    on = {site: list(kinds) for site, kinds in placement(text).items()}
    lifted = [(on[origin].pop(), to) for origin, to in shifts]
    for kind, to in lifted:
        if to:
            on.setdefault(to, []).append(kind)
    return Placement({site: tuple(sorted(kinds)) for site, kinds in on.items() if kinds})


@pytest.mark.parametrize(("case", "position", "spoken", "text", "after", "result"), LEGAL, ids=lambda v: str(v)[:6])
def test_legal_cases(case: str, position: str, spoken: str, text: str, after: str, result: str | None) -> None:
    before = G.parse_position(position)
    verdict = G.judge_turn(before, spoken)
    assert verdict.legal
    assert verdict.complete
    assert G.turn_text(before, verdict.turn) == text
    assert G.position_text(verdict.position) == after
    outcome = G.outcome(verdict.position)
    assert (outcome.result if outcome else None) == result
    seen = G.judge(before, G.picture(verdict.position))
    assert seen.answer == "complete"
    assert [G.turn_text(before, turn) for turn in seen.turns] == [text]


@pytest.mark.parametrize(("case", "position", "spoken", "code"), ILLEGAL, ids=lambda v: str(v)[:12])
def test_illegal_cases(case: str, position: str, spoken: str, code: str | None) -> None:
    before = G.parse_position(position)
    if code is None:
        with pytest.raises(TextError):
            G.judge_turn(before, spoken)
        return
    verdict = G.judge_turn(before, spoken)
    assert not verdict.legal
    assert verdict.reasons[0].code == code
    with pytest.raises(RulesError, match=code):
        G.parse_turn(before, spoken)


PLACED = [
    # what, position, shifts, answer, first code
    ("T-02", START, [("a1", "b2")], "illegal", "WRONG_STEP"),
    ("T-04", START, [("c1", "c3")], "illegal", "TOO_FAR"),
    ("T-05", START, [("c1", "d1"), ("d1", "c1")], "illegal", "SWOP_TARGET_TAKEN"),
    ("T-06", START, [("a5", "a4")], "illegal", "NOT_YOUR_PAWN"),
    ("T-09", MID, [("d2", "d3"), ("d3", None)], "partial", None),
    ("T-09 under", MID, [("d2", "d3")], "partial", None),
    ("T-10", MID, [("d2", "d3"), ("d3", "a5")], "illegal", "BAD_REPLACEMENT"),
    ("T-11", MID, [("d2", "d3"), ("d3", "b4")], "illegal", "BAD_REPLACEMENT"),
    ("T-13", MID, [("d2", "c2")], "partial", None),
    ("T-14", MID, [("a1", "a2"), ("e1", "e2")], "illegal", "SWOP_NOT_OPPOSITE"),
    ("T-18", LATE, [("c4", "b4"), ("d1", "c1")], "illegal", "SWOP_NOT_OPPOSITE"),
    ("own pawn", MID, [("a1", "b1")], "illegal", "OWN_PAWN_THERE"),
    ("same target", "rbkbr/5/2K2/5/RBR1B S", [("c1", "c2"), ("c3", "c2")], "illegal", "SWOP_SAME_TARGET"),
    ("enemy too", START, [("c1", "c2"), ("b5", "a3")], "illegal", "NOT_CAPTURED"),
    ("three", START, [("a1", "a2"), ("c1", "c2"), ("e1", "e2")], "illegal", "NOT_A_TURN"),
    ("victim over the end", LATE, [("c4", "c5"), ("c5", "c3")], "complete", None),
    ("victim under the end", LATE, [("c4", "c5")], "complete", None),
    ("half and reply", MID, [("d2", "c2"), ("d5", "d4")], "illegal", "NOT_CAPTURED"),
    ("half and legal reply", MID, [("d2", "c2"), ("c5", "c4")], "illegal", "SIDEWAYS_ALONE"),
    ("capture and reply", MID, [("d2", "d3"), ("d3", None), ("a5", "a4")], "illegal", "NO_REPLACEMENT"),
    ("wrong one back", MID, [("d2", "d3"), ("d3", None), ("c5", "b5")], "illegal", "WRONG_PAWN_RETURNED"),
]


@pytest.mark.parametrize(("case", "position", "shifts", "answer", "code"), PLACED, ids=lambda v: str(v)[:20])
def test_placements(
    case: str, position: str, shifts: list[tuple[str, str | None]], answer: str, code: str | None
) -> None:
    seen = moved(position, *shifts)
    verdict = G.judge(G.parse_position(position), seen)
    assert verdict.answer == answer
    assert [reason.code for reason in verdict.reasons[:1]] == ([code] if code else [])
    if answer == "illegal":
        on = {site: list(kinds) for site, kinds in seen.on.items()}
        for shift in verdict.way_back:
            if shift.origin:
                on[shift.origin].remove(shift.piece)
            if shift.to:
                on.setdefault(shift.to, []).append(shift.piece)
        assert {site: tuple(kinds) for site, kinds in on.items() if kinds} == placement(position)
        assert len(verdict.way_back) == len(shifts)


def test_out_of_turn_is_named_where_the_other_side_made_a_whole_turn() -> None:
    verdict = G.judge(G.parse_position(START), moved(START, ("a5", "a4")))
    assert [reason.code for reason in verdict.reasons] == ["NOT_YOUR_PAWN", "OUT_OF_TURN"]


def test_pieces_that_do_not_belong() -> None:
    start = G.parse_position(START)
    on = dict(G.picture(start).on)
    extra = G.judge(start, Placement({**on, "c3": ("dark-PIAS",)}))
    assert (extra.answer, extra.reasons[0].code, extra.reasons[0].sites) == ("illegal", "EXTRA_PIECE", ("c3",))
    wrong = G.judge(start, Placement({**on, "d1": ("dark-PINET",)}))
    assert (wrong.answer, wrong.reasons[0].code, wrong.reasons[0].sites) == ("illegal", "WRONG_PIECE", ("d1",))
    strange = G.judge(start, Placement({**on, "c3": ("red-DRAGON",)}))
    assert (strange.answer, strange.reasons[0].code) == ("illegal", "EXTRA_PIECE")
    assert len(extra.way_back) == 1
    with pytest.raises(RulesError, match="z9"):
        G.judge(start, Placement({"z9": ("dark-PIAS",)}))


def test_done_makes_what_is_owed_the_reason_and_only_for_who_owes_it() -> None:
    position = G.parse_position(MID)
    for shifts, code in (
        ([("d2", "d3"), ("d3", None)], "NO_REPLACEMENT"),
        ([("d2", "d3")], "NO_REPLACEMENT"),
        ([("d2", "c2")], "SIDEWAYS_ALONE"),
        ([("d2", "d1")], "BACKWARD_ALONE"),
        ([("b1", "b2")], "WRONG_STEP"),
        ([("d3", "b5")], "NOT_CAPTURED"),
    ):
        seen = moved(MID, *shifts)
        assert G.judge(position, seen).answer == "partial"
        assert G.judge(position, seen, "North").answer == "partial"
        said = G.judge(position, seen, "South")
        assert said.answer == "illegal"
        assert said.reasons[0].code == code
        assert said.way_back
    assert G.judge(position, moved(MID, ("a1", None)), "South").answer == "partial"  # only a piece in a hand


def test_what_is_owed() -> None:
    position = G.parse_position(MID)
    (owed,) = G.judge(position, moved(MID, ("d2", "d3"), ("d3", None))).owed
    assert (owed.player, owed.act, owed.piece, owed.at, owed.to) == (
        "South", "return", "light-PIOKER", None, frozenset({"b5"}),
    )  # fmt: skip
    (owed,) = G.judge(position, moved(MID, ("d2", "d3"))).owed
    assert owed.at == "d3"
    halves = G.judge(position, moved(MID, ("d2", "c2"))).owed
    assert {(o.act, o.at, tuple(o.to)) for o in halves} == {("second_half", "c1", ("d1",))}


def test_a_step_that_may_become_a_swap_is_extendable_until_done() -> None:
    position = G.parse_position(MID)
    seen = moved(MID, ("a1", "a2"))
    assert G.judge(position, seen).extendable
    assert not G.judge(position, seen, "South").extendable
    assert not G.judge(G.parse_position(START), moved(START, ("a1", "a2"))).extendable


def test_two_like_pawns_give_one_answer_the_vertical_one() -> None:
    text = "rbkbr/5/3R1/2R2/1BKB1 S"
    position = G.parse_position(text)
    verdict = G.judge(position, moved(text, ("c2", "c3"), ("d3", "d2")))
    assert [G.turn_text(position, turn) for turn in verdict.turns] == ["c2-c3&d3-d2"]
    spoken = G.judge_turn(position, "c2-d2&d3-c3")
    assert G.turn_text(position, spoken.turn) == "c2-c3&d3-d2"


def test_an_unknown_mover_is_judged_for_both_sides() -> None:
    position = G.parse_position(START.replace(" S", " ?"))
    for shift, text in ((("c1", "c2"), "c1-c2"), (("a5", "a4"), "a5-a4")):
        verdict = G.judge(position, moved(START, shift))
        assert [G.turn_text(position, turn) for turn in verdict.turns] == [text]
    assert G.position_text(G.after(position, verdict.turns[0])).endswith(" S")
    assert G.judge(position, moved(START, ("a5", "b4"))).reasons[0].code == "WRONG_STEP"
    assert G.midgame(G.picture(position)) == position
    assert G.midgame(moved(START, ("a5", None))) is None
    assert G.to_move(G.with_mover(position, "North")) == "North"


def test_setup_names_the_fewest_shifts() -> None:
    right = G.setup(G.picture(G.start()))
    assert right.position == G.start()
    assert (right.right, right.total) == (10, 10)
    wrong = G.setup(moved(START, ("a1", "a3"), ("d5", None)))
    assert wrong.position is None
    assert {(s.piece, s.origin, s.to) for s in wrong.wrong} == {
        ("dark-PINET", "a3", "a1"), ("light-PIOKER", None, "d5"),
    }  # fmt: skip
    assert G.setup(Placement(G.picture(G.start()).on, hidden=frozenset({"c3"}))).position is not None
    assert G.setup(Placement(moved(START, ("a1", None)).on, hidden=frozenset({"a1"}))).position is None


def test_hidden_sites_make_unclear_only_what_they_can_change() -> None:
    position = G.start()
    seen = moved(START, ("c1", "c2"))

    def answer(on: dict[str, tuple[str, ...]], *hidden: str) -> str:
        visible = {site: kinds for site, kinds in on.items() if site not in hidden}
        return G.judge(position, Placement(visible, hidden=frozenset(hidden))).answer

    assert answer(dict(seen.on), "a5", "b5") == "complete"
    assert answer(dict(seen.on), "a4") == "complete"
    assert answer(dict(seen.on), "c2") == "unclear"
    assert answer(dict(G.picture(position).on), "a1", "a2") == "unclear"
    assert answer(dict(G.picture(position).on), "c5") == "unchanged"
    assert answer(dict(moved(START, ("c1", "c3")).on), "a1") == "illegal"


def test_perft() -> None:
    assert [perft(G, G.start(), depth) for depth in (0, 1, 2, 3, 4)] == [1, 9, 81, 855, 9025]
    other = G.with_options({"swop_exchange": "true"})
    assert [perft(other, other.start(), depth) for depth in (1, 2, 3)] == [13, 169, 2223]
    assert sum(count for _, count in divide(G, G.start(), 3)) == 855
    assert len(list(G.legal_turns(G.parse_position(MID)))) == 14


def test_options() -> None:
    loose = G.with_options({"swop_wins": "false"})
    verdict = loose.judge_turn(loose.parse_position(SWAP), "a4-a5&b2-b1")
    text = loose.position_text(verdict.position)
    assert text == "Bbkbr/5/r4/5/RK1BR N live"
    assert loose.outcome(verdict.position) is None
    assert loose.parse_position(text) == verdict.position
    trading = G.with_options({"swop_exchange": "true"})
    legal = trading.judge_turn(trading.start(), "d1-c1&c1-d1")
    assert legal.legal
    assert trading.turn_text(trading.start(), legal.turn) == "d1-c1&c1-d1"
    like = "rbkbr/5/5/5/RRKBB S"
    pair = trading.parse_position(like)
    still = trading.picture(pair)
    assert trading.judge(pair, still).answer == "unchanged"
    assert trading.judge(pair, still, "South").answer == "complete"
    assert trading.judge(pair, still, "North").answer == "unchanged"
    assert trading.judge(pair, moved(like, ("a1", "b1"))).answer == "partial"
    with pytest.raises(OptionError, match="swop_exchange"):
        G.with_options({"swop_exchange": "perhaps"})
    with pytest.raises(OptionError, match="nothing"):
        G.with_options({"nothing": "1"})


def test_a_position_that_stands_for_the_third_time_is_a_draw_with_that_option() -> None:
    drawn = G.with_options({"repetition_draw": "3"})
    text = "r1kbr/b4/5/4B/RBK1R S"
    position = drawn.parse_position(text)
    forth, back = ("e2-d2&c1-d1", "a4-b4&c5-b5"), ("d2-e2&d1-c1", "b4-a4&b5-c5")
    for turns in (forth, back, forth, back):
        assert drawn.outcome(position) is None
        for turn in turns:
            verdict = drawn.judge_turn(position, turn)
            assert verdict.legal, (turn, verdict.reasons)
            position = verdict.position
    outcome = drawn.outcome(position)
    assert outcome is not None
    assert (outcome.winner, outcome.result) == (None, "draw")
    assert list(drawn.legal_turns(position)) == []
