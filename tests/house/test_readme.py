"""The README's first screen: what it is, one picture, and exactly two set-up commands."""

from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_two_commands_of_one_line_do_the_set_up():
    commands = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("python3 deploy/")]
    assert commands == ["python3 deploy/start.py demo", "python3 deploy/start.py test"]


def test_picture_and_commands_are_on_the_first_screen():
    first = README.read_text(encoding="utf-8").splitlines()[:30]
    assert any(line.startswith("![") for line in first)
    assert sum(line.startswith("python3 deploy/") for line in first) == 2


def test_every_file_that_the_readme_names_is_there():
    text = README.read_text(encoding="utf-8")
    for name in ("docs/table.png", "docs/rooms.md", "docs/set-format.md", "docs/journal.md", "deploy/boardref.service"):
        assert name in text
        assert (README.parent / name).is_file()
