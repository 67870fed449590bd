"""Two clocks in camera time: since the last hand, since the last movement. They run together, they do not add up."""

from __future__ import annotations

from dataclasses import dataclass

from controller.referee.timing import Timing

# Frame times are decimal fractions (0.3 s = frame 3 at 10 a second): without this, rounding would cost a frame.
_ROUNDING_S = 1e-6


@dataclass(frozen=True)
class Clocks:
    """`hand_s`, `moved_s`: camera time of the last frame with a hand, with a movement (or of the first frame)."""

    now_s: float = 0.0
    hand_s: float = 0.0
    moved_s: float = 0.0

    def at(self, t_s: float, *, hand: bool, moved: bool) -> Clocks:
        """The clocks after a frame at `t_s`."""
        return Clocks(t_s, t_s if hand else self.hand_s, t_s if moved else self.moved_s)

    @staticmethod
    def restarted(t_s: float) -> Clocks:
        """Both clocks begin again: what was seen before says nothing about now."""
        return Clocks(t_s, t_s, t_s)

    def quiet_for(self, seconds: float) -> bool:
        """No hand for that long."""
        return self.now_s - self.hand_s >= seconds - _ROUNDING_S

    def still_for(self, seconds: float) -> bool:
        """Nothing moved for that long."""
        return self.now_s - self.moved_s >= seconds - _ROUNDING_S

    def seen(self, timing: Timing) -> bool:
        """The hand has left."""
        return self.quiet_for(timing.seen_s)

    def settled(self, timing: Timing, still_s: float | None = None) -> bool:
        """The hand has left and nothing moved for `still_s` (default: the settling time)."""
        return self.quiet_for(timing.quiet_s) and self.still_for(timing.still_s if still_s is None else still_s)

    @property
    def settled_for_s(self) -> float:
        """How long both clocks have run."""
        return self.now_s - max(self.hand_s, self.moved_s)
