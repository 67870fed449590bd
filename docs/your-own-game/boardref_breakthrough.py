"""Breakthrough (Dan Troyka, 2000) on 6 x 6 squares: a game of its own for Boardref, with its set and words."""

from collections.abc import Iterator, Mapping

from controller.rules.api import Kind, Outcome, Player, Reason, Shift, Site
from controller.rules.simple import Play, SimpleGame, Standing

FILES, RANKS, SOUTH, NORTH = "abcdef", "123456", "South", "North"
MAN = {SOUTH: "dark-MAN", NORTH: "light-MAN"}
AHEAD = {SOUTH: 1, NORTH: -1}
GOAL = {SOUTH: "6", NORTH: "1"}


class Breakthrough(SimpleGame):
    """A man goes one square straight or slantwise ahead, and captures slantwise. Whoever reaches the far rank wins."""

    name = "breakthrough"
    author = "Dan Troyka"
    players = (SOUTH, NORTH)
    sites = frozenset(f + r for f in FILES for r in RANKS)
    pieces: Mapping[Kind, int] = {MAN[SOUTH]: 12, MAN[NORTH]: 12}
    owners: Mapping[Kind, Player | None] = {MAN[SOUTH]: SOUTH, MAN[NORTH]: NORTH}

    def first(self) -> Mapping[Site, Kind]:
        """Each side's men fill its two nearest ranks."""
        return {f + r: MAN[player] for player, ranks in ((SOUTH, "12"), (NORTH, "56")) for r in ranks for f in FILES}

    def plays(self, position: Standing, player: Player) -> Iterator[Play]:
        """One step ahead for each man; slantwise it may take an enemy's place."""
        standing = dict(position.on)
        for site, kind in position.on:
            rank = str(int(site[1]) + AHEAD[player])
            if kind != MAN[player] or rank not in RANKS:
                continue
            for f in (chr(ord(site[0]) + side) for side in (0, -1, 1)):
                there, step = standing.get(f + rank), Shift(kind, site, f + rank)
                if f not in FILES or there == kind or (there and f == site[0]):
                    continue
                yield Play(player, (step, Shift(there, f + rank, None)) if there else (step,))

    def outcome(self, position: Standing) -> Outcome | None:
        """The far rank is reached, or the other side has no man left."""
        for player, other in ((SOUTH, NORTH), (NORTH, SOUTH)):
            there = any(kind == MAN[player] and site[1] == GOAL[player] for site, kind in position.on)
            if there or MAN[other] not in dict(position.on).values():
                return Outcome(player, f"{player} wins", "end_breakthrough")
        return None

    def why(self, position: Standing, shift: Shift, player: Player) -> Reason | None:
        """A man that was moved in some other way."""
        sites = tuple(site for site in (shift.origin, shift.to) if site)
        return Reason("NOT_ONE_STEP_AHEAD", sites, "breakthrough 2.1", {"piece": shift.piece})


BREAKTHROUGH = Breakthrough()


def printed_set() -> str:
    """The physical set (docs/set-format.md): squares of 42 mm, tag ids of its own."""
    squares = "".join(
        f'[[sites]]\nid = "{f}{r}"\nfill = "{("#D9C7A0", "#F5EFE0")[(i + k) % 2]}"\n'
        f"polygon = [[{x}, {y}], [{x + 42}, {y}], [{x + 42}, {y + 42}], [{x}, {y + 42}]]\n"
        for i, f in enumerate(FILES)
        for k, r in enumerate(RANKS)
        for x, y in [(22.5 + 42 * i, 294 - 42 * k)]
    )
    shades = {"white": "#FFFFFF", "grey": "#808080", "black": "#000000", "light": "#F2E3C2", "dark": "#5B3A29"}
    strip = ", ".join(
        f'{{name="{n}", colour="{c}", centre=[{90 + 12 * i}, 26]}}' for i, (n, c) in enumerate(shades.items())
    )
    return f"""
game = "breakthrough"
sheet = [297, 420]
reference = {{ side = 10, patches = [{strip}] }}
seats = {{ South = [148.5, 420], North = [148.5, 0] }}
[fiducials]
dictionary = "DICT_APRILTAG_36h11"
side = 24
quiet = 6
ids = [40, 41, 42, 43]
centres = [[26, 26], [271, 26], [271, 394], [26, 394]]
[tokens]
shape = "disc"
size = 30
height = 8
colours = {{ light = {{ body = "#F2E3C2", mark = "#3A2A1E" }}, dark = {{ body = "#5B3A29", mark = "#F2E3C2" }} }}
marks = {{ MAN = {{ bars = 2, length = 0.7 }} }}
{squares}"""


def words(language: str) -> dict[str, str]:
    """What Boardref says of this game. Languages that a game does not speak are told in English."""
    return {
        "name.dark-MAN": "dark man",
        "name.light-MAN": "light man",
        "NOT_ONE_STEP_AHEAD": "A man goes one square straight or slantwise ahead; from {from} to {to} is no such step.",
        "end_breakthrough": "A man has reached the far rank, or the other side has no man left.",
        "short.breakthrough.1": "Move a man one square ahead, straight or slantwise; capture slantwise.",
    }
