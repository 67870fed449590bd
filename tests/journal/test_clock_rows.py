"""The players' clock in the record: what was left after each turn, flags, and all of it out and in again."""

import csv
import io
import json
import random
from dataclasses import replace

from controller.drawing.captions import ruling_words
from controller.journal.export import as_csv, as_json, as_text
from controller.journal.fold import fold
from controller.journal.importing import folded, read_game
from controller.journal.store import Journal
from controller.referee.playclock import ClockRules
from controller.referee.reducer import reduce
from controller.rules.registry import game_named
from controller.sloppy import Report
from controller.sloppy.evening import lay_out
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting
from controller.telling import journal_row


class Clocked(Sitting):
    def __init__(self, journal, rules):
        self.journal = journal
        super().__init__(game_named("transet"), 6, Report())
        self.state = replace(self.state, clock_rules=rules)

    def take(self, item):
        events = reduce(self.state, item).events
        super().take(item)
        self.journal.append([journal_row(event, "transet", "transet") for event in events])


def test_what_was_left_and_whose_flag_fell_stands_in_the_record(tmp_path):
    with Journal.open(tmp_path / "boardref.db") as journal:
        table = Clocked(journal, ClockRules("fischer", main_s=20, increment_s=1))
        manners = manners_at(table)
        lay_out(manners, table.game.start())
        chance = random.Random(1)
        for _ in range(6):
            turn = chance.choice(manners.tidy_turns())
            manners.carry_out(turn, brisk=True)
            table.stay(1.6)
            table.played(turn)
            table.stay(6)
        record = fold(journal.rows(1))
        clock = table.state.clock
    assert all(turn.clock is not None for turn in record.turns)
    assert record.turns[0].clock == {"South": 21.0, "North": 20.0}
    since_s = (clock.counted_ms - clock.spans[-1].until_ms) / 1000
    assert record.turns[-1].clock["South"] == clock.left_ms("South") / 1000 + since_s
    flags = [ruling for ruling in record.rulings if ruling.what == "flag"]
    assert {flag.text for flag in flags} <= {"South", "North"}
    assert flags
    assert len({ruling_words(flags[0], record, language) for language in ("en", "nl", "de", "fr")}) == 4
    lines = list(csv.DictReader(io.StringIO(as_csv(record, 1))))
    assert [float(line["left_s"]) for line in lines] == [turn.clock[turn.player] for turn in record.turns]
    assert f"(flag: {flags[0].text})" in as_text(record, 1)
    again, _ = read_game(as_json(record, 1))
    assert again.turns == record.turns
    assert again.rulings == record.rulings
    assert folded(record).rulings == record.rulings
    assert [turn.clock for turn in folded(record).turns] == [turn.clock for turn in record.turns]
    assert json.loads(as_json(record, 1))["turns"][0]["clock"] == {"South": 21.0, "North": 20.0}
    read_game(as_text(record, 1))

