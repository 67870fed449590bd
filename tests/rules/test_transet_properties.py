"""What holds in every position of Transet."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules.api import Placement, TextError
from controller.rules.judging import default_judge
from controller.rules.transet import TRANSET as G
from controller.rules.transet import TransetPosition

SITES = sorted(G.sites)


def walk(seed: int, plies: int) -> TransetPosition:
    """A position of a random game that is not over."""
    rng = random.Random(seed)
    position = G.start()
    for _ in range(plies):
        after = G.after(position, rng.choice(list(G.legal_turns(position))))
        if G.outcome(after):
            break
        position = after
    return position


positions = st.builds(walk, st.integers(0, 10**6), st.integers(0, 40))


def without(placement: Placement, rng: random.Random, count: int) -> Placement:
    """Some pieces in a hand or beside the board."""
    on = {site: list(kinds) for site, kinds in placement.on.items()}
    off = []
    for _ in range(count):
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
    position: TransetPosition, rng: random.Random, count: int
) -> None:
    turn = rng.choice(list(G.legal_turns(position)))
    boards = [*G.stages(position, turn), G.picture(G.after(position, turn)), G.picture(position)]
    for board in boards[:-1]:
        assert G.judge(position, board).answer in ("partial", "complete")
    for board in boards:
        seen = without(board, rng, count)
        verdict = G.judge(position, seen)
        assert verdict.answer in ("partial", "complete", "unchanged")
        assert G.judge(position, seen, "North" if position.mover == "South" else "South").answer == verdict.answer
        assert G.judge(position._replace(mover=None), seen).answer in ("partial", "complete", "unchanged")


@settings(max_examples=300, deadline=None)
@given(
    positions,
    st.randoms(use_true_random=False),
    st.integers(0, 3),
    st.frozensets(st.sampled_from(SITES), max_size=12),
    st.sampled_from([None, "South", "North"]),
)
def test_hiding_never_makes_illegal_what_was_not(
    position: TransetPosition, rng: random.Random, changes: int, hidden: frozenset[str], done: str | None
) -> None:
    turns = list(G.legal_turns(position))
    turn = rng.choice(turns)
    base = rng.choice([G.picture(position), G.picture(G.after(position, turn)), *G.stages(position, turn)])
    on = {site: list(kinds) for site, kinds in base.on.items()}
    off = []
    for _ in range(changes):
        site = rng.choice(sorted(s for s in on if on[s]))
        kind = on[site].pop()
        if rng.random() < 0.4:
            on.setdefault(rng.choice(SITES), []).append(kind)
        elif rng.random() < 0.5:
            off.append(kind)
    seen = Placement({s: tuple(k) for s, k in on.items() if k}, tuple(off))
    plain = G.judge(position, seen, done)
    covered = G.judge(position, hide(seen, hidden), done)
    if plain.answer != "illegal":
        assert covered.answer != "illegal"
    assert (plain.answer == "illegal") == bool(plain.reasons)
    assert bool(plain.way_back) == (plain.answer == "illegal")


@settings(max_examples=60, deadline=None)
@given(positions)
def test_positions_and_turns_round_trip(position: TransetPosition) -> None:
    text = G.position_text(position)
    assert G.parse_position(text) == position
    assert G.parse_position(f"  {text} ") == position
    for turn in G.legal_turns(position):
        written = G.turn_text(position, turn)
        for spelling in (written, written.rstrip("#"), f" {written.upper()} ", written.replace("-", " - ")):
            assert G.parse_turn(position, spelling) == turn
        if "&" in written:
            one, two = written.rstrip("#").split("&")
            assert G.parse_turn(position, f"{two}&{one}") == turn
        spoken = G.judge_turn(position, written)
        assert spoken.legal
        assert spoken.position == G.after(position, turn)
        sites = {s for shift in G.turn_shifts(position, turn) for s in (shift.origin, shift.to) if s}
        assert sites == G.turn_sites(position, turn)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abcde12345RBKrbkSN?-x@&#/ é", max_size=40))
def test_any_text_is_read_or_refused_with_its_column(text: str) -> None:
    for read in (G.parse_position, lambda words: G.judge_turn(G.start(), words)):
        column = 1
        try:
            read(text)
        except TextError as error:  # no other exception may leave here
            column = error.column
        assert 1 <= column <= len(text) + 1


@settings(max_examples=40, deadline=None)
@given(positions)
def test_ten_pieces_for_ever_and_always_a_turn(position: TransetPosition) -> None:
    turns = list(G.legal_turns(position))
    assert turns
    assert len(set(turns)) == len(turns)
    for turn in turns:
        after = G.after(position, turn)
        pieces = sum(len(kinds) for kinds in G.picture(after).on.values())
        outcome = G.outcome(after)
        assert pieces == 10 or (pieces == 9 and outcome is not None)
        assert list(G.legal_turns(position, G.picture(after)))
        assert turn in list(G.legal_turns(position, G.picture(after)))
        for stage in G.stages(position, turn):
            assert turn in list(G.legal_turns(position, stage))


@settings(max_examples=40, deadline=None)
@given(positions, positions)
def test_the_default_judge_agrees(position: TransetPosition, other: TransetPosition) -> None:
    rng = random.Random(hash(position) % 1000)
    turn = rng.choice(list(G.legal_turns(position)))
    for seen in (*G.stages(position, turn), G.picture(G.after(position, turn)), G.picture(other)):
        assert default_judge(G, position, seen).answer == G.judge(position, seen).answer


@settings(max_examples=60, deadline=None)
@given(positions, st.randoms(use_true_random=False))
def test_another_kind_in_a_piece_s_place_is_never_absorbed(position: TransetPosition, rng: random.Random) -> None:
    after = G.picture(G.after(position, rng.choice(list(G.legal_turns(position)))))
    for site, (kind,) in after.on.items():
        for other in G.pieces:
            if other != kind and len(after.on) == 10:
                verdict = G.judge(position, Placement({**after.on, site: (other,)}))
                assert verdict.answer == "illegal"
