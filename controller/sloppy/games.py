"""Which manners belong to which game."""

from __future__ import annotations

from collections.abc import Callable

from controller.rules.api import RulesError
from controller.sloppy.manners import Manners
from controller.sloppy.sitting import Sitting
from controller.sloppy.taasen import TaasenManners
from controller.sloppy.transet import TransetManners
from controller.sloppy.transfer import TransferManners

MANNERS: dict[str, Callable[[Sitting], Manners]] = {
    "transet": TransetManners,
    "taasen": TaasenManners,
    "transfer": TransferManners,
}


def manners_at(table: Sitting) -> Manners:
    """The manners of the table's game; RulesError for a game that nobody has taught the sloppy players."""
    if table.game.name not in MANNERS:
        raise RulesError(
            f"nobody knows how {table.game.name} is played at the sloppy table; it knows {', '.join(MANNERS)}"
        )
    return MANNERS[table.game.name](table)
