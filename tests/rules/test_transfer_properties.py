"""What holds in every position of Transfer, and the law's numbers."""

import random
from collections.abc import Callable, Iterator
from itertools import islice, product

import pytest
from census import census
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules.api import Placement, TextError
from controller.rules.perft import perft
from controller.rules.transfer import TRANSFER as G
from controller.rules.transfer import TransferPosition, TransferTurn
from controller.rules.transfer.board import CAPACITY, KIND_OF, OTHER, Stroke, complete
from controller.rules.transfer.generator import number, turns
from controller.rules.transfer.strokes import DEFAULT, Law, Stage, ended, faults, finishable, groups, moved, steps, view

LATE = "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb"
SMALL = "ooooo/sssss/gggg/yyyy/bbbbb/vvvvv/ppppp/gy/-"
MIDDLE = "ooooo/sssss/ggggg/yyyy/bbbb/vvvv/pppp/yb/vp"
OPTIONS = [
    {"adjacency": "cells"},
    {"platform": "free"},
    {"push_test": "piece"},
    {"overpush": "true"},
    {"adjacency": "cells", "platform": "free", "push_test": "piece", "overpush": "true"},
]


def random_start(rng: random.Random) -> TransferPosition:
    """Some set-up: the pieces in any order into rows with room, never beside their own colour."""
    while True:
        pool = [letter for letter in KIND_OF for _ in range(5)]
        rng.shuffle(pool)
        rows = [""] * 9
        for letter in pool:
            fit = [i for i, row in enumerate(rows) if len(row) < 5 and not row.endswith(letter)]
            if not fit:
                break
            rows[rng.choice(fit)] += letter
        if sum(map(len, rows)) == 35:
            return TransferPosition(tuple(rows), rng.choice(G.players))


def random_turn(position: TransferPosition, rng: random.Random, law: Law = DEFAULT) -> TransferTurn | None:
    """Random legal strokes, those that join groups preferred; None where the side to move has none."""
    assert position.mover is not None
    rows = view(law, position.rows, position.mover)
    if next(turns(law, rows, True), None) is None:
        return None
    while True:
        stage, loads = Stage(rows), rng.randint(1, CAPACITY)
        strokes: list[Stroke] = []
        while not ended(stage):
            ways = [*steps(law, stage)]
            ways = [way for way in ways if way[0].act != "L" or len(strokes) < loads]
            if not ways:
                break
            if rng.random() < 0.7:
                fewest = min(sum(1 for row in after.rows for _ in groups(row)) for _, after in ways)
                ways = [way for way in ways if sum(1 for row in way[1].rows for _ in groups(row)) == fewest]
            stroke, stage = rng.choice(ways)
            strokes.append(stroke)
        if ended(stage):
            return TransferTurn(position.mover, tuple(strokes))


def game(seed: int, most: int = 400) -> Iterator[tuple[TransferPosition, TransferTurn]]:
    """The positions and turns of a random game."""
    rng = random.Random(seed)
    position = random_start(rng)
    while G.outcome(position) is None and most:
        turn = random_turn(position, rng) or G.forced_pass(position)
        assert turn is not None
        yield position, turn
        position = G.after(position, turn)
        most -= 1


def somewhere(seed: int, plies: int) -> TransferPosition:
    """A position of a random game that is not over."""
    played = list(islice(game(seed), plies + 1))
    return played[-1][0]


positions = st.builds(somewhere, st.integers(0, 10**6), st.integers(0, 40))


def count(rows: tuple[str, ...]) -> int:
    return sum(1 for row in rows for _ in groups(row))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_a_random_game_ends_with_seven_points(seed: int) -> None:
    position = None
    for before, turn in game(seed):
        after = G.after(before, turn)
        assert sorted("".join(after.rows)) == sorted("".join(before.rows))
        assert all(len(row) <= 5 for row in after.rows)
        assert count(after.rows) <= count(before.rows)  # groups merge and never split
        for was, now in zip(before.rows, after.rows, strict=True):
            assert not complete(was) or now == was
        *_, last = [G.picture(before), *G.stages(before, turn), G.picture(after)]
        assert not {"south.1", "north.1"} & last.on.keys()
        assert before.score is not None
        assert after.score is not None
        assert sum(after.score) == sum(map(complete, after.rows))
        assert turn.strokes or after.rows == before.rows
        assert G.judge_turn(before, G.turn_text(before, turn)).legal
        position = after
    assert position is not None
    outcome = G.outcome(position)
    assert outcome is not None
    assert outcome.score is not None
    assert sum(outcome.score) == 7
    assert outcome.winner == ("South" if outcome.score[0] > 3 else "North")


@settings(max_examples=40, deadline=None)
@given(positions, st.randoms(use_true_random=False))
def test_whole_groups_travel_and_texts_come_back(position: TransferPosition, rng: random.Random) -> None:
    turn = random_turn(position, rng)
    if turn is None:
        return
    stages = [view(DEFAULT, position.rows, turn.player)]
    stage = Stage(stages[0])
    for stroke in turn.strokes:
        after = moved(DEFAULT, stage, stroke)
        lines = (*after.rows, after.own, after.other)
        # no colour lies in more groups than before: nothing was divided
        for letter in KIND_OF:
            was = sum(line[b] == letter for line in (*stage.rows, stage.own, stage.other) for b, _ in groups(line))
            assert sum(line[b] == letter for line in lines for b, _ in groups(line)) <= was
        assert max(len(after.own), len(after.other)) <= CAPACITY
        stage = after
    text = G.turn_text(position, turn)
    assert G.parse_turn(position, text) == turn
    assert G.turn_text(position, G.parse_turn(position, text.lower().replace(" ", ", "))) == text
    bare = "".join(word.split("^")[0].rstrip("*") for word in text.split())
    assert G.parse_turn(position, bare) == turn
    for written in (position, position._replace(mover=None), position._replace(score=None)):
        assert G.parse_position(G.position_text(written)) == written
    unknown = position._replace(mover=None)
    assert G.parse_turn(unknown, G.turn_text(unknown, turn)) == turn
    assert G.after(unknown, turn) == G.after(position, turn)


@settings(max_examples=40, deadline=None)
@given(positions, st.randoms(use_true_random=False))
def test_shifts_lead_from_one_picture_to_the_other(position: TransferPosition, rng: random.Random) -> None:
    turn = random_turn(position, rng)
    if turn is None:
        return
    before, after = G.picture(position), G.picture(G.after(position, turn))
    shifts = G.turn_shifts(position, turn)
    assert len(shifts) <= G.turn_size
    for shift in shifts:
        assert before.on[str(shift.origin)] == (shift.piece,) == after.on[str(shift.to)]
    lanes = {lane: [0] * 7 for lane in "ABCDEFGHI"}
    for change, on in ((-1, before.on), (1, after.on)):
        for site, kinds in on.items():
            lanes[site[0]][list(KIND_OF.values()).index(kinds[0])] += change
    for shift in shifts:
        index = list(KIND_OF.values()).index(shift.piece)
        lanes[str(shift.origin)[0]][index] += 1
        lanes[str(shift.to)[0]][index] -= 1
    assert not any(any(line) for line in lanes.values())
    changed = {site for site in G.sites if before.on.get(site) != after.on.get(site)}
    assert changed <= G.turn_sites(position, turn)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 35), st.booleans())
def test_the_nearest_start_can_be_reached(seed: int, disturbed: int, lost: bool) -> None:
    rng = random.Random(seed)
    start = random_start(rng)._replace(mover=None)
    on = {site: list(kinds) for site, kinds in G.picture(start).on.items()}
    assert G.setup(G.picture(start)).position == start
    for _ in range(disturbed):
        kind = on[rng.choice([site for site in sorted(on) if on[site]])].pop()
        if not lost or rng.random() < 0.5:
            on.setdefault(rng.choice(sorted(G.sites)), []).append(kind)
        if not any(on.values()):
            break
    seen = G.normal(Placement({site: tuple(kinds) for site, kinds in on.items() if kinds}))
    found = G.setup(seen)
    assert G.setup(G.picture(found.nearest)).position == found.nearest
    assert (found.position is None) == bool(found.wrong)
    assert found.right == 35 - sum(shift.to is not None for shift in found.wrong)
    lanes: dict[str, list[str]] = {lane: [] for lane in ("south", "north", *"ABCDEFGHI")}
    for site, kinds in seen.on.items():
        lanes[G.lane(site)] += kinds
    for shift in found.wrong:
        if shift.origin is not None:
            lanes[G.lane(shift.origin)].remove(shift.piece)
        if shift.to is not None:
            lanes[G.lane(shift.to)].append(shift.piece)
    wanted = {lane: sorted(KIND_OF[c] for c in row) for lane, row in zip("ABCDEFGHI", found.nearest.rows, strict=True)}
    assert {lane: sorted(kinds) for lane, kinds in lanes.items()} == {**wanted, "south": [], "north": []}


def refusal(read: Callable[[str], object], text: str) -> int | None:
    """The column where reading stopped, None where it didn't."""
    try:
        read(text)
    except TextError as error:
        return error.column
    return None


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="LUOABCI123^*@ -,;:SN[osg]x?/", max_size=24))
def test_any_text_is_judged_or_refused_with_a_column(said: str) -> None:
    for read in (lambda text: G.judge_turn(G.start(), text), G.parse_position):
        column = refusal(read, said)
        assert column is None or 1 <= column <= len(said) + 1


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        (f"{LATE} S", (1, 16, 125, 854)),
        (f"{LATE} N", (1, 1, 16, 125, 854)),
        (f"{SMALL} S", (1, 14, 97)),
        (f"{SMALL} N", (1, 14, 97)),
        (f"{MIDDLE} S", (1, 318, 51108)),
        (f"{MIDDLE} N", (1, 318)),
    ],
)
def test_perft(text: str, nodes: tuple[int, ...]) -> None:
    position = G.parse_position(text)
    assert tuple(perft(G, position, depth) for depth in range(len(nodes))) == nodes


def sequences(position: TransferPosition, depth: int) -> int:
    """Lines of whole sequences of strokes, as the law counts them; a pass is one."""
    if depth == 0:
        return 1
    if G.outcome(position) is not None:
        return 0
    mover = position.mover
    assert mover is not None
    found = census(DEFAULT, view(DEFAULT, position.rows, mover)).results
    if not found:
        return sequences(G.after(position, TransferTurn(mover, ())), depth - 1)
    ends_ = (TransferPosition(view(DEFAULT, rows, mover), OTHER[mover], None) for rows in found)
    return sum(n * sequences(end, depth - 1) for end, n in zip(ends_, found.values(), strict=True))


@pytest.mark.parametrize(
    ("text", "counts"),
    [(f"{LATE} S", (38, 420, 5536)), (f"{LATE} N", (1, 38, 420)), (f"{SMALL} S", (20, 266)), (f"{MIDDLE} N", (1216,))],
)
def test_sequences_as_the_law_counts_them(text: str, counts: tuple[int, ...]) -> None:
    position = G.parse_position(text)
    assert tuple(sequences(position, depth) for depth in range(1, len(counts) + 1)) == counts


def test_the_larger_benchmark_counts_too() -> None:
    rows = G.parse_position("oooos/sssg/gggy/yyyb/bbbv/vvvp/pppo/gybv/spo S").rows  # an o too many, as the law has it
    found = census(DEFAULT, rows)
    assert (len(found.results), sum(found.results.values())) == (14507, 35699)
    assert sum(1 for _ in turns(DEFAULT, view(DEFAULT, rows, "North"), True)) == 70634


def ends(law: Law, rows: tuple[str, ...], null_turn: bool = True) -> list[tuple[str, ...]]:
    """The rows after each turn that the generator gives; every stroke is checked by the book."""
    found = []
    for strokes in turns(law, rows, null_turn):
        stage = Stage(rows)
        for stroke in strokes:
            assert not faults(law, stage, stroke)
            stage = moved(law, stage, stroke)
        assert ended(stage)
        found.append(stage.rows)
    return found


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_the_generator_gives_each_result_once(seed: int, before_the_end: int) -> None:
    position, turn = [*game(seed)][-before_the_end]
    rows = view(DEFAULT, position.rows, turn.player)
    book = {stage.rows for strokes, stage in ends_by_the_book(DEFAULT, rows)}
    found = ends(DEFAULT, rows)
    assert len(found) == len(set(found))
    assert set(found) == book
    assert set(ends(DEFAULT, rows, null_turn=False)) == book - {rows}


def ends_by_the_book(law: Law, rows: tuple[str, ...]) -> Iterator[tuple[Stroke, Stage]]:
    """The last stroke and the end of every turn, stage by stage."""
    for stage in census(law, rows).stages:
        for stroke, after in steps(law, stage):
            if ended(after):
                yield stroke, after


@pytest.mark.parametrize("chosen", OPTIONS, ids=lambda c: "+".join(c))
def test_the_generator_under_options(chosen: dict[str, str]) -> None:
    game_ = G.with_options(chosen)
    text = SMALL if len(chosen) > 1 else MIDDLE
    for player in G.players:
        rows = view(game_.law, game_.parse_position(f"{text} S").rows, player)
        found = ends(game_.law, rows)
        assert len(found) == len(set(found))
        assert set(found) == census(game_.law, rows).results.keys()


@pytest.mark.parametrize("chosen", OPTIONS, ids=lambda c: "+".join(c))
def test_texts_come_back_under_options(chosen: dict[str, str]) -> None:
    game_ = G.with_options(chosen)
    rng = random.Random(5)
    texts = set()
    for seed in range(40):
        position = somewhere(seed, seed % 30)
        if chosen.get("adjacency") == "cells":  # gaps anywhere: the rows move to the far end in part
            gapped = ((row[:2] + "." * (5 - len(row)) + row[2:]).rstrip(".") for row in position.rows)
            position = position._replace(rows=tuple(gapped))
        turn = random_turn(position, rng, game_.law)
        if turn is not None:
            text = game_.turn_text(position, turn)
            assert game_.parse_turn(position, text) == turn
            assert len([*game_.stages(position, turn)]) == len(turn.strokes) - 1
            after = game_.after(position, turn)
            assert game_.parse_position(game_.position_text(after)) == after
            assert sorted("".join(after.rows).replace(".", "")) == sorted("".join(position.rows).replace(".", ""))
            texts.add(text)
    assert any("@" in text for text in texts) == ("platform" in chosen)


def test_dead_ends_are_triples_of_one_colour() -> None:
    rows = G.parse_position("sgooo/ybvp/sgyb/vpsg/ybvp/sgyb/vpso/ybv/pog S").rows
    stage = Stage(rows)
    for stroke in (Stroke("L", 1, 1), Stroke("L", 2, 1), Stroke("L", 3, 1)):
        stage = moved(DEFAULT, stage, stroke)
        assert finishable(DEFAULT, stage)
    assert not finishable(DEFAULT, moved(DEFAULT, stage, Stroke("U", 0, 3)))
    own = Stage(G.parse_position("oobgg/obssv/vyy/sbb/yvv/vssb/yppo/oppy/pggg S").rows)
    for stroke, can in ((Stroke("L", 0, 2), True), (Stroke("L", 1, 1), False)):
        own = moved(DEFAULT, own, stroke)
        assert finishable(DEFAULT, own) is can


def test_rows_have_numbers_of_their_own() -> None:
    rows = {"".join(letters) for size in range(6) for letters in product("osp", repeat=size)}
    assert len({number(row) for row in rows}) == len(rows)
