"""Light maps of physical sets: default ones, a strip round the frame, and what a few answers tell of the wiring."""

from __future__ import annotations

import pytest

from calibration.lightmaps import CORNERS, default_map, frame_map, frame_places, lit_areas, unknown_places
from calibration.wiring import SURE_AFTER, Wiring, usual_orders
from controller.rules.registry import game_named
from firmware_bridge.lightmap import LightMap
from firmware_bridge.mapfile import map_text, read_map
from firmware_bridge.scene import Bar, Hue, Light, Scene
from vision.boardset import BoardSet, installed_sets

GAMES = ("transet", "taasen", "transfer")
BLUE = Light(Hue.BLUE)


@pytest.fixture(params=GAMES)
def board(request: pytest.FixtureRequest) -> BoardSet:
    return installed_sets()[request.param]


def players(board: BoardSet) -> tuple[str, ...]:
    return game_named(board.game).players


def test_default_maps_have_what_was_asked_for(board: BoardSet) -> None:
    whole = default_map(board, players(board))
    assert list(whole.sites.values()) == list(range(len(board.sites)))
    assert dict(whole.bars) == {player: (side, 8) for side, player in enumerate(players(board))}
    bars = default_map(board, players(board), sites=False, lamp=False, leds=3)
    assert (bars.sites, dict(bars.bars), bars.lamp) == (
        {},
        {player: (side, 3) for side, player in enumerate(players(board))},
        False,
    )
    for one in (whole, bars):
        assert unknown_places(board, one) == []


def test_without_bars_the_sites_nearest_to_a_seat_are_its_bar(board: BoardSet) -> None:
    bare = default_map(board, players(board), leds=0)
    first, second = (set(bare.stretches[player]) for player in players(board))
    assert first
    assert second
    assert not first & second
    shown = bare.entries(Scene("to_move", 17, bars={players(board)[0]: Bar(BLUE)}))
    assert {address for address, _ in shown} == first
    # and sites shine through: what is said about one is never hidden by a bar
    site = next(site for site, index in bare.sites.items() if index in first)
    both = Scene("x", 1, {site: Light(Hue.AMBER)}, {players(board)[0]: Bar(BLUE)})
    assert dict(bare.entries(both))[bare.sites[site]] == int(Hue.AMBER)


@pytest.mark.parametrize("clockwise", [True, False])
@pytest.mark.parametrize("start", CORNERS)
def test_a_strip_runs_evenly_round_the_frame(board: BoardSet, start: str, clockwise: bool) -> None:
    leds, (width, height) = 60, board.sheet_mm
    places = frame_places(board, leds, start=start, clockwise=clockwise)
    assert len(places) == leds
    corner = {"top-left": (0, 0), "top-right": (width, 0), "bottom-right": (width, height), "bottom-left": (0, height)}
    assert places[0] == corner[start]
    step_mm = 2 * (width + height) / leds
    for (ax, ay), (bx, by) in zip(places, [*places[1:], places[0]], strict=True):
        assert abs(ax - bx) + abs(ay - by) == pytest.approx(step_mm, abs=0.01)
    area = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(places, [*places[1:], places[0]], strict=True))
    assert (area > 0) == clockwise  # y runs down


def test_a_strip_marks_each_site_at_the_ends_of_its_row_and_column(board: BoardSet) -> None:
    leds = 120
    places = frame_places(board, leds)
    made = frame_map(board, players(board), leds)
    assert set(made.marks) == set(default_map(board, players(board)).sites)
    step_mm = 2 * sum(board.sheet_mm) / leds
    for site in board.sites:
        x, y = board.centre(site)
        marks = [places[index] for index in made.marks[board.names.get(site.id, site.id)]]
        assert any(abs(my - y) <= step_mm / 2 + 0.01 and mx in (0, board.sheet_mm[0]) for mx, my in marks)
        assert any(abs(mx - x) <= step_mm / 2 + 0.01 and my in (0, board.sheet_mm[1]) for mx, my in marks)
    for player in players(board):
        seat = board.seats[player]
        stretch = [places[index] for index in made.stretches[player]]
        assert len(stretch) == 8
        assert all(abs(x - seat[0]) + abs(y - seat[1]) < 8 * step_mm for x, y in stretch)
    assert made.n_sites == leds or made.n_sites <= leds
    assert read_map(map_text(made, board.name), "map") == made


@pytest.mark.parametrize("bar", [0, 3, 8, 254])
@pytest.mark.parametrize("leds", [12, 40, 120])
def test_no_two_bars_of_a_strip_share_a_light(board: BoardSet, leds: int, bar: int) -> None:
    made = frame_map(board, players(board), leds, bar=bar)
    lights = [index for stretch in made.stretches.values() for index in stretch]
    assert len(lights) == len(set(lights))
    assert all(min(bar, leds // 3) <= len(stretch) <= bar for stretch in made.stretches.values())
    assert bool(made.stretches) == (bar > 0)
    assert read_map(map_text(made, board.name), "map") == made


def test_a_bar_begins_at_its_players_left_hand() -> None:
    board = installed_sets()["transet"]
    made = frame_map(board, ("South", "North"), 120)
    places = frame_places(board, 120)
    south, north = ([places[index][0] for index in made.stretches[player]] for player in ("South", "North"))
    assert south == sorted(south)  # South looks up: its left is the reader's left
    assert north == sorted(north, reverse=True)


def test_a_map_for_another_set_is_noticed(board: BoardSet) -> None:
    other = installed_sets()[GAMES[GAMES.index(board.game) - 1]]
    assert unknown_places(board, default_map(other, players(other)))


def test_lights_may_shine_where_they_are_and_nowhere_else(board: BoardSet) -> None:
    whole = default_map(board, players(board))
    site = sorted(whole.sites)[3]
    dark = lit_areas(board, whole, Scene("x", 0))
    assert len(dark) == 2  # the bars, whatever they show
    lit = lit_areas(board, whole, Scene("x", 0, {site: BLUE, "nowhere": BLUE}))
    (area,) = set(lit) - set(dark)
    own = {name: ours for ours, name in board.names.items()}
    x, y = board.centre(own.get(site, site))
    assert min(px for px, _ in area) < x < max(px for px, _ in area)
    assert min(py for _, py in area) < y < max(py for _, py in area)
    assert lit_areas(board, LightMap(lamp=True), Scene("x", 0, {site: BLUE})) == ()
    assert len(lit_areas(board, frame_map(board, players(board), 60), Scene("x", 0))) == 4


def test_every_usual_wiring_is_recognised_from_a_few_answers(board: BoardSet) -> None:
    orders = usual_orders(board)
    assert len(set(orders.values())) == len(orders)
    for way, order in orders.items():
        assert sorted(order) == sorted(orders["in the order of the set's file"])
        wiring = Wiring(board)
        while wiring.settled() is None:
            wiring.answer(order[len(wiring.answers)])
            assert len(wiring.answers) <= len(order), way
        assert wiring.settled() == way
        assert len(wiring.answers) <= max(SURE_AFTER, len(order) // 2) + 1
        wiring.finish()
        assert wiring.lights() == {site: index for index, site in enumerate(order)}


def test_an_unusual_wiring_is_taken_as_answered() -> None:
    wiring = Wiring(installed_sets()["transet"])
    for site in ("c3", None, "a1", "c3"):
        wiring.answer(site)
    assert wiring.ways() == []
    assert wiring.guess() is None
    assert wiring.settled() is None
    assert wiring.lights() == {"c3": 0, "a1": 2}
