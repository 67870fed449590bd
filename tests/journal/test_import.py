"""What was exported comes in again as it was; what people write by hand is read, or refused with line and column."""

import json
import random
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal.errors import JournalError
from controller.journal.export import as_csv, as_json, as_text
from controller.journal.fold import fold
from controller.journal.importing import events_of, folded, read_game, record_from_json
from controller.journal.notation import record_from_text
from controller.journal.places import PlaceError, index_of
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.rules.api import CountsPoints
from controller.rules.registry import game_named

GAMES = ("transet", "taasen", "transfer")


def words(game, data):
    """A row about something that happened between two turns."""
    player, t_s = data.draw(st.sampled_from(game.players)), data.draw(st.floats(0, 9e4))
    what = data.draw(
        st.sampled_from(
            [
                "illegal",
                "paused",
                "resumed",
                "taken_back",
                "offer",
                "guide",
                "unexplained",
                "corrected",
                "report",
                "flag",
            ]
        )
    )
    if what == "illegal":
        reason = {"code": "TOO_FAR", "sites": ["c3", "c1"], "rule": "transet 2.1", "why": "Zu weit: ö.", "facts": {}}
        way_back = [{"piece": "dark-PIAS", "from": "c3", "to": "c1"}]
        return {
            "event": "illegal", "t": t_s, "player": player, "code": "TOO_FAR", "sites": ["c3", "c1"],
            "why": "Zu weit: ö.", "reasons": [reason], "way_back": way_back,
        }  # fmt: skip
    if what == "offer":
        return {
            "event": "draw_offer",
            "t": t_s,
            "player": player,
            "state": data.draw(st.sampled_from(["made", "lapsed"])),
        }
    if what == "report":
        return {"event": "reported", "t": t_s, "file": "wrong-call-1.sightings", "by": "player", "note": ""}
    if what == "flag":
        return {"event": "flag", "t": t_s, "player": player, "fallen": data.draw(st.booleans())}
    if what == "guide":
        return {"event": "guide", "t": t_s, "state": data.draw(st.sampled_from(["begun", "ended"]))}
    if what == "unexplained":
        return {"event": "unexplained", "t": t_s, "sites": ["1", "2"], "position": None}
    more = {"n": 1, "was": "a1-a2", "reason": "seen wrong"} if what == "corrected" else {}
    return {"event": "ruling", "t": t_s, "what": what, "by": "operator", **more}


def played(game, data):
    """The events of a game as a table may write them: turns, illegal ones, restarts, positions that were set."""
    rng = random.Random(data.draw(st.integers(0, 999)))
    position = game.start()
    t_s = data.draw(st.floats(0, 1e4).map(lambda value: round(value, 3)))
    start = {"position": game.position_text(position), "as": "start", "game": game.name, "set": game.name}
    yield [{"event": "setup_complete", "t": t_s, **start}]
    if data.draw(st.booleans()):
        names = {game.players[0]: "Zoë Łuk (2)", game.players[1]: data.draw(st.sampled_from(["", "李", "A: B"]))}
        yield [{"event": "players", "t": t_s, "names": names, "by": "operator"}]
    n = 0
    for _ in range(data.draw(st.integers(0, 12))):
        step = data.draw(st.sampled_from(["turn"] * 5 + ["said", "set", "as_played", "withdrawn", "restart"]))
        if step == "restart":
            t_s = 0.0
            yield None
        elif step == "said":
            yield [words(game, data)]
        elif step == "withdrawn":
            yield [{"event": "turn", "t": t_s, **turn_row(game, position, n + 1, "x", position)}]
            yield [{"event": "withdrawn", "t": t_s, "n": n + 1, "player": game.players[0]}]
        elif game.outcome(position) is not None:
            break
        elif step == "set":
            position = game.parse_position(game.position_text(game.with_mover(position, rng.choice(game.players))))
            line = {"anchor": game.position_text(position), "to_move": None, "n": n, "turns": [], "weak": False}
            yield [{"event": "belief", "t": t_s, "internal": True, "lines": [line], "options": {}}]
        else:
            turns = list(islice(game.legal_turns(position), 30))
            turn = game.forced_pass(position) if not turns else rng.choice(turns)
            text, after = game.turn_text(position, turn), game.after(position, turn)
            legal = step == "turn"
            if not legal:
                text = "a1-a1&?-b2"
                after = game.with_mover(position, next(p for p in game.players if p != game.to_move(position)))
                after = game.parse_position(game.position_text(after))
            n += 1
            t_s = round(t_s + rng.random() * 90, 3)
            event = "pass" if game.forced_pass(position) is not None and legal else "turn"
            left = {"clock": dict.fromkeys(game.players, 7.5)} if n % 2 else {}
            yield [{"event": event, "t": t_s, **turn_row(game, position, n, text, after), "legal": legal, **left}]
            position = after
    outcome = game.outcome(position)
    if outcome is None and data.draw(st.booleans()):
        score = {"score": None} if isinstance(game, CountsPoints) else {}
        yield [{"event": "game_over", "t": t_s, "winner": game.players[1], "result": f"{game.players[1]} wins",
                "why": "resigned", **score}]  # fmt: skip
    elif outcome is not None:
        score = {"score": list(outcome.score) if outcome.score else None} if isinstance(game, CountsPoints) else {}
        yield [{"event": "game_over", "t": t_s, "winner": outcome.winner, "result": outcome.result,
                "why": outcome.why, **score}]  # fmt: skip


def turn_row(game, position, n, text, after):
    return {
        "n": n, "player": game.to_move(position), "text": text, "legal": True,
        "position": game.position_text(after), "revised": False,
    }  # fmt: skip


def write(path, parts):
    """Rows into a journal as tables write them; None is a restart. The record."""
    runs = [[]]
    for events in parts:
        if events is None:
            runs.append([])
        else:
            runs[-1] += [{"frame": 1, "game_no": 1, "internal": False, **event} for event in events]
    for events in runs:
        with Journal.open(path) as journal:
            journal.last_session()
            journal.append(events)
    with Journal.open(path, read_only=True) as journal:
        return fold(journal.rows(1))


def taken_in(path, text):
    """The record of a text in a journal of its own."""
    record, form = read_game(text)
    with Journal.open(path) as journal:
        journal.append(events_of(record, form, "game.txt"))
        return fold(journal.rows(1))


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_what_was_exported_comes_in_again_as_it_was(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("round")
    game = game_named(name)
    record = write(folder / "one.db", played(game, data))
    assert verify(record, game) is None
    again = taken_in(folder / "two.db", as_json(record, 1))
    assert as_json(again, 1) == as_json(record, 1)
    assert as_text(again, 1) == as_text(record, 1)
    assert as_csv(again, 1) == as_csv(record, 1)
    assert again.imported["format"] == "json"
    written = taken_in(folder / "three.db", as_text(record, 1))
    assert as_text(written, 1) == as_text(record, 1)
    assert verify(written, game) is None
    assert [turn.position for turn in written.turns] == [turn.position for turn in record.turns]
    assert folded(written).turns == written.turns


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_spoilt_export_is_read_or_refused_in_a_sentence(tmp_path_factory, name, data):
    text = EXPORTS[name][data.draw(st.sampled_from([0, 1]))]
    index = data.draw(st.integers(0, len(text) - 1))
    cut = data.draw(st.integers(0, 12))
    spoilt = text[:index] + data.draw(st.text(max_size=6)) + text[index + cut :]
    wrong = None
    try:
        record, form = read_game(spoilt)
    except PlaceError as error:
        wrong = error
    if wrong is not None:
        assert str(wrong).startswith(f"line {wrong.line}, column {wrong.column}: ")
        assert 1 <= wrong.line <= spoilt.count("\n") + 1
        assert "\n" not in str(wrong)
        return
    assert verify(record, game_named(name).with_options(record.options)) is None
    with Journal.open(tmp_path_factory.mktemp("spoilt") / "one.db") as journal:
        journal.append(events_of(record, form, ""))
        assert fold(journal.rows(1)).turns == record.turns


def exports(name):
    game = game_named(name)
    text = f"Game: {name}\nPlayer {game.players[0]}: Anna\n"
    position = game.start()
    for n in range(1, 6):
        turn = list(islice(game.legal_turns(position), 4))[-1]
        text += f"{n}. {game.turn_text(position, turn)} [{n}.5 s]\n"
        position = game.after(position, turn)
    record = record_from_text(text)
    return as_text(record, 1), as_json(record, 1)


EXPORTS = {name: exports(name) for name in GAMES}


def test_a_game_written_by_hand():
    record = record_from_text(
        "game: Transet\nSouth: Anna\nnorth: Ben\n\nc1-c2\nNorth c5-c4\n 3. a1-a2 [7]\nResult: south wins (resigned)"
    )
    assert [turn.text for turn in record.turns] == ["c1-c2", "c5-c4", "a1-a2"]
    assert record.names == {"South": "Anna", "North": "Ben"}
    assert record.result == {"winner": "South", "result": "South wins", "why": "resigned"}
    assert [turn.took_s for turn in record.turns] == [None, None, 7.0]


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("", 1, 1, "game must be named"),
        ("c1-c2", 1, 1, "game must be named"),
        ("Game: chess", 1, 7, "chess"),
        ("Game: transet\nReferee: Anna", 2, 1, "`Referee:` is not known"),
        ("Game: transet\n\n1. c1-c2\n2. c5-c2", 4, 4, "TOO_FAR"),
        ("Game: transet\n1. c1-c2\n3. c5-c4", 3, 1, "turn 2 is expected"),
        ("Game: transet\n1. North c5-c4", 2, 10, "South's turn"),
        ("Game: transet\n1. c1-c9", 2, 7, ""),
        ("Game: transet\nBegun: yesterday", 2, 8, "a date"),
        ("Game: transet\n(lunch)", 2, 2, "`lunch` is not known"),
        ("Game: transet\n(paused", 2, 1, "never closed"),
        ("Game: transet\n1. c1-c2\nResult: a bad day", 3, 9, "a result is"),
        ("Game: transet\n1. c1-c2\nPosition: rbkbr/5/5/5/RBKBR S", 3, 11, "another position"),
        ("{", 1, 2, "no JSON"),
        ("[]", 1, 1, "one game"),
        ('{"game": "transet",\n "turns": 3}', 2, 11, "turns"),
    ],
)  # fmt: skip
def test_faults_name_line_and_column(text, line, column, said):
    with pytest.raises(PlaceError) as caught:
        read_game(text)
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_json_that_was_tampered_with_is_refused_where_it_was():
    told = json.loads(EXPORTS["transet"][1])
    told["turns"][3]["text"] = "a1-a5"
    text = json.dumps(told, indent=2)
    with pytest.raises(PlaceError) as caught:
        record_from_json(text)
    assert '"a1-a5"' in text.splitlines()[caught.value.line - 1][caught.value.column - 1 :]
    told = json.loads(EXPORTS["transet"][1])
    told["highest_n"] = 2
    with pytest.raises(PlaceError, match="highest_n"):
        record_from_json(json.dumps(told))
    with pytest.raises(JournalError, match="Infinity"):
        record_from_json('{"game": "transet", "begun_s": Infinity}')


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("name", GAMES)
def test_what_nothing_could_show_is_not_taken_in(name):
    """Half characters, lists in lists in lists, and results that are none: exports and pages rely on their absence."""
    whole = json.loads(EXPORTS[name][1])
    whole["result"] = {"winner": whole["turns"][0]["player"], "result": "over", "why": None, "score": [3, 1]}
    assert record_from_json(json.dumps(whole)).result == whole["result"]
    reason = {"code": "X", "sites": [], "rule": "", "why": "", "facts": {"sites": nested(300)}}
    deep = {"n": 1, "t_s": 1.0, "player": "South", "code": "X", "sites": [], "why": "", "reasons": [reason]}
    changes = [
        ("set", "\ud800"), ("begun_utc", "a\udfff"), ("options", {"\ud800": "x"}), ("illegal", [deep]),
        *(("result", {**whole["result"], "winner": winner}) for winner in ("Nobody", [], 1, "\ud800")),
        *(("result", {**whole["result"], "score": score}) for score in (True, "x", [1], [1, 2, 3], [1, None])),
        ("result", {**whole["result"], "why": ["x"]}), ("result", {"winner": None}), ("result", {}),
        ("more", nested(20)),
    ]  # fmt: skip
    for key, value in changes:
        with pytest.raises(PlaceError):
            record_from_json(json.dumps(whole | {key: value}))


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@x", "=cmd|' /C calc'!A1"])
def test_no_name_becomes_a_formula(start):
    record = record_from_text(f"Game: transet\nSouth: {start}\n\nc1-c2")
    assert f",'{start}" in as_csv(record, 1)
    assert as_csv(record, 1).splitlines()[1].split(",")[3] == "c1-c2"


@given(
    st.recursive(
        st.integers() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner)
    ),
    st.data(),
)
def test_every_value_is_found_by_its_path(value, data):
    text, path, inner = json.dumps(value, indent=data.draw(st.sampled_from([None, 2]))), [], value
    while isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
        path.append(data.draw(st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner)))))
        inner = inner[path[-1]]
    assert json.JSONDecoder().raw_decode(text, index_of(text, path))[0] == inner


@pytest.mark.parametrize("name", GAMES)
def test_every_legal_turn_is_read_as_it_was_written(name):
    """Also of two turns that lead to one board: a swap of like pawns up and down, or to both sides."""
    game = game_named(name)
    for seed in range(40):
        rng, position, text = random.Random(seed), game.start(), f"Game: {name}\n"
        written = []
        for _ in range(10):
            if game.outcome(position) is not None:
                break
            turn = rng.choice(list(islice(game.legal_turns(position), 30)))
            written.append(game.turn_text(position, turn))
            position = game.after(position, turn)
        record = record_from_text(text + "\n".join(written))
        assert [turn.text for turn in record.turns] == written
        assert record.turns[-1].position == game.position_text(position)
