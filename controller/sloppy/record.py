"""What the referee said, folded into the games it believes, and what to make of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from controller.referee.events import Event


@dataclass(frozen=True)
class Row:
    """One turn of a record."""

    player: str
    text: str
    position: str


@dataclass
class Record:
    """The fold of a table's events: the last line of a (game, n) counts, a withdrawn one and all after it go."""

    games: dict[int, dict[int, Row]] = field(default_factory=dict)
    outcomes: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    starts: dict[int, str] = field(default_factory=dict)
    game_no: int = 0
    events: list[Event] = field(default_factory=list)

    def take(self, events: Iterable[Event]) -> list[Event]:
        """Fold events in; returns those that `watch` would print."""
        told = [event for event in events if not event.internal]
        for event in told:
            self.events.append(event)
            data = event.data
            rows = self.games.setdefault(event.game_no, {})
            if event.event == "setup_complete":
                self.game_no = event.game_no
                self.starts[event.game_no] = data["position"]
            elif event.event in ("turn", "pass"):
                rows[data["n"]] = Row(data["player"], data["text"], data["position"])
            elif event.event == "withdrawn":
                for n in [n for n in rows if n >= data["n"]]:
                    del rows[n]
            elif event.event == "game_over":
                self.outcomes[event.game_no] = data
        return told

    def rows(self, game_no: int) -> list[Row]:
        """The turns of a game in order; a gap in the numbers shows as an empty row."""
        rows = self.games.get(game_no, {})
        return [rows.get(n, Row("", "", "")) for n in range(1, max(rows, default=0) + 1)]


@dataclass(frozen=True)
class Fault:
    """Something the referee got wrong, and the seed that shows it again."""

    seed: int
    t_s: float
    kind: str  # accusation, mismatch, question, missed, surplus, stuck
    text: str

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.t_s:.1f} s: {self.kind}: {self.text}"


@dataclass
class Report:
    """What came of a run. `clean`: no accusation of honest play, no offence missed, every record as it was played."""

    turns: int = 0
    games: int = 0
    tables: int = 0
    frames: int = 0
    events: int = 0
    offences: int = 0
    questions: int = 0
    rewritten: int = 0  # turns written with `revised`
    withdrawn: int = 0
    cpu_s: float = 0.0
    habits: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing was wrong."""
        return not self.faults

    @property
    def false_accusations(self) -> int:
        """How often honest play was called illegal."""
        return self._count("accusation")

    @property
    def missed(self) -> int:
        """How many offences were not named, or not by their name."""
        return self._count("missed")

    @property
    def mismatches(self) -> int:
        """How many games were recorded otherwise than played."""
        return self._count("mismatch")

    @property
    def failing_seeds(self) -> tuple[int, ...]:
        """Seeds that show a fault, each once."""
        return tuple(sorted({fault.seed for fault in self.faults}))

    def _count(self, kind: str) -> int:
        return sum(fault.kind == kind for fault in self.faults)

    def add(self, other: Report) -> None:
        """Count another run in."""
        for name in (
            "turns", "games", "tables", "frames", "events", "offences", "questions", "rewritten", "withdrawn", "cpu_s",
        ):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for habit, times in other.habits.items():
            self.habits[habit] = self.habits.get(habit, 0) + times
        self.faults += other.faults

    def as_json(self) -> dict[str, Any]:
        """The same figures for a program, but for the time that the run took."""
        figures = {name: value for name, value in vars(self).items() if name not in ("cpu_s", "faults", "habits")}
        named = {"false_accusations": self.false_accusations, "missed": self.missed, "mismatches": self.mismatches}
        faults = [asdict(fault) for fault in self.faults]
        return {**figures, **named, "habits": dict(sorted(self.habits.items())), "faults": faults}

    def summary(self) -> str:
        """A few lines for a person."""
        speed = f"{self.frames / self.cpu_s:.0f} frames/s" if self.cpu_s else "no time"
        lines = [
            f"sloppy table: {self.turns} turns, {self.games} games, {self.frames} frames, "
            f"{self.offences} offences planted",
            f"  false accusations {self.false_accusations}, missed offences {self.missed}, "
            f"records that differ {self.mismatches}, other faults "
            f"{len(self.faults) - self.false_accusations - self.missed - self.mismatches}",
            f"  turns rewritten {self.rewritten}, withdrawn {self.withdrawn}, questions {self.questions}; {speed}",
            "  habits: " + ", ".join(f"{habit} {times}" for habit, times in sorted(self.habits.items())),
        ]
        lines += [f"  {fault}" for fault in self.faults[:20]]
        if len(self.faults) > 20:
            lines.append(f"  and {len(self.faults) - 20} more; seeds {', '.join(map(str, self.failing_seeds[:40]))}")
        return "\n".join(lines)
