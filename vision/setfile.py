"""Reading a set's TOML: every fault is one sentence that names the file, the line where it can, and the key.

The schema is docs/set-format.md.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection
from itertools import combinations
from typing import Any

import cv2

from vision.boardset import (
    BoardSet,
    Fiducials,
    Mark,
    Patch,
    Platforms,
    Point,
    Reference,
    Rgb,
    Rim,
    SetError,
    Site,
    TokenColour,
    Tokens,
)


class _Table:
    """One TOML table being read: hands out checked values, and knows which keys nobody asked for."""

    def __init__(self, text: str, source: str, where: str, data: Any, nth: int | None = None) -> None:
        self.text, self.source, self.where, self.nth = text, source, where, nth
        if not isinstance(data, dict):
            raise self.fault(f"{where} must be a table, not {data!r}")
        self.data: dict[str, Any] = data

    def fault(self, message: str, key: str | None = None) -> SetError:
        line = _line_of(self.text, self.where, key, self.nth)
        return SetError(f"{self.source}{f', line {line}' if line else ''}: {message}")

    def named(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def allow(self, *keys: str) -> None:
        """Refuse any key that the schema doesn't have."""
        for key in self.data:
            if key not in keys:
                close = difflib.get_close_matches(key, keys, 1, 0.5)
                hint = f"did you mean {close[0]}?" if close else f"it may have {', '.join(keys)}"
                raise self.fault(f"unknown key {self.named(key)}; {hint}", key)

    def get(self, key: str) -> Any:
        if key not in self.data:
            raise self.fault(f"the key {self.named(key)} is missing; add it")
        return self.data[key]

    def table(self, key: str) -> _Table:
        return _Table(self.text, self.source, self.named(key), self.get(key), self.nth)

    def text_of(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.fault(f"{self.named(key)} must be a text that is not empty, not {value!r}", key)
        return value

    def number(self, key: str, above: float = 0.0, up_to: float = 10_000.0) -> float:
        value = self.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not above < value <= up_to:
            raise self.fault(
                f"{self.named(key)} must be a number above {above:g} and at most {up_to:g}, not {value!r}", key
            )
        return float(value)

    def whole(self, key: str) -> int:
        value = self.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= 100:
            raise self.fault(f"{self.named(key)} must be a whole number from 1 to 100, not {value!r}", key)
        return value

    def colour(self, key: str) -> Rgb:
        value = self.get(key)
        if not isinstance(value, str) or not re.fullmatch(r"#[0-9A-Fa-f]{6}", value):
            raise self.fault(f'{self.named(key)} must be a colour like "#F2E3C2", not {value!r}', key)
        return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)

    def list_of(self, key: str) -> list[Any]:
        value = self.get(key)
        if not isinstance(value, list) or not value:
            raise self.fault(f"{self.named(key)} must be a list that is not empty, not {value!r}", key)
        return value

    def point_from(self, key: str, value: Any) -> Point:
        ok = isinstance(value, list) and len(value) == 2
        if not ok or any(isinstance(v, bool) or not isinstance(v, int | float) or not abs(v) < 1e5 for v in value):
            raise self.fault(f"{self.named(key)} must hold points [x, y] in millimetres, not {value!r}", key)
        return float(value[0]), float(value[1])

    def point(self, key: str) -> Point:
        return self.point_from(key, self.get(key))

    def points(self, key: str) -> tuple[Point, ...]:
        return tuple(self.point_from(key, value) for value in self.list_of(key))


def _line_of(text: str, where: str, key: str | None, nth: int | None) -> int | None:
    """The line of `key` in the table `where` (the nth in a list of tables), or None where it can't be told."""
    lines = text.splitlines()
    parts = where.split(".") if where else []
    start, found = 0, not parts
    while parts and not found:
        header = re.compile(r"\s*\[\[?\s*" + re.escape(".".join(parts).split("[")[0]) + r"\s*\]\]?")
        hits = [index for index, line in enumerate(lines) if header.match(line)]
        if hits and (nth is None or nth < len(hits)):
            start, found = hits[nth or 0], True
            # an inline table below the header: its own name is the line to look for
            inner = where.split(".")[len(parts) :]
            key = inner[0] if inner else key
        else:
            parts.pop()
    if key is None:
        return start + 1 if where and found else None
    pattern = re.compile(r"""\s*["']?""" + re.escape(key.split("[")[0]) + r"""["']?\s*[=.]""")
    for index in range(start, len(lines)):
        if pattern.match(lines[index]):
            return index + 1
        headed = re.match(r"\s*\[\[?\s*(?:\S+\.)?" + re.escape(key) + r"\s*\]\]?", lines[index])
        if headed:
            return index + 1
    return start + 1 if where and found else None


def read_set(text: str, source: str) -> BoardSet:
    """BoardSet from TOML text. Raises SetError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SetError(f"{source} is not valid TOML: {error}") from None
    top = _Table(text, source, "", data)
    top.allow(
        "name",
        "game",
        "sheet",
        "fiducials",
        "reference",
        "tokens",
        "seats",
        "sites",
        "tracks",
        "rails",
        "platforms",
        "names",
    )
    game = top.text_of("game")
    sheet = top.point("sheet")
    if min(sheet) <= 0 or max(sheet) > 5000:
        raise top.fault(f"sheet must be [width, height] in millimetres, not {list(sheet)}", "sheet")
    sites = _sites(top, sheet)
    ids = [site.id for site in sites]
    board_set = BoardSet(
        name=top.text_of("name") if "name" in data else game,
        game=game,
        sheet_mm=sheet,
        fiducials=_fiducials(top.table("fiducials"), sheet),
        reference=_reference(top.table("reference"), sheet) if "reference" in data else None,
        tokens=_tokens(top.table("tokens")),
        seats=_seats(top.table("seats"), sheet),
        sites=sites,
        tracks=_tracks(top.table("tracks"), ids) if "tracks" in data else {},
        rails=_rails(top.table("rails"), sheet) if "rails" in data else {},
        platforms=_platforms(top.table("platforms")) if "platforms" in data else None,
        names=_names(top.table("names")) if "names" in data else {},
        source=source,
    )
    for own in board_set.names:
        if own not in ids and own not in board_set.kinds:
            raise top.table("names").fault(f"names.{own} is neither a site nor a kind of token of this set", own)
    if (board_set.platforms is None) != (not board_set.rails):
        raise top.fault(
            "platforms and rails belong together; give both or neither", "platforms" if board_set.platforms else "rails"
        )
    return board_set


def _inside(table: _Table, key: str, point: Point, sheet: Point, reach: float = 0.0) -> None:
    if not (reach <= point[0] <= sheet[0] - reach and reach <= point[1] <= sheet[1] - reach):
        raise table.fault(
            f"{table.named(key)}: [{point[0]:g}, {point[1]:g}] reaches off the sheet of {sheet[0]:g} x {sheet[1]:g} mm",
            key,
        )


def _unique(table: _Table, key: str, values: Collection[Any], what: str) -> None:
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            raise table.fault(f"{table.named(key)}: {what} {value} is there twice", key)
        seen.add(value)


def _fiducials(table: _Table, sheet: Point) -> Fiducials:
    table.allow("dictionary", "side", "quiet", "ids", "centres")
    name = table.text_of("dictionary")
    known = [entry for entry in dir(cv2.aruco) if entry.startswith("DICT_")]
    if name not in known:
        close = difflib.get_close_matches(name, known, 1, 0.3)
        raise table.fault(
            f"fiducials.dictionary {name!r} is no cv2.aruco dictionary; did you mean {(close or known)[0]}?",
            "dictionary",
        )
    ids = table.list_of("ids")
    size = len(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name)).bytesList)
    if any(isinstance(tag, bool) or not isinstance(tag, int) or not 0 <= tag < size for tag in ids):
        raise table.fault(f"fiducials.ids must be whole numbers from 0 to {size - 1}, not {ids}", "ids")
    _unique(table, "ids", ids, "tag id")
    centres = table.points("centres")
    if len(centres) != len(ids) or len(ids) < 3:
        raise table.fault(
            f"fiducials needs a centre for each id, three at least, not {len(ids)} ids and {len(centres)} centres",
            "centres",
        )
    side = table.number("side")
    quiet = table.number("quiet", above=-1e-9)
    for centre in centres:
        _inside(table, "centres", centre, sheet, side / 2)
    for (a, ca), (b, cb) in combinations(zip(ids, centres, strict=True), 2):
        if max(abs(ca[0] - cb[0]), abs(ca[1] - cb[1])) < side + quiet:
            raise table.fault(
                f"fiducials.centres: the tags {a} and {b} overlap or are closer than the quiet border of {quiet:g} mm",
                "centres",
            )
    return Fiducials(name, side, quiet, tuple(ids), centres)


def _reference(table: _Table, sheet: Point) -> Reference:
    table.allow("side", "patches")
    side = table.number("side")
    patches = []
    for index, data in enumerate(table.list_of("patches")):
        patch = _Table(table.text, table.source, f"reference.patches[{index}]", data)
        patch.allow("name", "colour", "centre")
        centre = patch.point("centre")
        _inside(patch, "centre", centre, sheet, side / 2)
        patches.append(Patch(patch.text_of("name"), patch.colour("colour"), centre))
    _unique(table, "patches", [patch.name for patch in patches], "the patch")
    return Reference(side, tuple(patches))


def _rim(table: _Table) -> Rim:
    table.allow("width", "colour")
    return Rim(table.number("width"), table.colour("colour"))


def _tokens(table: _Table) -> Tokens:
    table.allow("shape", "size", "height", "mark_stroke", "rim", "colours", "marks")
    shape = table.text_of("shape")
    if shape not in ("disc", "square"):
        raise table.fault(f'tokens.shape must be "disc" or "square", not {shape!r}', "shape")
    stroke = table.number("mark_stroke", up_to=1.0) if "mark_stroke" in table.data else 0.12
    marks: dict[str, Mark] = {}
    if "marks" in table.data:
        listed = table.table("marks")
        marks = {name: _mark(listed.table(name), stroke) for name in listed.data}
    colours = {}
    listed = table.table("colours")
    if not listed.data:
        raise table.fault("tokens.colours is empty; give at least one colour", "colours")
    for name in listed.data:
        colour = listed.table(name)
        colour.allow("body", "mark")
        if marks and "mark" not in colour.data:
            raise colour.fault(
                f"the key {colour.named('mark')} is missing; marked tokens need the colour of their mark"
            )
        colours[name] = TokenColour(colour.colour("body"), colour.colour("mark") if "mark" in colour.data else None)
    rim = _rim(table.table("rim")) if "rim" in table.data else None
    return Tokens(shape, table.number("size"), table.number("height", above=-1e-9), rim, colours, marks)


_MARKS: dict[str, tuple[str, ...]] = {"bars": ("length", "stroke"), "ring": ("stroke",), "triangle": (), "dot": ()}


def _mark(table: _Table, stroke: float) -> Mark:
    chosen = [name for name in _MARKS if name in table.data]
    if len(chosen) != 1:
        table.allow(*_MARKS, "length", "stroke")
        raise table.fault(f"{table.where} must have exactly one of {', '.join(_MARKS)}")
    table.allow(chosen[0], *_MARKS[chosen[0]])
    own = table.number("stroke", up_to=1.0) if "stroke" in table.data else stroke
    if chosen[0] == "bars":
        return Mark(bars=table.whole("bars"), length=table.number("length", up_to=1.0), stroke=own)
    size = table.number(chosen[0], up_to=1.0)
    if chosen[0] == "ring":
        return Mark(ring=size, stroke=own)
    return Mark(triangle=size) if chosen[0] == "triangle" else Mark(dot=size)


def _sites(top: _Table, sheet: Point) -> tuple[Site, ...]:
    sites = []
    for index, data in enumerate(top.list_of("sites")):
        table = _Table(top.text, top.source, "sites", data, index)
        table.allow("id", "kind", "fill", "polygon")
        name = table.text_of("id")
        polygon = table.points("polygon")
        for point in polygon:
            _inside(table, "polygon", point, sheet)
        if len(polygon) > 3 and _crosses_itself(polygon):
            raise table.fault(
                f"the polygon of site {name} crosses itself; list its corners in order around it", "polygon"
            )
        if len(polygon) < 3 or abs(_area(polygon)) < 1.0:
            raise table.fault(
                f"the polygon of site {name} needs at least three corners that enclose an area", "polygon"
            )
        sites.append(Site(name, table.text_of("kind") if "kind" in data else None, table.colour("fill"), polygon))
        if name in [site.id for site in sites[:-1]]:
            raise table.fault(f"the site id {name} is there twice; every site needs its own", "id")
    return tuple(sites)


def _area(polygon: tuple[Point, ...]) -> float:
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1], strict=True)) / 2


def _crosses_itself(polygon: tuple[Point, ...]) -> bool:
    edges = list(zip(polygon, polygon[1:] + polygon[:1], strict=True))
    if any(a == b for a, b in edges):
        return True
    for (i, first), (j, second) in combinations(enumerate(edges), 2):
        neighbours = j == i + 1 or (i == 0 and j == len(edges) - 1)
        if not neighbours and _touch(*first, *second):
            return True
    return False


def _touch(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the closed segments a-b and c-d have a point in common."""

    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    def on(p: Point, q: Point, r: Point) -> bool:
        return min(p[0], q[0]) <= r[0] <= max(p[0], q[0]) and min(p[1], q[1]) <= r[1] <= max(p[1], q[1])

    one, two, three, four = side(c, d, a), side(c, d, b), side(a, b, c), side(a, b, d)
    if one * two < 0 and three * four < 0:
        return True
    ends = ((one, c, d, a), (two, c, d, b), (three, a, b, c), (four, a, b, d))
    return any(value == 0 and on(p, q, r) for value, p, q, r in ends)


def _seats(table: _Table, sheet: Point) -> dict[str, Point]:
    seats = {player: table.point(player) for player in table.data}
    if len(seats) < 2:
        raise table.fault("seats needs a point for each player, two at least")
    for player, point in seats.items():
        _inside(table, player, point, sheet)
    return seats


def _tracks(table: _Table, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    tracks = {name: tuple(table.list_of(name)) for name in table.data}
    for name, sites in tracks.items():
        for site in sites:
            if site not in ids:
                raise table.fault(f"{table.named(name)} names a site {site!r} that the set doesn't have", name)
    _unique(table, next(iter(tracks), ""), [site for sites in tracks.values() for site in sites], "the site")
    return tracks


def _rails(table: _Table, sheet: Point) -> dict[str, tuple[Point, Point]]:
    rails = {}
    for name in table.data:
        corners = table.points(name)
        if len(corners) != 2 or not (corners[0][0] < corners[1][0] and corners[0][1] < corners[1][1]):
            raise table.fault(f"{table.named(name)} must be two points: the top-left and bottom-right corner", name)
        for corner in corners:
            _inside(table, name, corner, sheet)
        rails[name] = (corners[0], corners[1])
    return rails


def _platforms(table: _Table) -> Platforms:
    table.allow("width", "depth", "slots", "fill", "outline")
    outline = _rim(table.table("outline")) if "outline" in table.data else None
    return Platforms(table.number("width"), table.number("depth"), table.whole("slots"), table.colour("fill"), outline)


def _names(table: _Table) -> dict[str, str]:
    names: dict[str, str] = {own: table.text_of(own) for own in table.data}
    _unique(table, next(iter(names), ""), list(names.values()), "the game's name")
    return names
