"""A game is the fold of its rows: what stands after every correction, each turn exactly once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from controller.journal.store import Row


@dataclass(frozen=True)
class TurnRow:
    """A turn that stands. `position`: after it. `t_s`: in its session's time; `row`: where it was last written.

    `took_s`: since the turn before stood, or the game began; None where the table was started again meanwhile.
    `clock_synchronised`: whether `written_utc` can be trusted; None where nobody could tell. `clock`: seconds left by
    player when it was accepted, where the game had a clock.
    """

    n: int
    player: str
    text: str
    legal: bool
    position: str
    t_s: float
    session: int
    written_utc: str
    row: int
    passed: bool = False
    took_s: float | None = None
    clock_synchronised: bool | None = None
    clock: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Illegal:
    """A placement judged illegal after turn `n`. `way_back`: the shifts from it to the position that stood.

    `reasons`: as journalled: `code`, `sites`, `rule`, `why` (English), and `facts` for a sentence in another language.
    """

    n: int
    t_s: float
    player: str
    code: str
    sites: tuple[str, ...]
    why: str
    reasons: tuple[Mapping[str, Any], ...] = ()
    way_back: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class GoneOn:
    """After turn `n` the game went on from another position: it was set, or the thread was lost."""

    n: int
    position: str


@dataclass(frozen=True)
class Ruling:
    """A word of the operator or a player, after turn `n`.

    Of the operator: `accepted` turn `n` as played, `position` set (`text`), `taken_back` a turn, `paused`, `resumed`,
    `corrected` (`text`: which turn, what it was before, why). `draw_offer`: `text` says whose, and what became of it
    ("South made", "South lapsed").
    `guide`: led to a position, `text` is `begun` or `ended`. `unexplained`: what stood on the sites in `text` follows
    by no turn (mode `record`). `flag`: whose fell, or is `up again`.
    """

    n: int
    what: str
    text: str


@dataclass(frozen=True)
class Record:
    """One game as it stands. `players` in the order of their first turns; `begun`: start or midgame.

    `result`: the keys `winner`, `result`, `why` (and `score`) of the row that ended it, None while it goes on.
    `names`: who plays a side, where the operator said it. `begun_s`, `begun_session`: when it began, as for a turn.
    `imported`: the row that says that it was not played at this table, else None.
    """

    game: str | None = None
    set: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    players: tuple[str, ...] = ()
    start: str | None = None
    begun: str | None = None
    begun_utc: str | None = None
    turns: tuple[TurnRow, ...] = ()
    highest_n: int = 0
    gone_on: tuple[GoneOn, ...] = ()
    result: Mapping[str, Any] | None = None
    rulings: tuple[Ruling, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    begun_s: float = 0.0
    begun_session: int = 0
    illegal: tuple[Illegal, ...] = ()
    imported: Mapping[str, Any] | None = None
    begun_clock_synchronised: bool | None = None

    @property
    def position(self) -> str | None:
        """The position that stands."""
        last = self.turns[-1] if self.turns else None
        n = last.n if last else 0
        if self.gone_on and self.gone_on[-1].n == n:
            return self.gone_on[-1].position
        return last.position if last else self.start


SAID = ("taken_back", "paused", "resumed", "corrected")
"""Rulings that stand in the record by their own row; the others are told by what follows from them."""


def fold(rows: Iterable[Row]) -> Record:
    """The record of one game from its rows in order.

    The last row of an `n` counts; a withdrawn turn takes the later ones with it. A row given twice counts once.
    """
    game, seen = _Folding(), set()
    for row in rows:
        if row.id not in seen:
            seen.add(row.id)
            game.take(row)
    return game.record()


class _Folding:
    """A game's rows so far. `head`: what of its record stands already.

    `correcting`: turns that are written again by a correction were made when they were made; `kept`: positions that
    were set, and stand after a correction of what went before.
    """

    def __init__(self) -> None:
        self.head = Record()
        self.turns: dict[int, TurnRow] = {}
        self.gone_on: dict[int, str] = {}
        self.said: list[Ruling] = []
        self.illegal: list[Illegal] = []
        self.correcting = False
        self.kept: dict[int, str] = {}

    def take(self, row: Row) -> None:
        """One row more."""
        data, head = row.data, self.head
        if row.event == "board_found":
            self.head = replace(head, game=head.game or data.get("game"), set=head.set or data.get("set"))
        elif row.event == "setup_complete":
            self._begin(row)
        elif row.event in ("turn", "pass"):
            self._turn(row)
        elif row.event == "withdrawn":
            n = int(data["n"])
            self.turns = {known: turn for known, turn in self.turns.items() if known < n}
            self._forget(n)
        elif row.event == "illegal":
            self.illegal.append(_illegal(self._after(row), data))
        elif row.event == "game_over":
            result = {key: data[key] for key in ("winner", "result", "why", "score") if key in data}
            self.head = replace(head, result=result)
        elif row.event == "reopened":
            self.head = replace(head, result=None)
        elif row.event == "players":
            self.head = replace(head, names=dict(data.get("names", {})))
        elif row.event == "imported":
            told = {key: data.get(key) for key in ("format", "file")} | {"utc": row.written_utc}
            highest = max(head.highest_n, int(data.get("highest_n", 0)))
            self.head = replace(head, imported=told, highest_n=highest)
        elif row.event == "belief" and data.get("lines"):
            self._believe(data)
        elif (ruling := _ruling(row, self._after(row))) is not None:
            self.said.append(ruling)
            if ruling.what == "corrected":
                self.correcting = True
                self.kept = {n: self.gone_on[n] for n in data.get("kept") or () if n in self.gone_on}

    def record(self) -> Record:
        """As it stands now."""
        standing = _timed(tuple(self.turns[n] for n in sorted(self.turns)), self.head)
        told = tuple(GoneOn(n, self.gone_on[n]) for n in sorted(self.gone_on))
        rulings = [Ruling(turn.n, "accepted", turn.text) for turn in standing if not turn.legal]
        # Of a game taken up in the middle the first line only settles who is to move.
        rulings += [Ruling(on.n, "position", on.position) for on in told if on.n or self.head.begun != "midgame"]
        return replace(
            self.head,
            players=tuple(dict.fromkeys(turn.player for turn in standing)),
            turns=standing,
            gone_on=told,
            rulings=tuple(sorted([*rulings, *self.said], key=lambda ruling: ruling.n)),
            illegal=tuple(self.illegal),
        )

    def _after(self, row: Row) -> int:
        """After which turn a row was written; an imported one says so."""
        return int(row.data.get("after", max(self.turns, default=0)))

    def _begin(self, row: Row) -> None:
        data = row.data
        session, written, clock = _when(row)
        self.head = replace(
            self.head,
            game=data.get("game") or self.head.game,
            set=data.get("set") or self.head.set,
            start=data["position"],
            begun=data["as"],
            begun_utc=written,
            begun_session=session,
            begun_s=float(data["t"]),
            begun_clock_synchronised=clock,
        )

    def _turn(self, row: Row) -> None:
        n = int(row.data["n"])
        before = self.turns.get(n)
        if before is None or before.position != row.data["position"]:
            self._forget(n)
            self.gone_on |= self.kept
        self.turns[n] = _turn(row, before if self.correcting else None)
        self.head = replace(self.head, highest_n=max(self.head.highest_n, n))

    def _believe(self, data: Mapping[str, Any]) -> None:
        """A belief whose turns begin from another position than the turn before them led to: the game went on there.

        Turns that are still open follow one another: whatever was thought to have come between them is over.
        """
        self.correcting, self.kept = False, {}
        if data.get("options"):
            self.head = replace(self.head, options=dict(data["options"]))
        shown = data["lines"][0]
        n = int(shown["n"])
        self._forget(n + 1)
        if n and n not in self.turns:
            return
        stands = self.turns[n].position if n else self.head.start
        if shown["anchor"] != stands:
            self.gone_on[n] = shown["anchor"]
        else:
            self.gone_on.pop(n, None)

    def _forget(self, n: int) -> None:
        """From turn `n` on nothing is known of where the game went on."""
        self.gone_on = {known: position for known, position in self.gone_on.items() if known < n}


def _when(row: Row) -> tuple[int, str | None, bool | None]:
    """Session and wall time of a row, and whether the clock was right; of an imported game, those where it was played.
    """
    was = row.data.get("was")
    if was is None:
        return row.session, row.written_utc, row.clock_synchronised
    return int(was.get("session", row.session)), was.get("written_utc"), was.get("clock_synchronised")


def _turn(row: Row, before: TurnRow | None) -> TurnRow:
    """The turn of a row. `before`: the turn that it corrects, whose time counts."""
    data = row.data
    session, written, clock = _when(row)
    t_s = float(data["t"])
    if before is not None:
        session, written, t_s, clock = before.session, before.written_utc, before.t_s, before.clock_synchronised
    return TurnRow(
        int(data["n"]), data["player"], data["text"], bool(data["legal"]), data["position"], t_s,
        session, written or "", int(data.get("was", {}).get("row", row.id)), row.event == "pass",
        clock_synchronised=clock, clock=data.get("clock"),
    )  # fmt: skip


def _timed(turns: tuple[TurnRow, ...], head: Record) -> tuple[TurnRow, ...]:
    """The turns with the time that each took."""
    found: list[TurnRow] = []
    session, t_s = head.begun_session if head.start is not None else None, head.begun_s
    for turn in turns:
        took_s = round(turn.t_s - t_s, 3) if turn.session == session and turn.t_s >= t_s else None
        found.append(replace(turn, took_s=took_s))
        session, t_s = turn.session, turn.t_s
    return tuple(found)


def _illegal(after: int, data: Mapping[str, Any]) -> Illegal:
    return Illegal(
        after, float(data["t"]), str(data["player"]), str(data["code"]), tuple(data.get("sites") or ()),
        str(data.get("why") or ""), tuple(data.get("reasons") or ()), tuple(data.get("way_back") or ()),
    )  # fmt: skip


def _ruling(row: Row, after: int) -> Ruling | None:
    """What somebody said, or the table did, that has no other place in the record."""
    data = row.data
    if row.event == "ruling" and data["what"] == "corrected" and data.get("n"):
        reason = f" ({data['reason']})" if data.get("reason") else ""
        return Ruling(after, "corrected", f"{data['n']}. {data.get('was') or '?'}{reason}")
    if row.event == "ruling" and data["what"] in SAID:
        return Ruling(after, data["what"], str(data.get("reason") or ""))
    if row.event == "flag":
        return Ruling(after, "flag", str(data["player"]) + ("" if data["fallen"] else " up again"))
    if row.event == "draw_offer":
        return Ruling(after, "draw_offer", f"{data['player']} {data['state']}")
    if row.event == "guide":
        return Ruling(after, "guide", str(data["state"]))
    if row.event == "reported":
        return Ruling(after, "reported", str(data.get("file") or ""))
    if row.event == "unexplained":
        return Ruling(after, "unexplained", " ".join(data.get("sites") or ()))
    return None
