"""An evening at the sloppy table: whole games, with changes of mind, haste, late acts, clearing up and new games."""

from __future__ import annotations

from controller.rules.api import Shift, Turn
from controller.sloppy.ambiguity import changed_turn_is_plain, plain_pair
from controller.sloppy.habits import acts_of, carry, carry_out, ends, fidget, finishes_earlier, rest, undo, wait_of
from controller.sloppy.sitting import EXTENDABLE_S, SETTLED_S, Sitting, Wrong, kinds_on

NEW_GAME_S = 2.0


def evening(table: Sitting, turns: int) -> None:
    """Play games until at least `turns` turns are made; compare the record at the end of each."""
    rng = table.rng
    goal = table.report.turns + turns
    lay_out(table)
    while True:
        over = one_game(table, goal)
        table.stay(EXTENDABLE_S)
        table.compare()
        table.report.games += 1
        if table.report.turns >= goal:
            return
        if over:
            table.mat.film(rng.uniform(0.3, 3.0))
        clear_away(table)
        lay_out(table)


def lay_out(table: Sitting) -> None:
    """The start position is set up, piece by piece or all at once, and stands until the referee has taken it up."""
    rng, mat, game = table.rng, table.mat, table.game
    numbered = table.record.game_no
    start = game.picture(game.start())
    pieces = kinds_on(start)
    if not mat.off and not mat.held and not mat.on:
        mat.off = [kind for kind, _ in pieces]
    rng.shuffle(pieces)
    for i, (kind, site) in enumerate(pieces):
        if kind in mat.held:
            mat.put(kind, None)
        mat.lift(kind, None)
        mat.put(kind, site)
        if i % 3 == 0:
            table.reach(site)
        if rng.random() < 0.08:
            table.pause()
    table.begin()
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


def one_game(table: Sitting, goal: int) -> bool:
    """One game from the start position; True when it was played to its end, False when it was broken off."""
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
        if not (one_special(table)):
            turn = rng.choice(table.choices())
            carry_out(table, turn)
            rest(table, turn)
            table.played(turn)
    if table.record.game_no not in table.record.outcomes:
        table.stay(EXTENDABLE_S)
    outcome = table.record.outcomes.get(table.record.game_no)
    expected = game.outcome(table.position)
    assert expected is not None
    if outcome is None or outcome["winner"] != expected.winner:
        raise_stuck(table, f"{expected.winner} won; the referee said {outcome and outcome['winner']}")
    return True


def one_special(table: Sitting) -> bool:
    """Now and then a turn does not go straight; False when this one does."""
    draw = table.rng.random()
    for share, special in ((0.10, false_start), (0.08, hasty_pair), (0.06, late_swap), (0.06, early_hand)):
        if draw < share:
            return special(table)
        draw -= share
    return False


def false_start(table: Sitting) -> bool:
    """A turn is made, then put back or changed, then another (or the same) is made."""
    rng, game = table.rng, table.game
    turns = table.choices()
    first, second = rng.choice(turns), rng.choice(turns)
    if ends(table, first) or not changed_turn_is_plain(table, first, second):
        return False
    # Half of it may finish the mover's turn before; taken back, that could be a new turn or a second thought.
    if any(finishes_earlier(table, shift) for shift in game.turn_shifts(table.position, first)):
        return False
    carry_out(table, first)
    table.pause()
    if rng.random() < 0.3:
        table.settle(wait_of(table, first))
    one = game.turn_shifts(table.position, first)
    other = game.turn_shifts(table.position, second)
    if len(one) == len(other) == 1 and one[0].origin == other[0].origin and one[0].to != other[0].to:
        table.habit("changed directly")
        carry(table, Shift(one[0].piece, one[0].to, other[0].to), plain=True)
        rest(table, second)
        table.played(second)
        return True
    undo(table, first)
    if rng.random() < 0.6:
        table.habit("put back")
        table.settle(SETTLED_S)
    else:
        table.habit("put back in haste")
    carry_out(table, second)
    rest(table, second)
    table.played(second)
    return True


def hasty_pair(table: Sitting) -> bool:
    """Two turns with no settled moment between them, or none long enough for the first to be accepted."""
    rng, game = table.rng, table.game
    first = rng.choice(table.choices())
    middle = game.after(table.position, first)
    if game.outcome(middle) is not None:
        return False
    second = rng.choice(list(game.legal_turns(middle)))
    if not plain_pair(table, first, second):
        return False
    table.mat.blot = frozenset()
    wait = wait_of(table, first)
    carry_out(table, first, brisk=True)
    if wait > SETTLED_S and rng.random() < 0.5:
        table.habit("hasty reply to a half-swap")
        table.pause(0.6, 1.3)
    else:
        table.habit("two at once")
        if rng.random() < 0.5:
            table.pause(0.1, 0.3)
    table.played(first)
    carry_out(table, second, brisk=True)
    table.settle(EXTENDABLE_S)
    table.played(second)
    return True


def late_swap(table: Sitting) -> bool:
    """Half of a swap is made, which is a legal step; the other side replies; then the swap is finished."""
    rng = table.rng
    turns = table.choices()
    rng.shuffle(turns)
    steps = {acts_of(table, t)[0][0]: t for t in turns if sum(map(len, acts_of(table, t))) == 1}
    for turn in turns:
        own, taken = acts_of(table, turn)
        if len(own) < 2 or taken or ends(table, turn):
            continue
        for half, rest_of_it in ((own[0], own[1]), (own[1], own[0])):
            if half not in steps or ends(table, steps[half]):
                continue
            reply = reply_to_both(table, turn, steps[half], {rest_of_it.origin, rest_of_it.to})
            if reply is None:
                continue
            table.habit("swap finished late")
            step = steps[half]
            carry(table, half)
            rest(table, step)
            table.played(step)
            carry_out(table, reply)
            rest(table, reply)
            table.played(reply)
            carry(table, rest_of_it)
            table.rewrite(2, (turn, reply))
            table.finished_late = rest_of_it
            table.settle(EXTENDABLE_S)
            return True
    return False


def reply_to_both(table: Sitting, swap: Turn, step: Turn, sites: set[str | None]) -> Turn | None:
    """A reply that is legal after the swap and after its first half, and leaves the second half's sites alone."""
    game = table.game
    after_swap, after_step = game.after(table.position, swap), game.after(table.position, step)
    both = [t for t in game.legal_turns(after_step) if t in set(game.legal_turns(after_swap))]
    both = [
        turn
        for turn in both
        if not sites & {site for shift in game.turn_shifts(after_step, turn) for site in (shift.origin, shift.to)}
        and game.outcome(game.after(after_step, turn)) is None
    ]
    return table.rng.choice(both) if both else None


def early_hand(table: Sitting) -> bool:
    """The other side takes its piece up before the turn is over, and puts it down as soon as it is."""
    rng, game = table.rng, table.game
    first = rng.choice(table.choices())
    middle = game.after(table.position, first)
    if game.outcome(middle) is not None:
        return False
    second = rng.choice(list(game.legal_turns(middle)))
    shifts = game.turn_shifts(middle, second)
    busy = {site for shift in game.turn_shifts(table.position, first) for site in (shift.origin, shift.to)}
    if len(shifts) != 1 or shifts[0].origin in busy or not plain_pair(table, first, second):
        return False
    table.habit("piece in hand early")
    mine = shifts[0]
    table.reach(mine.origin)
    table.mat.lift(mine.piece, mine.origin)
    table.reach(mine.origin)
    carry_out(table, first, brisk=True)
    table.pause()
    table.played(first)
    table.reach(mine.to)
    table.mat.put(mine.piece, mine.to)
    table.reach(mine.to)
    table.settle(EXTENDABLE_S)
    table.played(second)
    return True


def raise_stuck(table: Sitting, text: str) -> None:
    """The table would need a person to go on."""
    raise Wrong("stuck", f"{text}; {table.whereabouts()}")
