"""Turns of Transfer that don't go straight: changed, taken back, null."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from controller.rules.transfer.board import Stroke, TransferTurn
from controller.rules.transfer.strokes import Stage, groups, moved, view
from controller.sloppy.hands import ends, rest
from controller.sloppy.sitting import SETTLED_S
from controller.sloppy.specials import put_back
from controller.sloppy.transfer.acts import Hands
from controller.sloppy.transfer.lanes import CELLS, lay, standing

if TYPE_CHECKING:
    from controller.sloppy.transfer import TransferManners


def false_start(manners: TransferManners) -> bool:
    """A turn is made, then put back or changed, then another is made."""
    table, game = manners.table, manners.game
    rng = table.rng
    first, second = manners.pick(), manners.pick()
    if ends(table, first) or not manners.changes_plainly(first, second):
        return False
    manners.carry_out(first)
    table.pause()
    if rng.random() < 0.4:
        table.settle(SETTLED_S)
    if rng.random() < 0.25:
        table.habit("changed directly")
        hands = Hands(table, game, second, brisk=True)
        table.reach(*hands.ends.own)
        stage = hands.stage
        for stroke in second.strokes:
            stage = moved(game.law, stage, stroke)
        hands.back_to(stage)
    else:
        put_back(manners, first)
        manners.carry_out(second)
    rest(manners, second)
    table.played(second)
    return True


def _some_load(manners: TransferManners) -> tuple[TransferTurn, Stage] | None:
    """A group that can be loaded and put back, and the stage between."""
    table, game = manners.table, manners.game
    mover = table.position.mover
    begin = Stage(view(game.law, table.position.rows, mover))
    loads = []
    for row, line in enumerate(begin.rows):
        first = next(groups(line), None)
        if first is not None and first[1] <= len(CELLS[0]) - 2:
            loads.append(TransferTurn(mover, (Stroke("L", row, first[1]), Stroke("U", row, first[1]))))
    if not loads:
        return None
    turn = table.rng.choice(loads)
    return turn, moved(game.law, begin, turn.strokes[0])


def thought_better(manners: TransferManners) -> bool:
    """Loaded, seen so, put back; then the same side makes its turn."""
    table = manners.table
    made = _some_load(manners)
    if made is None:
        return False
    table.habit("loaded and put back")
    hands = Hands(table, manners.game, made[0], brisk=True)
    begin = hands.stage
    hands.make(made[0].strokes[0])
    table.pause()
    table.reach(*hands.ends.own)
    hands.back_to(begin)
    table.pause()
    turn = manners.pick()
    manners.carry_out(turn)
    rest(manners, turn)
    table.played(turn)
    return True


def null_turn(manners: TransferManners) -> bool:
    """Loaded, seen so, put back; then the other side begins, and is seen to begin."""
    table, game = manners.table, manners.game
    made = _some_load(manners)
    if made is None:
        return False
    turn, _ = made
    after = game.after(table.position, turn)
    if game.forced_pass(after) is not None or game.outcome(after) is not None:
        return False
    answer = manners.pick_at(after)
    if game.after(after, answer).rows == after.rows or not _plain_answer(manners, answer):
        return False
    table.habit("null turn")
    hands = Hands(table, game, turn, brisk=True)
    begin = hands.stage
    hands.make(turn.strokes[0])
    table.settle(SETTLED_S)
    table.reach(*hands.ends.own)
    hands.back_to(begin)
    table.settle(SETTLED_S)
    table.played(turn)
    manners.show_first = True
    manners.carry_out(answer)
    rest(manners, answer)
    table.played(answer)
    return True


def _plain_answer(manners: TransferManners, answer: TransferTurn) -> bool:
    """Whether the answer's first stroke can't be one of the side that is on the move."""
    table, game = manners.table, manners.game
    stage = next(game.stages(game.with_mover(table.position, answer.player), answer))
    return game.judge(table.position, stage).answer == "illegal"


def null_turn_said(manners: TransferManners) -> bool:
    """Nothing is moved; the player says done."""
    table, game = manners.table, manners.game
    made = _some_load(manners)
    if made is None or game.forced_pass(game.after(table.position, made[0])) is not None:
        return False
    table.habit("null turn said")
    table.stay(SETTLED_S)
    table.press(made[0].player)
    table.stay(0.0)  # nobody is so quick that no frame shows the board as it was
    table.played(made[0])
    table.pause()
    return True


def shoved_along(manners: TransferManners) -> bool:
    """Somebody pushes the pieces of some rows along."""
    table = manners.table
    table.habit("shoved along")
    for row in table.rng.sample(range(len(CELLS)), 3):
        table.reach(*CELLS[row])
        lay(table, CELLS[row], standing(table, CELLS[row]))
        table.reach(*CELLS[row])
        table.pause()
    return False


SPECIALS: tuple[tuple[float, Callable[[TransferManners], bool]], ...] = (
    (0.10, false_start),
    (0.05, thought_better),
    (0.06, null_turn),
    (0.02, null_turn_said),
    (0.05, shoved_along),
)

