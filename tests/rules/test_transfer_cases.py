"""The cases of Transfer's law by text; set-ups, games in progress, options, texts."""

import pytest

from controller.rules.api import OptionError, Placement, RulesError, Shift, TextError
from controller.rules.transfer import TRANSFER as G
from controller.rules.transfer import Transfer, TransferPosition, TransferTurn
from controller.rules.transfer.board import KIND_OF, START, Stroke

P0 = "osgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"
P1 = "osgyb/vposg/ybvpo/sgybv/posgy/bvpos/gybvp/-/-"
P2 = "oosgy/bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/s"
P3 = "oooos/gybvo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yp"
P4 = "oooo/sgybo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp"
P5 = "oooo/gybvs/ssss/gggo/yyyb/bbb/vvvp/pppv/ypg"
P6 = "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb"
DEAD = "sgooo/ybvp/sgyb/vpsg/ybvp/sgyb/vpso/ybv/pog"
DEAD_OWN = "oobgg/obssv/vyy/sbb/yvv/vssb/yppo/oppy/pggg"
AFTER_18 = "ooooo/sgyb/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp"
LANES = "ABCDEFGHI"
LAST = "oooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/o/-"

LEGAL = [  # case, position, turn, canonical text where it differs, position after
    ("F-01", f"{P0} S", "LA1 UI1", "", "sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/obvp N 0-0"),
    ("F-02", f"{P0} N", "LA1 UI1", "", "osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvpy S 0-0"),
    ("F-05", f"{P0} S", "LA3 UI2 UB1", "", "y/obvpo/sgyb/vpos/gybv/posg/ybvp/osgy/sgbvp N 0-0"),
    ("F-06", f"{P0} S", "LA1 LB1 UC1 UD1", "", "sgy/vpo/bsgyb/ovpos/gybv/posg/ybvp/osgy/bvp N 0-0"),
    ("F-07", f"{P0} S", "LA1 LH1 UI2", "", "sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/sgy/oobvp N 0-0"),
    ("F-09", f"{P0} S", "LA1 UA1", "", f"{P0} N 0-0"),
    ("F-12", f"{P1} S", "LA1 UB1 OA1", "LA1 UB1^1 OA1", "sgybg/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/-/- N 0-0"),
    ("F-12 H", f"{P1} S", "LA1 UB1 OH1", "LA1 UB1^1 OH1", "sgyb/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/g/- N 0-0"),
    ("F-13", f"{P2} S", "LA2 UI2", "", "sgy/bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/oos N 0-0"),
    ("F-15", f"{P2} S", "LC2 UB2 OI2", "LC2 UB2^2 OI2", "oosgy/gybvs/bvp/sgyb/vpos/gybv/pybp/gvp/soo N 0-0"),
    ("F-17", f"{P3} N", "LB1 LA1 UI1 UA1", "LB1 LA1 UI1 UA1*", "ooooo/gybv/ssssg/ggg/yyyb/bbb/vvvp/pppv/yps S 0-1"),
    ("F-18", f"{P4} N", "LB1 UA1", "LB1 UA1*", f"{AFTER_18} S 0-1"),
    ("F-20", f"{P5} S 2-1", "LI1 UB1 OC1", "LI1 UB1^1 OC1*", "oooo/ygybv/sssss/gggo/yyyb/bbb/vvvp/pppv/pg N 3-1"),
    ("F-21", f"{P6} N", "--", "", f"{P6} S 0-0"),
    ("F-23", f"{P6} S", "LD1 LH1 UA1 UF1", "", "y/ooooo/vvvvv/yyyy/ppppp/g/sssss/gggg/bbbbb N 0-0"),
    ("F-25", f"{LAST} S 3-3", "LH1 UA1", "LH1 UA1*", f"ooooo/{LAST[5:-4]}/-/- N 4-3"),
    ("score unknown", f"{LAST} N ?-?", "LH1 UA1", "LH1 UA1*", f"ooooo/{LAST[5:-4]}/-/- S ?-?"),
]
ILLEGAL = [  # case, position, turn, codes
    ("F-03", f"{P0} S", "LA1 S[y] UI1", ["FAR_END"]),
    ("F-04", f"{P0} S", "LA3 LB1", ["OVER_CAPACITY"]),
    ("F-04 four", f"{P0} S", "LA4 UI1", ["OVER_CAPACITY"]),
    ("F-06", f"{P0} S", "LA1 LB1 S[ob] UC1 UD1", ["LIFO_ORDER"]),
    ("F-06 slot", f"{P0} S", "LA1 LB1 UC1@2 UD1", ["LIFO_ORDER"]),
    ("F-07", f"{P0} S", "LA1 LH1 UI1", ["GROUP_SPLIT_PLATFORM"]),
    ("F-08", f"{P0} S", "LA1", ["OWN_PLATFORM_NOT_EMPTY"]),
    ("F-10", f"{P1} S", "LA1 UB1", ["OPP_PLATFORM_NOT_EMPTY"]),
    ("F-11", f"{P1} S", "LA1 UB1 OC1", ["NO_ROOM"]),
    ("F-13", f"{P2} S", "LA1 UI1", ["GROUP_SPLIT_LOAD"]),
    ("F-14", f"{P2} S", "LC1 UB1", ["GROUP_SPLIT_PUSH"]),
    ("F-15 one", f"{P2} S", "LC2 UB2 OI1", ["GROUP_SPLIT_PLATFORM"]),
    ("F-15 singly", f"{P2} S", "LC2 UB1 UB1", ["GROUP_SPLIT_PUSH"]),
    ("F-16 one", f"{P3} S", "LA1 UI1", ["GROUP_SPLIT_LOAD"]),
    ("F-16 three", f"{P3} S", "LA3 UI1", ["GROUP_SPLIT_LOAD"]),
    ("F-16 four", f"{P3} S", "LA4 UI1", ["OVER_CAPACITY"]),
    ("F-19 load", f"{AFTER_18} S", "LA3", ["GROUP_SPLIT_LOAD"]),
    ("F-19 push", f"{AFTER_18} S", "LB1 UA1", ["GROUP_SPLIT_PUSH"]),
    ("F-21", f"{P6} N", "LD1 UA1", ["GROUP_SPLIT_LOAD"]),
    ("F-22", f"{P6} S", "LD1 UH1", ["GROUP_SPLIT_PUSH"]),
    ("F-26", f"{DEAD} S", "LB1 LC1 LD1 UA3", ["DEAD_END", "OPP_PLATFORM_NOT_EMPTY"]),
    ("F-26 split", f"{DEAD} S", "LB1 LC1 LD1 UA3 OB1", ["GROUP_SPLIT_PLATFORM"]),
    ("dead end on the own platform", f"{DEAD_OWN} S", "LA2 LB1", ["DEAD_END", "OWN_PLATFORM_NOT_EMPTY"]),
    ("a pass with a turn", f"{P0} S", "--", ["NOT_A_TURN"]),
    ("load late", f"{P0} S", "LA1 UI1 LB1 UI1", ["LOAD_AFTER_UNLOAD"]),
    ("clear early", f"{P1} S", "LA2 UB1 OH1", ["OWN_PLATFORM_NOT_EMPTY"]),
    ("push too far", f"{P0} S", "LA1 UI1^1", ["OVERPUSH"]),
    ("push too little", f"{P1} S", "LA1 UB1^0 OA1", ["NO_ROOM"]),
    ("more than there is", f"{P0} S", "LI4 UA1", ["NOT_A_TURN"]),
    ("not so many", f"{P6} S", "LA1 UA1", ["NOT_A_TURN"]),
    ("nothing loaded", f"{P0} S", "UA1", ["NOT_A_TURN"]),
    ("not so many loaded", f"{P0} S", "LA1 UB2", ["NOT_A_TURN"]),
    ("nothing to clear", f"{P0} S", "LA1 UI1 OB1", ["NOT_A_TURN"]),
    ("the other's platform", f"{P0} S", "LA1 N[o] UI1", ["WRONG_PLATFORM"]),
    ("four on a platform", f"{P0} S", "LA3 S[gsob] UI3", ["OVER_CAPACITY"]),
    ("something else there", f"{P1} S", "LA1 UB1 N[v] OH1", ["NOT_A_TURN"]),
    ("out of turn", f"{P0} S", "N: LA1 UI1", ["OUT_OF_TURN"]),
    ("after the end", f"ooooo/{LAST[5:-4]}/-/- N", "LA1 UI1", ["OUT_OF_TURN"]),
]


@pytest.mark.parametrize(("case", "position", "said", "text", "after"), LEGAL, ids=lambda v: str(v)[:12])
def test_legal_cases(case: str, position: str, said: str, text: str, after: str) -> None:
    before = G.parse_position(position)
    verdict = G.judge_turn(before, said)
    assert verdict.legal
    assert verdict.complete
    assert G.turn_text(before, verdict.turn) == (text or said)
    assert G.position_text(verdict.position) == after
    assert G.parse_turn(before, text or said) == verdict.turn


@pytest.mark.parametrize(("case", "position", "said", "codes"), ILLEGAL, ids=lambda v: str(v)[:12])
def test_illegal_cases(case: str, position: str, said: str, codes: list[str]) -> None:
    before = G.parse_position(position)
    verdict = G.judge_turn(before, said)
    assert [reason.code for reason in verdict.reasons] == codes
    assert not verdict.legal
    assert (verdict.turn, verdict.position) == (None, None)
    with pytest.raises(RulesError, match=codes[0]):
        G.parse_turn(before, said)


@pytest.mark.parametrize(
    ("position", "said", "sites", "rule"),
    [
        (f"{P2} S", "LA1", ("A1", "A2"), "transfer 2.1"),
        (f"{P2} N", "LB1", ("B5", "B4"), "transfer 2.1"),
        (f"{P2} S", "LC1 UB1", ("B4", "B5"), "transfer 2.2"),
        (f"{P0} S", "LA1 LH1 UI1", ("south.1", "south.2"), "transfer 2.2"),
        (f"{P2} S", "LC2 UB2 OI1", ("north.1", "north.2"), "transfer 2.3"),
        (f"{P1} S", "LA1 UB1", ("north.1",), "transfer 2.3"),
        (f"{P1} N", "LA1", ("north.1",), "transfer 2.2"),
        (f"{P1} S", "LA1 UB1 OC1", ("C1", "C2", "C3", "C4", "C5"), "transfer 2.3"),
        (f"{DEAD} S", "LB1 LC1 LD1 UA3", ("north.1", "north.2", "north.3"), "transfer 2"),
    ],
)
def test_reasons_name_what_is_concerned(position: str, said: str, sites: tuple[str, ...], rule: str) -> None:
    reason = G.judge_turn(G.parse_position(position), said).reasons[0]
    assert (reason.sites, reason.rule) == (sites, rule)


def test_the_game_ends_when_all_seven_rows_are_complete() -> None:
    before = G.parse_position(f"{LAST} S 3-3")
    assert G.outcome(before) is None
    after = G.after(before, G.parse_turn(before, "LH1 UA1"))
    outcome = G.outcome(after)
    assert outcome is not None
    assert (outcome.winner, outcome.result, outcome.why, outcome.score) == ("South", "South wins", "all_rows", (4, 3))
    assert list(G.legal_turns(after)) == []
    assert G.forced_pass(after) is None
    unknown = G.outcome(after._replace(score=None))
    assert unknown is not None
    assert (unknown.winner, unknown.result, unknown.score) == (None, "score unknown", None)
    level = G.outcome(after._replace(score=(1, 1)))  # a game taken up late with a score of its own
    assert level is not None
    assert (level.winner, level.result) == (None, "draw")


def test_a_side_without_a_legal_turn_passes_in_one_node() -> None:
    before = G.parse_position(f"{P6} N")
    assert list(G.legal_turns(before)) == [TransferTurn("North", ())]
    assert G.forced_pass(before) == TransferTurn("North", ())
    assert G.forced_pass(G.parse_position(f"{P6} S")) is None
    assert G.forced_pass(G.parse_position(f"{P6} ?")) is None


def test_stages_sites_and_shifts_of_a_turn() -> None:
    before = G.parse_position(f"{P1} S")
    turn = G.parse_turn(before, "LA1 UB1 OH1")
    loaded, pushed = G.stages(before, turn)
    assert loaded.on["south.1"] == ("orange",)
    assert loaded.on["A1"] == ("sky",)
    assert "A5" not in loaded.on
    assert pushed.on["north.1"] == ("green",)
    assert pushed.on["B1"] == ("orange",)
    assert G.turn_shifts(before, turn) == (Shift("orange", "A1", "B1"), Shift("green", "B5", "H1"))
    assert G.turn_sites(before, turn) == {site for site in G.sites if site[0] in "ABHsn"}
    null = G.parse_turn(before, "LA1 UA1")
    assert G.turn_shifts(before, null) == (Shift("orange", "A1", "A1"),)
    north = G.parse_position(f"{P2} N")
    turn = G.parse_turn(north, "LB2 UI2")  # oo lies at North's end of row B
    assert G.turn_shifts(north, turn) == (Shift("orange", "B5", "I3"), Shift("orange", "B4", "I2"))


def test_the_null_turn_is_the_first_group_that_can_be_loaded() -> None:
    for text, null in ((f"{P0} S", "LA1 UA1"), (f"{P2} S", "LA2 UA2"), (f"{P3} S", "LB1 UB1"), (f"{P6} S", "LD1 UD1")):
        before = G.parse_position(text)
        same = next(turn for turn in G.legal_turns(before) if G.after(before, turn).rows == before.rows)
        assert G.turn_text(before, same) == null


def test_turns_of_either_side_where_nobody_is_known_to_move() -> None:
    text = "ooooo/sssss/gggg/yyyy/bbbbb/vvvvv/ppppp/gy/-"
    either = G.parse_position(f"{text} ? ?-?")
    texts = [G.turn_text(either, turn) for turn in G.legal_turns(either)]
    assert len(texts) == 28
    assert {told[:2] for told in texts} == {"S:", "N:"}
    for told, turn in zip(texts, G.legal_turns(either), strict=True):
        assert G.parse_turn(either, told) == turn
    assert G.judge_turn(either, "LH1 UD1").position == G.parse_position(
        f"{text.replace('gy/-', 'y/-')} N ?-?"
    )._replace(rows=("ooooo", "sssss", "gggg", "gyyyy", "bbbbb", "vvvvv", "ppppp", "y", ""))


# Set-ups and games in progress


def seen(rows: str, **platforms: str) -> Placement:
    """A picture of rows with gaps as dots."""
    on = {}
    for name, row in zip(LANES, rows.split("/"), strict=True):
        on |= {f"{name}{n}": (KIND_OF[letter],) for n, letter in enumerate(row, 1) if letter in KIND_OF}
    for name, line in platforms.items():
        on |= {f"{name}.{n}": (KIND_OF[letter],) for n, letter in enumerate(line, 1)}
    return Placement(on)


@pytest.mark.parametrize(
    "rows", [P0, P1, "osgyb/vposg/ybvpo/sgybv/posgy/bvpos/-/gybvp/-", "o.sgy" + P0[4:], "..sgy" + P0[4:-3] + "obvp"]
)
def test_any_set_up_without_equal_neighbours_is_one(rows: str) -> None:
    found = G.setup(seen(rows))
    assert found.position == G.parse_position(rows.replace(".", "") + " ?")
    assert (found.wrong, found.reasons, found.right, found.total) == ((), (), 35, 35)


def test_equal_neighbours_are_no_set_up_with_or_without_a_gap() -> None:
    rows = "oogy/bvps/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"  # s and o of P0 exchanged
    found = G.setup(seen(rows))
    assert found.position is None
    assert [(r.code, r.sites) for r in found.reasons] == [("SETUP_ADJACENT", ("A1", "A2"))]
    assert "form" not in found.reasons[0].facts
    assert len(found.wrong) == 1
    assert found.wrong[0].origin == "A2"
    assert G.setup(G.picture(found.nearest)).position == found.nearest
    apart = G.setup(seen("o.ogy" + rows[4:])).reasons
    assert [(r.code, r.facts["form"]) for r in apart] == [("SETUP_ADJACENT", "gap")]
    cells = G.with_options({"adjacency": "cells"})
    assert cells.setup(seen("o.ogy" + rows[4:])).position == cells.parse_position("o.ogy" + rows[4:] + " ?")
    assert cells.setup(seen(rows)).position is None


@pytest.mark.parametrize(
    ("picture", "codes"),
    [
        (seen(P0[1:]), ["PIECE_COUNT"]),  # an orange one is missing
        (seen("v" + P0[1:]), ["PIECE_COUNT", "PIECE_COUNT"]),
        (seen("-/-/-/-/-/-/-/-/-"), ["PIECE_COUNT"] * 7),
        (seen("ooo" + P0[4:]), ["SETUP_ADJACENT"] * 2 + ["PIECE_COUNT"] * 4),
        (seen(P0[1:], south="o"), []),  # it lies on a platform
        (Placement({**seen(P0).on, "A1": ("orange", "red-THAUM")}), []),
    ],
)
def test_what_is_no_set_up_yet_has_a_nearest_one(picture: Placement, codes: list[str]) -> None:
    found = G.setup(picture)
    assert found.position is None
    assert [reason.code for reason in found.reasons] == codes
    nearest = G.setup(G.picture(found.nearest))
    assert nearest.position == found.nearest
    held: dict[str, list[str]] = {G.lane(site): [] for site in G.sites}
    for site, kinds in picture.on.items():
        held[G.lane(site)] += kinds
    for shift in found.wrong:
        if shift.origin:
            held[G.lane(shift.origin)].remove(shift.piece)
        if shift.to:
            held[G.lane(shift.to)].append(shift.piece)
    wanted = {
        lane: sorted(KIND_OF[letter] for letter in row) for lane, row in zip(LANES, found.nearest.rows, strict=True)
    }
    assert {lane: sorted(kinds) for lane, kinds in held.items()} == {**wanted, "south": [], "north": []}


def test_hidden_cells_keep_a_set_up_open() -> None:
    picture = seen(P0)
    hidden = Placement({s: k for s, k in picture.on.items() if s != "A1"}, hidden=frozenset({"A1"}))
    found = G.setup(hidden)
    assert (found.position, found.reasons, found.wrong) == (None, (), ())
    assert G.setup(Placement(picture.on, hidden=frozenset({"A5", "south.1"}))).position is not None


def test_games_in_progress() -> None:
    found = G.midgame(seen("o.osg/y.vs../" + P0[10:]))
    assert found is None  # too few
    found = G.midgame(seen(P3))
    assert found == TransferPosition(tuple(P3.split("/")), None, None)
    assert G.position_text(found) == f"{P3} ? ?-?"
    assert G.to_move(found) is None
    assert G.midgame(seen(P6)) is not None
    assert G.midgame(seen("ooooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/-")) is None
    assert G.midgame(seen(P3[1:], south="o")) is None
    assert G.midgame(Placement(seen(P3).on, hidden=frozenset({"I4"}))) is not None  # all 35 are in sight elsewhere
    less = {site: kinds for site, kinds in seen(P3).on.items() if site != "I2"}
    assert G.midgame(Placement(less, hidden=frozenset({"I2"}))) is None


def test_normal_packs_each_lane_and_moves_nothing_past_a_hidden_cell() -> None:
    loose = Placement({"A2": ("orange",), "A5": ("sky",), "south.3": ("green",), "B1": ("blue", "purple")}, ("yellow",))
    packed = G.normal(loose)
    assert packed.on == {
        "A1": ("orange",), "A2": ("sky",), "south.1": ("green",), "B1": ("blue",), "B2": ("purple",),
    }  # fmt: skip
    assert packed.off == ("yellow",)
    dark = G.normal(Placement({"A2": ("orange",), "A5": ("sky",), "C3": ("blue",)}, hidden=frozenset({"A3"})))
    assert dark.on == {"A2": ("orange",), "A5": ("sky",), "C1": ("blue",)}
    assert dark.hidden == {"A3"}
    whole = seen("osgy./b.vpo/" + P0[10:])
    assert G.normal(Placement(whole.on, hidden=frozenset({"A5", "north.1"}))) == Placement(seen(P0).on)
    six = Placement({f"A{n}": ("sky",) for n in range(1, 5)} | {"A5": ("orange", "green")})
    assert G.normal(six).on["A5"] == ("orange", "green")
    assert G.lane("A3") == "A"
    assert G.lane("north.2") == "north"
    assert len(G.sites) == 51
    cells = G.with_options({"adjacency": "cells"})
    assert cells.normal(loose).on["A5"] == ("sky",)
    assert cells.normal(loose).on["south.1"] == ("green",)


# Options: each test fails without its option


def legal(position: str, said: str, **options: str) -> bool:
    game = G.with_options(options)
    return game.judge_turn(game.parse_position(position), said).legal


def results(position: str, **options: str) -> set[tuple[str, ...]]:
    game = G.with_options(options)
    before = game.parse_position(position)
    return {game.after(before, turn).rows for turn in game.legal_turns(before)}


def test_option_starter() -> None:
    assert G.start() == TransferPosition(START, "South")
    assert G.with_options({"starter": "A"}).start() == TransferPosition(START, "North")


def test_option_adjacency() -> None:
    gap = "o.ogy/bvps/sgyb/vpos/gybv/posg/ybvp/osgy/bvp S"
    assert legal(gap, "LA1 UB1", adjacency="cells")
    assert not legal(gap.replace(".", ""), "LA1 UB1")
    cells = G.with_options({"adjacency": "cells"})
    before = cells.parse_position(gap)
    after = cells.after(before, cells.parse_turn(before, "LA1 UB1"))
    assert cells.position_text(after) == "..ogy/obvps/sgyb/vpos/gybv/posg/ybvp/osgy/bvp N 0-0"
    back = cells.after(after, cells.parse_turn(after, "LA1 UA1"))
    assert back.rows == after.rows
    closed = cells.after(back, cells.parse_turn(back, "LB1 UA1"))  # pieces move only when they are pushed
    assert closed.rows[0] == "o.ogy"
    north = cells.with_mover(before, "North")
    assert cells.after(north, cells.parse_turn(north, "LI1 UH1")).rows[7:] == ("osgyp", "bv")
    with pytest.raises(TextError):
        G.parse_position(gap)
    some = cells.parse_position("ooooo/sssss/.gggg/yyyy/bbbbb/vvvvv/ppppp/g.y/- S")
    turns = list(cells.legal_turns(some))
    assert len({cells.after(some, turn) for turn in turns}) == len(turns) > 14
    full = cells.parse_position("ooooo/sssss/.gggg/yyyy/bbbbb/vvvvv/ppppp/gy/- S")
    assert cells.score(cells.after(full, cells.parse_turn(full, "LH1 UC1"))) == (1, 0)


def test_where_gaps_count_a_row_that_has_slid_is_named_and_slides_back() -> None:
    cells = G.with_options({"adjacency": "cells"})
    for side in "SN?":
        before = cells.parse_position(f"osgy/.bvpo{P0[9:]} {side}")
        found = cells.judge(before, seen("o.sgy/bvpo" + P0[9:]))
        assert (found.answer, [r.code for r in found.reasons]) == ("illegal", ["NOT_A_TURN"])
        assert found.reasons[0].sites == ("A2", "A5", "B1", "B5")
        back = " ".join(f"{shift.origin}-{shift.to}" for shift in found.way_back)
        assert back == "A3-A2 A4-A3 A5-A4 B4-B5 B3-B4 B2-B3 B1-B2"


def test_option_platform() -> None:
    assert legal(f"{P0} S", "LA1 LB1 UC1@2 UD1", platform="free")
    before = G.parse_position(f"{P0} S")
    free = G.with_options({"platform": "free"})
    after = free.after(before, free.parse_turn(before, "LA1 LB1 UC1@2 UD1"))
    assert after.rows[2:4] == ("osgyb", "bvpos")
    assert not legal(f"{P0} S", "LA1 LB1 LH1 UC1@4", platform="free")
    late = "ooooo/sssss/ggggg/yyyy/bbbb/vvvv/pppp/yb/vp S"
    assert results(late, platform="free") >= results(late)


def test_option_push_test() -> None:
    said = "LC2 UB2 OI2"
    assert not legal(f"{P2} S", said, push_test="piece")
    assert legal(f"{P2} S", "LC2 UD1 UI1", push_test="piece")
    late = "ooooo/sssss/ggggg/yyyy/bbbb/vvvv/pppp/yb/vp S"
    assert results(late, push_test="piece") <= results(late)


def test_option_overpush() -> None:
    assert legal(f"{P0} S", "LA1 UI1^1 OB1", overpush="true")
    game = G.with_options({"overpush": "true"})
    before = game.parse_position(f"{P0} S")
    turn = game.parse_turn(before, "LA1 UI1^1 OB1")
    assert game.turn_text(before, turn) == "LA1 UI1^1 OB1"
    after = game.after(before, turn)
    assert (after.rows[1], after.rows[8]) == ("bvpop", "obv")
    assert [r.code for r in game.judge_turn(before, "LA3 UI2^2 UB1^2").reasons] == ["OVER_CAPACITY"]
    late = "ooooo/sssss/gggg/yyyy/bbbbb/vvvvv/ppppp/gy/- S"
    assert results(late, overpush="true") > results(late)


def test_option_null_turn() -> None:
    assert not legal(f"{P0} S", "LA1 UA1", null_turn="forbid")
    late = "ooooo/sssss/gggg/yyyy/bbbbb/vvvvv/ppppp/gy/- S"
    before = G.parse_position(late).rows
    assert results(late) - results(late, null_turn="forbid") == {before}
    free = {"platform": "free"}
    assert results(late, **free) - results(late, null_turn="forbid", **free) == {before}


def test_option_no_turn() -> None:
    stuck = G.parse_position(f"{P6} N 2-1")
    assert G.outcome(stuck) is None
    lost = G.with_options({"no_turn": "lose"}).outcome(stuck)
    assert lost is not None
    assert (lost.winner, lost.why) == ("South", "no_turn")
    counted = G.with_options({"no_turn": "end"})
    outcome = counted.outcome(stuck._replace(score=(1, 3)))
    assert outcome is not None
    assert (outcome.winner, outcome.why, outcome.score) == ("North", "no_turn", (1, 3))
    assert list(counted.legal_turns(stuck)) == []
    assert counted.forced_pass(stuck) is None


def test_option_early_end() -> None:
    ahead = G.parse_position(f"{P4} N 4-0")
    assert G.outcome(ahead) is None
    early = G.with_options({"early_end": "true"})
    outcome = early.outcome(ahead)
    assert outcome is not None
    assert (outcome.winner, outcome.why) == ("South", "decided")
    assert early.outcome(ahead._replace(score=(3, 3))) is None


def test_unknown_options_and_values() -> None:
    with pytest.raises(OptionError, match="no option"):
        Transfer({"gravity": "true"})
    with pytest.raises(OptionError, match="takes"):
        Transfer({"overpush": "maybe"})
    assert G.with_options({"overpush": "true"}).with_options({"null_turn": "forbid"}).chosen["overpush"] == "true"


# Texts


@pytest.mark.parametrize(
    "said",
    [
        "LC2UB2OI2",
        "lc2, ub2; oi2",
        " L C 2 U B 2^2 O I 2 ",
        "LC2 S[yg] UB2^2 N[oo] OI2",
        "LC2 UB2* OI2",
        "S: LC2 UB2 OI2",
    ],
)
def test_every_spelling_of_a_turn_is_read(said: str) -> None:
    before = G.parse_position(f"{P2} S")
    strokes = (Stroke("L", 2, 2), Stroke("U", 1, 2), Stroke("O", 8, 2))
    assert G.parse_turn(before, said) == TransferTurn("South", strokes)


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("", 1), ("x", 1), ("LA", 1), ("LA1 UJ1", 5), ("LA0", 3), ("LA1 UI1 --", 9), ("LA1^1", 4), ("LA1@2", 4),
        ("LA1 S[x]", 7), ("S[o]", 5), ("LA1 U", 5), ("LA1 UI1@0", 9), ("LA1 Q[o]", 5),
    ],
)  # fmt: skip
def test_unreadable_turns_name_the_column(said: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        G.judge_turn(G.start(), said)
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("", 1), ("osgy S", 5), (f"{P0}/o S", 45), (f"{P0} S 0-0 x", 51), (f"{P0}", 44), (f"{P0} W", 45),
        (f"{P0} S 4-4", 47), (f"{P0} S 0:0", 47), ("ox" + P0[2:] + " S", 2), ("o.gy" + P0[4:] + " S", 2),
        ("osgyos/" + P0[5:] + " S", 6), ("osgy//" + P0[5:] + " S", 6), ("os-y" + P0[4:] + " S", 3),
    ],
)  # fmt: skip
def test_unreadable_positions_name_the_column(said: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        G.parse_position(said)
    assert caught.value.column == column


def test_position_texts() -> None:
    assert G.position_text(G.start()) == f"{P0} S 0-0"
    assert G.parse_position(f"  {P6}   ?  ?-? ") == TransferPosition(
        ("", "ooooo", "vvvvv", "gyyyy", "ppppp", "", "sssss", "ygggg", "bbbbb"), None, None
    )
    assert G.position_text(G.parse_position(f"{P6} N 3-2")) == f"{P6} N 3-2"
