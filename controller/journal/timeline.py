"""The timeline of a game: every board that stood settled, what was said of it, and the words of people in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from controller.journal.fold import Record, fold
from controller.journal.store import Row
from controller.rules.api import Game, Kind, RulesError, Site

Kinds = Mapping[Site, tuple[Kind, ...]]
Verdict = Literal[
    "setup", "turn", "illegal", "question", "owed", "unexplained", "clearing", "back", "waiting", "over", "ruling",
    "restarted",
]  # fmt: skip

VERDICTS: Mapping[str, Verdict] = {
    "turn": "turn", "pass": "turn", "withdrawn": "back", "illegal": "illegal", "question": "question",
    "obligation": "owed", "unexplained": "unexplained", "rearranging": "clearing", "restored": "back",
    "game_over": "over",
}  # fmt: skip
"""What an event says of the board that stands; the last one counts."""
RULINGS = ("ruling", "draw_offer", "resume")


@dataclass
class Entry:
    """One board that stood, or one word of people (`ruling`, with no board of its own).

    `row`: of its first row; `placement`: what stood, `changed` the sites on which something else stood before;
    `n`: the turn it is about: one of `turns`, otherwise the next one. `turns`: turn events written about it; of them
    `standing` still stand in the record. `said`: the event that gave the verdict, or the ruling.
    """

    row: int
    session: int
    t_s: float
    written_utc: str
    verdict: Verdict
    placement: Kinds
    changed: tuple[Site, ...] = ()
    hidden: tuple[Site, ...] = ()
    n: int = 1
    turns: list[Mapping[str, Any]] = field(default_factory=list)
    standing: list[int] = field(default_factory=list)
    said: Mapping[str, Any] = field(default_factory=dict)
    result: str | None = None


@dataclass(frozen=True)
class Timeline:
    """A game's entries in order, its record, and the lines believed last: each the texts of its open turns."""

    record: Record
    entries: tuple[Entry, ...]
    lines: tuple[Mapping[str, Any], ...] = ()


def timeline(rows: Iterable[Row], game: Game) -> Timeline:
    """The timeline of one game from its rows. RulesError for positions that can't be read."""
    found = list(rows)
    record = fold(found)
    entries = _Entries(game)
    lines: Sequence[Mapping[str, Any]] = ()
    for row in found:
        entries.take(row)
        if row.event == "belief":
            lines = row.data.get("lines") or ()
    return Timeline(record, tuple(entries.made), tuple(lines))


class _Entries:
    def __init__(self, game: Game) -> None:
        self.made: list[Entry] = []
        self._game = game
        self._on: dict[Site, tuple[Kind, ...]] = {}
        self._turns: dict[int, str] = {}  # n -> position after
        self._start = ""
        self._illegal: list[tuple[Kinds, Mapping[str, Any]]] = []  # since the last turn: each is named once only
        self._holders: dict[int, list[Entry]] = {}  # turn -> the entries that show it as it stands
        self._session = 0
        self._seen = False  # older files don't say what stood

    def take(self, row: Row) -> None:
        """One row of the game."""
        data = row.data
        if self.made and row.session != self._session:
            self._session = row.session
            self._add(row, "restarted")
        if row.event == "setup_complete":
            self._start = str(data["position"])
            self._on = dict(self._game.picture(self._game.parse_position(self._start)).on)
            self._turns, self._session = {}, row.session
            self._add(row, "setup", said=data)
        elif row.event == "standing":
            self._seen = True
            changed = {site: tuple(kinds) for site, kinds in data["changed"].items()}
            self._on = {site: kinds for site, kinds in {**self._on, **changed}.items() if kinds}
            entry = self._add(row, "waiting", changed=tuple(changed), hidden=tuple(data.get("hidden") or ()))
            entry.verdict, entry.said = self._known()
        elif row.event in RULINGS or (row.event == "guide" and data.get("by") == "player"):
            self._add(row, "ruling", said=data)
        elif row.event in VERDICTS and self.made and (self._seen or row.event != "restored"):
            if not self._seen and row.event in ("turn", "pass", "illegal"):
                self._as_believed(row)
            self._judge(row)

    def _add(self, row: Row, verdict: Verdict, **more: Any) -> Entry:
        t_s = float(row.data.get("t") or 0.0)
        n = max(self._turns, default=0) + 1
        entry = Entry(row.id, row.session, t_s, row.written_utc, verdict, dict(self._on), n=n, **more)
        self.made.append(entry)
        return entry

    def _as_believed(self, row: Row) -> None:
        """A board of an older file: what a turn led to; of an offence only what stood before it is known."""
        if "position" in row.data:
            before = self._on
            self._on = dict(self._game.picture(self._game.parse_position(str(row.data["position"]))).on)
            changed = sorted(site for site in {*before, *self._on} if before.get(site) != self._on.get(site))
            self._add(row, "waiting", changed=tuple(changed))
        else:
            self._add(row, "waiting")

    def _hold(self, n: int, entry: Entry, turn: Mapping[str, Any]) -> None:
        """This entry shows turn `n`. What a correction of another turn writes again still stands where it stood."""
        again = entry.said.get("what") == "corrected" and int(entry.said.get("n") or 0) != n
        holders = self._holders.get(n, [])
        if again and any(one["n"] == n and one["text"] == turn["text"] for other in holders for one in other.turns):
            return
        self._let_go(n)
        self._holders[n] = [entry]
        entry.standing.append(n)

    def _let_go(self, n: int) -> None:
        for entry in self._holders.pop(n, ()):
            entry.standing.remove(n)

    def _known(self) -> tuple[Verdict, Mapping[str, Any]]:
        """What is known of this board before anything is said of it: it was called illegal, or it is believed."""
        for placement, said in self._illegal:
            if placement == self._on:
                return "illegal", said
        position = self._turns[max(self._turns)] if self._turns else self._start
        try:
            believed = self._game.picture(self._game.parse_position(position)).on
        except RulesError:
            return "waiting", {}
        return ("back" if dict(believed) == self._on else "waiting"), {}

    def _judge(self, row: Row) -> None:
        data, entry = row.data, self.made[-1]
        if row.event in ("turn", "pass"):
            n = int(data["n"])
            if self._turns.get(n) != data["position"]:
                self._illegal = []
            self._turns = {k: position for k, position in self._turns.items() if k < n} | {n: str(data["position"])}
            entry.turns = [turn for turn in entry.turns if turn["n"] != n] + [data]
            self._hold(n, entry, data)
            entry.n = min(int(turn["n"]) for turn in entry.turns)
        elif row.event == "withdrawn":
            self._turns = {k: position for k, position in self._turns.items() if k < int(data["n"])}
            for n in [n for n in self._holders if n >= data["n"]]:
                self._let_go(n)
            entry.turns = [turn for turn in entry.turns if turn["n"] < data["n"]]
            if entry.verdict != "ruling":
                entry.n = max(self._turns, default=0) + 1
            self._illegal = []
        elif row.event == "illegal":
            self._illegal.append((dict(self._on), data))
        elif row.event == "game_over":
            entry.result = str(data.get("result"))
        if entry.verdict == "ruling":
            return  # what follows from a word is no verdict on a board
        if row.event == "game_over" and entry.turns:
            return
        entry.verdict, entry.said = VERDICTS[row.event], data
