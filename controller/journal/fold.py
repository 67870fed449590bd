"""A game is the fold of its rows: what stands after every correction, each turn exactly once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.journal.store import Row


@dataclass(frozen=True)
class TurnRow:
    """A turn that stands. `position`: after it. `t_s`: in its session's time; `row`: where it was last written."""

    n: int
    player: str
    text: str
    legal: bool
    position: str
    t_s: float
    session: int
    written_utc: str
    row: int


@dataclass(frozen=True)
class GoneOn:
    """After turn `n` the game went on from another position: it was set, or the thread was lost."""

    n: int
    position: str


@dataclass(frozen=True)
class Ruling:
    """A word of the operator or a player, after turn `n`.

    Of the operator: `accepted` turn `n` as played, `position` set (`text`), `taken_back` a turn, `paused`, `resumed`.
    `draw_offer`: `text` says whose, and what became of it ("South made", "South lapsed").
    """

    n: int
    what: str
    text: str


@dataclass(frozen=True)
class Record:
    """One game as it stands. `players` in the order of their first turns; `begun`: start or midgame.

    `result`: the keys `winner`, `result`, `why` (and `score`) of the row that ended it, None while it goes on.
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

    @property
    def position(self) -> str | None:
        """The position that stands."""
        last = self.turns[-1] if self.turns else None
        n = last.n if last else 0
        if self.gone_on and self.gone_on[-1].n == n:
            return self.gone_on[-1].position
        return last.position if last else self.start


def fold(rows: Iterable[Row]) -> Record:
    """The record of one game from its rows in order.

    The last row of an `n` counts; a withdrawn turn takes the later ones with it. A row given twice counts once.
    """
    head: dict[str, Any] = {}
    turns: dict[int, TurnRow] = {}
    gone_on: dict[int, str] = {}
    result: dict[str, Any] | None = None
    highest, seen = 0, set()
    said: list[Ruling] = []
    for row in rows:
        if row.id in seen:
            continue
        seen.add(row.id)
        data = row.data
        if row.event == "board_found":
            head.setdefault("game", data.get("game"))
            head.setdefault("set", data.get("set"))
        elif row.event == "setup_complete":
            head |= {"start": data["position"], "begun": data["as"], "begun_utc": row.written_utc}
        elif row.event in ("turn", "pass"):
            n = int(data["n"])
            if turns.get(n) is None or turns[n].position != data["position"]:
                _forget(gone_on, n)
            turns[n] = TurnRow(
                n, data["player"], data["text"], bool(data["legal"]), data["position"],
                float(data["t"]), row.session, row.written_utc, row.id,
            )  # fmt: skip
            highest = max(highest, n)
        elif row.event == "withdrawn":
            n = int(data["n"])
            for later in [known for known in turns if known >= n]:
                del turns[later]
            _forget(gone_on, n)
        elif row.event == "ruling" and data["what"] in ("taken_back", "paused", "resumed"):
            said.append(Ruling(max(turns, default=0), data["what"], ""))
        elif row.event == "draw_offer":
            said.append(Ruling(max(turns, default=0), "draw_offer", f"{data['player']} {data['state']}"))
        elif row.event == "game_over":
            result = {key: data[key] for key in ("winner", "result", "why", "score") if key in data}
        elif row.event == "belief" and data.get("lines"):
            if data.get("options"):
                head["options"] = dict(data["options"])
            _follow(data, head, turns, gone_on)
    standing = tuple(turns[n] for n in sorted(turns))
    players = tuple(dict.fromkeys(turn.player for turn in standing))
    told = tuple(GoneOn(n, gone_on[n]) for n in sorted(gone_on))
    rulings = [Ruling(turn.n, "accepted", turn.text) for turn in standing if not turn.legal]
    # Of a game taken up in the middle the first line only settles who is to move.
    rulings += [Ruling(on.n, "position", on.position) for on in told if on.n or head.get("begun") != "midgame"]
    rulings += said
    return Record(
        **head, players=players, turns=standing, highest_n=highest, gone_on=told, result=result,
        rulings=tuple(sorted(rulings, key=lambda ruling: ruling.n)),
    )  # fmt: skip


def _forget(gone_on: dict[int, str], n: int) -> None:
    for later in [known for known in gone_on if known >= n]:
        del gone_on[later]


def _follow(
    data: Mapping[str, Any], head: Mapping[str, Any], turns: Mapping[int, TurnRow], gone_on: dict[int, str]
) -> None:
    """A belief with nothing open whose position is not the last turn's: the game goes on from there."""
    shown = data["lines"][0]
    n = int(shown["n"])
    if shown["turns"] or n != max(turns, default=0):
        return
    stands = turns[n].position if n else head.get("start")
    if shown["anchor"] != stands:
        gone_on[n] = shown["anchor"]
    else:
        gone_on.pop(n, None)
