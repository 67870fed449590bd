"""The wheel holds what the product needs at run time, and nothing of the tests."""

from importlib.metadata import distribution, entry_points
from importlib.resources import files

import pytest

DATA = [
    ("calibration.sets", "transet.toml"),
    ("calibration.sets", "taasen.toml"),
    ("calibration.sets", "transfer.toml"),
    ("controller.web", "templates/page.html"),
    ("controller.web", "static/page.js"),
    ("controller.web", "static/page.css"),
    ("controller.words", "locale/nl/LC_MESSAGES/boardref.po"),
    ("controller.words", "locale/nl/LC_MESSAGES/transfer.po"),
]


@pytest.mark.parametrize(("package", "path"), DATA)
def test_data_files_are_installed(package, path):
    assert files(package).joinpath(path).is_file()


def test_the_command_the_games_and_the_sets_are_registered():
    assert "boardref" in {script.name for script in entry_points(group="console_scripts")}
    games = sorted(game.load().name for game in entry_points(group="boardref.games"))
    assert games == ["taasen", "transet", "transfer"]
    assert all(callable(found.load()) for found in entry_points(group="boardref.sets"))


def test_tests_are_not_in_the_wheel():
    named = [str(file) for file in distribution("boardref").files or ()]
    assert named
    assert not any(name.startswith("tests/") for name in named)


def test_only_permitted_licences_are_imported_at_run_time():
    lines = [line for line in distribution("boardref").requires or () if "extra ==" not in line]
    required = " ".join(lines).lower()
    assert "opencv" in required
    for copyleft in ("chess", "telemetrix", "simavr"):
        assert copyleft not in required
