"""The stages of Transfer's F-15 and Taasen's A-16 and A-21, written for stubs of the two games.

They hold the Game protocol and the default judge to what the other games need: platform slots are sites, only the order
along a row counts, several pieces stand on one site, and what is owed is a reply, a choice or a removal.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest

from controller.rules.api import Kind, Outcome, Owed, Placement, Player, Site, Verdict
from controller.rules.judging import default_judge


class Stub:
    """A game of one position: its turns, their stages and the boards after them are written down."""

    author = "nobody"
    turn_size = 3

    def __init__(self, name: str, players: tuple[Player, Player], placement: Mapping[Site, tuple[Kind, ...]]) -> None:
        self.name, self.players = name, players
        self.before = Placement(placement)
        self.boards: dict[str, list[Placement]] = {}  # turn -> its stages, then the board after it
        self.pieces: dict[Kind, int] = {}
        for kinds in placement.values():
            for kind in kinds:
                self.pieces[kind] = self.pieces.get(kind, 0) + 1
        self.sites: frozenset[Site] = frozenset(placement)

    def to_move(self, position: str) -> Player:
        return self.players[0] if position == "before" else self.players[1]

    def legal_turns(self, position: str, towards: Placement | None = None) -> Iterator[str]:
        yield from self.boards if position == "before" else ()

    def after(self, position: str, turn: str) -> str:
        return turn

    def stages(self, position: str, turn: str) -> Iterator[Placement]:
        yield from self.boards[turn][:-1]

    def picture(self, position: str) -> Placement:
        return self.before if position == "before" else self.boards[position][-1]

    def outcome(self, position: str) -> Outcome | None:
        return None

    def judge(self, placement: Placement) -> Verdict:
        return default_judge(self, "before", placement)  # type: ignore[arg-type]


# Transfer: a row is the order of its pieces, so a normalised placement fills its sites from the South end.
NAMES = {"o": "orange", "s": "sky", "g": "green", "y": "yellow", "b": "blue", "v": "violet", "p": "pink"}
P2 = "oosgy/bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/s"


def lay(rows: str, south: str = "", north: str = "") -> Placement:
    """Rows A to I, and the platforms from their mouths."""
    on = {}
    for row, pieces in zip("ABCDEFGHI", rows.split("/"), strict=True):
        on |= {f"{row}{n}": (NAMES[p],) for n, p in enumerate(pieces, 1)}
    for side, pieces in (("south", south), ("north", north)):
        on |= {f"{side}.{n}": (NAMES[p],) for n, p in enumerate(pieces, 1)}
    return Placement(on)


@pytest.fixture
def transfer() -> Stub:
    """F-15: `LC2 UB2 OI2`; the two pieces may also be loaded one by one."""
    game = Stub("transfer", ("South", "North"), lay(P2).on)
    slots = {f"{side}.{n}" for side in ("south", "north") for n in (1, 2, 3)}
    game.sites = frozenset(f"{row}{n}" for row in "ABCDEFGHI" for n in range(1, 6)) | slots
    game.boards["LC2 UB2 OI2"] = [
        lay("oosgy/bvsoo/ybvp/sgyb/vpos/gybv/pybp/gvp/s", south="g"),
        lay("oosgy/bvsoo/bvp/sgyb/vpos/gybv/pybp/gvp/s", south="yg"),
        lay("oosgy/gybvs/bvp/sgyb/vpos/gybv/pybp/gvp/s", north="oo"),
        lay("oosgy/gybvs/bvp/sgyb/vpos/gybv/pybp/gvp/soo"),
    ]
    return game


def test_transfer_f15_every_stroke_is_a_stage(transfer: Stub) -> None:
    assert transfer.judge(lay(P2)).answer == "unchanged"
    for turn in transfer.boards:
        *stages, end = transfer.boards[turn]
        assert [transfer.judge(stage).answer for stage in stages] == ["partial"] * len(stages)
        verdict = transfer.judge(end)
        assert (verdict.answer, verdict.turns, verdict.extendable) == ("complete", (turn,), False)


def test_transfer_f15_a_divided_group_is_no_stage(transfer: Stub) -> None:
    pushed_singly = lay("oosgy/ybvso/bvp/sgyb/vpos/gybv/pybp/gvp/s", south="g", north="o")  # UB1 UB1
    cleared_singly = lay("oosgy/gybvs/bvp/sgyb/vpos/gybv/pybp/gvp/so", north="o")  # OI1
    for split in (pushed_singly, cleared_singly):
        verdict = transfer.judge(split)
        assert verdict.answer == "illegal"
        assert verdict.way_back


def test_transfer_f15_pieces_pushed_out_where_no_platform_stands_are_missing(transfer: Stub) -> None:
    verdict = transfer.judge(lay("oosgy/gybvs/bvp/sgyb/vpos/gybv/pybp/gvp/s"))
    assert (verdict.answer, verdict.missing) == ("partial", ("orange", "orange"))


# Taasen: what is owed is the game's to say; the default judge tells the stage.
class Reply(NamedTuple):
    victim: Kind
    at: Site
    to: frozenset[Site]


class TaasenStub(Stub):
    """Adds what is owed: one victim with exits `reply`, none `remove`, two victims `choose`."""

    victims: tuple[Reply, ...] = ()

    def judge(self, placement: Placement) -> Verdict:
        verdict = super().judge(placement)
        (stage,) = {tuple(sorted(boards[0].on.items())) for boards in self.boards.values()}
        if verdict.answer != "partial" or tuple(sorted(placement.on.items())) != stage:
            return verdict
        mover, other = self.players
        if len(self.victims) > 1:
            owed = tuple(Owed(mover, "choose", v.victim, v.at, frozenset()) for v in self.victims)
        else:
            (victim,) = self.victims
            owed = (Owed(other, "reply" if victim.to else "remove", victim.victim, victim.at, victim.to),)
        return Verdict("partial", owed=owed, missing=verdict.missing)


def a16() -> TaasenStub:
    before = {"11": ("RT",), "9": ("GS",), "4": ("WS",), "8": ("RP",), "15": ("GP",)}
    game = TaasenStub("taasen", ("Red", "Green"), before)
    game.sites = frozenset(str(n) for n in range(16)) - {"6"}
    attacked = {"10": ("RT",), "9": ("GS",), "4": ("WS",), "8": ("RP",), "15": ("GP",)}
    crushed = {site: kinds for site, kinds in attacked.items() if site != "9"}
    fled = {**{site: kinds for site, kinds in attacked.items() if site != "4"}, "5": ("WS",)}
    game.boards = {
        "RT=10>GSx": [Placement(attacked), Placement(crushed)],
        "RT=10>WS=5": [Placement(attacked), Placement(fled)],
    }
    game.victims = (Reply("GS", "9", frozenset()), Reply("WS", "4", frozenset({"5"})))
    return game


def test_taasen_a16_two_preys_are_a_choice_and_never_both() -> None:
    game = a16()
    stage = next(game.stages("before", "RT=10>GSx"))
    verdict = game.judge(stage)
    assert verdict.answer == "partial"
    assert {(owed.player, owed.act, owed.piece) for owed in verdict.owed} == {
        ("Red", "choose", "GS"), ("Red", "choose", "WS"),
    }  # fmt: skip
    for turn in game.boards:
        assert game.judge(game.picture(turn)).turns == (turn,)
    both = {"10": ("RT",), "5": ("WS",), "8": ("RP",), "15": ("GP",)}
    assert game.judge(Placement(both)).answer == "partial"  # the crushed one may be in a hand: no offence yet
    moved = {**both, "3": ("GS",)}
    assert game.judge(Placement(moved)).answer == "illegal"


def test_taasen_a16_the_reply_without_the_attack_is_no_stage() -> None:
    game = a16()
    early = {"11": ("RT",), "9": ("GS",), "5": ("WS",), "8": ("RP",), "15": ("GP",)}
    assert game.judge(Placement(early)).answer == "illegal"


def test_taasen_a21_a_stacked_piece_is_pressed_and_taken_off() -> None:
    before = {"9": ("RP", "RS", "RT"), "11": ("GT",), "15": ("GP", "GS"), "0": ("WP", "WS", "WT")}
    game = TaasenStub("taasen", ("Green", "Red"), before)
    game.sites = frozenset(str(n) for n in range(16)) - {"6"}
    attacked = {**{site: kinds for site, kinds in before.items() if site != "11"}, "10": ("GT",)}
    game.boards = {"GT=10>RSx": [Placement(attacked), Placement({**attacked, "9": ("RP", "RT")})]}
    game.victims = (Reply("RS", "9", frozenset()),)
    verdict = game.judge(Placement(attacked))
    assert verdict.owed == (Owed("Red", "remove", "RS", "9", frozenset()),)
    assert game.judge(Placement({**attacked, "9": ("RT", "RP")})).turns == ("GT=10>RSx",)
    wrong_one = game.judge(Placement({**attacked, "9": ("RS", "RT")}))
    assert (wrong_one.answer, wrong_one.missing) == ("partial", ("RP",))
    spread = game.judge(Placement({**attacked, "9": ("RS", "RT"), "4": ("RP",)}))
    assert spread.answer == "illegal"
    assert [(shift.piece, shift.origin, shift.to) for shift in spread.way_back][-1] == ("RP", "4", "9")
    third = game.judge(Placement({**attacked, "10": ("GP", "GT"), "15": ("GS",)}))
    assert "TWO_ON_A_SITE" in [reason.code for reason in third.reasons]
