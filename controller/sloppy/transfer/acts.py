"""How people make the strokes of a turn: pushed or carried, all at once or in two goes, with platforms or without.

What lies on a platform by the law may lie in a hand or beside the board: then it is missing, which is no offence.
"""

from __future__ import annotations

from typing import Literal

from controller.rules.api import Kind, Placement, Site
from controller.rules.transfer.board import LETTER_OF, Stroke, TransferTurn
from controller.rules.transfer.game import Transfer
from controller.rules.transfer.picture import stage_picture
from controller.rules.transfer.strokes import Stage, moved, view
from controller.sloppy.hands import between
from controller.sloppy.sitting import Sitting
from controller.sloppy.transfer.lanes import CELLS, Ends, lay, standing

Place = Literal["platform", "beside", "hand"]


class Hands:
    """The hands of one player at one turn. `stage`: what the strokes so far have led to."""

    def __init__(self, table: Sitting, game: Transfer, turn: TransferTurn, *, brisk: bool) -> None:
        self.table, self.game, self.player, self.brisk = table, game, turn.player, brisk
        self.ends = Ends(table, turn.player)
        self.stage = Stage(view(game.law, table.position.rows, turn.player))
        self.own: list[Kind] = []  # what is loaded, mouth first
        self.other: list[Kind] = []
        rng = table.rng
        self.own_at: Place = "platform"
        self.other_at: Place = "platform"
        if not brisk:
            self.own_at = rng.choices(("platform", "beside", "hand"), (90, 3, 7))[0]
            self.other_at = rng.choices(("platform", "beside", "hand"), (80, 12, 8))[0]

    @property
    def in_plain_view(self) -> bool:
        """Whether everything stands on lanes."""
        return not (self.own and self.own_at != "platform") and not (self.other and self.other_at != "platform")

    def picture(self) -> Placement:
        """The stage, as a picture."""
        return stage_picture(self.game.law, self.stage, self.player)

    def make(self, stroke: Stroke) -> None:
        """One stroke."""
        if stroke.act == "L":
            self._load(stroke)
        elif stroke.act == "U":
            self._unload(stroke)
        else:
            self._clear(stroke)
        self.stage = moved(self.game.law, self.stage, stroke)
        letters = "".join(LETTER_OF[kind] for kind in self.own), "".join(LETTER_OF[kind] for kind in self.other)
        assert letters == (self.stage.own, self.stage.other)

    def back_to(self, stage: Stage) -> None:
        """Everything is put back as it stood at an earlier stage (all of it stands on lanes)."""
        table = self.table
        self.stage = stage
        self.own_at = self.other_at = "platform"
        wanted = self.game.normal(self.picture())
        for lane in (*CELLS, self.ends.own, self.ends.other):
            kinds = [kind for site in lane for kind in wanted.on.get(site, ())]
            if kinds != standing(table, lane):
                lay(table, lane, kinds)
        self.own = [kind for site in self.ends.own for kind in wanted.on.get(site, ())]
        self.other = [kind for site in self.ends.other for kind in wanted.on.get(site, ())]
        table.reach(*self._around(0))

    def _around(self, row: int) -> tuple[Site, ...]:
        return (*CELLS[row], *self.ends.own)

    def _load(self, stroke: Stroke) -> None:
        table = self.table
        table.reach(*self._around(stroke.row))
        size = stroke.size
        if size > 1 and not self.brisk and table.rng.random() < 0.3:
            size -= 1
            self._stow_own(self.ends.take_near(stroke.row))
            if self._wrong_for_a_moment():
                table.habit("a block in two goes")
                table.reach(*self._around(stroke.row))
                table.pause(0.1, 0.9)
                table.reach(*self._around(stroke.row))
        taken = [self.ends.take_near(stroke.row) for _ in range(size)]
        self._maybe_hold(stroke.row)
        for kind in taken:
            self._stow_own(kind)
        table.reach(*self._around(stroke.row))

    def _unload(self, stroke: Stroke) -> None:
        table = self.table
        table.reach(*self._around(stroke.row))
        block = [self._fetch(self.own, self.own_at, self.ends.own) for _ in range(stroke.size)]
        self._maybe_hold(stroke.row)
        if len(block) == 1 and not self.brisk and table.rng.random() < 0.07:
            self._slip(block[0])
        for kind in block:
            out = self.ends.take_far(stroke.row) if self.ends.full(stroke.row) else None
            self.ends.put_near(stroke.row, kind)
            if out is not None:
                self.other.insert(0, out)
                self._stow(out, self.other_at, self.ends.other)
                if self.other_at != "platform":
                    table.habit(f"pushed out, {self.other_at}")
        table.reach(*self._around(stroke.row))

    def _clear(self, stroke: Stroke) -> None:
        table = self.table
        table.reach(*CELLS[stroke.row], *self.ends.other)
        block = [self._fetch(self.other, self.other_at, self.ends.other) for _ in range(stroke.size)]
        self._maybe_hold(stroke.row)
        for kind in block:
            self.ends.put_far(stroke.row, kind)
        table.reach(*CELLS[stroke.row], *self.ends.other)

    def _stow_own(self, kind: Kind) -> None:
        self.own.insert(0, kind)
        self._stow(kind, self.own_at, self.ends.own)

    def _stow(self, kind: Kind, place: Place, platform: tuple[Site, ...]) -> None:
        """A piece out of a hand comes to lie where loaded pieces lie."""
        if place == "platform":
            self.table.mat.held.remove(kind)
            lay(self.table, platform, [kind, *standing(self.table, platform)])
        elif place == "beside":
            self.table.mat.put(kind, None)

    def _fetch(self, pile: list[Kind], place: Place, platform: tuple[Site, ...]) -> Kind:
        """The piece at the mouth, into a hand."""
        kind = pile.pop(0)
        if place == "platform":
            rest = standing(self.table, platform)
            assert rest[0] == kind
            self.table.mat.held.append(kind)
            lay(self.table, platform, rest[1:])
        elif place == "beside":
            self.table.mat.lift(kind, None)
        return kind

    def _maybe_hold(self, row: int) -> None:
        """The hand leaves with the pieces in it."""
        if not self.brisk and self.table.rng.random() < 0.1:
            self.table.habit("carried by hand")
            self.table.reach(*self._around(row))
            self.table.pause()

    def _slip(self, kind: Kind) -> None:
        """In at the wrong end of some row, for less than an offence takes."""
        table = self.table
        row = table.rng.randrange(len(CELLS))
        if self.ends.full(row):
            return
        self.ends.put_far(row, kind)
        if self._wrong_for_a_moment():
            table.habit("slipped")
            table.reach(*CELLS[row])
            table.pause(0.1, 0.9)
            table.reach(*CELLS[row])
        self.ends.take_far(row)

    def _wrong_for_a_moment(self) -> bool:
        return plainly_wrong(self.table, self.table.seen())


def plainly_wrong(table: Sitting, seen: Placement) -> bool:
    """Whether no turn explains this: not the one being made, and not the last one changed, nor, before the first turn
    has shown who begins, one of the other side."""
    positions = [table.position, *(before for before, _ in table.history[-1:])]
    if not table.history:
        positions = [table.game.with_mover(table.position, player) for player in table.game.players]
    return all(table.game.judge(position, table.game.normal(seen)).answer == "illegal" for position in positions)


def carry_out(
    table: Sitting, game: Transfer, turn: TransferTurn, *, brisk: bool = False, show_first: bool = False
) -> None:
    """All strokes of a turn. `show_first`: the first one is seen to stand."""
    hands = Hands(table, game, turn, brisk=brisk)
    if show_first:
        hands.own_at = "platform"
    for i, stroke in enumerate(turn.strokes):
        if i == 1 and show_first:
            table.stay(1.5)
        elif i:
            between(table, brisk)
        before = hands.stage
        hands.make(stroke)
        last = i == len(turn.strokes) - 1
        if not brisk and not last and hands.in_plain_view and table.rng.random() < 0.06 and (i or not show_first):
            table.habit("a stroke taken back")
            between(table, brisk)
            table.reach(*CELLS[stroke.row])
            hands.back_to(before)
            if i:  # otherwise everything is as it was before the turn
                between(table, brisk)
            hands.make(stroke)


def undo(table: Sitting, game: Transfer, turn: TransferTurn) -> None:
    """A turn is put back, stroke by stroke or with one grip."""
    hands = Hands(table, game, turn, brisk=True)
    stages = [hands.stage]
    for stroke in turn.strokes:
        stages.append(moved(game.law, stages[-1], stroke))
    slowly = table.rng.random() < 0.5
    for stage in reversed(stages[:-1] if slowly else stages[:1]):
        table.reach(*hands.ends.own)
        hands.back_to(stage)
        if stage.last != "L" or stage.own:
            table.pause()
