"""What the referee is given, as lines and back: nothing that decides is lost, and a changed line is never misread."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.referee.events import Command, Press, Tick
from controller.referee.reducer import initial
from controller.rules.registry import game_named
from controller.sightings.beginning import beginning_from, beginning_told
from controller.sightings.coding import Decoder, Encoder, kept
from controller.sightings.errors import SightingLogError
from vision.sighting import Platform, Sighting, Token

NAMES = st.sampled_from(["a1", "b2", "c3", "ünal", ""])
TIMES = st.floats(0, 1e6, allow_nan=False)
NATS = st.floats(-25, 0, allow_nan=False)
TOKENS = st.builds(
    Token,
    kind=NAMES,
    site=st.none() | NAMES,
    centre_mm=st.tuples(st.floats(-2000, 2000), st.floats(-2000, 2000)),
    likelihoods=st.dictionaries(NAMES, NATS, max_size=3),
    near=st.lists(NAMES, max_size=2).map(tuple),
)
SIGHTINGS = st.builds(
    Sighting,
    t_s=TIMES,
    frame=st.integers(-1, 10**9),
    game=st.none() | NAMES,
    set_name=st.none() | NAMES,
    tokens=st.lists(TOKENS, max_size=6).map(tuple),
    hidden=st.frozensets(NAMES),
    uncertain=st.frozensets(NAMES),
    platforms=st.none() | st.just({"north": Platform(None, 1.5, (None, "sky")), "south": None}),
    hand=st.booleans(),
    moving=st.booleans(),
    trouble=st.sampled_from([None, "hand", "glare", "lost"]),
    board_moved=st.booleans(),
    light=st.none() | st.floats(0, 1),
    glare=st.booleans(),
    ms=st.floats(0, 100),
)
INPUTS = st.one_of(
    SIGHTINGS,
    st.builds(Press, TIMES, st.none() | NAMES, st.sampled_from(["done", "yes", "resign"])),
    st.builds(Command, TIMES, NAMES, st.dictionaries(NAMES, NAMES, max_size=2)),
    st.builds(Tick, TIMES),
)


def mixed(inputs):
    """As at a table: what was seen before is often seen again, some of its tokens in another order."""
    told, last = [], None
    for index, one in enumerate(inputs):
        told.append(one)
        if isinstance(one, Sighting):
            if last is not None:
                told.append(
                    Sighting(one.t_s, index, one.game, tokens=(*reversed(last.tokens), *one.tokens), hidden=last.hidden)
                )
                told.append(Sighting(one.t_s, index, one.game, tokens=last.tokens, hidden=last.hidden))
            last = one
    return told


@settings(deadline=None, max_examples=50)
@given(st.lists(INPUTS, max_size=8).map(mixed), st.none() | st.text(max_size=5))
def test_inputs_come_back(inputs, fault):
    encoder, decoder = Encoder(), Decoder()
    for one in inputs:
        line = encoder.line(one, fault)
        assert "\n" not in line
        assert decoder.given(json.loads(line)) == (kept(one) if isinstance(one, Sighting) else one, fault)


@settings(deadline=None, max_examples=50)
@given(st.lists(INPUTS, min_size=1, max_size=4), st.data())
def test_a_line_that_was_changed_is_read_or_refused(inputs, data):
    encoder = Encoder()
    lines = [encoder.line(one) for one in inputs]
    index = data.draw(st.integers(0, len(lines) - 1))
    told = json.loads(lines[index])
    key = data.draw(st.sampled_from(sorted(told)))
    told[key] = data.draw(st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers(), max_size=3))
    decoder = Decoder()
    try:
        for line in lines[:index]:
            decoder.given(json.loads(line))
        found, _ = decoder.given(told)
    except SightingLogError:
        return
    assert isinstance(found, Sighting | Press | Command | Tick) or "fresh" in told


def test_a_still_table_costs_next_to_nothing():
    tokens = tuple(
        Token(f"kind-{n}", f"a{n}", (n + 0.123456, 7.0), {f"kind-{n}": 0.0, "else": -3.3}) for n in range(30)
    )
    encoder = Encoder()
    whole = encoder.line(Sighting(0.0, 0, "transet", "set", tokens=tokens, hidden=frozenset({"b1"})))
    same = encoder.line(Sighting(0.1, 1, "transet", "set", tokens=tuple(tokens), hidden=frozenset({"b1"}), light=0.4))
    assert len(whole) > 2000
    assert same == '{"t":0.1,"f":1}'


def test_what_people_typed_is_left_out():
    encoder = Encoder()
    named = Command(1.0, "name_players", {"South": "Anna", "North": "Ben"})
    told = Command(2.0, "take_back", {"reason": "Anna was right", "to": "3"})
    assert Decoder().given(json.loads(encoder.line(named)))[0] == Command(
        1.0, "name_players", {"South": "", "North": ""}
    )
    assert Decoder().given(json.loads(encoder.line(told)))[0] == Command(2.0, "take_back", {"reason": "", "to": "3"})
    state = replace(initial(game_named("transet"), set_name="transet"), names=(("South", "Anna"),), named=1)
    assert "Anna" not in json.dumps(beginning_told(state))
    assert beginning_from(beginning_told(state)).warning is None
