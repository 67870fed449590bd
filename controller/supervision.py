"""How a table's camera is, for pages and programs: what it says of itself, and what the eyes say of its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from controller.wallclock import WallClock
from controller.words import camera_sentence, held_sentence, held_why, say, wrong_board
from vision.boardset import BoardSet
from vision.camera.frame import CameraStatus

PICTURE_TROUBLES = ("too_dark", "too_bright", "blurred", "glare")
"""Troubles of the eyes that are the camera's or the light's; the catalogue has them as `cannot_see.CODE`."""


class Supervision:
    """One state at a time: `starting`, `ok`, `frozen`, `lost`, `wrong_board`, or one of PICTURE_TROUBLES.

    `sets`: those that may lie at this table. Times are monotonic seconds.
    """

    def __init__(self, sets: Iterable[BoardSet]) -> None:
        self._games = sorted({board.game.capitalize() for board in sets})
        self._seen: tuple[str | None, float] = (None, 0.0)  # what the eyes say, since when
        self._clock = WallClock()

    def saw(self, trouble: str | None, stranger: BoardSet | None, now_s: float) -> None:
        """What the eyes said of the newest picture: a trouble, and the set of another game that lies there."""
        code = trouble if trouble in PICTURE_TROUBLES else None
        if stranger is not None:
            code = f"wrong_board {stranger.game.capitalize()}"
        if code != self._seen[0]:
            self._seen = code, now_s

    def told(self, status: CameraStatus) -> Mapping[str, Any]:
        """State, code and facts, sentence in English, since when (wall clock), and what is held still."""
        state, sentence, since_s = str(status.state), status.sentence, status.since_s
        code, facts = status.said.code, dict(status.said.facts)
        seen, seen_s = self._seen
        if state == "ok" and seen is not None:
            state, _, other = seen.partition(" ")
            code, facts, since_s = state, ({"other": other} if other else {}), seen_s
            sentence = wrong_board(other, self._games) if other else say(f"cannot_see.{code}")
        told: dict[str, Any] = {
            "state": state,
            "code": code,
            "facts": facts,
            "games": self._games,
            "sentence": sentence,
            "since": self._clock.at(since_s),
            "damaged": status.damaged,
            "losses": status.losses,
        }
        if status.lock is not None:
            lock = status.lock
            whys = {name: {"code": why.code, "facts": dict(why.facts)} for name, why in lock.loose.items()}
            told["held"] = {
                "locked": dict(lock.locked),
                "loose": {name: str(why) for name, why in lock.loose.items()},
                "why": whys,
                "sentence": lock.sentence,
            }
        return told


def camera_said(camera: Mapping[str, Any], language: str) -> str:
    """The sentence of what `told` gave, in a language."""
    code = camera.get("code")
    if code is None:
        return str(camera.get("sentence", ""))
    if code == "wrong_board":
        return wrong_board(camera["facts"]["other"], camera["games"], language)
    if code in PICTURE_TROUBLES:
        return say(f"cannot_see.{code}", language)
    return camera_sentence(code, camera["facts"], language, again=camera["state"] == "lost")


def in_language(camera: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The same with every sentence in a language."""
    told = {**camera, "sentence": camera_said(camera, language)}
    if held := camera.get("held"):
        whys = {name: held_why(why["code"], why["facts"], language) for name, why in held.get("why", {}).items()}
        told["held"] = {**held, "loose": whys, "sentence": held_sentence(held["locked"], whys, language)}
    return told
