"""What holds in every position of Taasen; the generator against a second one, made from the geometry of the sheet."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.rules.api import Placement, TextError
from controller.rules.judging import default_judge
from controller.rules.taasen import TAASEN as G
from controller.rules.taasen import Taasen, TaasenPosition

SITES = sorted(G.sites, key=int)
OTHER = {"Red": "Green", "Green": "Red"}


def game_of(seed: int, most: int = 1000, game: Taasen = G) -> list[TaasenPosition]:
    """The positions of one random game."""
    rng = random.Random(seed)
    positions = [game.start()]
    while len(positions) <= most and game.outcome(positions[-1]) is None:
        positions.append(game.after(positions[-1], rng.choice(list(game.legal_turns(positions[-1])))))
    return positions


def walk(seed: int, plies: int) -> TaasenPosition:
    """A position of a random game that is not over."""
    *before, last = game_of(seed, plies)
    return last if G.outcome(last) is None else before[-1]


positions = st.builds(walk, st.integers(0, 10**6), st.integers(0, 300))


# --- a second generator: triangles are sets of corner points, positions are dictionaries, turns are texts


def triangle(site: int) -> frozenset[tuple[int, int]]:
    row = int(site**0.5)
    k = site - row * row
    left = k // 2
    if k % 2:
        return frozenset({(row, left), (row, left + 1), (row + 1, left + 1)})
    return frozenset({(row, left), (row + 1, left), (row + 1, left + 1)})


NEIGHBOURS = {
    site: {other for other in range(16) if other != site and len(triangle(site) & triangle(other)) == 2}
    for site in range(16)
}
SHORES = NEIGHBOURS[6]
TOUCHES = {site: NEIGHBOURS[site] - {6} for site in range(16)}
STEPS = {site: TOUCHES[site] | (SHORES - {site} if site in SHORES else set()) for site in range(16)}
BEATS = {"T": "S", "S": "P", "P": "T"}


def turns_of(text: str, wide: bool, binds: bool) -> set[str]:
    """Every turn of a position that is not over, as text. `wide`: White presses White."""
    *placed, side, ban, pressed = text.split()
    at = {name: int(site) for name, site in (word.split("=") for word in placed)}
    victim, _, back = pressed.partition("<")
    found = set()
    for name, origin in at.items():
        if name[0] not in (side, "W") or name in ban.split("+"):
            continue
        for target in STEPS[origin] - set(at.values()):
            if name == victim and str(target) == back:
                continue
            move = f"{name}={target}"
            prey = [
                other
                for other, site in at.items()
                if site in TOUCHES[target]
                and BEATS[name[1]] == other[1]
                and other[0] != side
                and (other[0] != name[0] or (wide and name[0] == "W"))
            ]
            if not prey:
                found.add(move)
            for other in prey:
                now = {**at, name: target}
                ways = STEPS[at[other]] - set(now.values())
                if binds and other == victim:
                    ways -= {int(back)}
                found |= {f"{move}>{other}={way}" for way in ways} if ways else {f"{move}>{other}x"}
    return found


@pytest.mark.parametrize("options", [(False, False), (True, False), (True, True)])
def test_the_generator_agrees_with_one_made_from_geometry(options: tuple[bool, bool]) -> None:
    wide, binds = options
    game = G.with_options(
        {"white_presses_white": str(wide).lower(), "recursion_binds_escape": str(binds).lower()}
        | ({"white_ban_includes_escape": "true"} if binds else {})
    )
    compared = 0
    for seed in range(12):
        for position in game_of(seed, 400, game):
            if game.outcome(position) is None:
                texts = [game.turn_text(position, turn) for turn in game.legal_turns(position)]
                assert len(set(texts)) == len(texts)
                assert set(texts) == turns_of(game.position_text(position), wide, binds)
                compared += 1
    assert compared > 1500


def test_there_is_a_turn_wherever_the_game_is_not_over() -> None:
    whys = {"elimination": 0, "no_attack": 0, "stuck": 0}
    for seed in range(60):
        *before, last = game_of(seed)
        for position in before:
            assert G.outcome(position) is None
        outcome = G.outcome(last)
        if outcome is None:
            continue
        whys[outcome.why] += 1
        text = G.position_text(last)
        red, green, white = (
            {text[i + 1] for i in range(len(text) - 2) if text[i] == c and text[i + 2] == "="} for c in "RGW"
        )
        if outcome.why == "no_attack":  # [DERIVED] always one against one of the same type
            assert outcome.winner is None
            assert red == green
            assert len(red) == 1
            assert white <= red
        elif outcome.why == "elimination":
            assert outcome.winner == ("Red" if not green else "Green")
            assert G.to_move(last) == OTHER[outcome.winner]
        else:
            assert outcome.winner == OTHER[G.to_move(last) or ""]
            assert not turns_of(text, False, False)
    assert all(whys.values()), whys


def test_both_sides_are_never_stuck_at_once() -> None:
    """All pieces would stand where nothing but one barred site is in reach: three colours have no such room."""
    for barred in (None, *STEPS):
        free = set(STEPS) - {6, barred}
        while free:
            room, border = set(), {free.pop()}
            while border:
                site = border.pop()
                room.add(site)
                border |= STEPS[site] - room - {barred}
            free -= room
            assert len(room) == 1 or len(room) > 9
            assert len(room) > 1 or room < {0, 9, 15}  # room for one stack only


# --- what a camera sees


def without(placement: Placement, rng: random.Random, count: int) -> Placement:
    """Some pieces in a hand or beside the board."""
    on = {site: list(kinds) for site, kinds in placement.on.items()}
    off = []
    for _ in range(min(count, sum(map(len, on.values())))):
        site = rng.choice(sorted(on))
        kind = on[site].pop(rng.randrange(len(on[site])))
        if rng.random() < 0.5:
            off.append(kind)
        on = {s: kinds for s, kinds in on.items() if kinds}
    return Placement({s: tuple(kinds) for s, kinds in on.items()}, tuple(off))


def hide(placement: Placement, sites: frozenset[str]) -> Placement:
    return Placement({s: k for s, k in placement.on.items() if s not in sites}, placement.off, sites)


@settings(max_examples=150, deadline=None)
@given(positions, st.randoms(use_true_random=False), st.integers(0, 4))
def test_a_stage_with_any_pieces_missing_is_partial_or_complete(
    position: TaasenPosition, rng: random.Random, count: int
) -> None:
    turn = rng.choice(list(G.legal_turns(position)))
    boards = [*G.stages(position, turn), G.picture(G.after(position, turn)), G.picture(position)]
    for board in boards[:-1]:
        assert G.judge(position, board).answer in ("partial", "complete")
    for board in boards:
        seen = without(board, rng, count)
        verdict = G.judge(position, seen)
        assert verdict.answer in ("partial", "complete", "unchanged")
        assert G.judge(position, seen, position.mover).answer == verdict.answer
        assert G.judge(position._replace(mover=None), seen).answer in ("partial", "complete", "unchanged")


@settings(max_examples=300, deadline=None)
@given(
    positions,
    st.randoms(use_true_random=False),
    st.integers(0, 3),
    st.frozensets(st.sampled_from(SITES), max_size=9),
    st.sampled_from([None, "Red", "Green"]),
    st.booleans(),
)
def test_hiding_never_makes_illegal_what_was_not(
    position: TaasenPosition, rng: random.Random, changes: int, hidden: frozenset[str], done: str | None, known: bool
) -> None:
    turn = rng.choice(list(G.legal_turns(position)))
    base = rng.choice([G.picture(position), G.picture(G.after(position, turn)), *G.stages(position, turn)])
    on = {site: list(kinds) for site, kinds in base.on.items()}
    off = []
    for _ in range(changes):
        there = sorted(s for s in on if on[s])
        if not there:
            break
        kind = on[rng.choice(there)].pop()
        if rng.random() < 0.4:
            on.setdefault(rng.choice(SITES), []).append(kind)
        elif rng.random() < 0.5:
            off.append(kind)
    seen = Placement({s: tuple(k) for s, k in on.items() if k}, tuple(off))
    if not known:
        position = position._replace(mover=None)
    plain = G.judge(position, seen, done)
    covered = G.judge(position, hide(seen, hidden), done)
    if plain.answer != "illegal":
        assert covered.answer != "illegal"
    for verdict in (plain, covered):
        assert (verdict.answer == "illegal") == bool(verdict.reasons)
        assert bool(verdict.way_back) == (verdict.answer == "illegal")


@settings(max_examples=60, deadline=None)
@given(positions)
def test_positions_and_turns_round_trip(position: TaasenPosition) -> None:
    text = G.position_text(position)
    assert G.parse_position(text) == position
    assert G.parse_position(f"  {text.lower()} ") == position
    for turn in G.legal_turns(position):
        written = G.turn_text(position, turn)
        spaced = written.replace("=", " = ").replace(">", " > ")
        for spelling in (written, f" {written.upper()} ", written.lower(), spaced):
            assert G.parse_turn(position, spelling) == turn
        spoken = G.judge_turn(position, written)
        assert (spoken.legal, spoken.complete, spoken.position) == (True, True, G.after(position, turn))
        sites = {s for shift in G.turn_shifts(position, turn) for s in (shift.origin, shift.to) if s}
        assert sites == G.turn_sites(position, turn)
        half = G.judge_turn(position, written.partition(">")[0])
        assert half.legal
        assert half.complete == (">" not in written)
        assert bool(half.owed) == (">" in written)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="RGWTSPrgwtspx=<>?-+ 0123456789é", max_size=40))
def test_any_text_is_read_or_refused_with_its_column(text: str) -> None:
    for read in (G.parse_position, lambda words: G.judge_turn(G.start(), words)):
        column = 1
        try:
            read(text)
        except TextError as error:  # no other exception may leave here
            column = error.column
        assert 1 <= column <= len(text) + 1


@settings(max_examples=60, deadline=None)
@given(positions)
def test_occupancy_and_what_is_owed(position: TaasenPosition) -> None:
    mover = position.mover
    before = G.picture(position)
    for turn in G.legal_turns(position):
        after = G.picture(G.after(position, turn))
        assert "6" not in after.on
        for site, kinds in after.on.items():
            assert len(kinds) == 1 or (site in ("0", "9", "15") and len({G.owner(kind) for kind in kinds}) == 1)
            assert len(kinds) <= max(1, len(before.on.get(site, ())))  # a stack only shrinks
        gone = sum(map(len, before.on.values())) - sum(map(len, after.on.values()))
        assert gone in (0, 1)
        for end in (after, *G.stages(position, turn)):
            assert turn in list(G.legal_turns(position, end))
        shifts = G.turn_shifts(position, turn)
        for stage in G.stages(position, turn):
            verdict = G.judge(position, stage)
            owed = {one.piece: one for one in verdict.owed}
            one = owed[shifts[1].piece]
            assert one.at == shifts[1].origin
            if len(owed) == 2:
                assert all((each.player, each.act) == (mover, "choose") for each in verdict.owed)
                assert one.player == mover
            else:
                assert one.player == OTHER[mover or ""]
                assert one.act == ("remove" if gone else "reply")
                assert (shifts[1].to in one.to) == (not gone)


@settings(max_examples=60, deadline=None)
@given(positions, positions)
def test_the_default_judge_agrees(position: TaasenPosition, other: TaasenPosition) -> None:
    rng = random.Random(hash(position) % 1000)
    turn = rng.choice(list(G.legal_turns(position)))
    end = G.picture(G.after(position, turn))
    for seen in (*G.stages(position, turn), end, without(end, rng, 2)):
        assert default_judge(G, position, seen).answer == G.judge(position, seen).answer
    far = G.picture(other)
    if G.judge(position, far).answer != default_judge(G, position, far).answer:
        # the one thing that Taasen adds: the other side has gone on while a crushed piece still stands
        assert {one.act for one in G.judge(position, far).owed} <= {"remove", "choose", "reply"}
        assert default_judge(G, position, far).answer == "illegal"
        assert G.judge(position, far).answer == "partial"


@example(G.parse_position("RT=2 RS=5 RP=10 GT=13 GS=14 GP=8 WP=3 R - -"))  # RS=7 crushes WP or GP
@settings(max_examples=60, deadline=None)
@given(positions)
def test_a_crushed_piece_may_stand_while_the_other_side_goes_on(position: TaasenPosition) -> None:
    for turn in G.legal_turns(position):
        shifts = G.turn_shifts(position, turn)
        after = G.after(position, turn)
        if not (len(shifts) == 2 and shifts[1].to is None) or G.outcome(after) is not None:
            continue
        for following in G.legal_turns(after):
            end = G.picture(G.after(after, following))
            if shifts[0].piece in end.on.get(shifts[0].origin, ()):
                continue  # pressed back to where it came from: no trace is left
            whole = G.judge(position, end)  # two turns, not a stage; rarely another crush and a piece in a hand
            assert whole.answer == default_judge(G, position, end).answer or shifts[1].piece not in (
                one.piece for one in whole.owed
            )
            site = shifts[1].origin
            seen = Placement({**end.on, site: (*end.on.get(site, ()), shifts[1].piece)})
            verdict = G.judge(position, seen)
            assert verdict.answer in ("partial", "complete")
            if verdict.answer == "partial":
                # where the attack could have crushed another piece that stands, too, either is named
                either = {
                    more[1].piece
                    for more in (G.turn_shifts(position, other) for other in G.legal_turns(position))
                    if more[0] == shifts[0] and len(more) == 2 and more[1].to is None
                }
                assert any(one.piece in either for one in verdict.owed)
                assert G.judge(position, seen, after.mover).answer == "partial"


@pytest.mark.parametrize("seed", range(40))
def test_done_at_every_stage(seed: int) -> None:
    position = walk(seed, 5 * seed)
    mover = position.mover
    assert mover is not None
    for turn in G.legal_turns(position):
        for stage in G.stages(position, turn):
            owed = G.judge(position, stage).owed
            assert G.judge(position, stage, mover).answer == "partial"
            verdict = G.judge(position, stage, OTHER[mover])
            if [one.act for one in owed] == ["reply"]:
                assert [(r.code, r.sites) for r in verdict.reasons] == [("PUSH_PENDING", (owed[0].at,))]
                lifted = {s: tuple(k for k in kinds if k != owed[0].piece) for s, kinds in stage.on.items()}
                seen = Placement({s: k for s, k in lifted.items() if k})
                assert G.judge(position, seen, mover).answer == "partial"
                assert [r.code for r in G.judge(position, seen, OTHER[mover]).reasons] == ["NOT_CRUSHED"]
            else:
                assert verdict.answer == "partial"
