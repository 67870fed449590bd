"""Turns of Taasen that do not go straight: an answer changed, a crushed piece left standing, one nobody can tell."""

from __future__ import annotations

from controller.rules.api import Placement, Position, Shift, Turn
from controller.sloppy.ambiguity import pairs, plain_pair, reaches
from controller.sloppy.hands import carry, ends, rest
from controller.sloppy.manners import Manners
from controller.sloppy.sitting import EXTENDABLE_S, SETTLED_S, Sitting, Wrong
from controller.sloppy.taasen.acts import acts_of, crushes, put_down


def other_meaning(table: Sitting, turn: Turn) -> bool:
    """Whether this turn, or its attack alone, could be the last turn with another answer: nobody could know."""
    if not table.history:
        return False
    game = table.game
    before, _ = table.history[-1]
    goal = table.stands(game.after(table.position, turn))
    if any(True for _ in reaches(table, before, goal)):
        return True
    return any(
        any(True for _ in reaches(table, before, stage)) or game.judge(before, stage).answer == "partial"
        for stage in game.stages(table.position, turn)
    )


def changed_answer(manners: Manners) -> bool:
    """The pressed piece goes one way, and then, before anything else happens, another way."""
    table = manners.table
    rng, game = table.rng, table.game
    pressing = [turn for turn in game.legal_turns(table.position) if acts_of(table, turn)[1] is not None]
    pressing = [turn for turn in pressing if not crushes(table, turn) and not other_meaning(table, turn)]
    if not pressing:
        return False
    first = rng.choice(pressing)
    attack, answer = acts_of(table, first)
    assert answer is not None
    others = [
        turn
        for turn in game.legal_turns(table.position)
        if acts_of(table, turn)[0] == attack and acts_of(table, turn)[1] not in (None, answer)
    ]
    others = [turn for turn in others if manners.changes_plainly(first, turn) and not other_meaning(table, turn)]
    if not others or ends(table, first):
        return False
    table.habit("answer changed")
    manners.carry_out(first)
    table.pause()
    if rng.random() < 0.5:
        table.settle(SETTLED_S)
    second = rng.choice(others)
    other = acts_of(table, second)[1]
    assert other is not None
    if other.piece == answer.piece:
        carry(table, Shift(answer.piece, answer.to, other.to), plain=True)
    else:
        carry(table, Shift(answer.piece, answer.to, answer.origin), plain=True)
        carry(table, other, plain=True)
    rest(manners, second)
    table.played(second)
    return True


def attack_withdrawn(manners: Manners) -> bool:
    """A piece attacks, is put back before the answer, and another turn (or the same) is made."""
    table = manners.table
    first, second = manners.pick(), manners.pick()
    attack, answer = acts_of(table, first)
    if answer is None or not manners.changes_plainly(first, second):
        return False
    table.habit("attack withdrawn")
    carry(table, attack)
    table.pause()
    if table.rng.random() < 0.5:
        table.settle(SETTLED_S)
    carry(table, Shift(attack.piece, attack.to, attack.origin), plain=True)
    if table.rng.random() < 0.5:
        table.settle(SETTLED_S)
    manners.carry_out(second)
    rest(manners, second)
    table.played(second)
    return True


def left_standing(manners: Manners) -> bool:
    """A crushed piece still stands while the game goes on for a turn or two; then somebody takes it off."""
    table = manners.table
    rng, game = table.rng, table.game
    crushing = [turn for turn in game.legal_turns(table.position) if crushes(table, turn) and not ends(table, turn)]
    crushing = [turn for turn in crushing if not other_meaning(table, turn)]
    if not crushing:
        return False
    first = rng.choice(crushing)
    attack, answer = acts_of(table, first)
    assert answer is not None
    base, end = table.position, game.after(table.position, first)
    second = _around(manners, first, answer)
    if second is None or _taken_back(table, base, game.after(end, second), answer):
        return False
    table.mat.blot = frozenset()
    carry(table, attack)
    if rng.random() < 0.7:
        table.settle(SETTLED_S + rng.choice((0.0, 0.5, 6.0)))
    table.habit("crushed piece left standing")
    table.played(first)
    taken_early = rng.random() < 0.3
    if taken_early:  # in the middle of the next turn
        table.reach(answer.origin)
        table.mat.lift(answer.piece, answer.origin)
        put_down(table, Shift(answer.piece, None, None))
    manners.carry_out(second, brisk=True)
    table.settle(EXTENDABLE_S)
    table.played(second)
    if taken_early:
        return True
    if table.record.rows(table.record.game_no)[-1:] == table.truth[-1:]:
        raise Wrong("mismatch", f"accepted before the crushed piece was gone; {table.whereabouts()}")
    if rng.random() < 0.4:
        third = _after(manners, answer)
        if third is not None and not _taken_back(table, base, game.after(table.position, third), answer):
            table.habit("left standing for two turns")
            manners.carry_out(third, brisk=True)
            table.settle(EXTENDABLE_S)
            table.played(third)
    carry(table, answer, plain=True)
    table.settle(EXTENDABLE_S)
    return True


def _around(manners: Manners, first: Turn, answer: Shift) -> Turn | None:
    """A next turn that leaves the crushed piece's site alone and that, both seen at once, has only this meaning."""
    table = manners.table
    game = table.game
    middle = game.after(table.position, first)
    for _ in range(8):
        second = manners.pick_at(middle)
        after = game.after(middle, second)
        if answer.origin in game.turn_sites(middle, second) or game.outcome(after) is not None:
            continue
        if any(shift.to is None for shift in game.turn_shifts(middle, second)):
            continue
        if plain_pair(table, first, second):
            return second
    return None


def _taken_back(table: Sitting, base: Position, position: Position, answer: Shift) -> bool:
    """Whether the crushed piece, still standing, could as well mean that the attack on it was taken back.

    `base`: the position before the attack.
    """
    game = table.game
    on = {site: list(kinds) for site, kinds in table.stands(position).on.items()}
    assert answer.origin is not None
    on.setdefault(answer.origin, []).append(answer.piece)
    seen = Placement({site: tuple(sorted(kinds)) for site, kinds in sorted(on.items())})
    earlier = [before for before, turn in table.history[-3:] if game.after(before, turn) == base]
    for before in (base, *earlier):
        if any(True for way in (reaches, pairs) for _ in way(table, before, seen)):
            return True
        if before != base and game.judge(before, seen).answer != "illegal":
            return True
    return False


def _after(manners: Manners, answer: Shift) -> Turn | None:
    """One more turn that leaves the crushed piece's site alone."""
    table = manners.table
    game = table.game
    for _ in range(8):
        third = manners.pick()
        shifts = game.turn_shifts(table.position, third)
        around = answer.origin not in game.turn_sites(table.position, third) and all(shift.to for shift in shifts)
        if around and game.outcome(game.after(table.position, third)) is None:
            return third
    return None


def moved_on(manners: Manners) -> bool:
    """The piece that has just fled is moved on to where it could have fled at once: the referee must ask."""
    table = manners.table
    game = table.game
    if not table.history:
        return False
    before, last = table.history[-1]
    shifts = game.turn_shifts(before, last)
    if len(shifts) < 2 or shifts[1].to is None:
        return False
    for turn in game.legal_turns(table.position):
        attack, answer = acts_of(table, turn)
        after = game.after(table.position, turn)
        goal = table.stands(after)
        if attack.piece != shifts[1].piece or answer is not None or game.outcome(after) is not None:
            continue
        changed = list(reaches(table, before, goal))
        if len(changed) != 1:
            continue
        table.habit("moved on, or fled elsewhere")
        player = game.to_move(table.position)
        carry(table, attack, plain=True)
        table.stay(EXTENDABLE_S)
        if not table.state.question:
            raise Wrong("missed", f"nobody asked whether {attack.piece} fled or was moved on; {table.whereabouts()}")
        table.questioned = ""
        if table.rng.random() < 0.5:
            table.answer(player, "yes")
            table.played(turn)
        else:
            table.answer(player, "no")
            table.rewrite(1, changed)
        return True
    return False
