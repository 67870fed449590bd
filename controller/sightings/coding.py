"""The referee's inputs as lines of text, each with only what has changed since the frame before, and back.

What decides nothing is left out of a Sighting: `ms`, `registration_px`, `light`, `epoch` and the measured places of
platforms; a token's centre is rounded to 0.1 mm. What people typed into a command (names, reasons) is left out, too.
Everything else comes back exactly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from controller.referee.events import Button, Command, Input, Press, Tick
from controller.sightings.errors import SightingLogError
from vision.sighting import Sighting, Token, Trouble

FRESH = "fresh"
"""Key of a line after which the next frame is told whole."""

_TYPED = frozenset({"reason", "note", "name"})
_NOTHING = Sighting(0.0, -1)
_SETS = {"hidden": "hidden", "uncertain": "uncertain"}
_SWITCHES = {"hand": "hand", "moving": "moving", "board_moved": "board_moved", "glare": "glare"}
_TEXTS = {"game": "game", "set": "set_name", "trouble": "trouble"}
_PLAIN = (*_TEXTS.items(), *_SWITCHES.items())
_AS_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_BUTTONS, _TROUBLES = frozenset(get_args(Button)), frozenset(get_args(Trouble))


def kept(sighting: Sighting) -> Sighting:
    """What a log keeps of a Sighting."""
    tokens = tuple(replace(token, centre_mm=_rounded(token)) for token in sighting.tokens)
    return replace(sighting, tokens=tokens, platforms=None, registration_px=None, light=None, epoch=0, ms=0.0)


def _rounded(token: Token) -> tuple[float, float]:
    return (round(token.centre_mm[0], 1), round(token.centre_mm[1], 1))


def _plain(given: Command) -> dict[str, str]:
    """The arguments of a command without what somebody typed as a name or a reason."""
    hidden = given.name == "name_players"
    return {key: "" if hidden or key in _TYPED else value for key, value in given.arguments.items()}


class Encoder:
    """Inputs in, lines out. A new one begins with a frame told whole."""

    def __init__(self) -> None:
        self._before = _NOTHING
        self._given: tuple[Token, ...] = ()  # those of the frame before,
        self._tokens: tuple[Token, ...] = ()  # and as they were written

    def line(self, given: Input, fault: str | None = None) -> str:
        """One input as JSON, without a line's end. `fault`: what went wrong when it was judged."""
        told: dict[str, Any]
        if isinstance(given, Sighting):
            told = self._sighting(given)
        elif isinstance(given, Press):
            told = {"press": [given.t_s, given.player, given.button]}
        elif isinstance(given, Command):
            told = {"command": [given.t_s, given.name, _plain(given)]}
        else:
            told = {"tick": given.t_s}
        if fault is not None:
            told["fault"] = fault
        return _AS_TEXT(told)

    def _sighting(self, given: Sighting) -> dict[str, Any]:
        before = self._before
        told: dict[str, Any] = {"t": given.t_s, "f": given.frame}
        for key, name in _PLAIN:
            if (now := getattr(given, name)) != getattr(before, name):
                told[key] = now
        for key, name in _SETS.items():
            if (now := getattr(given, name)) != getattr(before, name):
                told[key] = sorted(now)
        self._before = given
        if given.tokens is not self._given:  # a still table's tokens are the same object, frame for frame
            tokens = tuple(replace(token, centre_mm=_rounded(token)) for token in given.tokens)
            if tokens != self._tokens:
                told["tokens"] = _tokens(self._tokens, tokens)
            self._given, self._tokens = given.tokens, tokens
        return told


def _tokens(before: tuple[Token, ...], now: tuple[Token, ...]) -> list[Any]:
    """A number: the token that stood there in the list before. An object: a token, or what of `of` has changed."""
    places: dict[tuple[str, str | None], int] = {}
    for place, token in enumerate(before):
        places.setdefault((token.kind, token.site), place)
    told: list[Any] = []
    for place, token in enumerate(now):
        if place < len(before) and before[place] == token:
            told.append(place)
            continue
        like = places.get((token.kind, token.site))
        if like is not None and before[like] == token:
            told.append(like)
        else:
            told.append(_token(token, like, before))
    return told


def _token(token: Token, like: int | None, before: tuple[Token, ...]) -> dict[str, Any]:
    whole = {
        "kind": token.kind,
        "site": token.site,
        "mm": list(token.centre_mm),
        "nats": dict(token.likelihoods),
        "near": list(token.near),
    }
    if like is None:
        return whole
    old = before[like]
    same = {
        "kind": True,
        "site": True,
        "mm": old.centre_mm == token.centre_mm,
        "nats": old.likelihoods == token.likelihoods,
        "near": old.near == token.near,
    }
    return {"of": like} | {key: value for key, value in whole.items() if not same[key]}


class Decoder:
    """Lines, already read as JSON, in; inputs out. SightingLogError where one is not what an Encoder writes."""

    def __init__(self) -> None:
        self._before = _NOTHING

    def given(self, told: Mapping[str, Any]) -> tuple[Input | None, str | None]:
        """The input of a line, and what went wrong when it was judged. None: the line only says to begin afresh."""
        try:
            if FRESH in told:
                self._before = _NOTHING
                return None, None
            fault = told.get("fault")
            return self._input(told), None if fault is None else _text(fault)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise SightingLogError(f"it is no input of the referee ({error})") from None

    def _input(self, told: Mapping[str, Any]) -> Input:
        if "press" in told:
            t_s, player, button = told["press"]
            if button not in _BUTTONS:
                raise ValueError(f"there is no button {button!r}")
            return Press(_number(t_s), None if player is None else _text(player), button)
        if "command" in told:
            t_s, name, arguments = told["command"]
            return Command(_number(t_s), _text(name), {_text(key): _text(value) for key, value in arguments.items()})
        if "tick" in told:
            return Tick(_number(told["tick"]))
        return self._sighting(told)

    def _sighting(self, told: Mapping[str, Any]) -> Sighting:
        changes: dict[str, Any] = {"t_s": _number(told["t"]), "frame": _whole(told["f"])}
        for key, name in _TEXTS.items():
            if key in told:
                changes[name] = None if told[key] is None else _text(told[key])
        for key, name in _SWITCHES.items():
            if key in told:
                if not isinstance(told[key], bool):
                    raise TypeError(f"{key} is neither true nor false")
                changes[name] = told[key]
        for key, name in _SETS.items():
            if key in told:
                changes[name] = frozenset(_text(one) for one in _list(told[key]))
        if changes.get("trouble") not in (None, *_TROUBLES):
            raise ValueError(f"there is no trouble {changes['trouble']!r}")
        if "tokens" in told:
            changes["tokens"] = tuple(self._token(one) for one in _list(told["tokens"]))
        self._before = replace(self._before, **changes)
        return self._before

    def _token(self, told: Any) -> Token:
        before = self._before.tokens
        if isinstance(told, int):
            return before[_place(told, before)]
        token = before[_place(told["of"], before)] if "of" in told else None
        changes: dict[str, Any] = {}
        if "kind" in told:
            changes["kind"] = _text(told["kind"])
        if "site" in told:
            changes["site"] = None if told["site"] is None else _text(told["site"])
        if "mm" in told:
            x_mm, y_mm = told["mm"]
            changes["centre_mm"] = (_number(x_mm), _number(y_mm))
        if "nats" in told:
            changes["likelihoods"] = {_text(kind): _number(nats) for kind, nats in told["nats"].items()}
        if "near" in told:
            changes["near"] = tuple(_text(site) for site in _list(told["near"]))
        return replace(token, **changes) if token is not None else Token(**changes)


def _place(told: Any, before: tuple[Token, ...]) -> int:
    place = _whole(told)
    if not 0 <= place < len(before):
        raise IndexError(f"there was no token {place}")
    return place


def _number(told: Any) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float):
        raise TypeError(f"{told!r} is no number")
    return told  # a whole number stays one: it is written back as it was


def _whole(told: Any) -> int:
    if isinstance(told, bool) or not isinstance(told, int):
        raise TypeError(f"{told!r} is no whole number")
    return told


def _text(told: Any) -> str:
    if not isinstance(told, str):
        raise TypeError(f"{told!r} is no text")
    return told


def _list(told: Any) -> list[Any]:
    if not isinstance(told, list):
        raise TypeError(f"{told!r} is no list")
    return told
