"""`mode` in the settings reaches the referee."""

from __future__ import annotations

import pytest

from controller.cli import main
from controller.cli.demo import demo_table
from controller.config import load_config
from controller.errors import CommandError
from controller.watcher import Watcher, chosen_sets


def test_the_mode_is_read_from_the_settings_and_a_wrong_one_is_named(tmp_path, monkeypatch):
    path = tmp_path / "table.toml"
    path.write_text('port = 8001\nmode = "record"\n')
    assert load_config(str(path)).mode == "record"
    monkeypatch.setenv("BOARDREF_MODE", "teach")
    assert load_config(str(path)).mode == "teach"
    monkeypatch.delenv("BOARDREF_MODE")
    path.write_text('port = 8001\nmode = "recrod"\n')
    with pytest.raises(CommandError, match="line 2: mode"):
        load_config(str(path))


def test_a_table_keeps_its_mode_through_a_restart_in_another_one(tmp_path):
    table = demo_table("transet", tmp_path, "record")
    table.stop()
    assert table.snapshot().view.mode == "record"
    rows = [{"event": "setup_complete", "game_no": 1, "position": "rbkbr/5/5/5/RBKBR S", "as": "start", "t": 0.0}]
    watcher = Watcher(chosen_sets("transet", None), rows=rows, mode="teach")
    assert watcher.state.mode == "teach"


def test_demo_takes_only_the_modes_there_are(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["demo", "--mode", "nonsense", "--no-browser"])
    assert "record" in capsys.readouterr().err
