"""Snapshot -> the JSON a page draws: whole state, never a change, every sentence in the screen's language."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from controller.referee.view import View
from controller.rules.api import Owed, RulesError
from controller.rules.registry import game_named
from controller.supervision import in_language
from controller.web.message import Message, fault_message, message
from controller.web.phrases import name_of, phrases
from controller.web.ports import Snapshot
from controller.words import link_sentence, record_sentence
from controller.words.catalogue import catalogue
from vision.boardset import BoardSet


def beat_json(snapshot: Snapshot, now_s: float) -> dict[str, Any]:
    """What every message carries: `rev`, `age_s` since the newest judged frame (null before the first), server time,
    and the table's own time `t_s`, in which its clocks run."""
    age_s = round(snapshot.age_s, 2) if math.isfinite(snapshot.age_s) else None
    return {"rev": snapshot.rev, "age_s": age_s, "time_s": round(now_s, 3), "t_s": round(snapshot.view.t_s, 3)}


def lights_json(snapshot: Snapshot, language: str) -> dict[str, Any]:
    """What the lights show, and how camera and link are doing: changes without a new `rev`."""
    return {
        "lights": dict(snapshot.lights),
        "camera": _camera(snapshot, language),
        "link": _link(snapshot.link, language),
        "journal": _journal(snapshot.journal, language),
        "preview": bool(getattr(snapshot, "preview", False)),
    }


def _camera(snapshot: Snapshot, language: str) -> dict[str, Any]:
    if snapshot.fault:
        return {**snapshot.camera, "sentence": catalogue(language)["fault.camera"]}
    return in_language(snapshot.camera, language)


def _journal(journal: Mapping[str, Any], language: str) -> dict[str, Any]:
    told = record_sentence(journal["parts"], language) if journal.get("parts") else journal.get("sentence", "")
    return {**journal, "sentence": told}


def _link(link: Mapping[str, Any], language: str) -> dict[str, Any]:
    told = link_sentence(link["parts"], language) if link.get("parts") else link.get("sentence", "")
    return {**link, "sentence": told}


def view_json(snapshot: Snapshot, language: str) -> dict[str, Any]:
    """The referee's view of the table, with its message and what is drawn on the board."""
    view, board = snapshot.view, snapshot.set
    told = fault_message(snapshot.fault, language) if snapshot.fault else message(view, language)
    return {
        "lang": language,
        "phase": view.phase,
        "mode": view.mode,
        "game": view.game,
        "game_no": view.game_no,
        "set": board.name if board is not None else None,
        "players": [_player(player, view, board, language) for player in view.players if player],
        "message": _message(told),
        "board": _board(view, told, language),
        "hand": view.hand,
        "provisional": view.provisional,
        "offer": view.offer,
        "clock": _clock(view, language),
        "score": list(view.score) if view.score is not None else None,
        "turns": [
            {"n": turn.n, "player": turn.player, "text": turn.text, "legal": turn.legal, "passed": turn.passed}
            for turn in view.turns
        ],
    }


def state_json(snapshot: Snapshot, language: str, now_s: float) -> dict[str, Any]:
    """Everything in one object, as `/api/state` answers."""
    return {**beat_json(snapshot, now_s), **view_json(snapshot, language), **lights_json(snapshot, language)}


def _clock(view: View, language: str) -> dict[str, Any] | None:
    """The players' clock; the time of side `runs` is up at `ends_ms` in the table's own time (`t_s` of a beat)."""
    clock = view.clock
    if clock is None:
        return None
    words = phrases(language, "clock")
    quiet = clock.stop in ("", "settling", "unknown", "over")
    return {
        "kind": clock.kind,
        "left_ms": dict(clock.left_ms),
        "runs": clock.runs,
        "ends_ms": clock.ends_ms,
        "fallen": list(clock.fallen),
        "stop": clock.stop,
        "why": "" if quiet else words[f"stop_{clock.stop}"],
        "flag": words["flag"],
    }


def _player(player: str, view: View, board: BoardSet | None, language: str) -> dict[str, Any]:
    return {
        "id": player,
        "name": name_of(player, language),
        "kind": _emblem(player, view.game, board.kinds if board is not None else ()),
        "to_move": player == view.to_move,
    }


@lru_cache(maxsize=64)
def _emblem(player: str, game: str | None, kinds: tuple[str, ...]) -> str | None:
    """The piece that stands for a player on the page: the last of its kinds in the set's order, if it has any."""
    try:
        owner = game_named(game).owner if game else None
    except RulesError:
        owner = None
    own = [kind for kind in kinds if owner is not None and owner(kind) == player]
    return own[-1] if own else None


def _message(told: Message) -> dict[str, Any]:
    data = asdict(told)
    data["steps"] = [
        {"piece": step.piece, "from": step.origin, "to": step.to, "text": step.text} for step in told.steps
    ]
    return data


def _board(view: View, told: Message, language: str) -> dict[str, Any]:
    """Pieces as seen; where nobody can see, as believed; `missing`: believed there, gone; `wanted`: to be put there."""
    blind = view.trouble is not None
    pieces: list[dict[str, str]] = []
    for site in sorted(set(view.placement) | set(view.observed)):
        believed, seen = view.placement.get(site, ()), view.observed.get(site, ())
        if blind or site in view.hidden:
            pieces += [_piece(site, kind, "believed", language) for kind in believed]
            continue
        pieces += [_piece(site, kind, "seen", language) for kind in seen]
        if view.phase == "play" and not seen and told.code not in ("owed", "setup", "guide"):
            pieces += [_piece(site, kind, "missing", language) for kind in believed]
    wanted: list[dict[str, str]] = []
    if told.code in ("setup", "guide"):
        wanted = [_piece(shift.to, shift.piece, "wanted", language) for shift in view.wrong if shift.to is not None]
    elif told.code == "owed":
        ghosts = {(site, owed.piece) for owed in view.owed if owed.act in ("return", "reply") for site in owed.to}
        wanted = [_piece(site, kind, "wanted", language) for site, kind in sorted(ghosts)]
    played = view.last_turn
    last = played.shifts if played is not None and told.code in ("to_move", "over", "settling", "hand") else ()
    return {
        "pieces": pieces + wanted,
        "hidden": sorted(view.hidden),
        "changed": sorted(view.changed) if told.code == "settling" else [],
        "last": [{"from": shift.origin, "to": shift.to} for shift in last],
        "targets": list(told.targets),
        "owed": _ways(view.owed) if told.code == "owed" else [],
        "fault": _fault_sites(view),
    }


def _ways(owed: tuple[Owed, ...]) -> list[dict[str, str | None]]:
    """Every way to carry what is owed from where it stands."""
    return [
        {"piece": one.piece, "from": one.at, "to": site}
        for one in owed
        if one.at is not None
        for site in sorted(one.to)
    ]


def _fault_sites(view: View) -> list[str]:
    return list(view.offence.reasons[0].sites) if view.offence is not None and view.offence.reasons else []


def _piece(site: str, kind: str, state: str, language: str) -> dict[str, str]:
    return {"site": site, "kind": kind, "state": state, "name": name_of(kind, language)}
