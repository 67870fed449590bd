"""Goal-directed matching of Transfer against the plain engine: the same stages, results and numbers of sequences."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from census import Census, census
from transfer_play import Rows, late, moved_about, played, random_rows, rows_of, walk

from controller.rules.transfer import TRANSFER
from controller.rules.transfer.board import CAPACITY, SOUTH, Stroke, TransferPosition, TransferTurn
from controller.rules.transfer.finishing import can_end, can_end_by_trying, open_rows
from controller.rules.transfer.matching import Board, Work, matches, solve
from controller.rules.transfer.picture import stage_picture
from controller.rules.transfer.rowways import Allowed
from controller.rules.transfer.seeking import Plain, joined, named, seeker
from controller.rules.transfer.strokes import DEFAULT, Law, Stage, ended, enough, faults, finishable, moved, steps

LATE = rows_of("-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb")
SMALL = rows_of("ooooo/sssss/gggg/yyyy/bbbbb/vvvvv/ppppp/gy/-")
MIDDLE = rows_of("ooooo/sssss/ggggg/yyyy/bbbb/vvvv/pppp/yb/vpv")
STUCK = rows_of("sgooo/ybvp/sgyb/vpsg/ybvp/sgyb/vpso/ybv/pog")  # ooo may land on the other platform and fit nowhere
STUCK_OWN = rows_of("oobgg/obssv/vyy/sbb/yvv/vssb/yppo/oppy/pggg")  # ooo may be loaded and fit nowhere
STRICT = Allowed()


def counted(found: Census) -> dict[Board, int]:
    """In how many ways each stage and each result is reached."""
    boards: Counter[Board] = Counter()
    for stage, ways in found.stages.items():
        boards[Board(*stage[:3])] += ways
    for rows, ways in found.results.items():
        boards[Board(rows)] += ways
    return boards


def queries(rng: random.Random, boards: Mapping[Board, int], count: int) -> Iterator[Board]:
    """Some of the boards, and boards beside them."""
    every = list(boards)
    for board in rng.sample(every, min(count, len(every))):
        yield board
        yield moved_about(rng, board, rng.choice((1, 1, 2)))


def test_every_stage_and_result_is_found_as_often_as_strokes_lead_there() -> None:
    rng = random.Random(1)
    asked: Counter[bool] = Counter()
    for rows in [LATE, SMALL, MIDDLE, *late(rng, 40, 4_000)]:
        boards = counted(census(DEFAULT, rows))
        del boards[Board(rows)]
        boards[Board(rows)] = census(DEFAULT, rows).results.get(rows, 0)
        for board in queries(rng, boards, 150):
            found = [match.strokes for match in matches(rows, board, STRICT)]
            assert len(found) == len(set(found)) == boards.get(board, 0), (rows, board)
            asked[bool(found)] += 1
    assert min(asked.values()) > 3_000


def test_boards_of_any_stage_of_a_game_are_found_and_their_strokes_lead_there() -> None:
    rng = random.Random(2)
    for rows in [rows for _ in range(6) for rows in played(rng)[::5]]:
        for stage in [stage for _ in range(6) for stage in walk(rng, rows)]:
            board = Board(*stage[:3])
            strokes = named(seeker(DEFAULT, Work()), rows, board)
            assert strokes is not None, (rows, board)
            here = Stage(rows)
            for stroke in strokes:
                assert not faults(DEFAULT, here, stroke), (rows, board, strokes)
                here = moved(DEFAULT, here, stroke)
            assert here[:3] == stage[:3]


def crowded(rng: random.Random) -> Stage:
    """Three pieces on a platform, often of one colour, and rows into which they hardly go."""
    sizes = [3] * 9
    sizes[rng.randrange(9)] = rng.choice((2, 3))
    while sum(sizes) < 32:
        n = rng.choice([n for n in range(9) if sizes[n] < 5])
        sizes[n] += 1
    rows = []
    for size in sizes:
        row = "".join(rng.sample("osgybvp", size))
        if size > 2 and rng.random() < 0.95:  # a push of three splits the second and third piece
            row = row[:2] + row[1] + row[3:]
        rows.append(row)
    pieces = rng.choice(("ooo", "ooo", "oos", "ogs"))
    own = pieces[: rng.choice((0, 3, 3, 3))]
    return Stage(tuple(rows), own, "" if own else pieces, "U" if own else "O")


def test_whether_a_turn_can_be_ended_is_what_trying_every_stroke_says() -> None:
    rng = random.Random(3)
    dead: Counter[tuple[bool, bool]] = Counter()
    stages = [crowded(rng) for _ in range(400)]
    for rows in [STUCK, STUCK_OWN, *(random_rows(rng) for _ in range(60))]:
        stages += [stage for _ in range(3) for stage in walk(rng, rows) if not ended(stage)]
    for stage in stages:
        board = Board(*stage[:3])
        ends = finishable(DEFAULT, stage)
        assert can_end(board, STRICT) == can_end_by_trying(board, STRICT) == ends, stage
        ways = {
            stroke.row
            for stroke, after in steps(DEFAULT, stage._replace(last="U" if stage.own else "O"))
            if ended(after) or finishable(DEFAULT, after)
        }
        assert {*open_rows(board, STRICT)} == ways, stage
        dead[ends, bool(stage.own)] += 1
    assert dead[False, True] > 20
    assert dead[False, False] > 20


OPTIONS = [
    Law(piecewise=True),
    Law(free=True),
    Law(free=True, piecewise=True),
    Law(cells=True),
    Law(overpush=True),
    Law(True, True, True, True),
]


@pytest.mark.parametrize("law", OPTIONS, ids=str)
def test_with_options_the_same_boards_are_found(law: Law) -> None:
    rng = random.Random(4)
    seek = seeker(law, Work())
    slow = isinstance(seek, Plain)
    asked: Counter[bool] = Counter()
    for rows in [LATE, SMALL, *late(rng, 4 if slow else 12, 300 if slow else 2_000, law)]:
        found = census(law, rows)
        boards = counted(found)
        boards[Board(rows)] = found.results.get(rows, 0)
        for board in queries(rng, boards, 15 if slow else 80):
            ways = list(seek.every(rows, board))
            assert bool(ways) == bool(boards.get(board)), (rows, board)
            if not slow:
                assert len(ways) == len(set(ways)) == boards.get(board, 0), (rows, board)
            asked[bool(ways)] += 1
        for stage in rng.sample(list(found.stages), min(15, len(found.stages))):
            if stage.own or stage.other:
                board = Board(*stage[:3])
                assert seek.can_end(board, None, stage.last == "L") == finishable(law, stage), (rows, stage)
    assert min(asked.values()) > 20


def broken(rows: Rows, code: str, capacity: int = CAPACITY, over: bool = False) -> dict[Board, None]:
    """Every board that strokes reach which break this one rule or none."""
    seen: set[Stage] = set()
    todo = [Stage(rows)]
    found: dict[Board, None] = {}
    while todo:
        stage = todo.pop()
        for stroke in candidates(stage, capacity, over):
            if enough(stage, stroke) and not {*faults(DEFAULT, stage, stroke)} - {code}:
                after = moved(DEFAULT, stage, stroke)
                if len(after.other) > CAPACITY:
                    continue
                found[Board(*after[:3])] = None
                if after not in seen and not ended(after):
                    seen.add(after)
                    todo.append(after)
    return found


def candidates(stage: Stage, capacity: int, over: bool) -> Iterator[Stroke]:
    """Strokes of any size; `over`: pushes that go up to three pieces too far, too."""
    for row in range(9):
        if stage.last == "L":
            yield from (Stroke("L", row, size) for size in range(1, capacity - len(stage.own) + 1))
        if stage.own:
            sizes = range(1, len(stage.own) + 1)
            yield from (Stroke("U", row, size, 1, far) for size in sizes for far in range(4 if over else 1))
        elif stage.other:
            yield from (Stroke("O", row, size) for size in range(1, len(stage.other) + 1))


RELAXED = [
    ("GROUP_SPLIT_LOAD", {"split_load": True, "piecewise": True}, CAPACITY),
    ("GROUP_SPLIT_PLATFORM", {"split_platform": True}, CAPACITY),
    ("GROUP_SPLIT_PUSH", {"split_push": True}, CAPACITY),
    ("OVER_CAPACITY", {}, CAPACITY + 1),
]


@pytest.mark.parametrize(("code", "switches", "capacity"), RELAXED, ids=[code for code, _, _ in RELAXED])
def test_a_rule_switched_off_explains_what_strokes_that_break_it_reach(
    code: str, switches: dict[str, bool], capacity: int
) -> None:
    rng = random.Random(5)
    allowed = Allowed(capacity)._replace(**switches)
    hits = 0
    for rows in [SMALL, LATE, *late(rng, 1 if "piecewise" in switches else 3, 50)]:
        boards = broken(rows, code, capacity)
        for board in queries(rng, dict.fromkeys(boards, 1), 150):
            if board == Board(rows):
                continue
            match = solve(rows, board, allowed, separators=capacity)
            assert (match is not None) == (board in boards), (rows, board)
            hits += match is not None and solve(rows, board, STRICT) is None
    assert hits > 50


def test_pushing_too_far_explains_only_what_strokes_that_push_too_far_reach() -> None:
    rng = random.Random(10)
    hits: Counter[bool] = Counter()
    for rows in [SMALL, LATE, *late(rng, 2, 60)]:
        boards = broken(rows, "OVERPUSH", over=True)
        for board in queries(rng, dict.fromkeys(boards, 1), 250):
            if board != Board(rows) and solve(rows, board, STRICT) is None:
                match = solve(rows, board, Allowed(overpush=True))
                assert match is None or board in boards, (rows, board)
                if board in boards:
                    hits[match is not None] += 1
    assert hits[True] > 2 * hits[False] > 0  # not found: what was pushed in fell out again


def test_any_order_explains_whatever_free_platforms_allow() -> None:
    rng = random.Random(9)
    hits = 0
    for rows in [random_rows(rng) for _ in range(150)]:
        for stage in walk(rng, rows, Law(free=True)):
            board = Board(*stage[:3])
            if board != Board(rows):
                assert solve(rows, board, Allowed(any_order=True)) is not None
                hits += solve(rows, board, STRICT) is None
    assert hits > 3  # nearly always a parked piece explains the same board


def ways_on(rows: Rows) -> dict[Board, set[Rows]]:
    """For every stage and result, the results of the turns that end or pass there."""
    ends: dict[Stage, set[Rows]] = {}

    def results(stage: Stage) -> set[Rows]:
        if stage not in ends:
            ends[stage] = {stage.rows} if ended(stage) else set()
            if not ended(stage):
                for _, after in steps(DEFAULT, stage):
                    ends[stage] |= results(after)
        return ends[stage]

    results(Stage(rows))
    found: dict[Board, set[Rows]] = {}
    for stage, there in ends.items():
        if stage != Stage(rows):
            found.setdefault(Board(*stage[:3]), set()).update(there)
    return found


def towards(position: TransferPosition, stage: Board, gone: str = "") -> set[Rows]:
    """The results of the turns named towards a board, each turn legal."""
    picture = stage_picture(DEFAULT, Stage(*stage), SOUTH)
    if gone:
        on = {site: kinds for site, kinds in picture.on.items() if site != gone}
        picture = type(picture)(on)
    found = []
    for turn in TRANSFER.legal_turns(position, towards=picture):
        assert TRANSFER.judge_turn(position, TRANSFER.turn_text(position, turn)).legal
        found.append(TRANSFER.after(position, turn).rows)
    assert len(found) == len(set(found))
    return set(found)


def test_turns_towards_a_board_are_those_that_end_or_pass_there() -> None:
    rng = random.Random(6)
    for rows in [SMALL, LATE, *late(rng, 8, 300)]:
        position = TransferPosition(rows, SOUTH)
        if TRANSFER.outcome(position) is not None:
            continue
        there = ways_on(rows)
        for board in queries(rng, dict.fromkeys(there, 1), 25):
            assert towards(position, board) == there.get(board, set()), (rows, board)


def test_turns_towards_a_board_with_a_piece_missing() -> None:
    rng = random.Random(7)
    for rows in [SMALL, *late(rng, 2, 60)]:
        position = TransferPosition(rows, SOUTH)
        there = ways_on(rows)
        for board in rng.sample(list(there), min(6, len(there))):
            picture = stage_picture(DEFAULT, Stage(*board), SOUTH)
            gone = rng.choice(sorted(picture.on))
            wanted = {result for other, results in there.items() if fits(board, other, gone) for result in results}
            assert towards(position, board, gone) == wanted, (rows, board, gone)


def fits(board: Board, other: Board, gone: str) -> bool:
    """Whether the other board shows the same when one more piece, of the colour that is gone, is put in somewhere."""
    lanes, others = [*board.rows, board.own, board.other], [*other.rows, other.own, other.other]
    lane = "ABCDEFGHI".find(gone[0])
    lane = lane if lane >= 0 else (9 if gone.startswith("south") else 10)
    at = int(gone[-1]) - 1
    letter = lanes[lane][at]
    lanes[lane] = lanes[lane][:at] + lanes[lane][at + 1 :]
    differ = [n for n in range(11) if lanes[n] != others[n]]
    if len(differ) != 1:
        return False
    one, two = lanes[differ[0]], others[differ[0]]
    return any(one[:i] + letter + one[i:] == two for i in range(len(one) + 1))


def test_a_turn_is_told_by_the_strokes_that_were_seen() -> None:
    rng = random.Random(8)
    told = 0
    for rows in [random_rows(rng) for _ in range(60)]:
        position = TransferPosition(rows, SOUTH)
        path = walk(rng, rows)
        if not ended(path[-1]):
            continue
        plain = TRANSFER.judge(position, stage_picture(DEFAULT, path[-1], SOUTH), SOUTH).turns[0]
        pictures = [stage_picture(DEFAULT, stage, SOUTH) for stage in path[:-1]]
        again = TRANSFER.retell(position, plain, pictures)
        assert isinstance(again, TransferTurn)
        assert TRANSFER.after(position, again) == TRANSFER.after(position, plain)
        stages = list(TRANSFER.stages(position, again))
        assert all(picture in stages for picture in pictures), (rows, path)
        assert TRANSFER.retell(position, plain, []) == plain
        told += again != plain
    assert told > 10


def test_loads_from_one_row_are_one_stroke() -> None:
    one, two = Stroke("L", 0, 1), Stroke("L", 0, 2)
    assert joined((one, two, Stroke("U", 0, 1), Stroke("U", 0, 2))) == (
        Stroke("L", 0, 3),
        Stroke("U", 0, 1),
        Stroke("U", 0, 2),
    )
    assert joined((one, two), frozenset({0})) == (one, two)
