"""What a turn leads to, and how a game ends."""

from __future__ import annotations

from controller.rules.api import Outcome, Player
from controller.rules.transfer.board import KIND_OF, NORTH, OTHER, SOUTH, TransferPosition, TransferTurn, rows_complete
from controller.rules.transfer.strokes import Law, Stage, moved, view

DECIDED = len(KIND_OF) // 2 + 1  # points that can't be overtaken


def stages_of(law: Law, rows: tuple[str, ...], turn: TransferTurn) -> list[Stage]:
    """The stage after each stroke of a turn, in the mover's view."""
    stages = [Stage(view(law, rows, turn.player))]
    for stroke in turn.strokes:
        stages.append(moved(law, stages[-1], stroke))
    return stages[1:]


def after(law: Law, position: TransferPosition, turn: TransferTurn) -> TransferPosition:
    """The position when the turn is complete: each row completed on the way is a point of its player."""
    rows, score = position.rows, position.score
    if turn.strokes:
        rows = view(law, stages_of(law, rows, turn)[-1].rows, turn.player)
    if score is not None:
        points = rows_complete(rows) - rows_complete(position.rows)
        score = (score[0] + points, score[1]) if turn.player == SOUTH else (score[0], score[1] + points)
    return TransferPosition(rows, OTHER[turn.player], score)


def carried(before: TransferPosition, position: TransferPosition) -> tuple[int, int] | None:
    """The score of a position that came of another one, not by the rules: rows completed since are the last mover's."""
    more = max(0, rows_complete(position.rows) - rows_complete(before.rows))
    if before.score is None or (more and position.mover is None):
        return None
    south, north = before.score
    return (south + more, north) if position.mover == NORTH else (south, north + more)


def over(position: TransferPosition, early_end: bool) -> str | None:
    """The end of the game by its rows or points: a words key, None while it goes on."""
    if rows_complete(position.rows) == len(KIND_OF):
        return "all_rows"
    if early_end and position.score is not None and max(position.score) >= DECIDED:
        return "decided"
    return None


def by_points(position: TransferPosition, why: str) -> Outcome:
    """More points win; seven can't be shared equally, fewer can (a game taken up late, or ended early)."""
    score = position.score
    if score is None:
        return Outcome(None, "score unknown", why)
    if score[0] == score[1]:
        return Outcome(None, "draw", why, score)
    return won(SOUTH if score[0] > score[1] else NORTH, why, score)


def won(player: Player, why: str, score: tuple[int, int] | None) -> Outcome:
    """This player wins."""
    return Outcome(player, f"{player} wins", why, score)
