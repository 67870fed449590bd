"""Sets: what the shipped ones say, and every fault as one sentence that names file, line and key."""

from __future__ import annotations

import importlib.metadata
import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.boardset import BoardSet, SetError, border_distance, check_distinct, contains, installed_sets

SETS = Path(__file__).parents[1] / "data" / "sets"


def text_of(game: str) -> str:
    return (SETS / f"{game}.toml").read_text(encoding="utf-8")


def load(game: str) -> BoardSet:
    return BoardSet.load(SETS / f"{game}.toml")


def test_transet_is_read_as_written() -> None:
    board = load("transet")
    assert (board.name, board.game, board.sheet_mm) == ("transet", "transet", (297.0, 420.0))
    assert board.fiducials.ids == (0, 1, 2, 3)
    assert board.kinds == (
        "light-PINET", "light-PIOKER", "light-PIAS", "dark-PINET", "dark-PIOKER", "dark-PIAS"
    )  # fmt: skip
    assert board.tokens.colours["dark"].body == (0x5B, 0x3A, 0x29)
    assert board.tokens.marks["PIAS"].bars == 3
    assert len(board.sites) == 25
    assert board.seats["South"] == (148.5, 420.0)
    assert board.centre("c3") == (148.5, 210.0)


def test_taasen_has_kinds_of_site_and_a_rim() -> None:
    board = load("taasen")
    assert board.site("6").kind == "sea"
    assert board.tokens.rim is not None
    assert board.tokens.marks["THAUM"].ring == 0.64
    assert "white-PAUPIL" in board.kinds


def test_transfer_has_tracks_rails_and_platforms() -> None:
    board = load("transfer")
    assert board.kinds[:2] == ("orange", "sky")
    assert board.tracks["A"] == ("A1", "A2", "A3", "A4", "A5")
    assert board.platforms is not None
    assert board.platforms.slots == 3
    assert set(board.rails) == {"north", "south"}
    assert board.split("sky") == ("sky", None)


def test_site_at_tells_the_distance_to_the_border() -> None:
    board = load("transet")
    site, distance = board.site_at(73.5 - 2, 310)
    assert site is not None
    assert site.id == "a1"
    assert distance == pytest.approx(2)
    nowhere, away = board.site_at(-100, 310)
    assert nowhere is None
    assert away == pytest.approx(123.5)


@pytest.mark.parametrize("game", ["transet", "taasen", "transfer"])
def test_every_centre_lies_in_its_own_site(game: str) -> None:
    board = load(game)
    for site in board.sites:
        found, distance = board.site_at(*board.centre(site))
        assert found is site
        assert distance > 8


@settings(deadline=None)
@given(st.floats(0, 297), st.floats(0, 420))
def test_no_point_lies_in_two_sites(x_mm: float, y_mm: float) -> None:
    assert sum(contains(site.polygon_mm, x_mm, y_mm) for site in load_once().sites) <= 1


_TRANSET: list[BoardSet] = []


def load_once() -> BoardSet:
    if not _TRANSET:
        _TRANSET.append(load("transet"))
    return _TRANSET[0]


TRANSET = text_of("transet")
A5 = "polygon = [[23.5, 85], [73.5, 85], [73.5, 135], [23.5, 135]]"
HERE = "the line where the fault was made"
FAULTS = {  # what is replaced, by what, what the sentence must name
    "unknown key": ('shape = "disc"', 'shaep = "disc"', [HERE, "tokens.shaep", "did you mean shape?"]),
    "unknown top key": ('game = "transet"', 'gaem = "transet"', [HERE, "gaem", "did you mean game?"]),
    "unknown site key": (f'fill = "#F5EFE0"\n{A5}', f'full = "#F5EFE0"\n{A5}', [HERE, "sites.full", "fill"]),
    "missing key": ("side = 24\n", "", ["fiducials.side", "missing"]),
    "missing table": ("[seats]", "[names]", ["seats", "missing"]),
    "wrong type": ("size = 34 ", 'size = "34" ', [HERE, "tokens.size", "number"]),
    "not above zero": ("size = 34 ", "size = 0 ", ["tokens.size", "above 0"]),
    "bool is no number": ("size = 34 ", "size = true ", ["tokens.size", "number"]),
    "infinite": ("size = 34 ", "size = inf ", ["tokens.size", "number"]),
    "bad colour": ('body = "#F2E3C2"', 'body = "F2E3C2"', [HERE, "tokens.colours.light.body", "#F2E3C2"]),
    "bad shape": ('"disc"', '"cone"', ["tokens.shape", "cone"]),
    "no mark colour": (', mark = "#3A2A1E"', "", ["tokens.colours.light.mark", "missing"]),
    "two marks in one": ("bars = 1, length", "bars = 1, dot = 0.2, length", ["tokens.marks.PINET", "exactly one"]),
    "self-crossing": (
        A5,
        "polygon = [[23.5, 85], [73.5, 135], [73.5, 85], [23.5, 135]]",
        [HERE, "site a5", "crosses itself"],
    ),
    "flat polygon": (A5, "polygon = [[23.5, 85], [73.5, 85], [123.5, 85]]", ["site a5", "area"]),
    "polygon off the sheet": (A5, A5.replace("23.5, 85", "-23.5, 85"), ["sites.polygon", "off the sheet"]),
    "a point of three": (A5, A5.replace("[23.5, 85]", "[23.5, 85, 1]"), ["sites.polygon", "[x, y]"]),
    "site twice": ('id = "b5"', 'id = "a5"', ["site id a5", "twice"]),
    "tag twice": ("ids = [0, 1, 2, 3]", "ids = [0, 1, 2, 2]", [HERE, "fiducials.ids", "tag id 2"]),
    "tag too high": ("ids = [0, 1, 2, 3]", "ids = [0, 1, 2, 587]", ["fiducials.ids", "586"]),
    "too few centres": ("ids = [0, 1, 2, 3]", "ids = [0, 1, 2]", ["centre", "3 ids and 4"]),
    "tags overlap": ("centres = [[26, 26], [271, 26]", "centres = [[26, 26], [50, 26]", ["tags 0 and 1", "overlap"]),
    "unknown dictionary": ("APRILTAG_36h11", "APRILTAG_36h12", ["fiducials.dictionary", "DICT_APRILTAG_36h11?"]),
    "patch twice": ('name = "grey"', 'name = "white"', ["reference.patches", "white", "twice"]),
    "patch off the sheet": ("centre = [90, 26]", "centre = [90, 2]", ["reference.patches[0].centre", "off the sheet"]),
    "no TOML": ("[seats]", "[seats", ["not valid TOML", "line"]),
    "seat off the sheet": ("North = [148.5, 0]", "North = [148.5, -1]", ["seats.North", "off the sheet"]),
    "name of nothing": ("[seats]", '[names]\nz9 = "a1"\n[seats]', ["names.z9", "neither a site nor a kind"]),
    "track of nothing": ("[seats]", '[tracks]\nA = ["z9"]\n[seats]', ["tracks.A", "z9"]),
    "rails alone": ("[seats]", "[rails]\nnorth = [[1, 1], [9, 9]]\n[seats]", ["platforms and rails"]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_sentence(name: str) -> None:
    old, new, words = FAULTS[name]
    assert old in TRANSET
    with pytest.raises(SetError) as caught:
        BoardSet.parse(TRANSET.replace(old, new, 1), "mine.toml")
    sentence = str(caught.value)
    assert sentence.startswith("mine.toml")
    assert "\n" not in sentence
    line = TRANSET[: TRANSET.index(old)].count("\n") + 1
    for word in words:
        assert (f"line {line}:" if word is HERE else word) in sentence


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(0, len(TRANSET)), st.integers(0, 40))
def test_whatever_is_typed_gives_a_set_or_a_set_error(typed: str, at: int, gone: int) -> None:
    with suppress(SetError):
        BoardSet.parse(TRANSET[:at] + typed + TRANSET[at + gone :], "typed.toml")


def test_a_missing_or_binary_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetError, match=r"no set file .*nowhere\.toml"):
        BoardSet.load(tmp_path / "nowhere.toml")
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(SetError, match=r"picture\.toml is not a text file"):
        BoardSet.load(tmp_path / "picture.toml")
    with pytest.raises(SetError, match="can't be read"):
        BoardSet.load(tmp_path)


def test_installed_sets_are_found_by_name_and_read_once() -> None:
    assert installed_sets()["transet"].game == "transet"
    assert installed_sets()["transet"] is installed_sets()["transet"]


def test_two_sets_with_one_tag_id_are_refused() -> None:
    mine = BoardSet.parse(TRANSET.replace("ids = [0, 1, 2, 3]", "ids = [40, 41, 2, 43]"), "mine")
    with pytest.raises(SetError, match="transet and mine both use tag id 2"):
        check_distinct({"transet": load("transet"), "mine": mine})
    check_distinct({game: load(game) for game in ("transet", "taasen", "transfer")})


def test_an_installed_set_that_breaks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = importlib.metadata.EntryPoint("mine", "nowhere_at_all:text", "boardref.sets")
    monkeypatch.setattr("vision.boardset.entry_points", lambda group: (broken,))
    installed_sets.cache_clear()
    with pytest.raises(SetError, match="installed set mine"):
        installed_sets()


@pytest.mark.parametrize("name", ["transet", "taasen", "transfer"])
def test_the_site_at_a_point_and_its_nearest_border_are_those_of_all_sites(name: str) -> None:
    board = load(name)
    rng = random.Random(1)
    for _ in range(300):
        x_mm, y_mm = rng.uniform(-30, board.sheet_mm[0] + 30), rng.uniform(-30, board.sheet_mm[1] + 30)
        site, nearest_mm = board.site_at(x_mm, y_mm)
        assert nearest_mm == min(border_distance(each.polygon_mm, x_mm, y_mm) for each in board.sites)
        assert site == next((each for each in board.sites if contains(each.polygon_mm, x_mm, y_mm)), None)
