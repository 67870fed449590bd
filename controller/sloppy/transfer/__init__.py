"""How people play Transfer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import cast

from controller.rules.api import Placement, Position, Shift, Site, Turn
from controller.rules.transfer.board import OTHER, PLAYERS, ROWS, TransferTurn
from controller.rules.transfer.game import Transfer
from controller.rules.transfer.strokes import groups
from controller.sloppy.hands import ends
from controller.sloppy.manners import Offence
from controller.sloppy.sitting import SETTLED_S, Sitting
from controller.sloppy.transfer.acts import carry_out, plainly_wrong, undo
from controller.sloppy.transfer.offences import MAKERS, OPENINGS, Scene, between_pictures, unexplained
from controller.sloppy.transfer.sampling import random_start, random_turn
from controller.sloppy.transfer.specials import SPECIALS


class TransferManners:
    """The manners of Transfer at one table. `skill`: of so many turns the players take the best."""

    def __init__(self, table: Sitting) -> None:
        self.table = table
        self.game = cast(Transfer, table.game)
        self.skill = 1
        self.show_first = False  # the next turn's first stroke is seen to stand

    @property
    def specials(self) -> tuple[tuple[float, Callable[[], bool]], ...]:
        """What may happen instead of a plain turn."""
        return tuple((share, partial(special, self)) for share, special in SPECIALS)

    @property
    def makers(self) -> Mapping[str, Callable[[], Iterator[Offence]]]:
        """Candidates for each code."""
        return {code: partial(self._made, code) for code in MAKERS}

    def _made(self, code: str) -> Iterator[Offence]:
        yield from MAKERS[code](Scene(self.table))

    def start(self) -> Position:
        """Somebody lays the pieces out, somebody begins."""
        rng = self.table.rng
        self.skill = rng.choice((1, 2, 6, 15))
        return random_start(rng, rng.choice(PLAYERS))

    def pick(self) -> Turn:
        """A turn; the first one of a game shows whose it is. Towards the end people think longer."""
        late = sum(1 for row in self.table.position.rows for _ in groups(row)) < 14
        for _ in range(50):
            turn = random_turn(self.table.rng, self.game, self.table.position, 15 if late else self.skill)
            if self.shows_its_side(turn):
                return turn
        return turn

    def shows_its_side(self, turn: TransferTurn) -> bool:
        """Before the first turn nobody knows who begins: it must not look like one of the other side."""
        table = self.table
        if table.history:
            return True
        position = self.game.with_mover(table.position, OTHER[turn.player])
        end = self.game.picture(self.game.after(table.position, turn))
        return self.game.judge(position, end).answer == "illegal"

    def pick_at(self, position: Position) -> Turn:
        """Any turn."""
        return random_turn(self.table.rng, self.game, position, 1)

    def tidy_turns(self) -> list[Turn]:
        """A dozen that don't end the game."""
        turns = (random_turn(self.table.rng, self.game, self.table.position, 1) for _ in range(12))
        return [turn for turn in turns if not ends(self.table, turn) and self.shows_its_side(turn)]

    def carry_out(self, turn: Turn, *, brisk: bool = False) -> None:
        """All its strokes; one that changes nothing is said to be a turn."""
        show, self.show_first = self.show_first, False
        carry_out(self.table, self.game, turn, brisk=brisk, show_first=show)
        if self.game.after(self.table.position, turn).rows == self.table.position.rows:
            self.table.stay(SETTLED_S)
            self.table.press(turn.player)

    def undo(self, turn: Turn) -> None:
        """Back to the position before it."""
        undo(self.table, self.game, turn)

    def wait_s(self, turn: Turn) -> float:
        """Nothing can be extended."""
        return SETTLED_S

    def changes_plainly(self, first: Turn, second: Turn) -> bool:
        """Nothing on the way back and on the way to the second turn is the other side's reply to the first."""
        game, position = self.game, self.table.position
        middle = game.after(position, first)
        if game.outcome(middle) is not None or game.forced_pass(middle) is not None or middle.rows == position.rows:
            return False
        pictures = [*game.stages(position, first), game.picture(position), *game.stages(position, second)]
        pictures.append(game.picture(game.after(position, second)))
        return all(game.judge(middle, picture).answer == "illegal" for picture in pictures)

    def pair_is_plain(self, first: Turn, second: Turn) -> bool:
        """Two turns without a seam between them are asked about: nobody plays so here."""
        return False

    def borders(self, site: Site) -> list[Site]:
        """Cells of the rows beside it, where the piece that lies there would be no turn of anybody."""
        table = self.table
        on = table.mat.placed()
        row = ROWS.find(site[0])
        if row < 0 or site not in on or len(site) != 2:
            return [site]
        near = [f"{ROWS[i]}{site[1]}" for i in (row - 1, row + 1) if 0 <= i < len(ROWS)]
        plain = []
        for border in near:
            across = {other: kinds for other, kinds in on.items() if other != site}
            across[border] = tuple(sorted((*across.get(border, ()), *on[site])))
            if plainly_wrong(table, Placement(across)):
                plain.append(border)
        return plain or [site]

    def half_way(self, turn: Turn) -> tuple[tuple[Shift, ...], tuple[Shift, ...]] | None:
        """The first stroke, and the rest."""
        game, position = self.game, self.table.position
        stages = list(game.stages(position, turn))
        if not stages:
            return None
        end = game.picture(game.after(position, turn))
        return between_pictures(game, game.picture(position), stages[0]), between_pictures(game, stages[0], end)

    def opening(self, code: str) -> Position | None:
        """Positions that few games come to."""
        return OPENINGS.get(code)

    def unexplained(self, offence: Offence) -> bool:
        """By judging what will stand."""
        return unexplained(self.table, offence)


