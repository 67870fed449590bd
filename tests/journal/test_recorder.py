"""Rows wait, in order and none twice, while the journal can't be written or can't be opened; and that is said."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.journal import hold, opening
from controller.journal.errors import JournalError
from controller.journal.hold import Hold
from controller.journal.store import Journal
from controller.recording import MOST_WAITING, Recorder, Told, open_recording
from controller.watcher import Watcher, chosen_sets
from controller.words import LANGUAGES, record_sentence
from controller.words.catalogue import catalogue


def row(n: int, event: str = "turn") -> dict[str, Any]:
    return {"event": event, "t": float(n), "frame": n, "game_no": 1, "n": n}


START = {"event": "setup_complete", "t": 0.0, "frame": 0, "game_no": 1}


def until(holds: Callable[[], bool]) -> None:
    ends_s = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends_s
        time.sleep(0.01)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "boardref.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal.open(path)
    opened._connection.execute("PRAGMA busy_timeout=20")
    yield opened
    opened.close()


def locked(path: Path) -> sqlite3.Connection:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_what_could_not_be_written_is_written_later_in_order_and_once(path: Path, journal: Journal) -> None:
    recorder = Recorder(journal, again_s=0.02)
    recorder.write([START, row(1)])
    for start in (2, 50):
        other = locked(path)
        for n in range(start, start + 40):
            recorder.write([row(n)])
        told = recorder.state
        assert (told["state"], told["waiting"]) == ("failing", 40)
        assert len({record_sentence(told["parts"], language) for language in LANGUAGES}) == len(LANGUAGES)
        other.execute("ROLLBACK")
        other.close()
        for n in range(start + 40, start + 48):  # the table goes on while it catches up
            recorder.write([row(n)])
        until(lambda: recorder.state["waiting"] == 0 and recorder.state["state"] == "ok")
        assert recorder.state["sentence"] == ""
    assert [event.get("n") for event in journal.events(1)] == [None, *range(1, 98)]


def test_a_card_that_can_be_read_only(journal: Journal) -> None:
    recorder = Recorder(journal, again_s=0.02)
    journal._connection.execute("PRAGMA query_only=1")
    recorder.write([START])
    assert "readonly" in recorder.state["sentence"]
    recorder.close()  # what waits can't be written at the end either, and nothing hangs
    assert recorder.state["waiting"] == 1


def newer(path: Path) -> None:
    Journal.open(path).close()
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version=99")
    other.close()


@pytest.mark.parametrize(("spoil", "says"), [(Path.mkdir, "is a folder"), (newer, "newer Boardref")])
def test_a_journal_that_can_be_opened_later_gets_the_whole_game(
    path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    spoil(path)
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    recorder = Recorder(None, Told(("none", str(refused.value))), lambda: Journal.open(path), again_s=0.02)
    assert recorder.state["state"] == "off"
    assert says in recorder.state["sentence"]
    for n, event in enumerate([START, row(1), row(2)]):
        recorder.write([event])
        assert recorder.state["waiting"] == n + 1
    path.rename(path.with_name("aside"))
    until(lambda: recorder.state["state"] == "ok")
    assert recorder.state["sentence"] == ""
    recorder.write([row(3)])
    recorder.close()
    with Journal.open(path, read_only=True) as journal:
        assert [event.get("n") for event in journal.events(1)] == [None, 1, 2, 3]


def test_rows_that_can_never_be_written_hold_nothing_up(path: Path, journal: Journal) -> None:
    recorder = Recorder(journal, again_s=0.02)
    recorder.write([START])
    recorder.write([row(1) | {"picture": b"\xff\xd8"}])
    assert (recorder.state["state"], recorder.state["lost"]) == ("ok", 1)
    assert "missing" in recorder.state["sentence"]
    other = locked(path)
    recorder.write([row(2)])
    recorder.write([row(3) | {"x": float("nan")}, row(4)])
    recorder.write([row(5)])
    other.execute("ROLLBACK")
    other.close()
    until(lambda: recorder.state["waiting"] == 0)
    assert recorder.state["lost"] == 3
    assert [event.get("n") for event in journal.events(1)] == [None, 2, 5]


def test_what_waits_has_an_end(path: Path, journal: Journal) -> None:
    recorder = Recorder(journal, again_s=60.0)
    other = locked(path)
    recorder.write([START])
    recorder.write([row(n) for n in range(MOST_WAITING - 1)])
    recorder.write([row(1)])
    assert (recorder.state["waiting"], recorder.state["lost"]) == (MOST_WAITING, 1)
    other.execute("ROLLBACK")
    other.close()
    recorder.close()  # the last try writes it
    assert (recorder.state["waiting"], recorder.state["lost"]) == (0, 1)
    with Journal.open(path, read_only=True) as kept:
        assert len(kept.events(1)) == MOST_WAITING


def test_a_table_without_a_journal_keeps_none() -> None:
    recorder = Recorder(None)
    recorder.write([START])
    assert (recorder.state["state"], recorder.state["waiting"]) == ("off", 0)
    recorder.close()


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")


def text(path: Path) -> None:
    path.write_text("not a database at all, whatever its name says")


def no_folder(path: Path) -> None:
    path.parent.rmdir()


def held(path: Path) -> Any:
    return Hold.alone(path)


def busy(path: Path) -> Any:
    Journal.open(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    return other


def damaged(path: Path) -> None:
    with Journal.open(path) as journal:
        journal.append([START, row(1)])
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 8192)


@pytest.mark.parametrize("spoil", [Path.mkdir, newer, foreign, text, no_folder, held, busy, damaged])
def test_why_a_journal_cannot_be_had_is_said_in_every_language(
    path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], Any]
) -> None:
    monkeypatch.setattr(hold, "WAIT_S", 0.05)
    monkeypatch.setattr(opening, "BUSY_S", 0.05)
    holds = spoil(path)
    opened, _, told = open_recording(path, lambda rows: Watcher(chosen_sets("transet", None), rows=rows))
    if opened is not None:
        opened.close()
    assert told is not None
    said = {language: record_sentence(told.parts, language) for language in LANGUAGES}
    assert said["en"] == told
    assert len(set(said.values())) == len(LANGUAGES)
    why = told.parts[0]["facts"]["why"]
    tail = why.rpartition(";")[2].strip() or why
    assert all(tail not in said[language] for language in LANGUAGES if language != "en"), said
    assert all("{" not in text for text in said.values())
    if holds is not None:
        (holds.release if isinstance(holds, Hold) else holds.close)()


def test_why_a_game_is_not_taken_up_is_said_in_every_language(path: Path) -> None:
    with Journal.open(path) as journal:
        begun = {**START, "game": "taasen", "set": "taasen", "position": "x", "as": "start", "internal": False}
        belief = {**START, "event": "belief", "phase": "play", "lines": [{"anchor": "x", "n": 0, "turns": []}]}
        journal.append([begun, belief])
    for game in ("transet", "taasen"):
        sets = chosen_sets(game, None)
        opened, watcher, told = open_recording(path, lambda rows, sets=sets: Watcher(sets, rows=rows))  # type: ignore[misc]
        assert opened is not None
        opened.close()
        assert told is not None
        assert watcher.warning == told.parts[0]["facts"]["why"] + "."
        said = {language: record_sentence(told.parts, language) for language in LANGUAGES}
        assert len(set(said.values())) == len(LANGUAGES)
        assert all("new one" not in said[language] for language in LANGUAGES if language != "en")


def test_every_reason_has_the_same_facts_in_every_language() -> None:
    english = {key: text for key, text in catalogue("en").items() if key.startswith("fault.journal.")}
    raised = {
        found
        for file in Path(opening.__file__).parent.glob("*.py")
        for found in re.findall(r'"(?:,|\n)\s*"([a-z_]+)", (?:path|folder|why)=', file.read_text(encoding="utf-8"))
    }
    assert {f"fault.journal.{code}" for code in raised} <= english.keys()
    for language in LANGUAGES[1:]:
        for key, text in english.items():
            other = catalogue(language)[key]
            assert set(re.findall(r"{\w+}", other)) <= set(re.findall(r"{\w+}", text)), key
            assert other != text
