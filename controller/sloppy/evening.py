"""An evening at the sloppy table: whole games, with changes of mind, haste, late acts, clearing up and new games."""

from __future__ import annotations

from controller.rules.api import Position
from controller.sloppy.hands import fidget, rest
from controller.sloppy.manners import Manners
from controller.sloppy.sitting import EXTENDABLE_S, Sitting, Wrong, kinds_on

NEW_GAME_S = 2.0


def evening(manners: Manners, turns: int) -> None:
    """Play games until at least `turns` turns are made; compare the record at the end of each."""
    table = manners.table
    rng = table.rng
    goal = table.report.turns + turns
    lay_out(manners)
    while True:
        over = one_game(manners, goal)
        table.stay(EXTENDABLE_S)
        table.compare()
        table.report.games += 1
        if table.report.turns >= goal:
            return
        if over:
            table.mat.film(rng.uniform(0.3, 3.0))
        clear_away(table)
        lay_out(manners)


def lay_out(manners: Manners, position: Position | None = None) -> None:
    """The start position is set up, piece by piece or all at once, and stands until the referee has taken it up."""
    table = manners.table
    rng, mat = table.rng, table.mat
    numbered = table.record.game_no
    start = manners.start() if position is None else position
    pieces = kinds_on(table.stands(start))
    if not mat.off and not mat.held and not mat.on:
        mat.off = [kind for kind, _ in pieces]
    rng.shuffle(pieces)
    for i, (kind, site) in enumerate(pieces):
        if kind not in mat.held and kind not in mat.off:
            mat.fetch(kind)
        if kind in mat.held:
            mat.put(kind, None)
        mat.lift(kind, None)
        mat.put(kind, site)
        if i % 3 == 0:
            table.reach(site)
        if rng.random() < 0.08:
            table.pause()
    table.begin(start)
    table.settle(NEW_GAME_S)
    if table.record.game_no != numbered + 1:
        raise_stuck(table, "a start position stood still and no game began")
    table.record.game_no = numbered + 1


def clear_away(table: Sitting) -> None:
    """Everything off the board, seen cleared."""
    rng, mat = table.rng, table.mat
    table.habit("cleared")
    pieces = kinds_on(table.seen())
    rng.shuffle(pieces)
    for i, (kind, site) in enumerate(pieces):
        mat.lift(kind, site)
        mat.put(kind, None)
        if i % 3 == 0:
            table.reach(site)
        if rng.random() < 0.05:
            table.pause()
    table.reach(None)
    table.stay(rng.uniform(1.6, 3.0))


def clear_and_restore(table: Sitting) -> None:
    """The board is cleared in mid-game, for a cup of coffee, and the same position set up again."""
    rng, mat = table.rng, table.mat
    standing = kinds_on(table.stands(table.position))
    clear_away(table)
    table.habit("cleared and restored")
    rng.shuffle(standing)
    for kind, site in standing:
        mat.lift(kind, None)
        mat.put(kind, site)
        table.reach(site)
        if rng.random() < 0.1:
            table.pause()
    table.settle(NEW_GAME_S)


def one_game(manners: Manners, goal: int) -> bool:
    """One game from the start position; True when it was played to its end, False when it was broken off."""
    table = manners.table
    rng, mat, game = table.rng, table.mat, table.game
    while game.outcome(table.position) is None:
        if table.report.turns >= goal:
            return False
        if rng.random() < 0.004 and len(table.truth) > 6:
            return False
        mat.lost_share = rng.choice((0.0, 0.0, 0.0, 0.1, 0.3))
        mat.blot = frozenset(rng.sample(mat.sites, rng.choice((1, 2, 3)))) if rng.random() < 0.12 else frozenset()
        if rng.random() < 0.005:
            clear_and_restore(table)
        if rng.random() < 0.10:
            fidget(table)
            table.pause()
        if rng.random() < 0.05:
            table.pause(2.0, 12.0)
        if not one_special(manners):
            turn = manners.pick()
            manners.carry_out(turn)
            rest(manners, turn)
            table.played(turn)
    if table.record.game_no not in table.record.outcomes:
        table.stay(EXTENDABLE_S)
    outcome = table.record.outcomes.get(table.record.game_no)
    expected = game.outcome(table.position)
    assert expected is not None
    if outcome is None or outcome["winner"] != expected.winner:
        raise_stuck(table, f"{expected.winner} won; the referee said {outcome and outcome['winner']}")
    return True


def one_special(manners: Manners) -> bool:
    """Now and then a turn does not go straight; False when this one does."""
    draw = manners.table.rng.random()
    for share, special in manners.specials:
        if draw < share:
            return special()
        draw -= share
    return False


def raise_stuck(table: Sitting, text: str) -> None:
    """The table would need a person to go on."""
    raise Wrong("stuck", f"{text}; {table.whereabouts()}")
