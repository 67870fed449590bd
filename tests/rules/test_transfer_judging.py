"""What `judge` says of Transfer's boards: the cases of its law as pictures, "done", hidden sites, options."""

import random
from collections import Counter

import pytest
from transfer_play import moved_about, played, random_rows, rows_of, seen, walk

from controller.rules.api import Placement, Player, Verdict
from controller.rules.transfer import TRANSFER as G
from controller.rules.transfer import TransferPosition
from controller.rules.transfer.board import KIND_OF, NORTH, OTHER, PLAYERS, SOUTH, facing
from controller.rules.transfer.matching import Board
from controller.rules.transfer.picture import SITES, stage_picture
from controller.rules.transfer.strokes import ended, view

P0 = "osgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"
P1 = "osgyb/vposg/ybvpo/sgybv/posgy/bvpos/gybvp/-/-"
P2 = "oosgy/bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/s"
P3 = "oooos/gybvo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yp"
P5 = "oooo/gybvs/ssss/gggo/yyyb/bbb/vvvp/pppv/ypg"
P6 = "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb"
DEAD = "sgooo/ybvp/sgyb/vpsg/ybvp/sgyb/vpso/ybv/pog"
DEAD_OWN = "oobgg/obssv/vyy/sbb/yvv/vssb/yppo/oppy/pggg"
AFTER_18 = "ooooo/sgyb/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp"
OVER = "ooooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/-"


def after(rows: str, **changed: str) -> str:
    """The rows with some of them changed."""
    lanes = rows.split("/")
    for row, line in changed.items():
        lanes["ABCDEFGHI".index(row)] = line
    return "/".join(lanes)


def judged(
    rows: str, mover: Player | None, now: str, own: str = "", other: str = "", done: Player | None = None
) -> Verdict:
    """The verdict on a picture; platforms as the mover has them (South where that isn't known)."""
    return G.judge(TransferPosition(rows_of(rows), mover), seen(rows_of(now), own, other, mover or SOUTH), done)


COMPLETE = [  # case, rows, mover, rows now
    ("F-01", P0, SOUTH, after(P0, A="sgy", I="obvp")),
    ("F-02", P0, NORTH, after(P0, A="osg", I="bvpy")),
    ("F-05", P0, SOUTH, after(P0, A="y", B="obvpo", I="sgbvp")),
    ("F-06", P0, SOUTH, after(P0, A="sgy", B="vpo", C="bsgyb", D="ovpos")),
    ("F-06 the other order", P0, SOUTH, after(P0, A="sgy", B="vpo", C="osgyb", D="bvpos")),
    ("F-07", P0, SOUTH, after(P0, A="sgy", H="sgy", I="oobvp")),
    ("F-07 with a separator", P0, SOUTH, after(P0, A="sgy", D="ovpos", H="sgy", I="obvp")),
    ("F-12", P1, SOUTH, after(P1, A="sgybg", B="ovpos")),
    ("F-13", P2, SOUTH, after(P2, A="sgy", I="oos")),
    ("F-15", P2, SOUTH, after(P2, B="gybvs", C="bvp", I="soo")),
    ("F-17", P3, NORTH, after(P3, A="ooooo", B="gybv", I="yps")),
    ("F-20", P5, SOUTH, after(P5, B="ygybv", C="sssss", I="pg")),
    ("F-23", P6, SOUTH, after(P6, A="y", D="yyyy", F="g", H="gggg")),
]
ILLEGAL = [  # case, rows, mover, rows now, own platform, other platform, the codes
    ("F-03", P0, SOUTH, after(P0, A="osg"), "y", "", ["FAR_END"]),
    ("F-04", P0, SOUTH, after(P0, A="y", B="vpo"), "bgso", "", ["OVER_CAPACITY"]),
    ("F-11", P1, SOUTH, after(P1, A="sgyb", B="ovpos", C="ybvpog"), "", "", ["NO_ROOM"]),
    ("F-13", P2, SOUTH, after(P2, A="osgy"), "o", "", ["GROUP_SPLIT_LOAD"]),
    ("F-14", P2, SOUTH, after(P2, B="gbvso", C="ybvp"), "", "o", ["GROUP_SPLIT_PUSH"]),
    ("F-15 one", P2, SOUTH, after(P2, B="gybvs", C="bvp", I="so"), "", "o", ["GROUP_SPLIT_PLATFORM"]),
    ("F-15 singly", P2, SOUTH, after(P2, B="ybvso", C="bvp"), "g", "o", ["GROUP_SPLIT_PUSH"]),
    ("F-16 one", P3, SOUTH, after(P3, A="ooos"), "o", "", ["GROUP_SPLIT_LOAD"]),
    ("F-16 three", P3, SOUTH, after(P3, A="os"), "ooo", "", ["GROUP_SPLIT_LOAD"]),
    ("F-19 load", AFTER_18, SOUTH, after(AFTER_18, A="oo"), "ooo", "", ["GROUP_SPLIT_LOAD"]),
    ("F-19 push", AFTER_18, SOUTH, after(AFTER_18, A="soooo", B="gyb"), "", "o", ["GROUP_SPLIT_PUSH"]),
    ("F-22", P6, SOUTH, after(P6, D="yyyy", H="gyggg"), "", "g", ["GROUP_SPLIT_PUSH"]),
    ("F-26", DEAD, SOUTH, after(DEAD, A="vsysg", B="bvp", C="gyb", D="psg"), "", "ooo", ["DEAD_END"]),
    ("dead on the own platform", DEAD_OWN, SOUTH, after(DEAD_OWN, A="bgg", B="bssv"), "ooo", "", ["DEAD_END"]),
    ("platform", P0, SOUTH, after(P0, A="sgy"), "", "o", ["WRONG_PLATFORM"]),
    ("pushed onto the own one", P1, SOUTH, after(P1, A="sgyb", B="ovpos"), "g", "", ["WRONG_PLATFORM"]),
    ("turn", P0, SOUTH, after(P0, A="osg"), "", "y", ["OUT_OF_TURN"]),
    ("whole turn", P0, SOUTH, after(P0, A="osg", I="bvpy"), "", "", ["OUT_OF_TURN"]),
    ("order", P0, SOUTH, after(P0, B="bpvo"), "", "", ["ROW_REORDERED"]),
    ("order and a turn", P0, SOUTH, after(P0, A="sgy", E="gbyv", I="obvp"), "", "", ["ROW_REORDERED"]),
    ("far put", P0, SOUTH, after(P0, A="sgy", B="bvpoo"), "", "", ["FAR_END"]),
    ("overpush", P0, SOUTH, after(P0, A="sgy", B="obvp"), "", "o", ["OVERPUSH"]),
    ("loaded again", P1, SOUTH, after(P1, A="sgyb", B="vpos"), "o", "g", ["LOAD_AFTER_UNLOAD"]),
    ("cleared too early", P1, SOUTH, after(P1, A="gyb", B="svpos", H="g"), "o", "", ["LOAD_AFTER_UNLOAD"]),
    (
        "four",
        P0,
        SOUTH,
        after(P0, A="-", I="osgybvp"[0:1] + "bvp", B="sbvpo", C="gsgyb", D="yvpos"),
        "",
        "",
        ["OVER_CAPACITY"],
    ),
    ("inside", P0, SOUTH, after(P0, A="osy", I="bgvp"), "", "", ["FAR_END"]),
    ("other side, middle", P6, SOUTH, after(P6, E="pppp"), "", "p", ["WRONG_PLATFORM"]),
    ("two rows mixed up", P0, SOUTH, after(P0, A="ospy", B="bvgo"), "", "", ["NOT_A_TURN"]),
]


@pytest.mark.parametrize(("rows", "mover", "now"), [case[1:] for case in COMPLETE], ids=[case[0] for case in COMPLETE])
def test_complete(rows: str, mover: Player, now: str) -> None:
    verdict = judged(rows, mover, now)
    assert (verdict.answer, verdict.extendable) == ("complete", False)
    (turn,) = verdict.turns
    assert G.after(TransferPosition(rows_of(rows), mover), turn).rows == rows_of(now)
    assert G.judge_turn(
        TransferPosition(rows_of(rows), mover), G.turn_text(TransferPosition(rows_of(rows), mover), turn)
    ).legal


@pytest.mark.parametrize(
    ("rows", "mover", "now", "own", "other", "codes"), [case[1:] for case in ILLEGAL], ids=[case[0] for case in ILLEGAL]
)
def test_illegal(rows: str, mover: Player, now: str, own: str, other: str, codes: list[str]) -> None:
    verdict = judged(rows, mover, now, own, other)
    assert (verdict.answer, [reason.code for reason in verdict.reasons]) == ("illegal", codes)
    assert verdict.way_back
    reason = verdict.reasons[0]
    assert {*reason.sites} <= SITES
    assert reason.facts["player"] == mover
    assert reason.facts["other"] == OTHER[mover]


def test_every_row_and_platform_of_the_other_side_is_the_same_game() -> None:
    for _, rows, mover, now, own, other, codes in ILLEGAL:
        turned = "/".join(row if row == "-" else row[::-1] for row in rows.split("/"))
        verdict = judged(turned, OTHER[mover], "/".join(row[::-1] for row in now.split("/")), own, other)
        assert [reason.code for reason in verdict.reasons] == codes


def test_stages_say_what_is_owed_and_where_it_may_go() -> None:
    verdict = judged(P1, SOUTH, after(P1, A="sgyb"), "o")
    (owed,) = verdict.owed
    assert verdict.answer == "partial"
    assert (owed.player, owed.piece, owed.at) == (SOUTH, "orange", "south.1")
    assert owed.act == "unload"
    assert owed.to == {f"{row}1" for row in "ABCDEFGHI"}
    verdict = judged(P1, SOUTH, after(P1, A="sgyb", B="ovpos"), "", "g")
    (owed,) = verdict.owed
    assert owed.act == "clear"
    assert (owed.piece, owed.at) == ("green", "north.1")
    assert owed.to == {"A5", "H5", "I5"}
    verdict = judged(P1, NORTH, after(P1, A="osgy"), "b")
    assert verdict.owed[0].at == "north.1"
    assert verdict.owed[0].to == {f"{row}5" for row in "ABCDEFGHI"}
    verdict = judged(P2, SOUTH, after(P2, C="bvp"), "yg")  # one alone would split the oo of row B
    assert "B1" in verdict.owed[0].to
    verdict = judged(P2, SOUTH, after(P2, C="ybvp"), "g")
    assert verdict.owed[0].to == {f"{row}1" for row in "ACDEFGHI"}


def test_done() -> None:
    loaded, pushed = after(P1, A="sgyb"), after(P1, A="sgyb", B="ovpos")
    verdict = judged(P1, SOUTH, loaded, "o", done=SOUTH)
    assert [reason.code for reason in verdict.reasons] == ["OWN_PLATFORM_NOT_EMPTY"]  # F-08
    verdict = judged(P1, SOUTH, pushed, "", "g", done=SOUTH)
    assert [reason.code for reason in verdict.reasons] == ["OPP_PLATFORM_NOT_EMPTY"]  # F-10
    assert [shift.to for shift in verdict.way_back] == ["B5", "A1"]
    assert judged(P1, SOUTH, loaded, "o", done=NORTH).answer == "partial"
    assert judged(P1, SOUTH, P1, done=NORTH).answer == "unchanged"
    verdict = judged(P1, SOUTH, P1, done=SOUTH)  # F-09
    assert G.turn_text(TransferPosition(rows_of(P1), SOUTH), verdict.turns[0]) == "LA1 UA1"
    verdict = judged(P3, SOUTH, P3, done=SOUTH)  # the first row that can be loaded
    assert G.turn_text(TransferPosition(rows_of(P3), SOUTH), verdict.turns[0]) == "LB1 UB1"
    assert judged(P1, None, P1, done=NORTH).turns[0].player == NORTH
    assert judged(P6, NORTH, P6, done=NORTH).answer == "unchanged"  # no turn at all: that is a pass
    strict = G.with_options({"null_turn": "forbid"})
    position = TransferPosition(rows_of(P1), SOUTH)
    assert strict.judge(position, strict.picture(position), SOUTH).answer == "unchanged"


def test_a_side_that_is_not_known() -> None:
    verdict = judged(P0, None, after(P0, A="sgy", I="obvp"))
    assert [turn.player for turn in verdict.turns] == [SOUTH]
    verdict = judged(P0, None, after(P0, A="sgy"), "o")
    assert [owed.player for owed in verdict.owed] == [SOUTH]
    verdict = judged(P0, None, after(P0, A="sgy"), "o", done=SOUTH)
    assert [reason.code for reason in verdict.reasons] == ["OWN_PLATFORM_NOT_EMPTY"]
    verdict = judged(P2, None, after(P2, A="osgy"), "o")
    assert verdict.reasons[0].code == "GROUP_SPLIT_LOAD"
    both = judged(after(P0, I="o", H="-", G="ybvp"), None, after(P0, I="-", H="o", G="ybvp"))
    assert [turn.player for turn in both.turns] == [SOUTH, NORTH]


def test_nobody_may_move_where_there_is_no_turn() -> None:
    """F-21: whatever North moves is illegal; the referee lets North pass first, then it is South's turn."""
    verdict = judged(P6, NORTH, after(P6, D="gyyy"), "y")
    assert verdict.answer == "illegal"
    verdict = judged(P6, NORTH, after(P6, D="yyyy"), "", "g")
    assert [reason.code for reason in verdict.reasons] == ["OUT_OF_TURN"]
    assert judged(P6, SOUTH, after(P6, D="yyyy"), "g").answer == "partial"


def test_after_the_end() -> None:
    assert judged(OVER, SOUTH, OVER).answer == "unchanged"
    assert judged(OVER, SOUTH, after(OVER, A="oooo")).answer == "partial"
    assert judged(OVER, SOUTH, after(OVER, A="oooo", I="o")).answer == "illegal"


def test_pieces_missing_exchanged_and_too_many() -> None:
    gone = judged(P0, SOUTH, after(P0, A="sgy"))
    assert (gone.answer, gone.missing, gone.owed) == ("partial", ("orange",), ())
    gone = judged(P0, SOUTH, after(P0, A="sgy"), done=SOUTH)
    assert gone.answer == "partial"  # a missing piece alone is never an offence
    swapped = judged(P0, SOUTH, after(P0, C="sgyv"))
    assert [(r.code, r.sites, r.facts["piece"], r.facts["other"]) for r in swapped.reasons] == [
        ("WRONG_PIECE", ("C4",), "vermilion", "blue")
    ]
    added = judged(P0, SOUTH, after(P0, I="bvpo"))
    assert [(reason.code, reason.sites) for reason in added.reasons] == [("EXTRA_PIECE", ("I4",))]
    foreign = seen(rows_of(P0))
    foreign = Placement({**foreign.on, "I5": ("red-THAUM",)})
    verdict = G.judge(TransferPosition(rows_of(P0), SOUTH), foreign)
    assert [(reason.code, reason.sites) for reason in verdict.reasons] == [("EXTRA_PIECE", ("I5",))]
    both = judged(P0, SOUTH, after(P0, A="sgy", I="vbvp"))  # either v of row I is one too many
    assert [reason.code for reason in both.reasons] == ["PIECE_COUNT", "EXTRA_PIECE", "EXTRA_PIECE"]


def test_one_moved_piece_is_one_shift_though_others_slide() -> None:
    verdict = judged(P0, SOUTH, after(P0, A="osg", B="ybvpo"))
    assert [(shift.piece, shift.origin, shift.to) for shift in verdict.way_back] == [("yellow", "B1", "A4")]
    rng = random.Random(1)
    for rows in [random_rows(rng) for _ in range(300)]:
        times = rng.choice((1, 2, 3))
        board = moved_about(rng, Board(rows), times)
        verdict = G.judge(TransferPosition(rows, rng.choice(PLAYERS)), seen(board.rows, board.own, board.other))
        assert len(verdict.way_back) <= times
        assert verdict.answer != "illegal" or verdict.reasons


def test_one_piece_moved_is_never_only_not_a_turn() -> None:
    rng = random.Random(2)
    codes: Counter[str] = Counter()
    for rows in [rows for _ in range(8) for rows in played(rng)[::2]]:
        for _ in range(12):
            board = moved_about(rng, Board(rows), 1)
            verdict = G.judge(TransferPosition(rows, SOUTH), seen(board.rows, board.own, board.other))
            if verdict.answer == "illegal":
                codes[verdict.reasons[0].code] += 1
                assert verdict.reasons[0].code != "NOT_A_TURN", (rows, board)
    assert len(codes) > 5


def test_hidden_sites_make_nothing_illegal_and_nothing_else_complete() -> None:
    rng = random.Random(3)
    answers: Counter[tuple[str, str]] = Counter()
    for rows in [rows for _ in range(5) for rows in played(rng)[::3]]:
        mover = rng.choice(PLAYERS)
        path = walk(rng, facing(rows, mover))
        if not path:
            continue
        for stage in (path[-1], rng.choice(path), moved_about(rng, Board(*path[-1][:3]), 1)):
            plain = seen(facing(stage[0], mover), stage[1], stage[2], mover)
            position = TransferPosition(rows, mover)
            open_verdict = G.judge(position, plain)
            for count in (1, 2, 3, 8):
                hidden = frozenset(rng.sample(sorted(SITES), count))
                on = {site: kinds for site, kinds in plain.on.items() if site not in hidden}
                verdict = G.judge(position, Placement(on, (), hidden))
                answers[open_verdict.answer, verdict.answer] += 1
                if len(on) == len(plain.on):
                    assert verdict == open_verdict
                elif verdict.answer != "unclear":
                    # The unseen pieces lie where the only explanation has them: unless the picture was illegal, that
                    # is the truth.
                    assert verdict.answer != "illegal"
                    assert open_verdict.answer == "illegal" or verdict == open_verdict, (rows, stage, hidden)
    assert answers["complete", "complete"] > 50
    assert answers["complete", "unclear"] > 20
    assert answers["partial", "partial"] > 50


def test_a_hidden_piece_that_may_be_in_a_hand_is_never_illegal() -> None:
    """A row split while one cell can't be seen: the piece may be in a hand, and then it is only missing."""
    plain = seen(rows_of(after(P2, A="osgy")), "o")
    position = TransferPosition(rows_of(P2), SOUTH)
    assert G.judge(position, plain).answer == "illegal"
    on = {site: kinds for site, kinds in plain.on.items() if site != "I1"}
    assert G.judge(position, Placement(on, (), frozenset({"I1"}))).answer == "unclear"
    assert G.judge(position, Placement(on, ("sky",), frozenset({"I1"}))).answer == "partial"  # it lies beside the board
    assert G.judge(position, Placement(on, (), frozenset({"I5", "I1"}))).answer == "unclear"


@pytest.mark.parametrize(
    "chosen",
    [
        {"adjacency": "cells"},
        {"platform": "free"},
        {"push_test": "piece"},
        {"overpush": "true"},
        {"null_turn": "forbid"},
        {"no_turn": "end"},
    ],
    ids=str,
)
def test_judge_with_options(chosen: dict[str, str]) -> None:
    game = G.with_options(chosen)
    rng = random.Random(4)
    for rows in [rows for _ in range(2) for rows in played(rng)[-8:-1]]:
        mover = rng.choice(PLAYERS)
        position = TransferPosition(rows, mover)
        if game.outcome(position) is not None:
            continue
        path = walk(rng, view(game.law, rows, mover), game.law)
        for stage in path:
            picture = stage_picture(game.law, stage, mover)
            verdict = game.judge(position, picture)
            if ended(stage):
                ends = "unchanged" if picture == game.picture(position) else "complete"
                assert verdict.answer == ends
                if verdict.turns:
                    assert game.picture(game.after(position, verdict.turns[0])) == picture
            elif verdict.answer == "illegal":
                assert verdict.reasons[0].code == "DEAD_END" or chosen.get("null_turn")
            else:
                assert verdict.answer in ("partial", "unchanged")


def test_where_gaps_count_two_pieces_on_a_cell_have_no_order() -> None:
    game = G.with_options({"adjacency": "cells"})
    position = game.parse_position("ooooo/sssss/ggggg/yyyyp/.bbbb/vvvvv/ypppp/-/b N")
    on = {**game.picture(position).on, "E4": ("blue", "blue")}
    del on["E2"]
    verdict = game.judge(position, Placement(on))
    assert [(reason.code, reason.sites) for reason in verdict.reasons] == [("TWO_ON_A_SITE", ("E4",))]


def test_options_change_what_is_legal() -> None:
    singly = after(P2, B="gybvs", C="bvp", I="soo")
    position = TransferPosition(rows_of(P2), SOUTH)
    assert G.judge(position, seen(rows_of(singly))).answer == "complete"
    assert G.with_options({"push_test": "piece"}).judge(position, seen(rows_of(singly))).answer == "illegal"
    position = TransferPosition(rows_of(P0), SOUTH)
    far = seen(rows_of(after(P0, A="sgy", B="obvp", I="bvpo")))
    assert G.judge(position, far).answer == "illegal"
    assert G.with_options({"overpush": "true"}).judge(position, far).answer == "complete"


def test_with_free_platforms_any_group_may_leave_first() -> None:
    free = G.with_options({"platform": "free"})
    rng = random.Random(5)
    differ = 0
    for rows in [random_rows(rng) for _ in range(60)]:
        position = TransferPosition(rows, SOUTH)
        for stage in walk(rng, rows, free.law):
            picture = stage_picture(free.law, stage, SOUTH)
            assert free.judge(position, picture).answer in ("partial", "complete", "unchanged")
            strict = G.judge(position, picture)
            if strict.answer == "illegal":
                differ += 1
                assert strict.reasons[0].code == "LIFO_ORDER"
    assert differ > 5


def test_kinds_are_the_seven_colours() -> None:
    assert {*G.pieces} == {*KIND_OF.values()}
