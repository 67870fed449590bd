"""What an operator does: each deed is one command to the referee, and the answer says what came of it or why not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from controller.referee.commands import OPTION
from controller.referee.events import Command
from controller.referee.view import View
from controller.rules.api import Game, Placement, RulesError
from controller.rules.registry import game_named
from controller.trial import LAMP, scenes
from controller.web.access import Who
from controller.web.gate import Operator, language_of
from controller.web.phrases import name_of, phrase
from controller.web.ports import Snapshot, TableLike

Name = Literal[
    "new_game", "pause", "resume", "accept_as_played", "set_position", "take_back", "guide", "resign", "draw",
    "offer_draw", "accept_draw", "decline_draw", "choose", "name_players", "lights",
]  # fmt: skip
KNOWN_HERE = frozenset(get_args(Name))
Said = Annotated[str, Field(max_length=1000)]

IN_PLAY = frozenset(
    ("accept_as_played", "take_back", "resign", "draw", "offer_draw", "accept_draw", "decline_draw", "choose")
)

WITHOUT_BOARD = frozenset(("pause", "resume", "lights"))
"""What a table that has seen no board yet can do (of the lights: show the lamp); one that can't start does nothing."""


class OrderBody(BaseModel):
    """One deed. `arguments` as `controller.referee.events.Command` says; `reason`: what the record is to say of it.

    `take_back` may name the turn that was meant, `n`: nothing is taken back when the game has gone on meanwhile.
    """

    model_config = ConfigDict(extra="forbid")
    name: Name
    arguments: dict[Annotated[str, Field(max_length=60)], Said] = Field(default_factory=dict, max_length=40)
    reason: Annotated[str, Field(max_length=500)] = ""


class PlacementBody(BaseModel):
    """A board as somebody laid it out on the page. `to_move`: whose turn it is, null where nobody knows."""

    model_config = ConfigDict(extra="forbid")
    placement: dict[Annotated[str, Field(max_length=20)], list[Annotated[str, Field(max_length=40)]]]
    to_move: str | None = None


def add_ordering(app: FastAPI, table: TableLike) -> None:
    """The operator's deeds, for the page and for scripts."""

    @app.post("/api/operator/order")
    def order(request: Request, body: OrderBody, who: Operator) -> JSONResponse:
        return give(table, body.name, body.arguments, who, body.reason, language_of(request))

    @app.post("/api/operator/position")
    def position(request: Request, body: PlacementBody) -> JSONResponse:
        """The text of a position from its pieces."""
        language, view = language_of(request), table.snapshot().view
        game = game_of(view)
        if game is None:
            return _no(409, "not_no_board", language)
        text = position_of(game, body.placement, body.to_move)
        return _no(422, "not_a_position", language) if text is None else JSONResponse({"position": text})


def give(
    table: TableLike, name: str, arguments: Mapping[str, str], who: Who, reason: str, language: str
) -> JSONResponse:
    """Give a command and answer what came of it: 200 done, 409 not now (and why), 422 not understood, 503 no answer."""
    snapshot = table.snapshot()
    wrong = misread(snapshot, name, arguments, language)
    if wrong is not None:
        return JSONResponse({"error": wrong}, status_code=422)
    why = why_not(snapshot, name, arguments)
    if why is not None:
        return _no(409, why, language)
    said = {**arguments, **({"reason": reason} if reason.strip() else {}), **who.facts}
    events = table.order(Command(snapshot.view.t_s, name, said))
    if events is None:
        return _no(503, "not_answered", language)
    told = [event.as_json() for event in events if not event.internal]
    if all(event["event"] != "ruling" for event in told):
        return _no(409, "not_now", language)
    return JSONResponse({"done": True, "said": _done(name, arguments, language), "events": told})


def game_of(view: View) -> Game | None:
    """The game of the board that lies there, under the options it is played with."""
    try:
        return game_named(view.game).with_options(dict(view.options)) if view.game else None
    except RulesError:
        return None


def position_of(game: Game, placement: Mapping[str, list[str]], to_move: str | None) -> str | None:
    """A position's text from its pieces; None where they can't stand so in this game."""
    unknown = any(site not in game.sites for site in placement)
    if unknown or any(kind not in game.pieces for kinds in placement.values() for kind in kinds):
        return None
    found = game.midgame(Placement({site: tuple(sorted(kinds)) for site, kinds in placement.items() if kinds}))
    if found is not None and to_move in game.players:
        found = game.with_mover(found, to_move)
    return None if found is None else game.position_text(found)


def misread(snapshot: Snapshot, name: str, arguments: Mapping[str, str], language: str) -> str | None:
    """What can't be understood in a command, as a sentence."""
    view = snapshot.view
    game = game_of(view)
    known = {
        "take_back": {"n", "to"}, "set_position": {"position"}, "guide": {"position"}, "resign": {"player"},
        "offer_draw": {"player"}, "accept_draw": {"player"}, "decline_draw": {"player"}, "choose": {"position"},
        "lights": {"show"}, "name_players": {player for player in view.players if player},
    }.get(name, set())  # fmt: skip
    strange = [word for word in arguments if word not in known and not (name == "new_game" and word.startswith(OPTION))]
    if name in KNOWN_HERE and strange:
        return _say("wrong_argument", language, word=strange[0])
    if "player" in known and arguments.get("player") not in (*view.players, *((None,) if name == "resign" else ())):
        return _say("wrong_player", language, players=", ".join(name_of(one, language) for one in view.players if one))
    if name in ("set_position", "guide") and (text := arguments.get("position")) is not None and game is not None:
        try:
            game.parse_position(text)
        except RulesError as error:
            return _say("wrong_position", language, why=str(error))
    elif name == "set_position" and "position" not in arguments:
        return _say("wrong_position", language, why="position")
    if name == "new_game" and game is not None and arguments:
        try:
            game_named(game.name).with_options({word.removeprefix(OPTION): said for word, said in arguments.items()})
        except RulesError as error:
            return _say("wrong_option", language, why=str(error))
    if name == "lights" and snapshot.set is not None and not scenes(arguments.get("show", ""), snapshot.set):
        return _say("wrong_lights", language)
    return None


def why_not(snapshot: Snapshot, name: str, arguments: Mapping[str, str] | None = None) -> str | None:
    """Why a command can't be done now, as the key of a sentence; None where it seems it can."""
    view, said = snapshot.view, arguments or {}
    player = said.get("player")
    able = name in WITHOUT_BOARD and snapshot.fault is None and said.get("show", LAMP) == LAMP
    if (view.game is None or snapshot.set is None) and not able:
        return "not_no_board"
    if name in IN_PLAY and view.phase != "play":
        return "not_over" if view.phase == "over" else "not_playing"
    reasons: dict[str, tuple[bool, str]] = {
        "pause": (view.paused, "not_paused_already"),
        "resume": (not view.paused, "not_paused"),
        "take_back": (not view.turns, "not_no_turn"),
        "accept_as_played": (not (view.question or view.offence or view.guiding), "not_nothing_to_accept"),
        "choose": (not view.question, "not_no_question"),
        "offer_draw": (view.offer is not None and view.offer == player, "not_offered_already"),
        "accept_draw": (view.offer is None or view.offer == player, "not_no_offer"),
        "decline_draw": (view.offer is None, "not_no_offer"),
        "guide": ("position" not in said and view.phase != "play", "not_playing"),
        "new_game": (view.phase in ("setup", "searching") and not said, "not_setup_already"),
    }
    holds, why = reasons.get(name, (False, ""))
    if holds:
        return why
    if name == "take_back" and "n" in said and said["n"] != str(view.turns[-1].n):
        return "not_moved_on"
    if name == "lights" and (state := str(snapshot.link.get("state", "off"))) != "ready":
        return "not_no_lights" if state == "off" else "not_lights_away"
    return None


def orders_now(snapshot: Snapshot, language: str) -> dict[str, str]:
    """Of each deed that can't be done now: why not."""
    names = (*IN_PLAY - {"offer_draw", "accept_draw", "decline_draw"}, "pause", "resume", "guide", "lights", "new_game")
    found = {name: why_not(snapshot, name) for name in names}
    return {name: _say(why, language) for name, why in found.items() if why is not None}


def _done(name: str, arguments: Mapping[str, str], language: str) -> str:
    key = f"done_{name}"
    if name == "new_game" and arguments:
        key = "done_new_game_options"
    elif name == "guide" and "position" in arguments:
        key = "done_guide_to"
    try:
        return _say(key, language)
    except KeyError:
        return _say("done_other", language)


def _say(key: str, language: str, **facts: Any) -> str:
    return phrase(key, language, domain="operator", **facts)


def _no(status: int, key: str, language: str) -> JSONResponse:
    return JSONResponse({"error": _say(key, language)}, status_code=status)
