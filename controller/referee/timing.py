"""The referee's waiting times, all in seconds of camera time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Settings of one table; the defaults are the contract's ("Time").

    `seen_s`, `quiet_s`: no hand. `still_s`, `extendable_s`, `illegal_s`, `righting_s`, `setup_s`, `new_game_s`:
    nothing moved.
    `hint_s`, `hint_every_s`: a partial's hint; `missing_s`: that of a missing piece.
    `thread_s`: an older settled picture is no ground for an accusation.
    `hand_s`, `trouble_s`, `lost_s`: how long before "I cannot see" is said. `blind_s`: a longer gap between two frames
    hides everything that happened in it. `press_s`: how long a "done" waits for the hand to leave.
    `lift_s`: how long a piece is in the air before a table that teaches shows where it may go.
    """

    seen_s: float = 0.3
    quiet_s: float = 0.3
    still_s: float = 0.5
    extendable_s: float = 1.5
    illegal_s: float = 1.5
    righting_s: float = 0.8
    setup_s: float = 1.0
    new_game_s: float = 2.0
    hint_s: float = 5.0
    hint_every_s: float = 3.0
    hint_shown_s: float = 1.5
    missing_s: float = 10.0
    thread_s: float = 20.0
    hand_s: float = 3.0
    trouble_s: float = 0.5
    lost_s: float = 3.0
    blind_s: float = 1.0
    press_s: float = 3.0
    lift_s: float = 1.0
