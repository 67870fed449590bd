"""A question of the referee in words: each thing that may have happened, told so that nobody has to read a position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from controller.referee.view import View
from controller.rules.api import RulesError
from controller.rules.registry import game_named
from controller.web.phrases import name_of, phrases


def asked_words(view: View, one: Mapping[str, str | None], language: str) -> str:
    """One candidate of a question: a turn that may have been played, the record's position, or what stands now."""
    words = phrases(language, "operator")
    key = "ask_turn" if one.get("text") else "ask_stands" if _stands(view, one.get("position") or "") else "ask_record"
    player = one.get("player")
    who = name_of(player, language) if player else words["position_unknown"]
    return words[key].format(player=who, text=one.get("text"))


def answer_for(view: View, one: Mapping[str, str | None]) -> Literal["yes", "no", ""]:
    """Which button means this candidate: "yes" the position that is shown, "no" the only other one that can stand now.

    Neither where there is nothing to tell apart, and for the record's own position once what stands was taken up: that
    is the operator's to say, or to be put back.
    """
    others = [each for each in view.question if each.get("position") != view.position]
    if view.asked_about == "victim" or len(view.question) < 2 or len(view.question) - len(others) != 1:
        return ""
    if one.get("position") == view.position:
        return "yes"
    if len(others) > 1:
        others = [each for each in others if _stands(view, each.get("position") or "")]
    return "no" if others == [one] else ""


def _stands(view: View, position: str) -> bool:
    """Whether a position is what is seen now."""
    try:
        game = game_named(view.game).with_options(dict(view.options)) if view.game else None
        return game is not None and game.picture(game.parse_position(position)).on == view.observed
    except RulesError:
        return False
