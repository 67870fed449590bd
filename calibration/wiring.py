"""In which order lights are wired: a few answers about single lights tell which of the usual ways it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vision.boardset import BoardSet

SURE_AFTER = 3
"""So many answers at least before the rest is taken for granted, and looked at once more."""


def usual_orders(board: BoardSet) -> dict[str, tuple[str, ...]]:
    """How people wire a board: name of the way -> sites (the game's names) in the order of the lights.

    As the set lists them; or by rows or columns, from any corner, each line in the same direction or to and fro.
    """
    centres = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
    gap_mm = 0.6 * board.tokens.size_mm
    found: dict[str, tuple[str, ...]] = {"in the order of the set's file": tuple(centres)}
    for lines, across in (("rows", 1), ("columns", 0)):
        grouped = _lines(centres, across, gap_mm)
        for down in (True, False):
            for right in (True, False):
                for serpentine in (False, True):
                    order: list[str] = []
                    for number, line in enumerate(grouped if down else grouped[::-1]):
                        forward = right if not serpentine or number % 2 == 0 else not right
                        order += line if forward else line[::-1]
                    top, left = (down, right) if lines == "rows" else (right, down)
                    corner = f"{'top' if top else 'bottom'} {'left' if left else 'right'}"
                    way = f"by {lines} from the {corner}{', to and fro' if serpentine else ''}"
                    if tuple(order) not in found.values():
                        found[way] = tuple(order)
    return found


def _lines(centres: Mapping[str, tuple[float, float]], across: int, gap_mm: float) -> list[list[str]]:
    """Sites in lines whose places differ by less than `gap_mm` from one to the next, each line in order."""
    ordered = sorted(centres, key=lambda site: centres[site][across])
    lines: list[list[str]] = []
    last_mm = float("-inf")
    for site in ordered:
        if not lines or centres[site][across] - last_mm > gap_mm:
            lines.append([])
        lines[-1].append(site)
        last_mm = centres[site][across]
    for line in lines:
        line.sort(key=lambda site: centres[site][1 - across])
    return lines


class Wiring:
    """What is known so far: `answers[i]` is the site at light i, None where it lights none."""

    def __init__(self, board: BoardSet) -> None:
        self._orders = usual_orders(board)
        self.sites = frozenset(board.names.get(site.id, site.id) for site in board.sites)
        self.answers: list[str | None] = []

    def answer(self, site: str | None) -> None:
        """The next light is at this site."""
        self.answers.append(site)

    def ways(self) -> list[str]:
        """The usual ways that agree with all answers."""
        return [way for way, order in self._orders.items() if _begins(order, self.answers)]

    def guess(self, index: int | None = None) -> str | None:
        """The likely site of a light (the next one), by the first way that agrees."""
        ways, index = self.ways(), len(self.answers) if index is None else index
        if not ways or index >= len(self._orders[ways[0]]):
            return None
        return self._orders[ways[0]][index]

    def settled(self) -> str | None:
        """The one way that is left after enough answers, if it is one."""
        ways = self.ways()
        return ways[0] if len(ways) == 1 and len(self.answers) >= SURE_AFTER else None

    def finish(self) -> None:
        """The rest is as the settled way has it."""
        way = self.settled()
        if way is not None:
            self.answers += self._orders[way][len(self.answers) :]

    def lights(self) -> dict[str, int]:
        """Site -> light, as answered; where two lights were given one site, the first."""
        found: dict[str, int] = {}
        for index, site in enumerate(self.answers):
            if site is not None:
                found.setdefault(site, index)
        return found


def _begins(order: Sequence[str], answers: Sequence[str | None]) -> bool:
    return len(answers) <= len(order) and all(site == answer for site, answer in zip(order, answers, strict=False))
