"""View: all that pages and lights need to know, immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from controller.rules.api import Owed, Reason, Shift

Phase = Literal["searching", "setup", "play", "over"]
Mode = Literal["referee", "record", "teach"]


@dataclass(frozen=True)
class Played:
    """A turn of the record. `shifts`: what it moved (for the last-move marks). `passed`: the side had no legal turn."""

    n: int
    player: str
    text: str
    legal: bool = True
    shifts: tuple[Shift, ...] = field(default=(), compare=False)
    passed: bool = False


@dataclass(frozen=True)
class Offence:
    """An illegal placement being shown: reasons most specific first, the way back, and the side being read.

    `nearest`: the one piece that would make a legal turn of it, if one would, and `nearest_turn` that turn as text.
    """

    player: str
    owner: str | None
    reasons: tuple[Reason, ...]
    way_back: tuple[Shift, ...]
    nearest: Shift | None = None
    nearest_turn: str | None = None


@dataclass(frozen=True)
class Lifted:
    """A piece in the air. `to`: where it may go; `along`: what would move as well: pressed or taken, the other half of
    a swap, or (Transfer, where `to` is never known) the pieces that may be loaded. `why` not elsewhere: site -> reason.
    """

    player: str
    piece: str
    site: str
    to: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    why: Mapping[str, Reason] = field(default_factory=dict)


@dataclass(frozen=True)
class ClockView:
    """The players' clock. `left_ms` of every side whose time does not run; that of side `runs` is up at camera time
    `ends_ms`. `stop`: why none runs (`playclock.Stop`). `fallen`: whose flag has fallen.
    """

    kind: str
    left_ms: Mapping[str, int]
    runs: str | None = None
    ends_ms: int = 0
    stop: str = ""
    fallen: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """The table as the referee believes it, at camera time `t_s`.

    `placement`: site -> kinds of the believed position; `observed`: what the eyes see now. `accepted_s`: camera time at
    which the last turn was accepted (None before the first). `seen`: no hand for 0.3 s and something changed, not
    judged yet; `changed`: those sites. `trouble`: a `cannot_see` code. `operator`: somebody called the operator.
    `offer`: who has offered a draw.
    `asked_about`: what a `question` is about: lines, reading, thread (lost), victim (which one is pressed).
    `doubts`: what would be wrong if what is asked about were one turn.
    `mode`: "record" accuses nobody and asks nothing about what it can't explain, "teach" helps whoever lifts a piece.
    `wrong`/`right`/`total`: set-up still to mend; while `guiding` the way to `placement`, first things first, and
    `waits`: hidden sites that must be seen before it can go on. `score`: points so far, in the order of `players`,
    where the game counts and they are known. `unrecorded`: the record can't be written now; `unwritten` turns that were
    played are not in `turns` for that reason, and no result is shown.
    `missing`: pieces that have been out of sight for long (a hint, never an
    offence). `names`: who plays, by side, where that was told. `options`: rules options of the game, as chosen.
    """

    t_s: float
    phase: Phase
    game: str | None = None
    set_name: str | None = None
    game_no: int = 0
    players: tuple[str, str] = ("", "")
    to_move: str | None = None
    position: str | None = None
    mode: Mode = "referee"
    placement: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    observed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    turns: tuple[Played, ...] = ()
    accepted_s: float | None = None
    provisional: bool = False
    seen: bool = False
    changed: frozenset[str] = frozenset()
    hand: bool = False
    offence: Offence | None = None
    lifted: Lifted | None = None
    owed: tuple[Owed, ...] = ()
    hint: bool = False
    question: tuple[Mapping[str, str | None], ...] = ()
    asked_about: str = ""
    doubts: tuple[Reason, ...] = ()
    trouble: str | None = None
    board_moved: bool = False
    rearranging: bool = False
    guiding: bool = False
    waits: frozenset[str] = frozenset()
    paused: bool = False
    offer: str | None = None
    operator: bool = False
    wrong: tuple[Shift, ...] = ()
    right: int = 0
    total: int = 0
    winner: str | None = None
    result: str | None = None
    why: str | None = None
    score: tuple[int, int] | None = None
    missing: tuple[str, ...] = ()
    unrecorded: bool = False
    unwritten: int = 0
    clock: ClockView | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def last_turn(self) -> Played | None:
        """The last turn of the record that was played, not passed."""
        return next((turn for turn in reversed(self.turns) if not turn.passed), None)
