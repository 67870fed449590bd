"""What may be shown while the record can't be written: play goes on, but what is not kept does not count yet."""

from __future__ import annotations

from dataclasses import replace

from controller.referee.view import View


def withheld(view: View, written: View) -> View:
    """`view` without the turns, and without the result, that are not in the record yet. `written`: the last View whose
    rows all were.
    """
    same = 0
    if view.game_no == written.game_no:
        for now, then in zip(view.turns, written.turns, strict=False):
            if now != then:
                break
            same += 1
    over = view.phase == "over" and written.phase == "over" and view.game_no == written.game_no
    return replace(
        view,
        turns=view.turns[:same],
        accepted_s=None,
        provisional=False,
        unwritten=len(view.turns) - same,
        unrecorded=True,
        winner=view.winner if over else None,
        result=view.result if over else None,
        why=view.why if over else None,
    )
