"""Whatever replaces the referee in the middle of a log, the log goes on with how it stood then."""

from controller.cli import main
from controller.referee.events import Command, Press, Tick
from controller.sightings.file import LogFile
from controller.telling import event_json, event_line
from controller.watcher import Watcher, chosen_sets
from vision.sighting import Sighting, Token


def seen(watcher, t_s, on):
    tokens = tuple(Token(kind, site, (0.0, 0.0), {kind: 0.0}) for site, kinds in on.items() for kind in kinds)
    return Sighting(t_s, round(t_s * 10), "transet", watcher.board.name, tokens)


def test_another_game_and_other_options_in_one_log(tmp_path, capsys):
    path = tmp_path / "table.sightings"
    said = []
    watcher = Watcher(chosen_sets("transet", None))
    start = watcher.game.picture(watcher.game.start()).on

    def take(given):
        said.extend(watcher.take(given).events)

    with LogFile(path) as log:
        watcher.log = log
        for tick in range(15):
            take(seen(watcher, tick / 10, start))
        take(Press(1.6, "South", "call_operator"))
        take(Command(1.7, "new_game", {"option.swop_wins": "false", "reason": "Anna wanted it"}))
        assert watcher.game.chosen["swop_wins"] == "false"
        for tick in range(18, 60):
            take(seen(watcher, tick / 10, start))
        watcher._begin_anew()  # another set was laid under the camera
        for tick in range(60, 80):
            take(seen(watcher, tick / 10, start))
        take(Tick(12.0))
    begun = [event for event in said if event.event == "setup_complete"]
    assert len(begun) == 3
    assert main(["watch", str(path), "--json"]) == 0
    again = capsys.readouterr().out.splitlines()
    told = [event_json(event, "en") for event in said if not event.internal]
    for one in told:
        one.pop("reason", None)  # what was typed is left out
    assert again == [event_line(one) for one in told]
    assert "Anna" not in path.read_text()
