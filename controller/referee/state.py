"""What the referee remembers between two inputs: one frozen State. And the Draft in which a step is worked out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from controller.referee.clocks import Clocks
from controller.referee.events import Event
from controller.referee.guiding import Guide
from controller.referee.lines import Anchors, Done, Line
from controller.referee.playclock import NO_CLOCK, ClockRules, PlayClock
from controller.referee.reading import Reading
from controller.referee.search import Explained
from controller.referee.strokes import Way
from controller.referee.timing import Timing
from controller.referee.view import Lifted, Mode, Offence, Phase, Played, View
from controller.rules.api import Game, Kind, Owed, Placement, Player, Reason, Setup, Site
from vision.sighting import Token

Candidate = Mapping[str, str | None]
NOTHING = Placement({})
T = TypeVar("T", "State", "Seen", "Eyes")


@dataclass(frozen=True)
class Seen:
    """What the newest frame showed, and what happened since the last settled picture that was explained.

    `looked`: tokens and hidden sites as the eyes gave them; `readings`: what they may mean.
    `touched`: sites hidden or changed since then; `touched_since_pending`: since a complete turn stood settled. `seam`:
    the last settled picture of a position or a stage.
    `steady`: the last settled picture, `steady_s` when it was last seen so; `away`: something else stands since.
    `gap_s`: how long before the change the board was last seen settled.
    """

    clocks: Clocks = field(default_factory=Clocks)
    looked: tuple[tuple[Token, ...], frozenset[Site]] | None = None
    readings: tuple[Reading, ...] = (Reading(NOTHING),)
    hand: bool = False
    touched: frozenset[Site] = frozenset()
    touched_since_pending: frozenset[Site] = frozenset()
    explained: Placement = NOTHING
    seam: Placement = NOTHING
    steady: Placement | None = None
    steady_s: float = 0.0
    away: bool = False
    gap_s: float = 0.0

    @property
    def placement(self) -> Placement:
        """The best reading."""
        return self.readings[0].placement


@dataclass(frozen=True)
class Eyes:
    """Can the referee see? `code`: the trouble that lasts, `since_s` when it began, `told`: it was said.

    `told_of_sites`: it was said because some needed sites are hidden, not because of a trouble of the whole picture.
    """

    found: bool = False
    moved: bool = False
    last_s: float | None = None
    code: str | None = None
    since_s: float = 0.0
    told: str | None = None
    told_of_sites: bool = False
    hand_since_s: float | None = None


@dataclass(frozen=True)
class Standing:
    """What was last written of the board. `known`: what was last seen settled on every site, hidden now or not.

    `rows` written since the record had `turns` turns.
    """

    known: Placement = NOTHING
    rows: int = 0
    turns: int = 0


@dataclass(frozen=True)
class Guiding:
    """The table is being led to the believed position: the way from what stood when it was last quiet (`at`)."""

    way: Guide = field(default_factory=Guide)
    at: Placement | None = None


@dataclass(frozen=True)
class Lift:
    """A piece in the air since `since_s`; `told`: where it may go has been worked out."""

    piece: Lifted
    since_s: float
    told: bool = False


@dataclass(frozen=True)
class Offer:
    """A draw that `player` has offered in game `game_no`, when its record had `n` turns."""

    player: Player
    game_no: int
    n: int


@dataclass(frozen=True)
class State:
    """The referee's memory. Everything but `game` is data.

    `lines`: what is believed, the shown one first; `pending`: lines that would be believed if nothing goes on from the
    turn that stands settled. `published`: the record as the outside knows it, `written`: the highest `n` ever written.
    `stage`, `stage_at`: the last settled stage. `missing`: pieces out of sight in what stands settled. `accused`:
    placements named illegal since the last legal one. `way`: the settled stages of the turn being made. `asked`,
    `ruled`: a placement that was asked about, that an operator has ruled on. `doubts`: what would be wrong with it.
    `anchors`: from where the game goes on (`lines.Anchors`). `standing`: what was last written of the board.
    `lift`: a piece in the air (a table that teaches).
    `clock`: the players' clock, if this game has one; `clock_rules`: that of the games to come.
    `names`: who plays, by side, in game `named`. `games_before`: so many were played with another set.
    `operator`: somebody has called the operator, who has not come yet. `guiding`: nothing is judged, the table is led
    back to the position of the first line. `unchecked`: a question was answered while too much of the board was hidden
    to say whether it can have come of that.
    """

    game: Game
    set_name: str
    timing: Timing
    start_mode: str
    mode: Mode = "referee"
    t_s: float = 0.0
    frame: int = 0
    game_no: int = 0
    games_before: int = 0
    phase: Phase = "searching"
    eyes: Eyes = Eyes()
    seen: Seen = Seen()
    lines: tuple[Line, ...] = ()
    pending: tuple[Line, ...] = ()
    published: tuple[Done, ...] = ()
    written: int = 0
    anchors: Anchors = ()
    standing: Standing = Standing()
    played: tuple[Played, ...] = ()
    accepted_s: float | None = None
    provisional: bool = False
    offence: Offence | None = None
    lift: Lift | None = None
    accused: tuple[Placement, ...] = ()
    owed: tuple[Owed, ...] = ()
    stage: tuple[str, Placement] | None = None
    stage_at: Placement | None = None
    way: Way = field(default_factory=Way)
    partial: bool = False
    missing: tuple[Kind, ...] = ()
    question: tuple[Candidate, ...] = ()
    question_about: Literal["", "lines", "reading", "thread", "victim"] = ""
    doubts: tuple[Reason, ...] = ()
    asked: Placement | None = None
    ruled: Placement | None = None
    rearranging: bool = False
    guiding: Guiding | None = None
    unchecked: bool = False
    paused: bool = False
    operator: bool = False
    pressed: tuple[Player | None, float] | None = None
    offer: Offer | None = None
    clock_rules: ClockRules = NO_CLOCK
    clock: PlayClock | None = None
    names: tuple[tuple[Player, str], ...] = ()
    named: int = 0
    setup: Setup | None = None
    winner: Player | None = None
    result: str | None = None
    why: str | None = None
    memo: tuple[Any, tuple[tuple[Reading, Explained], ...]] | None = field(default=None, compare=False)

    @property
    def last_no(self) -> int:
        """The number of the game that is played, or was played last; 0 for none."""
        return self.game_no or self.games_before

    @property
    def line(self) -> Line:
        """The line that is shown."""
        return self.lines[0]


@dataclass(frozen=True)
class Step:
    """What one input led to."""

    state: State
    view: View
    events: tuple[Event, ...]


def _with(one: T, changes: Mapping[str, Any]) -> T:
    """As `dataclasses.replace`, which for these many fields took a third of a step's time."""
    known = vars(one)
    assert changes.keys() <= known.keys(), changes
    made: T = object.__new__(type(one))
    vars(made).update(known)
    vars(made).update(changes)
    return made


class Draft:
    """One step being worked out: the state so far and the events so far. `said`: what goes into every ruling of it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []
        self.said: Mapping[str, str] = {}

    def set(self, **changes: Any) -> None:
        """Change the state."""
        self.state = _with(self.state, changes)

    def set_seen(self, **changes: Any) -> None:
        """Change what was seen."""
        self.state = _with(self.state, {"seen": _with(self.state.seen, changes)})

    def set_eyes(self, **changes: Any) -> None:
        """Change what is known of the eyes."""
        self.state = _with(self.state, {"eyes": _with(self.state.eyes, changes)})

    def emit(
        self,
        event: str,
        data: Mapping[str, Any] | None = None,
        *,
        reasons: tuple[Reason, ...] = (),
        internal: bool = False,
    ) -> None:
        """Write an event of this frame."""
        state = self.state
        game_no = state.game_no or state.last_no + 1  # what comes before a set's first set-up belongs to its first game
        self.events.append(Event(event, state.t_s, state.frame, game_no, data or {}, internal, reasons))
