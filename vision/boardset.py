"""BoardSet: sites, tracks, tokens, fiducials and seats of one physical set, read from TOML.

All lengths are millimetres on the sheet: origin at its top-left corner, x to the right, y down, z up. Colours are sRGB
triples 0-255. The schema is written down in docs/set-format.md; the reading of it is in `vision.setfile`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.metadata import entry_points
from math import sqrt
from pathlib import Path
from types import MappingProxyType

from vision.errors import VisionError

Point = tuple[float, float]
Rgb = tuple[int, int, int]

ROOMY = 3.0
"""A site this many times as large as a token's square may hold several."""


class SetError(VisionError):
    """A set's TOML is wrong; the text names the file and the key."""


@dataclass(frozen=True)
class Fiducials:
    """Square tags printed on the sheet; `ids` and `centres_mm` (n) in one order; `quiet_mm`: white border needed."""

    dictionary: str
    side_mm: float
    quiet_mm: float
    ids: tuple[int, ...]
    centres_mm: tuple[Point, ...]


@dataclass(frozen=True)
class Patch:
    """One square of known colour on the sheet."""

    name: str
    rgb: Rgb
    centre_mm: Point


@dataclass(frozen=True)
class Reference:
    """The photometric strip: squares of `side_mm`."""

    side_mm: float
    patches: tuple[Patch, ...]


@dataclass(frozen=True)
class TokenColour:
    """Top and side colour of a token, and the colour its mark is drawn in."""

    body: Rgb
    mark: Rgb | None = None


@dataclass(frozen=True)
class Mark:
    """A mark drawn centred on a token's top: one of four shapes; all sizes are fractions of the token's size.

    `bars` bars through the centre, equal angles apart, each `length` long; `ring`: outer diameter; `triangle`:
    circumradius of a solid one; `dot`: diameter of a solid one. `stroke`: line width of bars and ring.
    """

    bars: int = 0
    length: float = 0.0
    ring: float = 0.0
    triangle: float = 0.0
    dot: float = 0.0
    stroke: float = 0.0


@dataclass(frozen=True)
class Rim:
    """A coloured edge inside a token's outline."""

    width_mm: float
    rgb: Rgb


@dataclass(frozen=True)
class Tokens:
    """The pieces: `shape` "disc" (size = diameter) or "square" (size = side)."""

    shape: str
    size_mm: float
    height_mm: float
    rim: Rim | None
    colours: Mapping[str, TokenColour]
    marks: Mapping[str, Mark]


@dataclass(frozen=True)
class Site:
    """A place on the sheet where tokens stand."""

    id: str
    kind: str | None
    fill: Rgb
    polygon_mm: tuple[Point, ...]


@dataclass(frozen=True)
class Platforms:
    """Loose cards that slide on the rails; slot 1 is next to the board."""

    width_mm: float
    depth_mm: float
    slots: int
    fill: Rgb
    outline: Rim | None


@dataclass(frozen=True)
class BoardSet:
    """One physical set. `source`: where it was read, for messages. `names`: this set's site or kind -> the game's."""

    name: str
    game: str
    sheet_mm: tuple[float, float]
    fiducials: Fiducials
    reference: Reference | None
    tokens: Tokens
    seats: Mapping[str, Point]
    sites: tuple[Site, ...]
    tracks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rails: Mapping[str, tuple[Point, Point]] = field(default_factory=dict)
    platforms: Platforms | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of token, in the file's order: "dark-PIAS", or "sky" where tokens bear no marks."""
        colours, marks = self.tokens.colours, self.tokens.marks
        return tuple(f"{colour}-{mark}" for colour in colours for mark in marks) if marks else tuple(colours)

    def split(self, kind: str) -> tuple[str, str | None]:
        """`kind` as (colour, mark or None). Raises SetError for a kind this set doesn't have."""
        if kind not in self.kinds:
            raise SetError(f"the set {self.name} has no token {kind!r}; it has {', '.join(self.kinds)}")
        colour, _, mark = kind.rpartition("-") if self.tokens.marks else (kind, "", "")
        return colour, mark or None

    def site(self, site_id: str) -> Site:
        """The site with this id. Raises SetError if there is none."""
        for site in self.sites:
            if site.id == site_id:
                return site
        raise SetError(f"the set {self.name} has no site {site_id!r}")

    def site_at(self, x_mm: float, y_mm: float) -> tuple[Site | None, float]:
        """The site containing the point (None beside all), and the distance in mm to the nearest border of any site."""
        inside: Site | None = None
        nearest = float("inf")
        for site, (left, top, right, bottom) in zip(self.sites, _boxes(SetKey(self)), strict=True):
            away_mm = max(left - x_mm, x_mm - right, top - y_mm, y_mm - bottom)  # its border is no nearer than this
            if away_mm > 0 and away_mm >= nearest:
                continue
            nearest = min(nearest, border_distance(site.polygon_mm, x_mm, y_mm))
            if inside is None and contains(site.polygon_mm, x_mm, y_mm):
                inside = site
        return inside, nearest

    def centre(self, site: Site | str) -> Point:
        """The centroid of a site's polygon in mm."""
        return centroid((self.site(site) if isinstance(site, str) else site).polygon_mm)

    @property
    def slots(self) -> dict[str, tuple[str, ...]]:
        """The slots of each rail's platform as sites, the one next to the board first: {"south": ("south.1", …)}."""
        count = self.platforms.slots if self.platforms is not None else 0
        return {rail: tuple(f"{rail}.{number}" for number in range(1, count + 1)) for rail in self.rails}

    @property
    def places(self) -> tuple[str, ...]:
        """Every place where a token can stand: the sites, then the platforms' slots."""
        return (*(site.id for site in self.sites), *(slot for slots in self.slots.values() for slot in slots))

    def slot_centre(self, slot: str, x_mm: float) -> Point:
        """The middle of a platform's slot ("south.1") where the platform's middle is at `x_mm`. Raises SetError."""
        for rail, slots in self.slots.items():
            if slot in slots:
                near, far = self.rail_ends(rail)
                return x_mm, near + (slots.index(slot) + 0.5) * (far - near) / len(slots)
        raise SetError(f"the set {self.name} has no slot {slot!r}")

    def rail_ends(self, rail: str) -> tuple[float, float]:
        """The y of a rail's end beside the board, and of its other end."""
        (_, top), (_, bottom) = self.rails[rail]
        middle = _middle_y(SetKey(self))
        return (top, bottom) if abs(top - middle) < abs(bottom - middle) else (bottom, top)

    def roomy(self, site_id: str) -> bool:
        """Whether tokens can stand side by side on this site: seeing one says nothing of others."""
        return site_id in self._roomy  # a platform's slot is not

    @cached_property
    def _roomy(self) -> frozenset[str]:
        found = set()
        for site in self.sites:
            ring = site.polygon_mm
            twice = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True))
            if abs(twice / 2) > ROOMY * self.tokens.size_mm**2:
                found.add(site.id)
        return frozenset(found)

    @classmethod
    def parse(cls, text: str, source: str) -> BoardSet:
        """Read a set from TOML text; `source` names it in messages. Raises SetError."""
        from vision.setfile import read_set  # the reader builds these classes, so it comes after them

        return read_set(text, source)

    @classmethod
    def load(cls, path: str | Path) -> BoardSet:
        """Read a set from a file. Raises SetError, also when the file is missing or not text."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise SetError(f"there is no set file {path}; check the name") from None
        except UnicodeDecodeError:
            raise SetError(f"{path} is not a text file in UTF-8; give a set's TOML file") from None
        except OSError as error:
            raise SetError(
                f"the set file {path} can't be read ({error.strerror}); check the name and permissions"
            ) from None
        return cls.parse(text, str(path))


class SetKey:
    """Lets a BoardSet, which isn't hashable by value, key a cache by identity."""

    def __init__(self, board_set: BoardSet) -> None:
        self.board_set = board_set

    def __hash__(self) -> int:
        return id(self.board_set)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SetKey) and other.board_set is self.board_set


@lru_cache(maxsize=8)
def _boxes(key: SetKey) -> tuple[tuple[float, float, float, float], ...]:
    """The left, top, right and bottom of each site in mm."""
    found = []
    for site in key.board_set.sites:
        xs, ys = zip(*site.polygon_mm, strict=True)
        found.append((min(xs), min(ys), max(xs), max(ys)))
    return tuple(found)


@lru_cache(maxsize=8)
def _middle_y(key: SetKey) -> float:
    sites = key.board_set.sites
    return sum(key.board_set.centre(site)[1] for site in sites) / len(sites)


def contains(polygon_mm: tuple[Point, ...], x_mm: float, y_mm: float) -> bool:
    """Whether the point lies inside the polygon (even-odd; left and top borders count as inside)."""
    inside = False
    for (ax, ay), (bx, by) in zip(polygon_mm, polygon_mm[1:] + polygon_mm[:1], strict=True):
        if (ay > y_mm) != (by > y_mm) and x_mm < (bx - ax) * (y_mm - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def border_distance(polygon_mm: tuple[Point, ...], x_mm: float, y_mm: float) -> float:
    """Distance in mm from the point to the polygon's outline."""
    best2 = float("inf")
    for (ax, ay), (bx, by) in zip(polygon_mm, polygon_mm[1:] + polygon_mm[:1], strict=True):
        dx, dy = bx - ax, by - ay
        along = ((x_mm - ax) * dx + (y_mm - ay) * dy) / (dx * dx + dy * dy)
        along = 0.0 if along < 0 else 1.0 if along > 1 else along
        x, y = x_mm - ax - along * dx, y_mm - ay - along * dy
        away2 = x * x + y * y
        if away2 < best2:
            best2 = away2
    return sqrt(best2)


def centroid(polygon_mm: tuple[Point, ...]) -> Point:
    """Centroid of a simple polygon in mm."""
    area = cx = cy = 0.0
    for (ax, ay), (bx, by) in zip(polygon_mm, polygon_mm[1:] + polygon_mm[:1], strict=True):
        cross = ax * by - bx * ay
        area += cross
        cx += (ax + bx) * cross
        cy += (ay + by) * cross
    return cx / (3 * area), cy / (3 * area)


@lru_cache(maxsize=1)
def installed_sets() -> Mapping[str, BoardSet]:
    """Every set that an installed package offers in the entry-point group `boardref.sets`, by name; read once.

    Raises SetError when two of them are called the same or share a tag id.
    """
    sets: dict[str, BoardSet] = {}
    for entry in sorted(entry_points(group="boardref.sets"), key=lambda entry: entry.name):
        try:
            text = entry.load()()
        except Exception as error:
            raise SetError(
                f"the installed set {entry.name} ({entry.value}) can't be loaded: {error}; reinstall its package"
            ) from error
        if entry.name in sets:
            raise SetError(f"two installed packages offer a set called {entry.name}; remove one of them")
        board_set = BoardSet.parse(text, f"installed set {entry.name}")
        sets[entry.name] = replace(board_set, name=entry.name)
    check_distinct(sets)
    return MappingProxyType(sets)


def check_distinct(sets: Mapping[str, BoardSet]) -> None:
    """Raise SetError when two sets use one tag id: no camera could tell them apart."""
    owners: dict[tuple[str, int], str] = {}
    for name, board_set in sets.items():
        for tag in board_set.fiducials.ids:
            other = owners.setdefault((board_set.fiducials.dictionary, tag), name)
            if other != name:
                raise SetError(
                    f"the installed sets {other} and {name} both use tag id {tag}; remove one or renumber its tags"
                )
