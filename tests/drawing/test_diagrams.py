"""Drawn games: every piece of every board is in the SVG, in the film and in the GIF, where it stood."""

import json
import random
import sys
import xml.etree.ElementTree as ET
from itertools import islice, pairwise

import cv2
import numpy as np
import pytest

from controller.cli import main
from controller.drawing import film as filming
from controller.drawing import lettering
from controller.drawing.captions import result_words, ruling_words, took_text
from controller.drawing.film import CARRY_S, CODECS, FILM, GIF, Film, Look, write_gif, write_mp4
from controller.drawing.lasting import Strange, show_for
from controller.drawing.layout import Layout
from controller.drawing.moments import carried, moments
from controller.drawing.painting import Easel, journeys
from controller.drawing.sets import layout_for
from controller.drawing.sheets import NoBoard, board_svg, sheet_svg
from controller.errors import CommandError
from controller.journal.export import WHAT, as_text
from controller.journal.fold import GoneOn, Illegal, Ruling
from controller.journal.notation import record_from_text
from controller.rules.api import Shift
from controller.rules.registry import game_named
from controller.words import LANGUAGES
from vision.boardset import installed_sets

GAMES = ("transet", "taasen", "transfer")
SMALL = Look(320, 180, 5)
START = "rbkbr/5/5/5/RBKBR S"
NS = {"svg": "http://www.w3.org/2000/svg"}
WRONG = {"transet": ("c1", "c3"), "taasen": ("9", "12"), "transfer": ("A1", "I5")}


def played(name, turns=5, seed=1):
    """A short game with names, times, an illegal placement and a result."""
    game, rng = game_named(name), random.Random(seed)
    one, other = game.players
    lines = [f"Game: {name}", f"Player {one}: Zoë <&> Łuk", f"Player {other}: 李", "Begun: 2026-11-30T14:03:00+00:00"]
    position = game.start()
    for n in range(1, turns + 1):
        turn = rng.choice(list(islice(game.legal_turns(position), 60)))
        lines.append(f"{n}. {game.turn_text(position, turn)} [{n * 3}.5 s]")
        position = game.after(position, turn)
    return record_from_text("\n".join([*lines, f"Result: {other} wins (resigned)"]))


def with_illegal(record, name):
    """The same with a placement judged illegal before its first turn."""
    game = game_named(name)
    origin, to = WRONG[name]
    kind = game.picture(game.start()).on[origin][0]
    wrong = Illegal(
        0, 1.0, game.players[0], "TOO_FAR", (to,), "Too far.", (), ({"piece": kind, "from": to, "to": origin},)
    )
    return type(record)(**{**vars(record), "illegal": (wrong,)}), kind


def standing(on):
    return sorted((site, kind) for site, kinds in on.items() for kind in kinds)


def drawn_pieces(group):
    return sorted(
        (one.get("data-site"), one.get("data-kind")) for one in group.iterfind(".//svg:use[@class='piece']", NS)
    )


@pytest.mark.parametrize("name", GAMES)
def test_every_board_is_on_the_sheet(name):
    game = game_named(name)
    record, kind = with_illegal(played(name), name)
    boards = moments(record, game)
    layout = layout_for(record, game)
    tree = ET.fromstring(sheet_svg(record, game, layout, "de"))
    groups = tree.findall("svg:g[@class='diagram']", NS)
    assert len(groups) == len(boards) == 7
    for moment, group in zip(boards, groups, strict=True):
        assert drawn_pieces(group) == standing(moment.on)
    ids = {one.get("id") for one in tree.iter() if one.get("id")}
    assert {one.get("href").removeprefix("#") for one in tree.iterfind(".//svg:use", NS)} <= ids
    said = "".join(text for one in tree.iterfind(".//svg:text", NS) for text in one.itertext())
    assert "Zoë <&> Łuk" in said
    assert "Nicht erlaubt" in said
    assert (WRONG[name][1], kind) in drawn_pieces(groups[1])
    assert not [one for one in tree.iter() if one.tag.endswith(("script", "image", "foreignObject"))]


@pytest.mark.parametrize("name", GAMES)
def test_any_board_alone(name):
    game, record = game_named(name), played(name)
    layout = layout_for(record, game)
    for n, moment in enumerate(moments(record, game)):
        tree = ET.fromstring(board_svg(record, game, layout, "en", n))
        assert drawn_pieces(tree) == standing(moment.on)
        marks = tree.findall(".//svg:polygon[@stroke='#2f6fe0']", NS)
        assert bool(marks) == (n > 0)
    last = ET.fromstring(board_svg(record, game, layout, "fr"))
    assert f"{result_words(record, 'fr')[0]}" in "".join(last.itertext())
    with pytest.raises(NoBoard, match="the last one is 5"):
        board_svg(record, game, layout, "en", 6)


@pytest.mark.parametrize("name", GAMES)
def test_what_is_carried_makes_one_board_of_the_other(name):
    game, record = game_named(name), played(name, 12, 5)
    boards = moments(record, game)
    for before, after in pairwise(boards):
        there = standing(before.on)
        for shift in after.shifts:
            if shift.origin is not None:
                there.remove((shift.origin, shift.piece))
        there += [(shift.to, shift.piece) for shift in after.shifts if shift.to is not None]
        assert sorted(there) == standing(after.on)
        assert set(after.marked) <= set(after.shifts)


def test_a_position_that_was_set_is_a_board_of_its_own():
    record = played("transet", 2)
    text = "rbkb1/5/5/5/RBKBR S"
    record = type(record)(**{**vars(record), "gone_on": (GoneOn(2, text),), "result": None})
    boards = moments(record, game_named("transet"))
    assert [moment.kind for moment in boards] == ["start", "turn", "turn", "set"]
    assert "e5" not in boards[-1].on
    assert carried({"a1": ("x",)}, {}) == (Shift("x", "a1", None),)


def middles(image, easel, on):
    """The mean colour in the middle of each piece's rim, and what the artwork has there."""
    board = easel.layout.board
    for piece in easel.layout.pieces(on):
        # Beside the mark, inside the body: 0.42 of the size up, where no mark of any set reaches.
        x, y = easel.pixel((piece.at_mm[0], piece.at_mm[1] - board.tokens.size_mm * 0.40))
        found = image[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2].reshape(-1, 3).mean(axis=0)
        rgb = board.tokens.colours[board.split(piece.kind)[0]].body
        yield piece, found, np.array(rgb[::-1], float)


def colour_of_nothing(image, easel, on):
    """Sites without a piece show the site's own colour in their middle."""
    board = easel.layout.board
    for site in board.sites:
        if site.id not in on:
            x, y = easel.pixel(board.centre(site))
            yield site, image[round(y), round(x)].astype(float), np.array(site.fill[::-1], float)


@pytest.mark.parametrize("name", GAMES)
def test_the_film_shows_every_board(tmp_path, name):
    game, record = game_named(name), played(name, 2)
    layout = Layout(installed_sets()[name])
    path = tmp_path / "game.mp4"
    film = Film(record, game, layout, "nl", FILM)
    write_mp4(film, FILM, path)
    reader = cv2.VideoCapture(str(path))
    pictures, shown_s = [], []
    while True:
        well, picture = reader.read()
        if not well:
            break
        pictures.append(picture)
        shown_s.append(reader.get(cv2.CAP_PROP_POS_MSEC) / 1000)
    boards = moments(record, game)
    still_s = [still.seconds for still in film.stills()]
    assert len(pictures) == len(still_s)
    assert shown_s == pytest.approx([0.0, *np.cumsum(still_s)[:-1]], abs=0.02)
    assert list(tmp_path.iterdir()) == [path]
    steps = round(CARRY_S * FILM.fps)
    for index, moment in enumerate(boards):
        picture = pictures[index * steps]
        easel = film._easel
        for piece, found, wanted in middles(picture, easel, moment.on):
            assert np.abs(found - wanted).max() < 60, (index, piece)
        for site, found, wanted in colour_of_nothing(picture, easel, moment.on):
            assert np.abs(found - wanted).max() < 40, (index, site.id)
    between = pictures[steps // 2]
    assert np.abs(between.astype(int) - pictures[0]).max() > 60


@pytest.mark.parametrize("name", GAMES)
def test_a_carried_piece_goes_from_where_it_stood_to_where_it_stands(name):
    game, record = game_named(name), played(name, 8, 3)
    layout = Layout(installed_sets()[name])
    boards = moments(record, game)
    for before, after in pairwise(boards):
        old, new = layout.pieces(before.on), layout.pieces(after.on)
        staying, ways = journeys(layout, old, new, after.shifts)
        assert sorted(
            [(p.kind, p.at_mm) for p in staying] + [(w.kind, w.start_mm) for w in ways if w.start_mm]
        ) == sorted((p.kind, p.at_mm) for p in old)
        assert sorted([(p.kind, p.at_mm) for p in staying] + [(w.kind, w.end_mm) for w in ways if w.end_mm]) == sorted(
            (p.kind, p.at_mm) for p in new
        )
        for way in ways:
            if way.start_mm and way.end_mm:
                assert way.at(0.0) == pytest.approx(way.start_mm)
                assert way.at(1.0) == pytest.approx(way.end_mm)


def test_every_codec_writes_a_film_that_can_be_read(tmp_path):
    record, game = played("transet", 1), game_named("transet")
    layout = Layout(installed_sets()["transet"])
    small = SMALL
    for codec in CODECS:
        path = tmp_path / f"{codec}.mp4"
        write_mp4(Film(record, game, layout, "en", small), small, path, codec)
        reader = cv2.VideoCapture(str(path))
        assert int(reader.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little").decode().lower() in (
            codec,
            "fmp4",
            "vp90",
            "vp09",
        )
        assert reader.read()[1].shape == (180, 320, 3)
    with pytest.raises(CommandError, match="check the folder"):
        write_mp4(Film(record, game, layout, "en", small), small, tmp_path / "none" / "x.mp4")


def test_another_kind_of_file_is_left_as_it_is_and_its_film_written_at_length(tmp_path, monkeypatch):
    record, game = played("transet", 1), game_named("transet")
    film, small = Film(record, game, Layout(installed_sets()["transet"]), "en", SMALL), SMALL
    path = tmp_path / "film.mp4"
    write_mp4(film, small, path, "mp4v")
    seconds = [still.seconds for still in film.stills()]
    data = path.read_bytes()
    index = data.rindex(b"moov") - 4
    head = 8 + data.index(b"ftyp")
    others = {
        "fewer pictures": (data, seconds[1:]),
        "no index": (data[:index], seconds),
        "index first": (data[:head] + data[index:] + data[head:index], seconds),
        "cut off": (data[:-3], seconds),
        "nothing": (b"", []),
        "no film": (b"hello", [1.0]),
        "newer": (data.replace(b"mdhd\0", b"mdhd\1"), seconds),
    }
    for name, (strange, told) in others.items():
        path.write_bytes(strange)
        with pytest.raises(Strange):
            show_for(path, told)
        assert path.read_bytes() == strange, name

    def stranger(path, seconds):
        raise Strange("another FFmpeg")

    monkeypatch.setattr(filming, "show_for", stranger)
    write_mp4(film, small, path, "mp4v")
    reader = cv2.VideoCapture(str(path))
    assert reader.get(cv2.CAP_PROP_FRAME_COUNT) == pytest.approx(sum(seconds) * small.fps, abs=2)


def test_a_gif_moves_and_without_pillow_there_is_a_sentence(tmp_path, monkeypatch):
    pillow = pytest.importorskip("PIL.Image")
    record, game = played("taasen", 2), game_named("taasen")
    layout = Layout(installed_sets()["taasen"])
    film = Film(record, game, layout, "fr", GIF)
    write_gif(film, tmp_path / "game.gif")
    with pillow.open(tmp_path / "game.gif") as picture:
        assert picture.size == (GIF.width, GIF.height)
        assert picture.n_frames > 6
        durations = []
        for index in range(picture.n_frames):
            picture.seek(index)
            durations.append(picture.info["duration"])
        assert max(durations) == 3000
        assert sum(durations) == pytest.approx(1000 * sum(still.seconds for still in film.stills()), rel=0.02)
    monkeypatch.setattr(filming, "MOST_PICTURES", 6)  # as of a long game: boards only, no piece on its way
    write_gif(film, tmp_path / "short.gif")
    with pillow.open(tmp_path / "short.gif") as picture:
        assert picture.n_frames == 3
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(CommandError, match="needs Pillow"):
        write_gif(film, tmp_path / "other.gif")
    assert not (tmp_path / "other.gif").exists()


@pytest.mark.parametrize("pillow", [True, False])
def test_words_are_written_and_long_ones_shrink(monkeypatch, pillow):
    lettering._mask.cache_clear()
    if not pillow:
        monkeypatch.setattr(lettering, "Image", None)
    image = np.full((60, 400, 3), 255, np.uint8)
    lettering.write(image, "Zoë – Łuk", (10, 40), 30, (0, 0, 0))
    assert (image[:, 12:120] < 128).any()
    assert (image[:, 300:] == 255).all()
    text, size = lettering.fitting("a very long name indeed " * 5, 30, 200)
    assert lettering.width_px(text, size) <= 200
    lettering.write(image, text, (-30, 70), size, (255, 0, 0))  # half outside: nothing breaks
    lettering._mask.cache_clear()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_result_is_said_in_every_language(language):
    record = played("transet", 1)
    head, why = result_words(record, language)
    assert "李" in head
    english = type(record)(
        **{**vars(record), "result": {"winner": None, "result": "draw", "why": result_words(record, "en")[1]}}
    )
    assert result_words(english, language)[1] == why != ""
    assert (why == "The other side resigned.") == (language == "en")


SAID = [
    *((what, text) for what in ("taken_back", "corrected", "paused", "resumed", "reported") for text in ("", "why")),
    *(("draw_offer", f"South {state}") for state in ("made", "accepted", "declined", "withdrawn", "lapsed")),
    ("guide", "begun"), ("guide", "ended"), ("unexplained", "a1 b2"), ("position", START), ("accepted", "a1-a3"),
    ("flag", "North"), ("flag", "North up again"),
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("what", "text"), SAID)
def test_everything_that_was_said_has_words(language, what, text):
    told = ruling_words(Ruling(1, what, text), played("transet", 1), language)
    assert told != f"{what} {text}".strip()
    assert "{" not in told
    assert language == "en" or told != ruling_words(Ruling(1, what, text), played("transet", 1), "en")


def test_every_ruling_of_the_fold_is_tried_above():
    assert set(WHAT) <= {what for what, _ in SAID}


@pytest.mark.parametrize(("what", "text"), [("guide", "lost"), ("draw_offer", "x"), ("dance", "tango"), ("flag", "")])
def test_what_nobody_knows_is_shown_as_it_was_written(what, text):
    assert ruling_words(Ruling(1, what, text), played("transet", 1), "de")


def test_times_as_people_say_them():
    assert [took_text(one) for one in (None, 0.04, 59.9, 59.96, 61, 3599.7, 3750)] == [
        "", "0.0 s", "59.9 s", "1:00", "1:01", "1:00:00", "1:02:30",
    ]  # fmt: skip
    assert [took_text(12.34, language) for language in LANGUAGES] == ["12.3 s", "12,3 s", "12,3 s", "12,3 s"]


@pytest.fixture
def journal(tmp_path, capsys):
    text = tmp_path / "game.txt"
    text.write_text(as_text(played("transet", 2), 1), encoding="utf-8")
    assert main(["games", "import", str(text), "--data", str(tmp_path)]) == 0
    capsys.readouterr()
    return tmp_path


def test_the_command_draws(journal, capsys, monkeypatch):
    monkeypatch.chdir(journal)
    where = ["--data", str(journal)]
    export = ["games", "export", "1", *where, "--format"]
    assert main([*export, "svg"]) == 0
    assert ET.fromstring(capsys.readouterr().out).tag.endswith("svg")
    (journal / "boards").mkdir()
    assert main([*export, "svg", "--turn", "all", "-o", "boards"]) == 0
    assert sorted(one.name for one in (journal / "boards").iterdir()) == [f"game-1-00{n}.svg" for n in range(3)]
    assert main([*export, "svg", "--turn", "all", "-o", "all.svg"]) == 0
    assert len(ET.parse("all.svg").findall("svg:g", NS)) == 3
    assert main([*export, "gif", "--language", "de"]) == 0
    assert (journal / "game-1.gif").read_bytes().startswith(b"GIF8")
    assert main(["games", "export", "1", *where, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["names"]["North"] == "李"
    for words, code, said in (
        (["svg", "--turn", "9"], 1, "the last one is 2"),
        (["svg", "--turn", "x"], 2, "number of a turn"),
        (["mp4", "--turn", "1"], 2, "a film shows all turns"),
        (["mp4", "-o", "none/x.mp4"], 1, "check the folder"),
    ):
        assert main([*export, *words]) == code
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert said in told


def test_the_easel_knows_where_a_point_lies():
    layout = Layout(installed_sets()["transet"])
    easel = Easel.within(layout, (10, 20, 300, 400))
    left, top, width, height = layout.crop_mm
    assert easel.pixel((left, top)) == pytest.approx((10, 20 + (400 - height * easel.px_per_mm) / 2))
    assert easel.pixel((left + width, top))[0] == pytest.approx(310)
