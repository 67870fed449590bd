"""Every code, name and end of Taasen has a text, and every reason its rules really give is a whole sentence."""

from collections.abc import Iterator

from controller.rules.api import Placement, Reason
from controller.rules.taasen import TAASEN as G
from controller.rules.taasen.board import KINDS, PIECES
from controller.rules.taasen.reasons import ORDER
from controller.words import LANGUAGES, keys, say, sentence

POSITIONS = [
    "RT=9 RS=9 RP=9 GT=15 GS=15 GP=15 WT=0 WS=0 WP=0 R - -",
    "RT=9 RS=9 RP=9 GT=15 GS=15 GP=15 WT=2 WS=0 WP=0 G WT -",
    "RT=7 RS=10 RP=9 GT=15 GS=8 GP=12 WT=2 WS=0 WP=0 R",
    "RT=7 RS=11 RP=9 GT=15 GS=8 GP=5 WT=2 WS=0 WP=0 G - GP<12",
    "RT=7 RS=5 RP=3 GT=12 GS=8 GP=2 R",
    "RT=0 RS=10 RP=9 GT=5 GS=11 GP=15 G",
    "RT=11 RP=8 GS=9 GP=15 WS=4 R",
    "RT=5 GT=12 WT=0 R",
]


def spoken() -> Iterator[Reason]:
    """Every piece to every site, with replies of every kind."""
    for text in POSITIONS:
        position = G.parse_position(text)
        for name in PIECES:
            for site in range(16):
                yield from G.judge_turn(position, f"{name}={site}").reasons
        for turn in G.legal_turns(position):
            move = G.turn_text(position, turn).partition(">")[0]
            for name in PIECES:
                yield from G.judge_turn(position, f"{move}>{name}x").reasons
                for site in range(16):
                    yield from G.judge_turn(position, f"{move}>{name}={site}").reasons
        yield from G.judge_turn(position, "--").reasons


def placed() -> Iterator[Reason]:
    """One piece anywhere, from every stage and every end, with and without a "done"; a piece too many, a wrong one."""
    for text in POSITIONS:
        position = G.parse_position(text)
        pictures = [G.picture(position)]
        for turn in G.legal_turns(position):
            pictures += [*G.stages(position, turn), G.picture(G.after(position, turn))]
        for picture in pictures:
            for done in (None, *G.players):
                yield from G.judge(position, picture, done).reasons
            for kind in KINDS:
                for site in range(16):
                    on = {s: tuple(k for k in kinds if k != kind) for s, kinds in picture.on.items()}
                    on[str(site)] = (*on.get(str(site), ()), kind)
                    yield from G.judge(position, Placement({s: k for s, k in on.items() if k})).reasons
        for site, kinds in G.picture(position).on.items():
            on = {**G.picture(position).on, site: ("white-PAUPIL", *kinds[1:])}
            yield from G.judge(position, Placement(on)).reasons


def test_every_code_name_and_end_has_a_text() -> None:
    assert {*ORDER, *(f"name.{kind}" for kind in KINDS)} <= keys()
    assert {"elimination", "no_attack", "stuck", "repetition"} <= keys()


def test_every_reason_of_the_rules_is_a_whole_sentence_in_every_language() -> None:
    told = {(r.code, tuple(r.facts.items()), r.sites): r for r in (*spoken(), *placed())}
    assert {r.code for r in told.values()} == set(ORDER) - {"MISSING_PIECE"}
    for reason in told.values():
        for language in LANGUAGES:
            text = sentence(reason, language)
            assert text[0].isupper()
            assert text[-1] == "."
            assert "…" not in text, (reason, text)
            assert not any(mark in text for mark in ("{", "red-", "green-", "white-", "  ", " .", " ,")), (reason, text)
            assert text == text.strip()


def test_a_sentence_a_player_understands() -> None:
    (reason,) = G.judge_turn(G.start(), "RT=11").reasons
    assert sentence(reason).startswith("The red Thaum can't go from 9 to 11: a piece moves to a triangle")
    (reason,) = G.judge_turn(G.start(), "GT=14").reasons
    assert sentence(reason, "nl") == "Rood is aan zet; de groene Thaum op 15 is van Groen."
    assert sentence(reason, "fr") == "C'est à Rouge de jouer\N{NO-BREAK SPACE}; la pièce en 15 (Thaum vert) est à Vert."
    assert say("stuck", "de") == "Die Seite am Zug hat keinen erlaubten Zug."
