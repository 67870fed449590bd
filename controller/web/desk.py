"""Snapshot -> what the operator's page shows beside the game itself: checks, what can be done now, names, rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.health import Check, table_checks
from controller.rules.api import RulesError
from controller.rules.registry import game_named
from controller.trial import BAR, LAMP, SITE, sites_of
from controller.web.asking import asked_words
from controller.web.ordering import orders_now
from controller.web.phrases import name_of, phrases
from controller.web.ports import Snapshot
from controller.web.state import lights_json


def desk_json(snapshot: Snapshot, language: str) -> dict[str, Any]:
    """`not`: deed -> why it can't be done now. `question`: its candidates. `rules`: options of the next game."""
    view, words = snapshot.view, phrases(language, "operator")
    return {
        "phase": view.phase,
        "paused": view.paused,
        "guiding": view.guiding,
        "game_no": view.game_no,
        "not": orders_now(snapshot, language),
        "checks": [_check(check, snapshot, language) for check in table_checks(snapshot, language)],
        "question": _question(snapshot, language),
        "players": [
            {"id": player, "name": name_of(player, language), "called": view.names.get(player, "")}
            for player in view.players
            if player
        ],
        "to_move": view.to_move,
        "offer": view.offer,
        "last": _last(snapshot, language),
        "position": view.position,
        "believed": {site: list(kinds) for site, kinds in view.placement.items()},
        "seen": {site: list(kinds) for site, kinds in view.observed.items()},
        "kinds": _kinds(snapshot, language),
        "next": words["next_follows"].format(game=view.game.capitalize(), set=snapshot.set.name)
        if view.game and snapshot.set
        else words["next_nothing"],
        "mode": words["next_mode"].format(mode=view.mode),
        "rules": _rules(view.game, view.options, language),
        "lights": _lights(snapshot, language),
    }


def _check(check: Check, snapshot: Snapshot, language: str) -> dict[str, Any]:
    """One check in a language; what only English knows to say is said in English."""
    words, told = phrases(language, "operator"), lights_json(snapshot, language)
    own = {"camera": told["camera"], "lights": told["link"]}.get(check.name, {}).get("sentence", "")
    off = check.name == "lights" and snapshot.link.get("state", "off") == "off"
    key = f"said_{check.name}_{'off' if off else check.level}"
    hint = words.get(f"hint_{check.name}", check.hint) if check.hint else ""
    return {
        "name": words.get(f"check_{check.name}", check.name.capitalize()),
        "level": check.level,
        "told": words[f"level_{check.level}"],
        "said": own or words.get(key, check.said),
        "hint": hint,
    }


def _question(snapshot: Snapshot, language: str) -> list[dict[str, str]]:
    """What may be answered: the position that says it, and how it reads."""
    view, words = snapshot.view, phrases(language, "operator")
    if view.asked_about == "victim" and view.question:
        stands = str(view.question[0]["position"])
        return [{"position": stands, "text": words["victim_yes"]}, {"position": "none", "text": words["victim_no"]}]
    return [{"position": str(one["position"]), "text": asked_words(view, one, language)} for one in view.question]


def _last(snapshot: Snapshot, language: str) -> dict[str, Any] | None:
    turns = snapshot.view.turns
    if not turns:
        return None
    played = snapshot.view.last_turn or turns[-1]
    ask = phrases(language, "operator")["act_take_back_turn"]
    return {"n": turns[-1].n, "ask": ask.format(player=name_of(played.player, language), text=played.text)}


def _kinds(snapshot: Snapshot, language: str) -> list[dict[str, Any]]:
    """The kinds of pieces with how many there are, in the order of the set."""
    view, board = snapshot.view, snapshot.set
    if view.game is None or board is None:
        return []
    pieces = game_named(view.game).pieces
    named = [board.names.get(kind, kind) for kind in board.kinds]
    return [{"kind": kind, "name": name_of(kind, language), "most": pieces[kind]} for kind in named if kind in pieces]


def _rules(game: str | None, chosen: Mapping[str, str], language: str) -> list[dict[str, Any]]:
    """Every option of the game: its name, what it means, the values it takes, which one holds and which is usual."""
    if game is None:
        return []
    try:
        options = game_named(game).options
    except RulesError:
        return []
    words = phrases(language, "operator")
    return [
        {
            "name": name,
            "means": words.get(f"option_{game}_{name}", option.meaning),
            "choices": [
                {"value": value, "text": words.get(f"value_{value}") or name_of(value, language)}
                for value in option.choices
            ],
            "value": chosen.get(name, option.default),
            "usual": option.default,
        }
        for name, option in options.items()
    ]


def _lights(snapshot: Snapshot, language: str) -> list[dict[str, str]]:
    """The single lights that can be shown."""
    board, words = snapshot.set, phrases(language, "operator")
    if board is None:
        return [{"show": LAMP, "text": words["light_lamp"]}]
    bars = [
        {"show": f"{BAR}{player}", "text": words["light_bar"].format(player=name_of(player, language))}
        for player in snapshot.view.players
        if player
    ]
    sites = [{"show": f"{SITE}{site}", "text": site} for site in sites_of(board)]
    return [*sites, *bars, {"show": LAMP, "text": words["light_lamp"]}]
