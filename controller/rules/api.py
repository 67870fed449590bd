"""What a game is to Boardref: all that a plug-in imports. Pure, no I/O.

A rules engine for a screen thinks in commands; hands can't. So a game does not only name its legal turns but also the
*stages* that may stand on the table between the position before a turn and the position after it, and judges a
placement (what a camera sees) rather than a command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

Site = str  # a place of the board, as the set names it: "c4"
Kind = str  # a kind of piece, as the eyes name it: "dark-PIAS"
Player = str  # one of Game.players
Position = Any  # a game's own frozen, hashable position; opaque outside the game
Turn = Any  # a game's own frozen, hashable turn; opaque outside the game

Answer = Literal["unchanged", "complete", "partial", "illegal", "unclear"]
Act = Literal["return", "second_half", "reply", "choose", "remove", "unload", "clear"]


class RulesError(ValueError):
    """Base of all errors of the rules; the text is one sentence for a person."""


class TextError(RulesError):
    """A text that can't be parsed. `column` counts from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"{message} (column {column})")
        self.column = column


class OptionError(RulesError):
    """An unknown option, or a value it does not take."""


@dataclass(frozen=True)
class Placement:
    """What stands where. `on`: occupied sites only; `off`: pieces seen beside the sites; `hidden`: unseen sites."""

    on: Mapping[Site, tuple[Kind, ...]]
    off: tuple[Kind, ...] = ()
    hidden: frozenset[Site] = frozenset()


@dataclass(frozen=True)
class Reason:
    """Why something is illegal: a code of the contract, the sites concerned, the rule ("transet 2.3").

    `facts` fills the sentence of the code in `controller.words` (site, piece, player names as plain strings).
    """

    code: str
    sites: tuple[Site, ...]
    rule: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shift:
    """One piece to carry: `origin` None = from the hand or beside the board, `to` None = off the board."""

    piece: Kind
    origin: Site | None
    to: Site | None


@dataclass(frozen=True)
class Owed:
    """An act that must still follow: who, what, with which piece, where it stands, and where it may go."""

    player: Player
    act: Act
    piece: Kind
    at: Site | None
    to: frozenset[Site]


@dataclass(frozen=True)
class Verdict:
    """The answer to "what is this placement, after that position?".

    unchanged: nothing moved. complete: legal turns end exactly here, one in `turns` for each different position after;
    `extendable` when a stage of another turn looks the same. partial: a stage, or nothing but missing pieces; `owed`,
    `missing`. illegal: no legal turn ends or passes here whatever the missing pieces do; `reasons` most specific first;
    `way_back` the fewest shifts to the position before. unclear: hidden sites could make the difference.
    """

    answer: Answer
    turns: tuple[Turn, ...] = ()
    extendable: bool = False
    owed: tuple[Owed, ...] = ()
    missing: tuple[Kind, ...] = ()
    reasons: tuple[Reason, ...] = ()
    way_back: tuple[Shift, ...] = ()


@dataclass(frozen=True)
class Nearest:
    """A legal turn that one piece would make of an illegal placement: `shift` says which, from where and to where."""

    turn: Turn
    shift: Shift


@dataclass(frozen=True)
class TurnVerdict:
    """The answer to a turn given as text (`boardref rules judge --turn`)."""

    legal: bool
    complete: bool
    turn: Turn | None = None
    position: Position | None = None
    owed: tuple[Owed, ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Setup:
    """`position` when a start position stands exactly; else `wrong`: the fewest shifts to the `nearest` one."""

    position: Position | None
    nearest: Position
    wrong: tuple[Shift, ...] = ()
    right: int = 0
    total: int = 0
    reasons: tuple[Reason, ...] = ()  # what forbids it, where a game has codes for that (Transfer)


@dataclass(frozen=True)
class Outcome:
    """How a game ended. `winner` None = draw. `why` is a words key ("end_move"), `score` for games that count."""

    winner: Player | None
    result: str
    why: str
    score: tuple[int, int] | None = None


@dataclass(frozen=True)
class Option:
    """A decision a table owner may take otherwise: its default, the values it takes, and what it means."""

    default: str
    choices: tuple[str, ...]
    meaning: str


class Game(Protocol):
    """One game's law. Instances are immutable, and keys of caches; `with_options` gives another one."""

    name: str
    author: str
    players: tuple[Player, Player]
    sites: frozenset[Site]
    pieces: Mapping[Kind, int]  # kind -> how many exist
    options: Mapping[str, Option]
    turn_size: int  # how many pieces one turn can move to another lane at most (Transet 2)
    tries_two_turns: bool  # two turns between two settled pictures may be tried as an explanation (Transfer: too many)

    def __hash__(self) -> int: ...
    def with_options(self, chosen: Mapping[str, str]) -> Game: ...
    def owner(self, kind: Kind) -> Player | None: ...
    def lane(self, site: Site) -> str: ...  # the sites among which only order counts (Transfer's rows); else the site
    def normal(self, placement: Placement) -> Placement: ...  # the same picture, gaps that don't count closed
    def start(self) -> Position: ...
    def to_move(self, position: Position) -> Player | None: ...
    def with_mover(self, position: Position, player: Player) -> Position: ...
    def setup(self, placement: Placement) -> Setup: ...
    def midgame(self, placement: Placement) -> Position | None: ...
    def legal_turns(self, position: Position, towards: Placement | None = None) -> Iterator[Turn]: ...
    def forced_pass(self, position: Position) -> Turn | None: ...  # the turn "--" of a side that has no other
    def stages(self, position: Position, turn: Turn) -> Iterator[Placement]: ...
    def after(self, position: Position, turn: Turn) -> Position: ...
    def judge(self, position: Position, placement: Placement, done: Player | None = None) -> Verdict: ...
    def judge_turn(self, position: Position, text: str) -> TurnVerdict: ...
    def picture(self, position: Position) -> Placement: ...
    def outcome(self, position: Position) -> Outcome | None: ...
    def turn_sites(self, position: Position, turn: Turn) -> frozenset[Site]: ...
    def turn_shifts(self, position: Position, turn: Turn) -> tuple[Shift, ...]: ...
    def parse_position(self, text: str) -> Position: ...
    def position_text(self, position: Position) -> str: ...
    def parse_turn(self, position: Position, text: str) -> Turn: ...
    def turn_text(self, position: Position, turn: Turn) -> str: ...


@runtime_checkable
class MeasuresDistance(Protocol):
    """What a game adds that knows how far a piece is carried, in any unit: the nearest of several turns is shown."""

    def distance(self, one: Site, other: Site) -> float: ...


@runtime_checkable
class CountsPoints(Protocol):
    """What a game adds that counts points while it is played."""

    def score(self, position: Position) -> tuple[int, int] | None: ...  # in the order of `players`; None: not known
    def with_points(self, before: Position, position: Position) -> Position: ...
    # ^ `position`, which came of `before` somehow, with the points so far, where it can be told whose they are


@runtime_checkable
class PlaysInStrokes(Protocol):
    """What a game adds whose turns are too many to list (`tries_two_turns` False): every settled stage is a seam.

    Its pieces may be laid out in nearly any way at the start, so that a board proves no new game by being a set-up.
    """

    platforms: tuple[str, str]  # the lanes from which the players move pieces, in the order of `players`

    def retell(self, position: Position, turn: Turn, seen: Sequence[Placement]) -> Turn: ...
    # ^ the turn to the same position whose strokes pass through as many of the seen stages (oldest first) as can be


@runtime_checkable
class LoadsPieces(Protocol):
    """What such a game may add, so that whoever lifts a piece sees what goes with it."""

    def loads(self, position: Position, site: Site) -> tuple[Site, ...]: ...
    # ^ where the pieces stand that a turn may begin by loading together with the one on the site, nearest first
