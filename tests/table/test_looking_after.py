"""Somebody looks after a running table: its machine, whether its storage keeps what it is told, and the log's edges."""

from __future__ import annotations

import itertools
import json
import logging
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller import watchman
from controller.canary import FILES, Canary, in_memory, visit
from controller.cli.demo import demo_parts
from controller.health import STORAGE, Check, storage_check
from controller.journal.store import Journal
from controller.service import Beside, answering, listening_socket
from controller.watchman import Watchman


@dataclass
class Card:
    """A folder on a machine that is started again and again."""

    folder: Path
    starts: int = 0

    def start(self, **also: Any) -> str:
        """Switch the machine on; what the canary finds."""
        self.starts += 1
        return self.look(**also)

    def look(self, **also: Any) -> str:
        boot = self.folder / "boot_id"
        boot.write_text(f"boot {self.starts}\n")
        return visit(self.folder, boot=boot, mounts=self.folder / "mounts", **also).finding

    def held(self) -> dict[str, bytes]:
        return {name: (self.folder / name).read_bytes() for name in FILES if (self.folder / name).exists()}

    def put(self, held: dict[str, bytes]) -> None:
        for name in FILES:
            (self.folder / name).unlink(missing_ok=True)
            if name in held:
                (self.folder / name).write_bytes(held[name])


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


def test_storage_that_keeps_everything_is_well(card: Card) -> None:
    for _ in range(4):
        assert card.start() == "kept"
        assert card.look() == "kept"  # the service alone was started again
    assert json.loads((card.folder / FILES[0]).read_text())["starts"] == 4


@pytest.mark.parametrize(("first", "second"), list(itertools.product(range(5), repeat=2)))
def test_a_card_that_forgets_one_mark_and_keeps_the_other_is_caught(card: Card, first: int, second: int) -> None:
    """As they were after any of the first starts, 0: not there at all. The first mark is always written first."""
    history: list[dict[str, bytes]] = [{}]
    for _ in range(4):
        assert card.start() == "kept"
        history.append(card.held())
    marks = {FILES[0]: history[first].get(FILES[0]), FILES[1]: history[second].get(FILES[1])}
    card.put({name: mark for name, mark in marks.items() if mark is not None})
    cut = first in (second, second + 1)  # the same start, or the power went between the two
    assert card.start() == ("kept" if cut else "forgot")
    assert card.start() == "kept"  # said once, and counted on from there


def test_a_journal_that_lost_rows_is_caught_and_another_one_is_not(card: Card) -> None:
    path = card.folder / "boardref.db"

    def play(rows: int) -> None:
        with Journal.open(path) as journal:
            for n in range(rows):
                journal.append([{"event": "turn", "t": 0.0, "frame": n, "game_no": 1, "n": n}])

    play(3)
    before = path.read_bytes()
    assert card.start(journal=path) == "kept"
    play(2)
    assert card.look(journal=path) == "kept"
    with path.open("r+b") as file:  # the same file, as it was
        file.truncate(len(before))
        file.write(before)
    assert card.start(journal=path) == "forgot"
    play(4)
    assert card.start(journal=path) == "kept"
    path.rename(path.with_name("aside"))
    play(1)
    assert card.start(journal=path) == "kept"


@settings(max_examples=25, deadline=None)  # each is written through to the disk
@given(first=st.binary(max_size=40), second=st.sampled_from([b"", b"[]", b"{}", b'{"starts": "x"}', b'{"starts": 2}']))
def test_whatever_lies_there_is_no_fault_of_ours(tmp_path_factory: Any, first: bytes, second: bytes) -> None:
    card = Card(tmp_path_factory.mktemp("card"))
    card.put(dict(zip(FILES, (first, second), strict=True)))
    assert card.start() in ("kept", "forgot")
    assert card.start() == "kept"


@pytest.mark.parametrize("row", [5, "x", [], [1], {}, [1, "x", "y"], [1, "x", None]])
@pytest.mark.parametrize("name", FILES)
def test_half_a_mark_is_none(card: Card, name: str, row: object) -> None:
    journal = card.folder / "boardref.db"
    with Journal.open(journal) as opened:
        opened.append([{"event": "reported", "game_no": 0}])
    assert card.start(journal=journal) == "kept"
    (card.folder / name).write_text(json.dumps({"starts": 1, "boot": "boot 1", "row": row}))
    assert card.start(journal=journal) in ("kept", "forgot")
    assert card.start(journal=journal) == "kept"


def test_a_folder_that_cannot_be_written(card: Card) -> None:
    (card.folder / f"{FILES[0]}.part").mkdir()
    assert card.start() == "unwritable"
    assert visit(card.folder / "nowhere").finding == "unwritable"


@pytest.mark.parametrize(
    ("mounts", "lost"),
    [
        ("/dev/root / ext4 rw 0 0\n", False),
        ("/dev/root / ext4 rw 0 0\ntmpfs /data tmpfs rw 0 0\n", True),
        ("tmpfs / tmpfs rw 0 0\n/dev/mmcblk0p3 /data ext4 rw,noatime 0 0\n", False),
        ("overlayroot / overlay rw,lowerdir=/l,upperdir=/up/root,workdir=/up/work 0 0\ntmpfs /up tmpfs rw 0 0\n", True),
        ("overlay / overlay rw,lowerdir=/l,upperdir=/var/lib/c/diff,workdir=/w 0 0\n", False),
        ("overlay / overlay rw,upperdir=/up 0 0\ntmpfs /up tmpfs rw 0 0\n/dev/sda1 /data ext4 rw 0 0\n", False),
        ("tmpfs /dat tmpfs rw 0 0\n/dev/root / ext4 rw 0 0\n", False),
        ("", False),
    ],
)
def test_records_in_memory_are_told(tmp_path: Path, mounts: str, lost: bool) -> None:
    (tmp_path / "mounts").write_text(mounts)
    assert in_memory(Path("/data/boardref"), tmp_path / "mounts") is lost


def test_every_finding_has_words() -> None:
    checks = {finding: storage_check(Canary(finding)) for finding in STORAGE}  # type: ignore[arg-type]
    assert {(check.name, check.level, bool(check.hint)) for check in checks.values()} == {
        ("storage", level, bool(advice)) for level, advice in STORAGE.values()
    }
    assert len({check.said for check in checks.values()}) == len(STORAGE)


@dataclass
class State:
    age_s: float = 0.1
    camera: dict[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    link: dict[str, Any] = field(default_factory=lambda: {"state": "off"})
    journal: dict[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    fault: None = None

    def snapshot(self) -> State:
        return self


def test_the_log_hears_of_each_edge_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "controller.watchman")
    state = State()
    power = ["ok"]
    monkeypatch.setattr(watchman, "live_checks", lambda folder: (Check("power", power[0], f"It is {power[0]}."),))  # type: ignore[arg-type]
    after = Watchman(state, tmp_path)  # type: ignore[arg-type]

    def said() -> list[str]:
        caplog.clear()
        after.round()
        return [f"{record.levelname} {record.getMessage()}" for record in caplog.records]

    assert said() == []
    since = after.checks()[0].since
    state.camera = {"state": "lost", "sentence": "The camera is gone."}
    assert said() == ["ERROR camera: The camera is gone"]
    assert said() == []
    state.camera = {"state": "ok", "sentence": ""}
    assert said() == ["INFO camera: The camera works"]
    told = []
    for level in ("warning", "ok", "warning", "problem", "ok", "warning", "problem"):
        power[0] = level
        told += said()
    assert told == ["WARNING power: It is warning", "ERROR power: It is problem"]
    assert [check.name for check in after.checks()] == ["power", "storage"]
    assert since is not None
    assert (after.checks()[0].since or 0) >= since == after.checks()[1].since


def test_what_is_still_looked_for_at_the_start_is_nothing_to_warn_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "controller.watchman")
    monkeypatch.setattr(watchman, "live_checks", lambda folder: ())
    state = State(
        camera={"state": "starting", "sentence": "It is being opened."},
        link={"state": "searching", "sentence": "Looking for the lights."},
        journal={"state": "off", "sentence": "No record is kept."},
    )
    after = Watchman(state, tmp_path)  # type: ignore[arg-type]

    def said(**how: bool) -> list[str]:
        caplog.clear()
        after.round(**how)
        return [f"{record.levelname} {record.getMessage()}" for record in caplog.records]

    assert said(starting=True) == ["WARNING record: No record is kept"]
    state.camera = {"state": "lost", "sentence": "The camera is gone."}
    assert said(starting=True) == ["ERROR camera: The camera is gone"]  # at once, whatever is still looked for
    assert said() == ["WARNING lights: Looking for the lights"]
    state.link = {"state": "ready", "sentence": "They are ready."}
    assert said() == ["INFO lights: They are ready"]


def test_a_start_with_camera_and_lights_that_work_warns_of_neither(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "controller.watchman")
    demo = demo_parts("transet", tmp_path)
    with answering(demo.table, listening_socket("127.0.0.1", 0), lambda address: None, Beside(folder=tmp_path)):
        ends_s = time.monotonic() + 30
        while (demo.table.snapshot().camera["state"], demo.table.snapshot().link["state"]) != ("ok", "ready"):
            assert time.monotonic() < ends_s
            time.sleep(0.02)
    about = [record.getMessage() for record in caplog.records if record.name == "controller.watchman"]
    assert [said for said in about if said.startswith(("camera", "lights"))] == []
