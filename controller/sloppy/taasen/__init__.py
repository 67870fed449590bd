"""How people play Taasen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from controller.rules.api import Position, Shift, Site, Turn
from controller.rules.taasen.board import CORNERS, OFF, SHORES, TOUCHES, TaasenPosition
from controller.sloppy.ambiguity import changed_turn_is_plain, pairs, plain_pair, reaches
from controller.sloppy.hands import ends, wait_of
from controller.sloppy.manners import Offence
from controller.sloppy.planting import find, unexplained
from controller.sloppy.sitting import Sitting, Wrong
from controller.sloppy.specials import early_hand, false_start, hasty_pair
from controller.sloppy.taasen.acts import acts_of, carry_out, crushes, undo
from controller.sloppy.taasen.offences import MAKERS, RARE, REMEMBERED, Scene
from controller.sloppy.taasen.specials import attack_withdrawn, changed_answer, left_standing, moved_on, other_meaning

EAGER = 0.5  # how often a player crushes or presses where that is possible: random games would take hundreds of turns


class TaasenManners:
    """The manners of Taasen at one table."""

    def __init__(self, table: Sitting) -> None:
        self.table = table

    @property
    def specials(self) -> tuple[tuple[float, Callable[[], bool]], ...]:
        """What may happen instead of a plain turn."""
        return (
            (0.10, partial(false_start, self)),
            (0.08, partial(hasty_pair, self)),
            (0.10, partial(attack_withdrawn, self)),
            (0.06, partial(early_hand, self)),
            (0.15, partial(changed_answer, self)),
            (0.20, partial(left_standing, self)),
            (0.20, partial(moved_on, self)),
        )

    @property
    def makers(self) -> Mapping[str, Callable[[], Iterator[Offence]]]:
        """Candidates for each code."""
        return {code: partial(self._made, code) for code in MAKERS}

    def _made(self, code: str) -> Iterator[Offence]:
        yield from MAKERS[code](Scene(self.table))

    def start(self) -> Position:
        """Any colour on any corner."""
        table = self.table
        corners = table.rng.sample(CORNERS, 3)
        first = table.game.to_move(table.game.start())
        return TaasenPosition(tuple(corner for corner in corners for _ in range(3)), first)

    def pick(self) -> Turn:
        """Any turn that has one meaning; presses and crushes more often than not."""
        table = self.table
        turns = [turn for turn in table.game.legal_turns(table.position) if not other_meaning(table, turn)]
        if not turns:
            return self.pick_at(table.position)
        pressing = [turn for turn in turns if acts_of(table, turn)[1] is not None]
        for sharp in ([turn for turn in pressing if crushes(table, turn)], pressing):
            if sharp and table.rng.random() < EAGER:
                return table.rng.choice(sharp)
        return table.rng.choice(turns)

    def pick_at(self, position: Position) -> Turn:
        """Any legal turn."""
        return self.table.rng.choice(list(self.table.game.legal_turns(position)))

    def tidy_turns(self) -> list[Turn]:
        """All that have one meaning and don't end the game."""
        table = self.table
        turns = [turn for turn in table.game.legal_turns(table.position) if not ends(table, turn)]
        return [turn for turn in turns if not other_meaning(table, turn)]

    def carry_out(self, turn: Turn, *, brisk: bool = False) -> None:
        """All acts of a turn."""
        carry_out(self.table, turn, brisk=brisk)

    def undo(self, turn: Turn) -> None:
        """Put it back."""
        undo(self.table, turn)

    def wait_s(self, turn: Turn) -> float:
        """As the rules say."""
        return wait_of(self.table, turn)

    def changes_plainly(self, first: Turn, second: Turn) -> bool:
        """Not where the second, or its attack alone, is also a next turn after the first, or two of them."""
        table = self.table
        if not changed_turn_is_plain(table, first, second):
            return False
        middle = table.game.after(table.position, first)
        seen = [*table.game.stages(table.position, second), table.stands(table.game.after(table.position, second))]
        return not any(any(True for _ in way(table, middle, picture)) for picture in seen for way in (reaches, pairs))

    def pair_is_plain(self, first: Turn, second: Turn) -> bool:
        """By listing all pairs."""
        return plain_pair(self.table, first, second)

    def borders(self, site: Site) -> list[Site]:
        """The sites that share a side, the sea too."""
        number = int(site)
        if number == OFF:
            return [str(shore) for shore in SHORES]
        return [str(other) for other in (*TOUCHES[number], *((OFF,) if number in SHORES else ()))]

    def half_way(self, turn: Turn) -> tuple[tuple[Shift, ...], tuple[Shift, ...]] | None:
        """The attack, then the answer."""
        attack, answer = acts_of(self.table, turn)
        return None if answer is None else ((attack,), (answer,))

    def opening(self, code: str) -> Position | None:
        """For rare offences a position that allows one, out of random games; some bans are remembered there, too."""
        table = self.table
        if code not in RARE and (code not in REMEMBERED or table.rng.random() < 0.5):
            return None
        for made in range(10000):
            turns = self.tidy_turns()
            if not turns or made % 100 == 0:  # later on there are few pieces left
                table.position = self.start()
                continue
            table.position = table.game.after(table.position, table.rng.choice(turns))
            if find(self, code) is not None and self.tidy_turns():
                return table.position
        raise Wrong("missed", f"no position came up in which {code} could be planted")

    def unexplained(self, offence: Offence) -> bool:
        """By listing all turns. A pressed piece put back is an answer taken back, until somebody says done."""
        return offence.at_once or unexplained(self.table, offence)
