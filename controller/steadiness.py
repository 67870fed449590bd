"""When a camera's automatics are held and when they are let go: a rule without a clock of its own.

Held once the board has been seen with nothing moving for a while: an automatic exposure would answer every hand, and
every light of ours, by changing all colours. Let go when the light has changed so much that nothing can be seen, and
held again when the board is. A camera whose picture changes by being held is left to itself.
"""

from __future__ import annotations

from typing import Literal

from vision.sighting import Sighting

Act = Literal["lock", "release"]

CALM_S = 2.0
"""How long nothing may move before the automatics count as settled."""
BLIND_S = 3.0
"""How long it may be too dark or too bright before they are needed again."""
_JUDGED_S = 3.0
"""Within this after holding, a change of light is the holding's doing."""
_CHANGE = 0.25
_MOST_FAILURES = 2


class Steadiness:
    """Sightings in, what to do with the camera's controls out."""

    def __init__(self) -> None:
        self._calm_since_s: float | None = None
        self._blind_since_s: float | None = None
        self._locked_s: float | None = None
        self._light_then = 0.0
        self._failures = 0

    @property
    def given_up(self) -> bool:
        """Whether the camera is left to itself because holding it changed its picture."""
        return self._failures >= _MOST_FAILURES

    def after(self, sighting: Sighting) -> Act | None:
        """What this Sighting asks for."""
        calm = sighting.game is not None and not sighting.hand and not sighting.moving and not sighting.board_moved
        self._calm_since_s = (self._calm_since_s if self._calm_since_s is not None else sighting.t_s) if calm else None
        blind = sighting.trouble in ("too_dark", "too_bright")
        self._blind_since_s = (
            (self._blind_since_s if self._blind_since_s is not None else sighting.t_s) if blind else None
        )
        if self._locked_s is None:
            if self._calm_since_s is None or sighting.t_s - self._calm_since_s < CALM_S or self.given_up:
                return None
            self._locked_s, self._light_then = sighting.t_s, sighting.light or 0.0
            return "lock"
        held_s = sighting.t_s - self._locked_s
        light = self._light_then if sighting.light is None else sighting.light
        if held_s <= _JUDGED_S and calm and abs(light - self._light_then) > _CHANGE * max(self._light_then, 0.05):
            self._failures += 1
            return self._let_go()
        if self._blind_since_s is not None and sighting.t_s - self._blind_since_s >= BLIND_S:
            self._failures += held_s < _JUDGED_S + BLIND_S
            return self._let_go()
        return None

    def _let_go(self) -> Act:
        self._locked_s = self._calm_since_s = self._blind_since_s = None
        return "release"
