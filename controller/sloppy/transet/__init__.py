"""How people play Transet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from controller.rules.api import Position, Shift, Site, Turn
from controller.sloppy.ambiguity import changed_turn_is_plain, plain_pair
from controller.sloppy.hands import ends, wait_of
from controller.sloppy.manners import Offence
from controller.sloppy.planting import unexplained
from controller.sloppy.sitting import Sitting
from controller.sloppy.specials import early_hand, false_start, hasty_pair
from controller.sloppy.transet.acts import carry_out, finishes_earlier, takes_half_of_a_swap, undo
from controller.sloppy.transet.late_swap import late_swap
from controller.sloppy.transet.offences import MAKERS, Scene


class TransetManners:
    """The manners of Transet at one table."""

    def __init__(self, table: Sitting) -> None:
        self.table = table
        self._late: tuple[int, Shift] | None = None  # after so many turns: the half that finished a swap late

    @property
    def specials(self) -> tuple[tuple[float, Callable[[], bool]], ...]:
        """What may happen instead of a plain turn."""
        return (
            (0.10, partial(false_start, self)),
            (0.08, partial(hasty_pair, self)),
            (0.06, self._late_swap),
            (0.06, partial(early_hand, self)),
        )

    @property
    def makers(self) -> Mapping[str, Callable[[], Iterator[Offence]]]:
        """Candidates for each code."""
        return {code: partial(self._made, code) for code in MAKERS}

    def _made(self, code: str) -> Iterator[Offence]:
        yield from MAKERS[code](Scene(self.table))

    def start(self) -> Position:
        """The one start position."""
        return self.table.game.start()

    def pick(self) -> Turn:
        """Any of the choices."""
        return self.table.rng.choice(self._choices())

    def pick_at(self, position: Position) -> Turn:
        """Any legal turn."""
        return self.table.rng.choice(list(self.table.game.legal_turns(position)))

    def tidy_turns(self) -> list[Turn]:
        """All that don't end the game."""
        return [turn for turn in self.table.game.legal_turns(self.table.position) if not ends(self.table, turn)]

    def carry_out(self, turn: Turn, *, brisk: bool = False) -> None:
        """All acts of a turn, from the position before it to the picture after it."""
        carry_out(self.table, turn, brisk=brisk)

    def undo(self, turn: Turn) -> None:
        """Put it back."""
        undo(self.table, turn)

    def wait_s(self, turn: Turn) -> float:
        """Longer where it could still become a swap."""
        return wait_of(self.table, turn)

    def changes_plainly(self, first: Turn, second: Turn) -> bool:
        """Half of it may finish the mover's turn before; taken back, that could be a new turn or a second thought."""
        table = self.table
        if not changed_turn_is_plain(table, first, second):
            return False
        return not any(finishes_earlier(table, shift) for shift in table.game.turn_shifts(table.position, first))

    def pair_is_plain(self, first: Turn, second: Turn) -> bool:
        """By listing all pairs."""
        return plain_pair(self.table, first, second)

    def borders(self, site: Site) -> list[Site]:
        """The squares around."""
        sites = self.table.mat.sites
        return [s for s in sites if s != site and max(abs(ord(a) - ord(b)) for a, b in zip(s, site, strict=True)) < 2]

    def half_way(self, turn: Turn) -> tuple[tuple[Shift, ...], tuple[Shift, ...]] | None:
        """The second act first, unless it finishes the mover's turn before."""
        shifts = self.table.game.turn_shifts(self.table.position, turn)
        if len(shifts) < 2 or finishes_earlier(self.table, shifts[1]):
            return None
        return (shifts[1],), (shifts[0],)

    def opening(self, code: str) -> Position | None:
        """Every game comes to them."""
        return None

    def unexplained(self, offence: Offence) -> bool:
        """By listing all turns."""
        return unexplained(self.table, offence)

    def _late_swap(self) -> bool:
        late = late_swap(self, self._choices())
        if late is not None:
            self._late = (self.table.report.turns, late)
        return late is not None

    def _choices(self) -> list[Turn]:
        """The legal turns, without those that an observer can't tell from something else.

        Who has finished a swap after the reply and then moves that pawn straight back has either thought better of the
        second half, or begun the next turn: nobody else can know. And where half of the last swap was a turn by itself,
        the other half may have been the reply's captured pawn, returned first.
        """
        table = self.table
        game, position = table.game, table.position
        turns = [turn for turn in game.legal_turns(position) if not takes_half_of_a_swap(table, turn)]
        if self._late is None or self._late[0] != table.report.turns:
            return turns
        late = self._late[1]
        back = Shift(late.piece, late.to, late.origin)
        return [turn for turn in turns if back not in game.turn_shifts(position, turn)]
