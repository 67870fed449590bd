"""From a running table to a report and back: what the referee says of the log is what it said at the table."""

import json
import urllib.error
import zipfile

import pytest

from controller.cli import main
from controller.journal.fold import fold
from controller.journal.store import Journal
from tests.table.test_demo import Demo


def report(capsys, *more):
    capsys.readouterr()
    code = main(["report", *more])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


def test_a_wrong_call_is_reported_and_judged_again(tmp_path, capsys):
    data = tmp_path / "data"
    demo = Demo(data)
    try:
        demo.carry("c1", "c2")
        demo.until(lambda state: state["turns"], "the turn is accepted")
        demo.carry("a5", "a2")
        demo.until(lambda state: state["message"]["code"] == "illegal", "the illegal turn is named")
        code, out, _ = report(capsys, "--data", str(data), "--note", "that was legal!")
        assert code == 0
        (log,) = data.glob("*.sightings")
        assert str(log) in out
        assert report(capsys, "--data", str(data))[0] == 1, "not twice at once"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            demo.ask("api/operator/report", {})
    finally:
        assert demo.stop() == 0
    code, _, err = report(capsys, "--data", str(data))
    assert code == 1
    assert "no table is running" in err
    with Journal.open(data / "boardref.db") as journal:
        rows = journal.events()
        (told,) = [row for row in rows if row["event"] == "reported"]
        assert (told["file"], told["by"], told["note"]) == (log.name, "operator", "that was legal!")
        until = rows.index(told)
        said = [row for row in rows[:until] if not row["internal"]]
        assert ("reported", log.name) in [(one.what, one.text) for one in fold(journal.rows(1)).rulings]
    config, bundle = tmp_path / "table.toml", tmp_path / "bundle.zip"
    config.write_text(f"data = {json.dumps(str(data))}\n")
    assert main(["bundle", "--config", str(config), "-o", str(bundle)]) == 0
    with zipfile.ZipFile(bundle) as archive:
        assert archive.read(log.name) == log.read_bytes()
        assert "that was legal" not in "".join(archive.read(name).decode() for name in archive.namelist())
    capsys.readouterr()
    assert main(["watch", str(log), "--json"]) == 0
    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["event"] for row in again][-2:] == ["turn", "illegal"]
    for one, row in zip(again, said, strict=True):
        for reason in row.get("reasons", ()):
            reason.pop("facts", None)  # what the journal keeps beyond the contract's keys
        assert one == {key: value for key, value in row.items() if key in one}


def test_no_folder_no_table_no_key(tmp_path, capsys):
    assert report(capsys, "--data", str(tmp_path / "none"))[0] == 1
    (tmp_path / "running.json").write_text("{}")
    assert report(capsys, "--data", str(tmp_path))[0] == 1
    (tmp_path / "running.json").write_text('{"address": "http://127.0.0.1:9", "key": "x"}')
    code, _, err = report(capsys, "--data", str(tmp_path))
    assert code == 1
    assert "no table is running" in err
    assert report(capsys, "--note", "x" * 501)[0] == 2
