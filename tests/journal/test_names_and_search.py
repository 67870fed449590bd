"""Names that can be forgotten for good; games found again; games that came from elsewhere."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.journal import briefs
from controller.journal import search as searching
from controller.journal.briefs import Brief
from controller.journal.errors import JournalError
from controller.journal.fold import fold
from controller.journal.naming import LONGEST_NAME
from controller.journal.schema import MIGRATIONS
from controller.journal.search import Query, candidates, everything, fits, search
from controller.journal.store import Journal

START = "rbkbr/5/5/5/RBKBR S"
TURNS = ("c1-c2", "c5-c4", "a1-a2", "a5-a4")


def begin(no, t=1.0, **more):
    return {"event": "setup_complete", "t": t, "frame": 1, "game_no": no, "internal": False, "position": START,
            "as": "start", "game": "transet", "set": "transet", **more}  # fmt: skip


def named(no, names, **more):
    return {"event": "players", "t": 2.0, "frame": 1, "game_no": no, "internal": False, "names": names,
            "by": "operator", **more}  # fmt: skip


def bytes_of(path):
    return b"".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))


@pytest.mark.parametrize("how", ["forgotten", "replaced", "only one"])
def test_a_name_that_was_taken_back_is_nowhere_in_the_files(tmp_path, how):
    path = tmp_path / "boardref.db"
    reader = None
    with Journal.open(path) as journal:
        journal.append([begin(1), named(1, {"South": "Wilhelmina Quist", "North": "Ben"})])
        reader = Journal.open(path, read_only=True)  # a page that looks at the games meanwhile
        assert fold(reader.rows(1)).names == {"North": "Ben", "South": "Wilhelmina Quist"}
        assert b"Wilhelmina" in bytes_of(path)
        new = {"forgotten": {"South": "", "North": ""}, "replaced": {"South": "Mia"}, "only one": {"South": None}}[how]
        journal.append([named(0, new, game=1)])
        assert b"Wilhelmina" not in bytes_of(path)
        left = {"forgotten": {}, "replaced": {"North": "Ben", "South": "Mia"}, "only one": {"North": "Ben"}}[how]
        assert fold(reader.rows(1)).names == left
        assert next(row.data["sides"] for row in reader.rows(1) if row.event == "players") == ["North", "South"]
    reader.close()


def test_a_name_is_gone_as_soon_as_nobody_reads_the_older_state(tmp_path):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        journal.append([begin(1), named(1, {"South": "Wilhelmina Quist"})])
        reader = sqlite3.connect(path)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM row").fetchone()  # a backup, say, which goes on for a while
        journal.append([named(0, {"South": ""}, game=1)])
        assert not journal.forget_names(10)
        assert journal.connection.execute("PRAGMA busy_timeout").fetchone() == (5000,)
        reader.close()
        journal.append([begin(2)])
        assert b"Wilhelmina" not in bytes_of(path)
        assert journal.forget_names()


@pytest.mark.parametrize(
    ("name", "kept"), [("  Anna \n Maria\t", "Anna Maria"), ("李明", "李明"), ("", None), ("\u200b", None)]
)
def test_a_name_is_one_line(tmp_path, name, kept):
    with Journal.open(tmp_path / "boardref.db") as journal:
        journal.append([begin(1), named(1, {"South": name})])
        assert fold(journal.rows(1)).names.get("South") == kept


def test_a_name_that_is_none_changes_nothing(tmp_path):
    with Journal.open(tmp_path / "boardref.db") as journal:
        journal.append([begin(1), named(1, {"South": "Anna"})])
        with pytest.raises(JournalError, match=str(LONGEST_NAME)):
            journal.append([named(0, {"South": "x" * (LONGEST_NAME + 1)}, game=1)])
        with pytest.raises(JournalError, match="text"):
            journal.append([named(0, {"South": 7}, game=1)])
        assert fold(journal.rows(1)).names == {"South": "Anna"}


def test_a_file_from_before_there_were_names_opens(tmp_path):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        journal.append([begin(1)])
    old = sqlite3.connect(path)
    old.executescript(
        "DROP TABLE player_name; DROP INDEX row_of_search; DROP INDEX text_of_turn; PRAGMA user_version=1;"
    )
    old.close()
    with Journal.open(path, read_only=True) as journal:
        assert fold(journal.rows(1)).names == {}
        assert [number for number, _ in everything(journal, Query(player="Anna"))] == []
        assert [number for number, _ in everything(journal, Query())] == [1]
    with Journal.open(path) as journal:
        journal.append([named(0, {"South": "Anna"}, game=1)])
        assert journal.contents().format == len(MIGRATIONS)
        assert [number for number, _ in everything(journal, Query(player="ann"))] == [1]


def test_the_table_comes_back_to_its_own_game_whatever_was_imported_or_named_since(tmp_path):
    path, text = tmp_path / "boardref.db", tmp_path / "game.txt"
    with Journal.open(path) as journal:
        journal.append([begin(1)])
        journal.append([begin(2)])
    text.write_text("Game: transet\n1. c1-c2\n", encoding="utf-8")
    assert main(["games", "import", str(text), "--data", str(tmp_path)]) == 0
    assert main(["games", "players", "1", "--south", "Anna", "--data", str(tmp_path)]) == 0
    with Journal.open(path) as journal:
        assert {event["game_no"] for event in journal.last_session()} == {2}
        journal.append([{**begin(2), "event": "turn", "n": 1}])
        assert [row.game for row in journal.rows()][-1] == 2
    assert main(["games", "resume", "3", "--data", str(tmp_path)]) == 0
    with Journal.open(path) as journal:
        assert any(event["event"] == "imported" for event in journal.last_session())


def games(data):
    """Rows of one game, drawn."""
    more = {"game": data.draw(st.sampled_from(["transet", "taasen", None]))}
    if data.draw(st.booleans()):
        more["was"] = {
            "session": 1,
            "written_utc": data.draw(st.sampled_from([None, "2020-02-29", "2031-01-01T10:00"])),
        }
    no = data.draw(st.integers(1, 3))
    rows = [begin(no, **more)]
    head = {"t": 5.0, "frame": 1, "game_no": no, "internal": False}
    for n in range(1, data.draw(st.integers(0, 4)) + 1):
        legal = data.draw(st.booleans())
        if not legal:
            rows.append({**head, "event": "ruling", "what": "accepted", "by": "operator"})
        rows.append({**head, "event": "turn", "n": n, "player": "South", "text": data.draw(st.sampled_from(TURNS)),
                     "legal": legal, "position": START, "revised": False})  # fmt: skip
    if data.draw(st.booleans()):
        rows.append({**head, "event": "withdrawn", "n": 1, "player": "South"})
    if data.draw(st.booleans()):
        rows.append({**head, "event": "illegal", "player": "South", "code": "TOO_FAR", "sites": [], "why": ""})
    if data.draw(st.booleans()):
        result = data.draw(st.sampled_from(["South wins", "draw"]))
        rows.append({**head, "event": "game_over", "winner": None, "result": result, "why": ""})
        if data.draw(st.booleans()):
            rows.append({**head, "event": "reopened"})
            rows.append({**head, "event": "belief", "internal": True, "lines": []})
    if data.draw(st.booleans()):
        rows.append(named(no, {"South": data.draw(st.sampled_from(["Anna", "Zoë", "ANNABEL"]))}))
    return rows


QUERIES = st.builds(
    Query,
    game=st.sampled_from([None, "transet", "taasen", "chess"]),
    player=st.sampled_from([None, "anna", "ZOË", "x"]),
    since=st.sampled_from([None, "2020-02-29", "2021-01-01"]),
    until=st.sampled_from([None, "2020-02-29", "2030-01-01"]),
    result=st.sampled_from([None, "open", "South wins", "DRAW"]),
    turn=st.sampled_from([None, "C1", "a1-a2", "zz"]),
    illegal=st.booleans(),
)


@settings(max_examples=30, deadline=None)
@given(st.data(), QUERIES)
def test_what_is_found_is_what_fits(tmp_path_factory, data, query):
    with Journal.open(tmp_path_factory.mktemp("search") / "boardref.db") as journal:
        journal.append([row for _ in range(data.draw(st.integers(1, 6))) for row in games(data)])
        all_of_them = {number: fold(journal.rows(number)) for number in journal.games()}
        lines = {number: Brief.of(record) for number, record in all_of_them.items()}
        wanted = [number for number, told in lines.items() if fits(told, query)]
        assert list(everything(journal, query)) == [(number, lines[number]) for number in wanted]
        assert dict(everything(journal, Query())) == lines
        assert set(wanted) <= set(candidates(journal.connection, query, None))
        found, before, pages = [], None, 0
        while pages == 0 or before is not None:
            page = search(journal, query, before, 2)
            found += [number for number, _ in page.games]
            before, pages = page.before, pages + 1
            assert pages < 20
        assert found == wanted[::-1]


def test_a_page_looks_at_no_more_than_it_may(tmp_path, monkeypatch):
    monkeypatch.setattr(searching, "MOST_FOLDED", 3)
    with Journal.open(tmp_path / "boardref.db") as journal:
        journal.append([begin(no, game="transet") for no in range(1, 11)])
        assert fits(Brief.of(fold(journal.rows(1))), Query())
        page = search(journal, Query(), None, 50)
        assert [number for number, _ in page.games] == [10, 9, 8]
        assert page.before == 8


def test_the_list_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        journal.append([begin(1), named(1, {"South": "Anna", "North": "Ben"}), begin(2, game="taasen")])
    assert main(["games", "list", "--data", str(tmp_path), "--player", "anna", "--result", "open"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("North: Ben  South: Anna")
    assert main(["games", "list", "--data", str(tmp_path), "--since", "2999-01-01"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["games", "list", "--data", str(tmp_path), "--game", "chess"]) == 2
    assert "there is no game 'chess'" in capsys.readouterr().err
    assert main(["games", "players", "1", "--forget", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "game 1: no names are known\n"
    assert b"Anna" not in bytes_of(path)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["players", "1"], 2, "name at least one player"),
        (["players", "1", "--forget", "--south", "Anna"], 2, "name at least one player"),
        (["players", "1", "--red", "Anna"], 2, "nobody plays Red in game 1; South and North play"),
        (["players", "1", "--south", "x" * 99], 1, "60 characters"),
        (["players", "7", "--south", "Anna"], 1, "no game 7"),
        (["import", "{}/none.txt"], 1, "none.txt: it can't be read"),
        (["import", "{}/good.txt", "{}/bad.txt"], 2, "bad.txt: line 2, column 4: turn 1 (South c1-c9)"),
        (["import", "{}/binary"], 2, "line 2, column 2: it is not UTF-8"),
    ],
)  # fmt: skip
def test_faults_are_one_sentence_and_change_nothing(tmp_path, capsys, words, code, said):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        journal.append([begin(1), named(1, {"South": "Mia"})])
    (tmp_path / "good.txt").write_text("Game: transet\n1. c1-c2\n", encoding="utf-8")
    (tmp_path / "bad.txt").write_text("Game: transet\n1. c1-c4\n", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"Game: transet\n1\xff")
    said = said.replace("c1-c9", "c1-c4")
    assert main(["games", *(word.format(tmp_path) for word in words), "--data", str(tmp_path)]) == code
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert said in told
    with Journal.open(path, read_only=True) as journal:
        assert journal.games() == (1,)
        assert fold(journal.rows(1)).names == {"South": "Mia"}


def test_a_list_replays_no_game_whose_rows_say_which_it_was(tmp_path, monkeypatch):
    with Journal.open(tmp_path / "boardref.db") as journal:
        journal.append([begin(1), begin(2), begin(3, game=None)])
        replayed = []
        monkeypatch.setattr(briefs, "fold", lambda rows: replayed.append(1) or fold(rows))
        assert [number for number, _ in everything(journal, Query())] == [1, 2, 3]
    assert replayed == [1]  # the third, of a Boardref that wrote it elsewhere


def test_a_damaged_row_ends_the_list_in_a_sentence(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        journal.append([begin(1)])
        journal.append([{"event": "turn", "t": 2.0, "frame": 1, "game_no": 1, "n": 1, "text": "c1-c2"}])
    broken = sqlite3.connect(path)
    broken.executescript("DROP INDEX text_of_turn; DROP TRIGGER row_is_never_changed;")
    broken.execute("UPDATE row SET data = '{' WHERE event = 'turn'")
    broken.commit()
    broken.close()
    assert main(["games", "list", "--journal", str(path)]) == 1
    assert "row 2 of the journal" in capsys.readouterr().err
