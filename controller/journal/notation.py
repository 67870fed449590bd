"""A game in text notation: as `export` writes it, or as a person does.

    Game: transet
    Player South: Anna
    Player North: Ben

    1. c1-c2
    2. c5-c4
    Result: South wins (resigned)

Everything but the game and its turns may be left out; turns may bear number, player and time ("[12.3 s]").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from controller.journal.errors import JournalError
from controller.journal.export import UNSET, WHAT
from controller.journal.fold import GoneOn, Illegal, Record, Ruling, TurnRow
from controller.journal.naming import tidy
from controller.journal.places import PlaceError
from controller.rules.api import CountsPoints, Game, Position, RulesError, TextError
from controller.rules.registry import game_named

LONGEST_TIME_S = 100 * 24 * 3600.0
MIDGAME = " (taken up in mid-game)"
_HEAD = re.compile(r"\s*([A-Za-z][\w ]*?)\s*:\s*(.*)")
_TIME = re.compile(r"\s*\[\s*(\d{1,8}(?:\.\d{1,6})?)\s*s?\s*\]$")
_PLAYED = re.compile(r"\s*\(accepted as played: ([^()]+)\)$")
_NUMBER = re.compile(r"(\d{1,6})\s*\.\s*")
_ILLEGAL = re.compile(r"(\w+) ([A-Z][A-Z_]*)((?: [^\s:]+)*)(?:: (.*))?")
_RESULT = re.compile(r"(.*?)(?: \(([^()]*)\))?")


@dataclass
class _Reading:
    """What has been read so far. `line`: the number of the one being read."""

    line: int = 0
    game: Game | None = None
    head: dict[str, Any] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    start: tuple[str, int, int] | None = None
    position: Position | None = None
    set_to: Position | None = None
    turns: list[TurnRow] = field(default_factory=list)
    gone_on: list[GoneOn] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)
    illegal: list[Illegal] = field(default_factory=list)
    result: tuple[str, int, int] | None = None
    score: list[int] | None = None
    session: int = 1
    t_s: float = 0.0

    def fault(self, said: object, column: int) -> PlaceError:
        """What is wrong with the line being read."""
        return PlaceError(str(said), max(1, self.line), column)

    def begun(self) -> tuple[Game, Position]:
        """The game and the position before the next turn; made when the first turn, or the end, is read."""
        if self.game is None:
            raise self.fault("the game must be named first, as in `Game: transet`", 1)
        if self.position is None:
            try:
                if self.options:
                    self.game = self.game.with_options(self.options)
            except RulesError as error:
                raise self.fault(error, 1) from None
            for side in self.names:
                if side not in self.game.players:
                    raise self.fault(f"nobody plays {side} in {self.game.name}; {_sides(self.game)} play", 1)
            try:
                self.position = self.game.parse_position(self.start[0]) if self.start else self.game.start()
            except RulesError as error:
                _, line, column = self.start or ("", 1, 1)
                raise _in_text(error, line, column) from None
        return self.game, self.position


def record_from_text(text: str) -> Record:
    """The record of a game. Raises PlaceError, with line and column, for what can't be read or does not follow."""
    read = _Reading()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        read.line = number
        body = line.strip()
        column = len(line) - len(line.lstrip()) + 1
        if not body:
            continue
        if body.startswith("("):
            _said(read, body, column)
        elif (found := _HEAD.fullmatch(line)) and not _NUMBER.match(body):
            _head(read, found[1], found[2].strip(), found.start(2) + 1)
        else:
            _turn(read, body, column)
    game, position = read.begun()
    _settle(read)
    return Record(
        game=game.name, set=read.head.get("set"), options=read.options,
        players=tuple(dict.fromkeys(turn.player for turn in read.turns)),
        start=_start(read, game), begun=read.head.get("as", "start"), begun_utc=read.head.get("begun"),
        turns=tuple(read.turns), highest_n=len(read.turns), gone_on=tuple(read.gone_on),
        result=_result(read, game, position), rulings=tuple(read.rulings), names=read.names,
        begun_session=1, illegal=tuple(read.illegal), begun_clock_synchronised=read.head.get("clock"),
    )  # fmt: skip


def _sides(game: Game) -> str:
    return " and ".join(game.players)


def _in_text(error: RulesError, line: int, column: int) -> PlaceError:
    """A fault of the rules' reading, which counts columns from where its text begins."""
    if isinstance(error, TextError):
        said = str(error).removesuffix(f" (column {error.column})")
        return PlaceError(said, line, column + error.column - 1)
    return PlaceError(str(error), line, column)


def _start(read: _Reading, game: Game) -> str:
    return game.position_text(game.parse_position(read.start[0]) if read.start else game.start())


def _head(read: _Reading, key: str, value: str, column: int) -> None:
    word = key.strip().lower()
    if (of_game := re.fullmatch(r"game(?: \d+)?", word)) or word in HEADS:
        if read.position is not None and word not in LATE:
            raise read.fault(f"`{key}:` must stand before the first turn", 1)
        if value == "unknown" and not of_game:
            return
        HEADS["game" if of_game else word](read, value, column)
    elif side := re.fullmatch(r"(?:player )?(\w+)", word):
        _name(read, key.split()[-1], side[1], value, column)
    else:
        raise read.fault(f"`{key}:` is not known; known are {', '.join(sorted(HEADS))} and the players", 1)


def _game(read: _Reading, value: str, column: int) -> None:
    try:
        read.game = game_named(value.lower())
    except RulesError as error:
        raise read.fault(error, column) from None


def _begun(read: _Reading, value: str, column: int) -> None:
    if value.endswith(UNSET):
        value, read.head["clock"] = value.removesuffix(UNSET), False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise read.fault("a date is expected, as in 2026-11-30 or 2026-11-30T14:20:00+00:00", column) from None
    read.head["begun"] = value


def _set(read: _Reading, value: str, _column: int) -> None:
    read.head["set"] = value


def _begin(read: _Reading, value: str, column: int) -> None:
    read.head["as"] = "midgame" if value.endswith(MIDGAME) else "start"
    read.start = (value.removesuffix(MIDGAME), read.line, column)


def _option(read: _Reading, value: str, column: int) -> None:
    name, equals, chosen = value.partition("=")
    if not equals:
        raise read.fault("an option is written NAME=VALUE", column)
    read.options[name.strip()] = chosen.strip()


def _name(read: _Reading, as_written: str, side: str, value: str, column: int) -> None:
    players = read.game.players if read.game is not None else (as_written,)
    found = next((player for player in players if player.lower() == side), None)
    if found is None:
        assert read.game is not None
        raise read.fault(f"`{as_written}:` is not known; {_sides(read.game)} play {read.game.name}", 1)
    try:
        if name := tidy(value):
            read.names[found] = name
    except JournalError as error:
        raise read.fault(error, column) from None


def _position(read: _Reading, value: str, column: int) -> None:
    game, position = read.begun()
    try:
        told = game.position_text(game.parse_position(value))
    except RulesError as error:
        raise _in_text(error, read.line, column) from None
    stands = read.gone_on[-1].position if _just_set(read) else game.position_text(position)
    if told != stands:
        raise read.fault(f"the turns lead to another position: {stands}", column)


def _just_set(read: _Reading) -> bool:
    return bool(read.gone_on) and read.gone_on[-1].n == len(read.turns)


def _ended(read: _Reading, value: str, column: int) -> None:
    read.result = (value, read.line, column)


def _score(read: _Reading, value: str, column: int) -> None:
    found = re.fullmatch(r"(\d{1,6})\s*-\s*(\d{1,6})", value)
    if found is None:
        raise read.fault("a score is written 12-10, South's first", column)
    read.score = [int(found[1]), int(found[2])]


HEADS: Mapping[str, Callable[[_Reading, str, int], None]] = {
    "game": _game, "set": _set, "begun": _begun, "start": _begin, "option": _option, "position": _position,
    "result": _ended, "score": _score,
}  # fmt: skip
LATE = ("position", "result", "score")


def _said(read: _Reading, body: str, column: int) -> None:
    """A line in brackets: what else happened there."""
    if not body.endswith(")"):
        raise read.fault("the bracket is never closed", column)
    read.begun()
    what, _, text = body[1:-1].partition(":")
    text, inner = text.strip(), column + len(what) + 3
    n = len(read.turns)
    if what == "illegal":
        found = _ILLEGAL.fullmatch(text)
        if found is None:
            raise read.fault("who did what is expected, as in `illegal: South TOO_FAR c3`", inner)
        read.illegal.append(Illegal(n, read.t_s, found[1], found[2], tuple(found[3].split()), found[4] or ""))
        return
    kind = next((kind for kind, told in WHAT.items() if told == what), None)
    if kind is None:
        raise read.fault(f"`{what}` is not known; known are illegal, {', '.join(WHAT.values())}", column + 1)
    if kind == "position":
        game, _ = read.begun()
        try:
            read.set_to = game.parse_position(text)
        except RulesError as error:
            raise _in_text(error, read.line, inner) from None
        if _just_set(read):
            read.gone_on.pop()
        read.gone_on.append(GoneOn(n, game.position_text(read.set_to)))
    else:
        if kind == "draw_offer" and len(text.split()) != 2:
            raise read.fault("whose offer, and what became of it, is expected: `draw offer: South made`", inner)
        read.rulings.append(Ruling(n, kind, text))


def _turn(read: _Reading, body: str, column: int) -> None:
    game, position = read.begun()
    if read.result is not None:
        raise read.fault("the game is over before this turn", column)
    n = len(read.turns) + 1
    took_s: float | None = None
    if found := _TIME.search(body):
        took_s, body = float(found[1]), body[: found.start()]
        if took_s > LONGEST_TIME_S:
            raise read.fault("no turn takes that long", column + found.start())
    stands: str | None = None
    if found := _PLAYED.search(body):
        stands, body = found[1], body[: found.start()]
    if found := _NUMBER.match(body):
        if int(found[1]) != n:
            raise read.fault(f"turn {n} is expected here", column)
        body, column = body[found.end() :], column + found.end()
    player = next((one for one in game.players if body.lower().startswith(f"{one.lower()} ")), None)
    if player is not None:
        rest = body[len(player) :].lstrip()
        body, column = rest, column + len(body) - len(rest)
    position, player = _before(read, game, position, player, column)
    if stands is not None:
        try:
            after = game.parse_position(stands)
        except RulesError as error:
            raise _in_text(error, read.line, column + len(body)) from None
        text, passed = body, False
    else:
        try:
            verdict = game.judge_turn(position, body)
        except RulesError as error:
            raise _in_text(error, read.line, column) from None
        if not verdict.legal or not verdict.complete or verdict.position is None:
            codes = ", ".join(reason.code for reason in verdict.reasons) or "it is not complete"
            raise read.fault(f"turn {n} ({player} {body}) is not legal: {codes}", column)
        passed = game.forced_pass(position) is not None
        # Of two turns to the same board the one that was written stays: an export is read as it was.
        text, after = game.turn_text(position, game.parse_turn(position, body)), verdict.position
    before_s = read.t_s
    if took_s is None:
        read.session += 1
    else:
        read.t_s = round(read.t_s + took_s, 3)
        took_s = round(read.t_s - before_s, 3)
    told = game.position_text(after)
    read.turns.append(TurnRow(n, player, text, stands is None, told, read.t_s, read.session, "", 0, passed, took_s))
    read.position = after


def _before(read: _Reading, game: Game, position: Position, player: str | None, column: int) -> tuple[Position, str]:
    """The position before a turn, and whose turn it is."""
    if read.set_to is not None:
        position, read.set_to = read.set_to, None
        if player is not None:  # where lines differed in whose turn it was, the turn itself has settled it
            position = game.with_mover(position, player)
    mover = game.to_move(position)
    if mover is None and player is not None:
        position, mover = game.with_mover(position, player), player
    if mover is None:
        raise read.fault(f"nobody knows whose turn this is; write {' or '.join(game.players)} before it", column)
    if game.outcome(position) is not None:
        raise read.fault("the game is over before this turn", column)
    if player not in (None, mover):
        raise read.fault(f"it is {mover}'s turn", column)
    return position, mover


def _settle(read: _Reading) -> None:
    """Put the rulings that follow from turns and positions where the fold has them."""
    made = [Ruling(turn.n, "accepted", turn.text) for turn in read.turns if not turn.legal]
    middle = read.head.get("as") == "midgame"
    made += [Ruling(on.n, "position", on.position) for on in read.gone_on if on.n or not middle]
    read.rulings = sorted([*made, *read.rulings], key=lambda ruling: ruling.n)


def _result(read: _Reading, game: Game, position: Position) -> dict[str, Any] | None:
    """The result by the rules, or else as it is written."""
    outcome = game.outcome(position if read.set_to is None else read.set_to)
    points = {"score": read.score} if isinstance(game, CountsPoints) else {}
    if outcome is not None:
        if read.result is not None and not read.result[0].startswith(outcome.result):
            raise PlaceError(f"by the rules the result is {outcome.result}", *read.result[1:])
        if points and outcome.score is not None:
            points = {"score": list(outcome.score)}
        return {"winner": outcome.winner, "result": outcome.result, "why": outcome.why, **points}
    if read.result is None or read.result[0] == "not finished":
        return None
    found = _RESULT.fullmatch(read.result[0])
    said, why = (found[1], found[2]) if found else (read.result[0], None)
    winner = next((player for player in game.players if said.lower() == f"{player} wins".lower()), None)
    if winner is None and said not in ("draw", "score unknown"):
        named = ", ".join(f"`{player} wins`" for player in game.players)
        raise PlaceError(f"a result is {named}, `draw` or `not finished`", *read.result[1:])
    return {"winner": winner, "result": f"{winner} wins" if winner else said, "why": why, **points}
