"""Offences of Taasen that a placement can show, one kind for each reason code: what to shift, from which position.

Each maker yields candidates; those that some legal play explains are sorted out by brute force and without a look at
the referee. Codes are told apart here from the law's text, not from the engine's reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from controller.rules.api import Kind, Player, Shift, Site, Turn
from controller.rules.taasen.board import EXITS, KINDS, SEA, SHORES, presses
from controller.sloppy.manners import Offence
from controller.sloppy.planting import placed_after
from controller.sloppy.sitting import Sitting, kinds_on

Piece = tuple[Kind, Site]


class Scene:
    """The board as the maker of an offence sees it."""

    def __init__(self, table: Sitting) -> None:
        self.table = table
        self.game, self.position = table.game, table.position
        mover = table.game.to_move(table.position)
        assert mover is not None
        self.mover: Player = mover
        self.other: Player = next(player for player in table.game.players if player != mover)
        pieces = kinds_on(table.stands(table.position))
        table.rng.shuffle(pieces)
        self.pieces: list[Piece] = pieces
        self.barred = {KINDS[piece] for piece in range(9) if table.position.ban >> piece & 1}
        self.own = [one for one in pieces if self.game.owner(one[0]) == mover]
        self.theirs = [one for one in pieces if self.game.owner(one[0]) == self.other]
        self.movable = [one for one in pieces if one not in self.theirs and one[0] not in self.barred]
        taken = {site for _, site in pieces}
        self.empty = [site for site in table.mat.sites if site not in taken and site != SEA]
        table.rng.shuffle(self.empty)
        self.turns = list(self.game.legal_turns(self.position))
        table.rng.shuffle(self.turns)
        # Moved again, a piece of the last turn is that turn changed: another offence, by whoever made that turn.
        last = table.history[-1:]
        self.just_moved = frozenset(site for before, turn in last for site in table.game.turn_sites(before, turn))

    def attacks(self) -> Iterator[tuple[Shift, list[tuple[Piece, list[Site]]]]]:
        """Every move that presses, with each of its victims and where that may flee to."""
        made: dict[Shift, dict[Piece, list[Site]]] = {}
        for turn in self.turns:
            shifts = self.game.turn_shifts(self.position, turn)
            if len(shifts) > 1:
                stood = shifts[1].origin or ""
                exits = made.setdefault(shifts[0], {}).setdefault((shifts[1].piece, stood), [])
                exits += [shifts[1].to] if shifts[1].to is not None else []
        for attack, victims in made.items():
            yield attack, list(victims.items())

    def quiet(self) -> Iterator[Shift]:
        """Every move that presses nothing."""
        for turn in self.turns:
            shifts = self.game.turn_shifts(self.position, turn)
            if len(shifts) == 1:
                yield shifts[0]


Maker = Callable[[Scene], Iterator[Offence]]


def reach(site: Site) -> set[Site]:
    """Where a piece may go from a site, taken or not."""
    return {str(to) for to in EXITS[int(site)]}


def opponent_piece(scene: Scene) -> Iterator[Offence]:
    """The mover moves a piece of the other side's colour."""
    for kind, origin in scene.theirs:
        for to in scene.empty:
            if to in reach(origin) and origin not in scene.just_moved:
                yield Offence("OPPONENT_PIECE", (Shift(kind, origin, to),))


def white_just_moved(scene: Scene) -> Iterator[Offence]:
    """The White piece that the other side has just moved is moved on."""
    for kind, origin in scene.pieces:
        for to in scene.empty:
            if kind in scene.barred and to in reach(origin):
                yield Offence("WHITE_JUST_MOVED", (Shift(kind, origin, to),))


def pushed_back(scene: Scene) -> Iterator[Offence]:
    """The piece that was pressed goes back. Before anybody says done that is only an answer being thought over."""
    position = scene.position
    if position.pressed < 0:
        return
    kind, origin, to = KINDS[position.pressed], str(position.at[position.pressed]), str(position.back)
    before = scene.table.history[-1][0] if scene.table.history else None
    stage = placed_after(scene.table, Shift(kind, origin, to))
    chosen = before is not None and any(owed.act == "choose" for owed in scene.game.judge(before, stage).owed)
    if to in reach(origin) and scene.game.owner(kind) != scene.other and not chosen:
        back = (Shift(kind, origin, to),)
        if scene.table.history:
            yield Offence("PUSHED_BACK", first=back, done=True, by=scene.mover, at_once=True)
        else:
            yield Offence("PUSHED_BACK", back)


def push_pending(scene: Scene) -> Iterator[Offence]:
    """The pressed piece stays where it is, and the other side says done, or moves something else."""
    for attack, victims in scene.attacks():
        (kind, _), exits = victims[0]
        if len(victims) > 1 or not exits:
            continue
        yield Offence("PUSH_PENDING", first=(attack,), done=True, by=scene.other)
        for other, origin in scene.pieces:
            for to in scene.empty:
                if other not in (kind, attack.piece) and to in reach(origin) and to != attack.to:
                    yield Offence("PUSH_PENDING", (Shift(other, origin, to),), first=(attack,))
                    yield Offence("PUSH_PENDING", (attack, Shift(other, origin, to)))


def not_crushed(scene: Scene) -> Iterator[Offence]:
    """The pressed piece could flee and is taken off; the other side says done, or makes its next turn."""
    game, position = scene.game, scene.position
    one_victim = {attack for attack, victims in scene.attacks() if len(victims) == 1}
    for turn in scene.turns:
        shifts = game.turn_shifts(position, turn)
        if len(shifts) < 2 or shifts[1].to is None or shifts[0] not in one_victim:
            continue
        attack, fled = shifts
        yield Offence("NOT_CRUSHED", kept=(fled,), first=(attack,), done=True, by=scene.other)
        after = game.after(position, turn)
        for reply in game.legal_turns(after):
            step = game.turn_shifts(after, reply)
            if len(step) == 1 and step[0].piece != fled.piece and step[0].to != fled.origin:
                yield Offence("NOT_CRUSHED", step, kept=(fled,), first=(attack,))


def both_pressed(scene: Scene) -> Iterator[Offence]:
    """Both victims of an attack are moved, the second to where it could not go even as the next turn."""
    for attack, victims in scene.attacks():
        for (one, stood), exits in victims:
            for (two, origin), _ in victims:
                for to in exits if one != two else ():
                    for far in scene.empty:
                        if far not in reach(origin) and far not in (to, attack.to):
                            yield Offence("BOTH_PRESSED", (attack, Shift(one, stood, to), Shift(two, origin, far)))


def not_pressed(scene: Scene) -> Iterator[Offence]:
    """A prey that is safe, by its colour or beyond the sea, is carried off as if it had been pressed."""
    for move in scene.quiet():
        for kind, origin in scene.pieces:
            if origin in reach(move.to or "") and presses(KINDS.index(move.piece), KINDS.index(kind)):
                for to in scene.empty:
                    if to != move.to:
                        yield Offence("NOT_PRESSED", (move, Shift(kind, origin, to)))


def escape_not_adjacent(scene: Scene) -> Iterator[Offence]:
    """The pressed piece goes where it can't step to."""
    for attack, victims in scene.attacks():
        (kind, origin), _ = victims[0]
        for to in scene.empty:
            if len(victims) == 1 and to not in reach(origin) and to != attack.to:
                yield Offence("ESCAPE_NOT_ADJACENT", (Shift(kind, origin, to),), first=(attack,))
                yield Offence("ESCAPE_NOT_ADJACENT", (attack, Shift(kind, origin, to)))


def sea_rest(scene: Scene) -> Iterator[Offence]:
    """A piece stops on the sea, on its own turn or as it flees."""
    for kind, origin in scene.movable:
        yield Offence("SEA_REST", (Shift(kind, origin, SEA),))
    for attack, victims in scene.attacks():
        (kind, origin), _ = victims[0]
        if len(victims) == 1 and int(origin) in SHORES:
            yield Offence("SEA_REST", (Shift(kind, origin, SEA),), first=(attack,))


def sea_blocked(scene: Scene) -> Iterator[Offence]:
    """A piece crosses the sea though no shore is free."""
    shores = {str(shore) for shore in SHORES}
    for kind, origin in scene.movable:
        if origin in shores and not shores & set(scene.empty):
            yield Offence("SEA_BLOCKED", (Shift(kind, origin, SEA),), leading=False)
            for to in shores - {origin}:
                yield Offence("SEA_BLOCKED", (Shift(kind, origin, to),))


def occupied(scene: Scene) -> Iterator[Offence]:
    """A piece goes where another one stands."""
    for kind, origin in scene.movable:
        for _, to in scene.pieces:
            if to != origin and to in reach(origin):
                yield Offence("OCCUPIED", (Shift(kind, origin, to),), leading=False)


def two_on_a_site(scene: Scene) -> Iterator[Offence]:
    """The same, as every game calls it."""
    for offence in occupied(scene):
        yield Offence("TWO_ON_A_SITE", offence.shifts, leading=False)


def not_adjacent(scene: Scene) -> Iterator[Offence]:
    """A piece goes further than one step."""
    for kind, origin in scene.movable:
        for to in scene.empty:
            if to not in reach(origin):
                yield Offence("NOT_ADJACENT", (Shift(kind, origin, to),))


def out_of_turn(scene: Scene) -> Iterator[Offence]:
    """The side that has just moved makes another turn that would be legal if it were its turn."""
    game = scene.game
    theirs = game.with_mover(scene.position, scene.other)
    turns: list[Turn] = list(game.legal_turns(theirs))
    scene.table.rng.shuffle(turns)
    for turn in turns:
        shifts = game.turn_shifts(theirs, turn)
        if len(shifts) == 1 and game.owner(shifts[0].piece) and shifts[0].origin not in scene.just_moved:
            yield Offence("OUT_OF_TURN", shifts, leading=False)


def wrong_piece(scene: Scene) -> Iterator[Offence]:
    """A piece is taken away and a spare of another kind put in its place."""
    for kind, site in scene.pieces:
        for other in KINDS:
            if other != kind:
                yield Offence("WRONG_PIECE", (Shift(other, None, site),), kept=(Shift(kind, site, None),))


def extra_piece(scene: Scene) -> Iterator[Offence]:
    """A spare out of the box, or a piece that was crushed, put on an empty site."""
    for kind in KINDS:
        for site in scene.empty:
            yield Offence("EXTRA_PIECE", (Shift(kind, None, site),))


def not_a_turn(scene: Scene) -> Iterator[Offence]:
    """Three pieces are moved at once."""
    rng = scene.table.rng
    if len(scene.movable) < 3:
        return
    for _ in range(20):
        pieces = rng.sample(scene.movable, 3)
        shifts = tuple(Shift(k, s, to) for (k, s), to in zip(pieces, rng.sample(scene.empty, 3), strict=True))
        yield Offence("NOT_A_TURN", shifts, leading=False)


MAKERS: dict[str, Maker] = {
    "OPPONENT_PIECE": opponent_piece,
    "WHITE_JUST_MOVED": white_just_moved,
    "PUSHED_BACK": pushed_back,
    "PUSH_PENDING": push_pending,
    "NOT_CRUSHED": not_crushed,
    "BOTH_PRESSED": both_pressed,
    "NOT_PRESSED": not_pressed,
    "ESCAPE_NOT_ADJACENT": escape_not_adjacent,
    "SEA_REST": sea_rest,
    "SEA_BLOCKED": sea_blocked,
    "OCCUPIED": occupied,
    "NOT_ADJACENT": not_adjacent,
    "OUT_OF_TURN": out_of_turn,
    "WRONG_PIECE": wrong_piece,
    "EXTRA_PIECE": extra_piece,
    "TWO_ON_A_SITE": two_on_a_site,
    "NOT_A_TURN": not_a_turn,
}
RARE = frozenset({"BOTH_PRESSED", "SEA_BLOCKED"})  # a tidy game may never come to a position that allows them
REMEMBERED = frozenset({"WHITE_JUST_MOVED", "PUSHED_BACK"})  # of the turn before, and so of a position given as text
