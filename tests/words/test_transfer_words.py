"""Every code, name and end of Transfer has a text, and every reason its rules really give is a whole sentence."""

import random
from collections.abc import Iterator

from controller.rules.api import Placement, Reason
from controller.rules.transfer import TRANSFER as G
from controller.rules.transfer.board import KIND_OF
from controller.rules.transfer.reasons import ORDER
from controller.words import LANGUAGES, keys, say, sentence

POSITIONS = [
    "osgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp S",
    "osgyb/vposg/ybvpo/sgybv/posgy/bvpos/gybvp/-/- N",
    "oosgy/bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/s S",
    "oooos/gybvo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yp N",
    "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb N",
    "ooooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/- S",
]
CASES = [  # position, written turn: the rarer codes
    ("sgooo/ybvp/sgyb/vpsg/ybvp/sgyb/vpso/ybv/pog S", "LB1 LC1 LD1 UA3"),
    (POSITIONS[0], "LA1 UI1^1"),
    (POSITIONS[0], "LA1 N[o] UI1"),
    (POSITIONS[0], "LA1 S[y] UI1"),
    (POSITIONS[1], "LA1 UA1^0"),
    (POSITIONS[2], "LC2 UB2 OI1@2"),
    (POSITIONS[2], "LC2 UB2 N[os] OI2"),
    (POSITIONS[0], "S[o] LA1"),
    (POSITIONS[0], "N: LA1 UA1"),
    (POSITIONS[0], "--"),
]


def spoken(rng: random.Random) -> Iterator[Reason]:
    """Random strokes, most of them illegal."""
    for position, said in CASES:
        yield from G.judge_turn(G.parse_position(position), said).reasons
    for text in POSITIONS:
        position = G.parse_position(text)
        for _ in range(150):
            acts = ["L", *(rng.choice("LUUO") for _ in range(rng.randint(0, 4)))]
            words = [
                f"{act}{rng.choice('ABCDEFGHI')}{rng.randint(1, 3)}"
                + ("@2" * (act != "L") if rng.random() < 0.1 else "")
                for act in acts
            ]
            yield from G.judge_turn(position, " ".join(words)).reasons
    forbidding = G.with_options({"null_turn": "forbid", "overpush": "true"})
    yield from forbidding.judge_turn(G.start(), "LA1 UA1").reasons
    yield from forbidding.judge_turn(G.start(), "LA3 UI2^2 UB1^2").reasons


def placed(rng: random.Random) -> Iterator[Reason]:
    """Pieces carried anywhere, one too many, one of another colour; set-ups."""
    sites = sorted(G.sites)
    for text in POSITIONS:
        position = G.parse_position(text)
        for n in range(120):
            on = {site: list(kinds) for site, kinds in G.picture(position).on.items()}
            for _ in range(rng.randint(1, 3)):
                kind = on[rng.choice([site for site in on if on[site]])].pop()
                on.setdefault(rng.choice(sites), []).append(kind)
            if n % 5 == 0:
                on.setdefault(rng.choice(sites), []).append(rng.choice([*KIND_OF.values()]))
            seen = Placement({site: tuple(kinds) for site, kinds in on.items() if kinds})
            for done in (None, *G.players):
                yield from G.judge(position, seen, done).reasons
            yield from G.setup(seen).reasons
        for stage in stages():
            for done in G.players:
                yield from G.judge(G.parse_position(POSITIONS[1]), stage, done).reasons
    start = G.picture(G.start()).on
    for change in ({"C1": start["C2"], "C2": start["C1"]}, {"D2": ("green",)}):
        yield from G.judge(G.start(), Placement({**start, **change})).reasons
    yield from G.setup(Placement({"A1": ("orange",), "A3": ("orange",)})).reasons


def stages() -> Iterator[Placement]:
    """What stands on the way of a turn that pushes through."""
    position = G.parse_position(POSITIONS[1])
    yield from G.stages(position, G.parse_turn(position, "LA1 UB1 OH1"))


def test_every_code_name_and_end_has_a_text() -> None:
    assert {*ORDER, *(f"name.{kind}" for kind in G.pieces), "all_rows", "decided", "no_turn"} <= keys()
    assert {"owed.unload", "owed.clear"} <= keys()


def test_every_reason_is_a_whole_sentence_in_every_language() -> None:
    rng = random.Random(7)
    told = {(r.code, tuple(r.facts.items()), r.sites): r for r in (*spoken(rng), *placed(rng))}
    assert {r.code for r in told.values()} >= {*ORDER} - {"MISSING_PIECE", "TWO_ON_A_SITE"}
    # ^ the first is a hint, given by `missing`; of the second a row has NO_ROOM
    for reason in told.values():
        assert reason.rule.startswith("transfer 2")
        for language in LANGUAGES:
            text = sentence(reason, language)
            assert text[0].isupper()
            assert text[-1] in ".?"
            assert "…" not in text, (reason, text)
            assert "{" not in text
            form = reason.facts.get("form")
            assert form is None or f"{reason.code}.{form}" in keys(), reason


def test_a_sentence_a_player_understands() -> None:
    before = G.parse_position(POSITIONS[2])
    (reason,) = G.judge_turn(before, "LA1 UI1").reasons
    assert sentence(reason) == "The orange group at the end of row A must stay together: load all of it or none."
    assert sentence(reason, "fr").startswith("Le groupe (orange) au bout de la rangée A")
    gap = G.setup(Placement({"A1": ("sky",), "A4": ("sky",)})).reasons[0]
    assert "the gap between them doesn't count" in sentence(gap)
    assert say("name.vermilion", "nl") == "Vermiljoen"
