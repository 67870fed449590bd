"""A game whose turns can be listed, with everything in place that most such games share: the way in for a plug-in.

A game derives from `SimpleGame` and says what its pieces and sites are, what stands at the start, which plays a side
has, and when it is over. Set-up, stages, judging and texts follow from that (docs/your-own-game.md).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, Self

from controller.rules.api import (
    Act,
    Kind,
    Option,
    Outcome,
    Owed,
    Placement,
    Player,
    Reason,
    RulesError,
    Setup,
    Shift,
    Site,
    TextError,
    TurnVerdict,
    Verdict,
)
from controller.rules.judging import default_judge, far, moved, way_back
from controller.rules.options import option_values

_STEP = re.compile(r"(?P<origin>[^\s\-]+)-(?P<to>[^\s\-]+)|x(?P<taken>[^\s\-]+)|\+(?P<put>[^\s\-]+)")


@dataclass(frozen=True)
class Standing:
    """A position: which kind of piece stands on which site (sorted pairs), and whose turn it is (None: not known)."""

    on: tuple[tuple[Site, Kind], ...]
    mover: Player | None

    def at(self, site: Site) -> Kind | None:
        """The piece on a site; the first one where there are several."""
        return next((kind for where, kind in self.on if where == site), None)


@dataclass(frozen=True)
class Play:
    """One turn: a player's shifts, in the order in which they are written. `to` None: taken off the board."""

    player: Player
    shifts: tuple[Shift, ...]


class SimpleGame(ABC):
    """What a plug-in derives from; every method may be overridden. Instances are immutable.

    To be said by the game: `name`, `author`, `players` (who begins stands first), `sites`, `pieces` (kind -> how many
    exist), `owners` (kind -> player, None for nobody's), and the three abstract methods.
    """

    name: str
    author: str
    players: tuple[Player, Player]
    sites: frozenset[Site]
    pieces: Mapping[Kind, int]
    owners: Mapping[Kind, Player | None]
    options: Mapping[str, Option] = {}
    turn_size = 2
    tries_two_turns = True
    order_counts: ClassVar[bool] = False  # whether the shifts of a turn must be made in the order they are written in

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        """`chosen`: option values; OptionError names what is unknown."""
        self.chosen: Mapping[str, str] = option_values(self.name, self.options, chosen)

    @abstractmethod
    def first(self) -> Mapping[Site, Kind]:
        """What stands at the start."""

    @abstractmethod
    def plays(self, position: Standing, player: Player) -> Iterator[Play]:
        """Every legal turn of a player, the game not being over."""

    @abstractmethod
    def outcome(self, position: Standing) -> Outcome | None:
        """How the game ended; None while it goes on."""

    def why(self, position: Standing, shift: Shift, player: Player) -> Reason | None:
        """What is wrong when nothing but this was moved and it is no turn, in the game's own codes; None: no more."""
        return None

    # What follows is `controller.rules.api.Game`.

    def with_options(self, chosen: Mapping[str, str]) -> Self:
        """The same game with these options on top of the ones it has."""
        return type(self)({**self.chosen, **chosen})

    def owner(self, kind: Kind) -> Player | None:
        """Whose piece it is."""
        return self.owners.get(kind)

    def lane(self, site: Site) -> str:
        """Every site is its own."""
        return site

    def normal(self, placement: Placement) -> Placement:
        """Every site counts."""
        return placement

    def start(self) -> Standing:
        """The start position; the first of `players` begins."""
        return Standing(tuple(sorted(self.first().items())), self.players[0])

    def to_move(self, position: Standing) -> Player | None:
        """Whose turn it is, None where that isn't known."""
        return position.mover

    def with_mover(self, position: Standing, player: Player) -> Standing:
        """The same board with this side to move."""
        return replace(position, mover=player)

    def picture(self, position: Standing) -> Placement:
        """What stands on the table in this position."""
        on: dict[Site, tuple[Kind, ...]] = {}
        for site, kind in position.on:
            on[site] = (*on.get(site, ()), kind)
        return Placement(on)

    def setup(self, placement: Placement) -> Setup:
        """The start position if it stands, otherwise the fewest shifts to it."""
        start = self.start()
        wanted = self.picture(start).on
        seen = {site: kinds for site, kinds in placement.on.items() if site not in placement.hidden}
        shifts = moved(Placement(seen), Placement(wanted), far)
        right = sum(seen.get(site) == kinds for site, kinds in wanted.items())
        shown = [s for s in shifts if not placement.hidden & {s.origin, s.to}]
        wrong = way_back([Shift(s.piece, s.to, s.origin) for s in shown], placement)
        stands = not shifts and not placement.hidden
        return Setup(start if stands else None, start, wrong, right, len(wanted))

    def midgame(self, placement: Placement) -> Standing | None:
        """A game in progress: no piece too many, one on a site, each side still in it, and nothing hidden."""
        if placement.hidden or any(len(kinds) != 1 for kinds in placement.on.values()):
            return None
        there = Counter(kind for kinds in placement.on.values() for kind in kinds)
        position = Standing(tuple(sorted((site, kinds[0]) for site, kinds in placement.on.items())), None)
        fits = all(count <= self.pieces.get(kind, 0) for kind, count in there.items())
        both = {self.owner(kind) for kind in there} >= set(self.players)
        return position if fits and both and self.outcome(position) is None else None

    def legal_turns(self, position: Standing, towards: Placement | None = None) -> Iterator[Play]:
        """Every turn; with `towards` only those that end or pass there, with pieces missing or hidden."""
        if self.outcome(position) is not None:
            return
        for player in (position.mover,) if position.mover else self.players:
            for play in self.plays(position, player):
                if towards is None or self._leads(position, play, towards):
                    yield play

    def _leads(self, position: Standing, play: Play, towards: Placement) -> bool:
        for standing in (self.picture(self.after(position, play)), *self.stages(position, play)):
            if all(
                site in towards.hidden or not Counter(kinds) - Counter(standing.on.get(site, ()))
                for site, kinds in towards.on.items()
            ):
                return True
        return False

    def forced_pass(self, position: Standing) -> None:
        """No side is ever without a turn; a game in which that happens says here which turn is "--"."""
        return None

    def stages(self, position: Standing, turn: Play) -> Iterator[Placement]:
        """What may stand while the turn is being made: some of its shifts done, in any order or in theirs."""
        count = len(turn.shifts)
        for done in range(1, count):
            ways = [tuple(range(done))] if self.order_counts else combinations(range(count), done)
            for way in ways:
                yield self.picture(replace(position, on=_carried(position.on, [turn.shifts[i] for i in way])))

    def after(self, position: Standing, turn: Play) -> Standing:
        """The position when the turn is complete."""
        one, two = self.players
        return Standing(_carried(position.on, turn.shifts), two if turn.player == one else one)

    def judge(self, position: Standing, placement: Placement, done: Player | None = None) -> Verdict:
        """What this placement is after that position. A stage is only ever hinted at, also after a "done"."""
        verdict = default_judge(self, position, placement, done)
        if verdict.answer == "partial":
            return replace(verdict, owed=self._owed(position, placement))
        if verdict.answer == "illegal":
            return replace(verdict, reasons=self._reasons(position, placement, verdict))
        return verdict

    def _owed(self, position: Standing, placement: Placement) -> tuple[Owed, ...]:
        """What would complete the turns that pass exactly here."""
        to: dict[tuple[Player, Act, Kind, Site | None], set[Site]] = {}
        here = {site: Counter(kinds) for site, kinds in placement.on.items()}
        for turn in () if placement.hidden else self.legal_turns(position, placement):
            if any({s: Counter(k) for s, k in stage.on.items()} == here for stage in self.stages(position, turn)):
                end = self.picture(self.after(position, turn))
                for shift in moved(placement, end, far):
                    act: Act = "remove" if shift.to is None else "choose"
                    may = to.setdefault((turn.player, act, shift.piece, shift.origin), set())
                    if shift.to is not None:
                        may.add(shift.to)
        acts = {act for _, act, _, _ in to}
        first = "choose" if "choose" in acts else "remove"
        return tuple(
            Owed(player, act, piece, at, frozenset(sites))
            for (player, act, piece, at), sites in to.items()
            if act == first
        )

    def _reasons(self, position: Standing, placement: Placement, verdict: Verdict) -> tuple[Reason, ...]:
        """The most specific first: a piece of the other side, the game's own, what all games share."""
        told: list[Reason] = []
        mover = position.mover
        shifts = [Shift(s.piece, s.to, s.origin) for s in verdict.way_back if s.origin is not None and s.to is not None]
        foreign = [s for s in shifts if mover and self.owner(s.piece) not in (None, mover)]
        if mover and shifts and len(foreign) == len(shifts) and self.outcome(position) is None:
            sites = tuple(dict.fromkeys(str(site) for s in foreign for site in (s.origin, s.to)))
            facts = {"player": mover, "other": str(self.owner(foreign[0].piece))}
            told.append(Reason("OUT_OF_TURN", sites, f"{self.name} 2", facts))
        elif len(shifts) == len(verdict.way_back) == 1:
            player = mover or self.owner(shifts[0].piece) or self.players[0]
            own = self.why(position, shifts[0], player)
            told += [own] if own else []
        common = [reason for reason in verdict.reasons if not told or reason.code != "NOT_A_TURN"]
        return (*told, *common)

    def judge_turn(self, position: Standing, text: str) -> TurnVerdict:
        """A written turn: legal, or why not. TextError where it can't be read."""
        wanted = self._read(text)
        for turn in self.legal_turns(position):
            if {(s.origin, s.to) for s in turn.shifts} == wanted:
                return TurnVerdict(True, True, turn, self.after(position, turn))
        sites = tuple(sorted({site for pair in wanted for site in pair if site is not None}))
        reasons: list[Reason] = []
        for origin, to in sorted(wanted, key=str):
            piece = position.at(origin) if origin else None
            if len(wanted) == 1 and origin and piece:
                placement = self.picture(replace(position, on=_carried(position.on, [Shift(piece, origin, to)])))
                reasons += self.judge(position, placement).reasons
        return TurnVerdict(False, False, reasons=tuple(reasons) or (Reason("NOT_A_TURN", sites, f"{self.name} 2"),))

    def _read(self, text: str) -> frozenset[tuple[Site | None, Site | None]]:
        """`b2-b3 xc4 +d5`: from b2 to b3, the piece on c4 taken off, one put on d5."""
        found: list[tuple[Site | None, Site | None]] = []
        for word in re.finditer(r"\S+", text):
            step = _STEP.fullmatch(word.group())
            if step is None:
                hint = "a turn is written like b2-b3 or b2-c3 xc3"
                raise TextError(f"{word.group()!r} can't be read; {hint}", word.start() + 1)
            pair = (step["origin"] or step["taken"], step["to"] or step["put"])
            for site in pair:
                if site is not None and site not in self.sites:
                    raise TextError(f"there is no site {site!r} in {self.name}", word.start() + 1)
            found.append(pair)
        if not found:
            raise TextError("a turn is missing", 1)
        return frozenset(found)

    def turn_sites(self, position: Standing, turn: Play) -> frozenset[Site]:
        """Every site that the turn needs to see."""
        return frozenset(site for s in turn.shifts for site in (s.origin, s.to) if site is not None)

    def turn_shifts(self, position: Standing, turn: Play) -> tuple[Shift, ...]:
        """What the turn moves."""
        return turn.shifts

    def parse_turn(self, position: Standing, text: str) -> Play:
        """A legal turn; TextError where it can't be read, RulesError with the code where it is illegal."""
        verdict = self.judge_turn(position, text)
        if not isinstance(verdict.turn, Play):
            raise RulesError(f"{text.strip()} is no legal turn here: {verdict.reasons[0].code}")
        return verdict.turn

    def turn_text(self, position: Standing, turn: Play) -> str:
        """The shifts as they are written: `b2-c3 xc3`."""
        return " ".join(
            f"+{s.to}" if s.origin is None else f"x{s.origin}" if s.to is None else f"{s.origin}-{s.to}"
            for s in turn.shifts
        )

    def position_text(self, position: Standing) -> str:
        """`a1=dark-MAN b1=dark-MAN ... South`; `-` for an empty board, `?` where the side to move isn't known."""
        standing = " ".join(f"{site}={kind}" for site, kind in position.on) or "-"
        return f"{standing} {position.mover or '?'}"

    def parse_position(self, text: str) -> Standing:
        """The same, read; TextError names the column."""
        words = list(re.finditer(r"\S+", text))
        if not words or words[-1].group() not in (*self.players, "?"):
            column = words[-1].start() + 1 if words else 1
            raise TextError(f"a position ends with whose turn it is: {', '.join(self.players)} or ?", column)
        on: list[tuple[Site, Kind]] = []
        for word in words[:-1]:
            site, _, kind = word.group().partition("=")
            if word.group() == "-" and len(words) == 2:
                continue
            if site not in self.sites or kind not in self.pieces:
                raise TextError(f"{word.group()!r} is no piece on a site of {self.name}", word.start() + 1)
            on.append((site, kind))
        mover = words[-1].group()
        return Standing(tuple(sorted(on)), None if mover == "?" else mover)


def _carried(
    on: tuple[tuple[Site, Kind], ...], shifts: tuple[Shift, ...] | list[Shift]
) -> tuple[tuple[Site, Kind], ...]:
    standing = list(on)
    for shift in shifts:
        if shift.origin is not None:
            standing.remove((shift.origin, shift.piece))
        if shift.to is not None:
            standing.append((shift.to, shift.piece))
    return tuple(sorted(standing))
