"""Builds the firmware and the simulated board once; what is missing for that is named, and nothing is skipped."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from board import Board, build_board, build_firmware, missing_packages


@pytest.fixture(scope="session")
def tools() -> None:
    missing = missing_packages()
    if missing:
        pytest.fail(
            "the tests of the lights' firmware run it in a simulator and need what is not installed here; "
            f"install it with\n    sudo apt-get install -y --no-install-recommends {' '.join(missing)}",
            pytrace=False,
        )


@pytest.fixture(scope="session")
def board_program(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_board(tmp_path_factory.mktemp("board"))


@pytest.fixture(scope="session")
def firmware(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The .elf of the firmware with these options of its Makefile, each built once."""
    built: dict[tuple[tuple[str, int], ...], Path] = {}

    def made(**options: int) -> Path:
        key = tuple(sorted(options.items()))
        if key not in built:
            built[key] = build_firmware(tmp_path_factory.mktemp("firmware"), options)
        return built[key]

    return made


@pytest.fixture
def new_board(board_program: Path, firmware: Callable[..., Path]) -> Iterator[Callable[..., Board]]:
    """Boards with this firmware, ended after the test."""
    boards: list[Board] = []

    def made(**options: int) -> Board:
        boards.append(Board(board_program, firmware(**options)))
        return boards[-1]

    yield made
    for board in boards:
        board.close()


@pytest.fixture
def board(new_board: Callable[..., Board]) -> Board:
    """A board with the default firmware, just powered up."""
    return new_board()
