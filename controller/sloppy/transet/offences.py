"""Offences of Transet that a placement can show, one kind for each reason code: what to shift, from which position.

Each maker yields candidates; those that some legal play explains are sorted out by brute force and without a look at
the referee. Codes are told apart here from the law's text, not from the engine's reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from controller.rules.api import Kind, Player, Shift, Site
from controller.sloppy.manners import Offence
from controller.sloppy.sitting import Sitting, kinds_on


class Scene:
    """The board as the maker of an offence sees it."""

    def __init__(self, table: Sitting) -> None:
        self.table = table
        self.game = table.game
        self.position = table.position
        mover = table.game.to_move(table.position)
        assert mover is not None
        self.mover: Player = mover
        self.enemy: Player = next(player for player in table.game.players if player != mover)
        self.on = {site: kinds[0] for site, kinds in table.stands(table.position).on.items()}
        self.own = [(k, s) for k, s in kinds_on(table.stands(table.position)) if self.game.owner(k) == mover]
        self.theirs = [(k, s) for k, s in kinds_on(table.stands(table.position)) if self.game.owner(k) != mover]
        self.empty = [site for site in table.mat.sites if site not in self.on]
        # Moved again, a piece of the last turn is that turn changed: another offence, by whoever made that turn.
        last = table.history[-1:]
        self.just_moved = frozenset(site for before, turn in last for site in table.game.turn_sites(before, turn))
        table.rng.shuffle(self.own)
        table.rng.shuffle(self.theirs)
        table.rng.shuffle(self.empty)

    def way(self, origin: Site, to: Site, player: Player | None = None) -> tuple[int, int]:
        """Files to the right and ranks ahead, for the mover (or another player)."""
        ranks = int(to[1]) - int(origin[1])
        return ord(to[0]) - ord(origin[0]), ranks if (player or self.mover) == "South" else -ranks

    def line(self, player: Player) -> list[Site]:
        """A player's own starting line."""
        return [f"{file}{1 if player == 'South' else 5}" for file in "abcde"]

    def beside(self, site: Site, files: int, ranks: int) -> Site | None:
        """The site so many files to the right and ranks ahead of the mover, if it is on the board."""
        ranks = ranks if self.mover == "South" else -ranks
        name = chr(ord(site[0]) + files) + chr(ord(site[1]) + ranks)
        return name if name in self.table.game.sites else None

    def captures(self) -> Iterator[tuple[Shift, Shift]]:
        """Every capturer with its victim's return, for captures that don't end the game."""
        for turn in self.game.legal_turns(self.position):
            shifts = self.game.turn_shifts(self.position, turn)
            taken = [s for s in shifts if self.game.owner(s.piece) != self.mover]
            if taken and taken[0].to is not None:
                yield next(s for s in shifts if s not in taken), taken[0]


Maker = Callable[[Scene], Iterator[Offence]]


def fits(kind: Kind, files: int, ranks: int) -> bool:
    """Whether a pawn of this kind steps or captures so."""
    if ranks != 1 or abs(files) > 1:
        return False
    return {"PINET": files == 0, "PIOKER": files != 0, "PIAS": True}[kind.split("-")[1]]


def wrong_step(scene: Scene) -> Iterator[Offence]:
    """A pawn one square away, to where its kind doesn't step."""
    for kind, origin in scene.own:
        for to in scene.empty:
            files, ranks = scene.way(origin, to)
            half_a_swap = ranks == 0 or (ranks == -1 and files == 0)
            if max(abs(files), abs(ranks)) == 1 and not half_a_swap and not fits(kind, files, ranks):
                yield Offence("WRONG_STEP", (Shift(kind, origin, to),))


def too_far(scene: Scene) -> Iterator[Offence]:
    """A pawn more than one square away."""
    for kind, origin in scene.own:
        for to in scene.empty:
            if max(map(abs, scene.way(origin, to))) > 1:
                yield Offence("TOO_FAR", (Shift(kind, origin, to),))


def not_your_pawn(scene: Scene) -> Iterator[Offence]:
    """The mover carries an enemy pawn somewhere."""
    for kind, origin in scene.theirs:
        for to in scene.empty:
            if origin not in scene.just_moved and max(map(abs, scene.way(origin, to))) == 1:
                yield Offence("NOT_YOUR_PAWN", (Shift(kind, origin, to),))


def out_of_turn(scene: Scene) -> Iterator[Offence]:
    """The side that has just moved makes another turn that would be legal if it were its turn."""
    if not scene.table.history:
        return
    game = scene.game
    turns = list(game.legal_turns(game.with_mover(scene.position, scene.enemy)))
    scene.table.rng.shuffle(turns)
    for turn in turns:
        shifts = game.turn_shifts(game.with_mover(scene.position, scene.enemy), turn)
        if len(shifts) == 1 and shifts[0].origin not in scene.just_moved:
            yield Offence("OUT_OF_TURN", shifts, leading=False)


def own_pawn_there(scene: Scene) -> Iterator[Offence]:
    """A pawn put on a pawn of its own side."""
    for kind, origin in scene.own:
        for _, to in scene.own:
            if to != origin and max(map(abs, scene.way(origin, to))) == 1:
                yield Offence("OWN_PAWN_THERE", (Shift(kind, origin, to),))


def two_on_a_site(scene: Scene) -> Iterator[Offence]:
    """A pawn put where another stands, though it doesn't capture there."""
    for kind, origin in scene.own:
        for _, to in scene.theirs:
            if not fits(kind, *scene.way(origin, to)):
                yield Offence("TWO_ON_A_SITE", (Shift(kind, origin, to),), leading=False)


def bad_replacement(scene: Scene) -> Iterator[Offence]:
    """A captured pawn put somewhere else than on its own line."""
    for mover, victim in scene.captures():
        for to in scene.empty:
            if to not in scene.line(scene.enemy):
                yield Offence("BAD_REPLACEMENT", (Shift(victim.piece, victim.origin, to), mover))


def wrong_pawn_returned(scene: Scene) -> Iterator[Offence]:
    """The captured pawn stays in the hand, and another one of another kind goes to the line."""
    for mover, victim in scene.captures():
        for kind, origin in scene.theirs:
            if kind != victim.piece and victim.to is not None and origin != victim.origin:
                yield Offence("WRONG_PAWN_RETURNED", (mover, Shift(kind, origin, victim.to)), kept=(victim,))


def not_captured(scene: Scene) -> Iterator[Offence]:
    """With a legal step, an enemy pawn that nothing took is moved too."""
    for turn in scene.game.legal_turns(scene.position):
        shifts = scene.game.turn_shifts(scene.position, turn)
        if len(shifts) == 1:
            for kind, origin in scene.theirs:
                for to in scene.empty:
                    if to != shifts[0].to and max(map(abs, scene.way(origin, to))) > 1:
                        yield Offence("NOT_CAPTURED", (shifts[0], Shift(kind, origin, to)))


def swap_target_taken(scene: Scene) -> Iterator[Offence]:
    """Two unlike neighbours trade places."""
    for kind, origin in scene.own:
        for other, to in scene.own:
            if kind != other and sum(map(abs, scene.way(origin, to))) == 1:
                yield Offence("SWOP_TARGET_TAKEN", (Shift(kind, origin, to), Shift(other, to, origin)))


def halves(scene: Scene) -> Iterator[tuple[Shift, tuple[int, int]]]:
    """Every half of a swap that some own pawn could make."""
    for kind, origin in scene.own:
        for way in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            to = scene.beside(origin, *way)
            if to in scene.empty:
                yield Shift(kind, origin, to), way


def swap_same_target(scene: Scene) -> Iterator[Offence]:
    """Both pawns of a swap go to the same square."""
    made = list(halves(scene))
    for one, way in made:
        for two, other in made:
            if one.to == two.to and one.origin != two.origin and (way[0] + other[0], way[1] + other[1]) == (0, 0):
                yield Offence("SWOP_SAME_TARGET", (one, two))


def swap_not_opposite(scene: Scene) -> Iterator[Offence]:
    """Two pawns go, but not opposite ways."""
    made = list(halves(scene))
    for one, way in made:
        for two, other in made:
            apart = len({one.origin, one.to, two.origin, two.to}) == 4
            if apart and (way[0] + other[0], way[1] + other[1]) != (0, 0):
                yield Offence("SWOP_NOT_OPPOSITE", (one, two))


def alone(code: str, ways: tuple[tuple[int, int], ...]) -> Maker:
    """Half a swap, which lies there until its player says done, or the other side replies."""

    def make(scene: Scene) -> Iterator[Offence]:
        for half, way in halves(scene):
            if way in ways:
                yield Offence(code, first=(half,), done=True)
                for reply in replies(scene, (half,)):
                    yield Offence(code, reply, first=(half,))

    return make


def replies(scene: Scene, acts: tuple[Shift, ...]) -> Iterator[tuple[Shift, ...]]:
    """Steps of the other side that have nothing to do with these acts."""
    game = scene.game
    busy = {site for shift in acts for site in (shift.origin, shift.to)}
    theirs = game.with_mover(scene.position, scene.enemy)
    turns = list(game.legal_turns(theirs))
    scene.table.rng.shuffle(turns)
    for turn in turns:
        shifts = game.turn_shifts(theirs, turn)
        if len(shifts) == 1 and not busy & {shifts[0].origin, shifts[0].to}:
            yield shifts


def no_replacement(scene: Scene) -> Iterator[Offence]:
    """A capture without the return: until the capturer says done, or the other side replies."""
    for mover, victim in scene.captures():
        yield Offence("NO_REPLACEMENT", kept=(victim,), first=(mover,), done=True)
        for reply in replies(scene, (mover, victim)):
            yield Offence("NO_REPLACEMENT", reply, kept=(victim,), first=(mover,))


def wrong_piece(scene: Scene) -> Iterator[Offence]:
    """A pawn is taken away and a spare of another kind put in its place."""
    pawns = scene.own + scene.theirs
    for kind, site in pawns:
        for other, _ in pawns:
            if other != kind:
                yield Offence("WRONG_PIECE", (Shift(other, None, site),), kept=(Shift(kind, site, None),))


def extra_piece(scene: Scene) -> Iterator[Offence]:
    """A spare out of the box, put on an empty square."""
    for kind, _ in scene.own + scene.theirs:
        for site in scene.empty:
            yield Offence("EXTRA_PIECE", (Shift(kind, None, site),))


def not_a_turn(scene: Scene) -> Iterator[Offence]:
    """Three pawns are moved at once."""
    rng = scene.table.rng
    for _ in range(20):
        pawns = rng.sample(scene.own, 3)
        shifts = tuple(Shift(k, s, to) for (k, s), to in zip(pawns, rng.sample(scene.empty, 3), strict=True))
        yield Offence("NOT_A_TURN", shifts, leading=False)


MAKERS: dict[str, Maker] = {
    "NOT_YOUR_PAWN": not_your_pawn,
    "NO_REPLACEMENT": no_replacement,
    "BAD_REPLACEMENT": bad_replacement,
    "WRONG_PAWN_RETURNED": wrong_pawn_returned,
    "NOT_CAPTURED": not_captured,
    "SWOP_TARGET_TAKEN": swap_target_taken,
    "SWOP_SAME_TARGET": swap_same_target,
    "SWOP_NOT_OPPOSITE": swap_not_opposite,
    "SIDEWAYS_ALONE": alone("SIDEWAYS_ALONE", ((1, 0), (-1, 0))),
    "BACKWARD_ALONE": alone("BACKWARD_ALONE", ((0, -1),)),
    "OWN_PAWN_THERE": own_pawn_there,
    "WRONG_STEP": wrong_step,
    "TOO_FAR": too_far,
    "OUT_OF_TURN": out_of_turn,
    "WRONG_PIECE": wrong_piece,
    "EXTRA_PIECE": extra_piece,
    "TWO_ON_A_SITE": two_on_a_site,
    "NOT_A_TURN": not_a_turn,
}
