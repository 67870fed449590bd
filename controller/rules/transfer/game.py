"""Transfer as a `Game`: set-up, turns, judging, texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from controller.rules.api import (
    Kind,
    Option,
    Outcome,
    Placement,
    Player,
    RulesError,
    Setup,
    Shift,
    Site,
    TurnVerdict,
    Verdict,
)
from controller.rules.options import option_values
from controller.rules.transfer import generator, scoring, text
from controller.rules.transfer import picture as pictures
from controller.rules.transfer import setup as setups
from controller.rules.transfer.board import (
    CAPACITY,
    NORTH,
    OTHER,
    PLAYERS,
    ROWS,
    SLOTS,
    SOUTH,
    START,
    Stroke,
    TransferPosition,
    TransferTurn,
)
from controller.rules.transfer.judging import judge
from controller.rules.transfer.reasons import reason
from controller.rules.transfer.retelling import retell
from controller.rules.transfer.spoken import Broken, judge_acts
from controller.rules.transfer.strokes import Law, Stage, faults, finishable, law_of, moved, view
from controller.rules.transfer.towards import turns_towards
from controller.rules.transfer.travels import travels

OPTIONS = {
    "starter": Option("B", ("B", "A"), "who begins: B, who chose a side (South in the printed start), or A"),
    "adjacency": Option("order", ("order", "cells"), "only the order in a row counts, or pieces with a gap are apart"),
    "platform": Option("lifo", ("lifo", "free"), "a platform gives back what came last, or any group on it"),
    "push_test": Option("stroke", ("stroke", "piece"), "a push may split no group: at its end, or after each piece"),
    "overpush": Option("false", ("false", "true"), "pieces may be pushed out although there is room for them"),
    "null_turn": Option("allow", ("allow", "forbid"), "a turn may leave everything as it was"),
    "no_turn": Option("pass", ("pass", "lose", "end"), "who can't move passes, or loses, or the points count"),
    "early_end": Option("false", ("false", "true"), "the game ends with the fourth point of a player"),
}


class Transfer:
    """The game; instances are immutable."""

    name = "transfer"
    author = "Hila and Ivan Moscovich"
    players = PLAYERS
    sites: frozenset[Site] = pictures.SITES
    pieces: Mapping[Kind, int] = pictures.PIECES
    options: Mapping[str, Option] = OPTIONS
    turn_size = 2 * CAPACITY  # three loaded and unloaded, and at most as many pushed through
    tries_two_turns = False
    platforms = (pictures.PLATFORM[SOUTH], pictures.PLATFORM[NORTH])

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        """`chosen`: option values; OptionError names what is unknown."""
        values = option_values(self.name, OPTIONS, chosen)
        self.chosen: Mapping[str, str] = values
        self.law: Law = law_of(values)
        self._null_turn = values["null_turn"] == "allow"
        self._no_turn = values["no_turn"]
        self._early_end = values["early_end"] == "true"

    def with_options(self, chosen: Mapping[str, str]) -> Transfer:
        """The same game with these options on top of the ones it has."""
        return Transfer({**self.chosen, **chosen})

    def owner(self, kind: Kind) -> Player | None:
        """The pieces are both players'."""
        return None

    def lane(self, site: Site) -> str:
        """The row's letter, or the platform's name."""
        return pictures.LANE_OF.get(site, site)

    def normal(self, placement: Placement) -> Placement:
        """The pieces of each row and platform moved together: gaps don't count (in rows: unless the option says so)."""
        return pictures.normal(placement, self.law.cells)

    def start(self) -> TransferPosition:
        """The printed start, one of millions; B sits South there and begins."""
        return TransferPosition(START, SOUTH if self.chosen["starter"] == "B" else NORTH)

    def to_move(self, position: TransferPosition) -> Player | None:
        """Whose turn it is, None where that isn't known."""
        return position.mover

    def score(self, position: TransferPosition) -> tuple[int, int] | None:
        """South's and North's points, None after a mid-game start."""
        return position.score

    def with_points(self, before: TransferPosition, position: TransferPosition) -> TransferPosition:
        """The points before, and those of rows completed since: of the side that has moved, where that is known."""
        return position._replace(score=scoring.carried(before, position))

    def with_mover(self, position: TransferPosition, player: Player) -> TransferPosition:
        """The same board with this side to move."""
        return position._replace(mover=player)

    def setup(self, placement: Placement) -> Setup:
        """The start that stands, no side to move yet; otherwise the nearest one and what is wrong."""
        return setups.setup_of(placement, self.law.cells)

    def midgame(self, placement: Placement) -> TransferPosition | None:
        """The position of a game in progress: 35 pieces in the rows; whose turn and the score are not known."""
        return setups.midgame(placement, self.law.cells)

    def _sides(self, position: TransferPosition) -> tuple[Player, ...]:
        """Who may move: nobody after the end, both where it isn't known."""
        if self.outcome(position) is not None:
            return ()
        return (position.mover,) if position.mover else PLAYERS

    def legal_turns(self, position: TransferPosition, towards: Placement | None = None) -> Iterator[TransferTurn]:
        """One turn for each different position after it, as they are found; with `towards` those that explain it."""
        if towards is not None:
            yield from turns_towards(self, position, towards)
            return
        for mover in self._sides(position):
            found = False
            for strokes in generator.turns(self.law, view(self.law, position.rows, mover), self._null_turn):
                found = True
                yield TransferTurn(mover, strokes)
            if not found and self._no_turn == "pass":
                yield TransferTurn(mover, ())

    def forced_pass(self, position: TransferPosition) -> TransferTurn | None:
        """The pass of a side to move that has no legal turn."""
        mover = position.mover
        if mover is None or self._no_turn != "pass" or self.outcome(position) is not None:
            return None
        return None if self._has_turn(position.rows, mover) else TransferTurn(mover, ())

    def _has_turn(self, rows: tuple[str, ...], mover: Player) -> bool:
        return _has_turn(self.law, self._null_turn, rows, mover)

    def stages(self, position: TransferPosition, turn: TransferTurn) -> Iterator[Placement]:
        """What stands after each stroke but the last."""
        for stage in scoring.stages_of(self.law, position.rows, turn)[:-1]:
            yield pictures.stage_picture(self.law, stage, turn.player)

    def retell(self, position: TransferPosition, turn: TransferTurn, seen: Sequence[Placement]) -> TransferTurn:
        """The same turn by the strokes that were seen, as far as a legal one has them."""
        return retell(self.law, position, turn, seen)

    def after(self, position: TransferPosition, turn: TransferTurn) -> TransferPosition:
        """The position when the turn is complete."""
        return scoring.after(self.law, position, turn)

    def judge(self, position: TransferPosition, placement: Placement, done: Player | None = None) -> Verdict:
        """What this placement is, after that position; `done`: this player says that their part is over."""
        return judge(self, position, placement, done)

    def judge_turn(self, position: TransferPosition, said: str) -> TurnVerdict:
        """A turn as text, with every reason where it is none. Where the side isn't known, the first that can."""
        spoken = text.read_turn(said)
        sides = (position.mover,) if position.mover else ((spoken.player,) if spoken.player else PLAYERS)
        if self.outcome(position) is not None:
            told = reason("OUT_OF_TURN", position.mover or spoken.player or SOUTH, form="over")
            return TurnVerdict(False, False, reasons=(told,))
        if spoken.player and spoken.player not in sides:
            return TurnVerdict(False, False, reasons=(reason("OUT_OF_TURN", OTHER[spoken.player]),))
        verdicts = [self._judge_said(position, side, spoken) for side in sides]
        return next((verdict for verdict in verdicts if verdict.legal), verdicts[0])

    def _judge_said(self, position: TransferPosition, mover: Player, said: text.Said) -> TurnVerdict:
        turn = TransferTurn(mover, ())
        if said.acts:
            try:
                turn = TransferTurn(mover, judge_acts(self.law, position.rows, mover, said.acts))
            except Broken as broken:
                return TurnVerdict(False, False, reasons=broken.reasons)
        elif self._has_turn(position.rows, mover):
            return TurnVerdict(False, False, reasons=(reason("NOT_A_TURN", mover, form="pass"),))
        end = self.after(position, turn)
        if said.acts and not self._null_turn and end.rows == position.rows:
            return TurnVerdict(False, False, reasons=(reason("NOT_A_TURN", mover, form="null"),))
        return TurnVerdict(True, True, turn, end)

    def picture(self, position: TransferPosition) -> Placement:
        """What stands on the table in this position."""
        return pictures.picture(position)

    def outcome(self, position: TransferPosition) -> Outcome | None:
        """All seven rows complete; with options also the fourth point, or a side to move that can't."""
        why = scoring.over(position, self._early_end)
        if why is not None:
            return scoring.by_points(position, why)
        mover = position.mover
        if self._no_turn == "pass" or mover is None or self._has_turn(position.rows, mover):
            return None
        if self._no_turn == "lose":
            return scoring.won(OTHER[mover], "no_turn", position.score)
        return scoring.by_points(position, "no_turn")

    def turn_sites(self, position: TransferPosition, turn: TransferTurn) -> frozenset[Site]:
        """The cells of every row that the turn uses, and the slots of the platforms it needs."""
        sites = {site for stroke in turn.strokes for site in pictures.CELLS[ROWS[stroke.row]]}
        if turn.strokes:
            sites |= {*SLOTS[turn.player]}
        if any(stroke.act == "O" for stroke in turn.strokes):
            sites |= {*SLOTS[OTHER[turn.player]]}
        return frozenset(sites)

    def turn_shifts(self, position: TransferPosition, turn: TransferTurn) -> tuple[Shift, ...]:
        """The pieces that were on a platform: from where to where; what only shifts along its row is left out."""
        return travels(self.law, position.rows, turn)

    def loads(self, position: TransferPosition, site: Site) -> tuple[Site, ...]:
        """The shortest load, from the mover's end of its row, that takes the piece on a site; () where none does."""
        mover, row = position.mover, ROWS.find(self.lane(site))
        if mover is None or row < 0:
            return ()
        start = Stage(view(self.law, position.rows, mover))
        line = [cell for cell in pictures.CELLS[ROWS[row]] if self.picture(position).on.get(cell)]
        line = line if mover == SOUTH else line[::-1]
        for size in range(1, min(CAPACITY, len(line)) + 1):
            stroke = Stroke("L", row, size)
            if site not in line[:size] or faults(self.law, start, stroke):
                continue
            if finishable(self.law, moved(self.law, start, stroke)):
                return tuple(line[:size])
        return ()

    def parse_position(self, said: str) -> TransferPosition:
        """`osgy/bvpo/…/bvp S 0-0`; TextError names the column."""
        return text.parse_position(said, self.law.cells)

    def position_text(self, position: TransferPosition) -> str:
        """The same, printed."""
        return text.position_text(position)

    def parse_turn(self, position: TransferPosition, said: str) -> TransferTurn:
        """A legal turn in any spelling; TextError where it can't be read, RulesError with the code where illegal."""
        verdict = self.judge_turn(position, said)
        if not isinstance(verdict.turn, TransferTurn):
            raise RulesError(f"{said.strip()} is no legal turn here: {verdict.reasons[0].code}")
        return verdict.turn

    def turn_text(self, position: TransferPosition, turn: TransferTurn) -> str:
        """The canonical text of a turn."""
        return text.turn_text(self.law, position, turn)


@lru_cache(maxsize=4096)
def _has_turn(law: Law, null_turn: bool, rows: tuple[str, ...], mover: Player) -> bool:
    return next(generator.turns(law, view(law, rows, mover), null_turn), None) is not None


TRANSFER = Transfer()
