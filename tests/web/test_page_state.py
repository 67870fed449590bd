from __future__ import annotations

import string
from dataclasses import replace
from itertools import product

import pytest

from controller.referee.signals import signals
from controller.referee.view import Offence, Played, View
from controller.rules.api import Owed, Reason, Shift
from controller.rules.registry import game_named
from controller.web.message import message
from controller.web.phrases import LANGUAGES, name_of, phrase, phrases

PLAY = View(t_s=1.0, phase="play", game="transet", players=("South", "North"), to_move="South")


def names_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_phrase_is_there_in_every_language_with_the_same_names():
    assert len({frozenset(phrases(language)) for language in LANGUAGES}) == 1
    for key in phrases("en"):
        assert len({frozenset(names_in(phrases(language)[key])) for language in LANGUAGES}) == 1, key


@pytest.mark.parametrize(
    "trouble", ["markers", "no_board", "too_dark", "too_bright", "glare", "blurred", "frozen", "lost"]
)
def test_blindness_comes_before_everything_else(trouble):
    view = View(
        t_s=1.0,
        phase="play",
        to_move="South",
        trouble=trouble,
        offence=Offence("South", None, (Reason("TOO_FAR", ("c3",), "transet 2.1"),), ()),
    )
    told = message(view, "en")
    assert (told.code, told.tone) == (trouble, "amber")
    assert told.lead


def test_page_and_lights_speak_of_the_same_thing():
    """Whatever holds at once, the page's message is the state that the lights show (hands and settling aside)."""
    offence = Offence("South", None, (Reason("TOO_FAR", ("c3",), "transet 2.1"),), ())
    owed = (Owed("South", "return", "light-PIOKER", None, frozenset({"b5"})),)
    choices = {
        "trouble": (None, "lost", "too_dark"),
        "board_moved": (False, True),
        "phase": ("play", "searching", "setup", "over"),
        "operator": (False, True),
        "paused": (False, True),
        "offence": (None, offence),
        "question": ((), ({"text": "c1-c2", "player": "South"},)),
        "owed": ((), owed),
    }
    told_as = {
        "camera_lost": "lost",
        "operator_needed": "operator",
        "win": "over",
        "draw": "over",
        "obligation": "owed",
    }
    for values in product(*choices.values()):
        view = replace(PLAY, **dict(zip(choices, values, strict=True)))
        state = signals(view).state
        assert message(view, "en").code == told_as.get(state, state)


def test_a_hand_changes_no_headline():
    assert message(View(t_s=1, phase="play", to_move="North", trouble="hand", hand=True), "en").headline == "North"
    told = message(View(t_s=1, phase="play", to_move="North", hand=True), "en")
    assert (told.code, told.headline) == ("hand", "North")
    assert "hand" in told.sub


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_offence_says_why_and_how_back(language):
    facts = {"piece": "dark-PIAS", "from": "c1", "to": "c3", "site": "c3", "player": "South"}
    offence = Offence(
        "South",
        None,
        (Reason("TOO_FAR", ("c3",), "transet 2.1", facts),),
        (Shift("dark-PIAS", "c3", "c1"), Shift("light-PINET", None, "a5"), Shift("dark-PINET", "b2", None)),
    )
    told = message(View(t_s=1, phase="play", to_move="South", offence=offence), language)
    assert told.code == "illegal"
    assert told.lead
    assert "TOO_FAR" not in told.lead
    assert [(step.origin, step.to) for step in told.steps] == [("c3", "c1"), (None, "a5"), ("b2", None)]
    assert all(name_of(step.piece, language) in step.text for step in told.steps)


@pytest.mark.parametrize("act", ["return", "second_half", "reply", "choose", "remove", "unload", "clear"])
def test_every_act_owed_has_a_sentence(act):
    owed = (Owed("South", act, "light-PIOKER", "d3", frozenset({"b5", "c5"})),)
    told = message(View(t_s=1, phase="play", to_move="South", owed=owed, hint=True), "en")
    assert (told.code, told.headline, told.targets) == ("owed", "South", ("b5", "c5"))
    assert told.lead


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pressed_piece_in_a_hand_stands_nowhere(language):
    owed = (Owed("Green", "reply", "green-PAUPIL", None, frozenset({"13", "5"})),)
    told = message(View(t_s=1, phase="play", to_move="Red", owed=owed), language).lead
    assert told.endswith("5, 13.")
    assert "None" not in told


def test_setting_up_shows_one_piece_at_a_time():
    wrong = (Shift("dark-PIAS", None, "c1"), Shift("dark-PINET", "b3", "a1"))
    told = message(View(t_s=1, phase="setup", wrong=wrong, right=8, total=10), "en")
    assert told.sub == "8 of 10 right"
    assert [step.text for step in told.steps] == ["dark Pias → c1"]


def test_winning_drawing_asking_and_waiting():
    won = message(View(t_s=1, phase="over", winner="South", result="South wins", why="end_move"), "de")
    assert (won.headline, won.tone) == ("Süd gewinnt", "win")
    assert message(View(t_s=1, phase="over", result="draw"), "en").headline == "Draw"
    asked = message(View(t_s=1, phase="play", question=({"text": "c1-c2", "player": "South"},)), "en")
    assert (asked.code, asked.answers, asked.more) == ("question", True, ("South: c1-c2",))
    record, stands = "rbkbr/5/5/2K2/RB1BR N", "rbkbr/5/5/5/RBKBR S"
    lost = [{"text": None, "position": text, "player": text[-1:].replace("N", "North").replace("S", "South")}
            for text in (record, stands)]  # fmt: skip
    game = game_named("transet")
    seen = game.picture(game.parse_position(stands)).on
    for language in LANGUAGES:
        view = View(t_s=1, phase="play", game="transet", question=tuple(lost), observed=seen)
        more = message(view, language).more
        assert len(set(more)) == 2
        assert not any("/" in text for text in more), "nobody has to read a position"
        assert more[1] == phrase("ask_stands", language, domain="operator", player=name_of("South", language))
    assert message(View(t_s=1, phase="play"), "en").headline == "Who begins?"
    assert message(View(t_s=1, phase="play", paused=True), "en").code == "paused"
    assert message(View(t_s=1, phase="play", board_moved=True), "en").code == "board_moved"
    assert message(View(t_s=1, phase="play", rearranging=True), "en").code == "rearranging"


def test_what_was_played_is_told():
    played = (Played(1, "South", "c1-c2"),)
    assert message(View(t_s=1, phase="play", to_move="North", turns=played), "en").lead == "South played c1-c2 ✓"
    forgiven = (Played(1, "South", "c1-c3", legal=False),)
    assert "accepted as played" in message(View(t_s=1, phase="play", to_move="North", turns=forgiven), "en").lead


def test_a_game_without_words_still_says_something():
    offence = Offence("South", None, (Reason("TOO_WET", ("c3",), "rain 1"),), ())
    assert message(replace(PLAY, offence=offence), "en").lead == "TOO_WET (c3)"
    assert message(replace(PLAY, phase="over", winner="South", why="flooded"), "en").lead == "flooded"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_offence_one_piece_from_a_legal_turn_tells_that_turn(language):
    reason = Reason("NOT_ADJACENT", ("9", "4"), "taasen 2.1", {"site": "9"})
    near = Shift("red-THAUM", "4", "10")
    offence = Offence("Red", None, (reason,), (Shift("red-THAUM", "4", "9"),), near, "RT=10")
    told = message(replace(PLAY, players=("Red", "Green"), offence=offence), language)
    assert any("RT=10" in text and "10" in text for text in told.more)
    assert not any(
        "RT=10" in text for text in message(replace(PLAY, offence=replace(offence, nearest=None)), language).more
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_draw_offer_is_told(language):
    told = message(replace(PLAY, offer="North"), language)
    assert any(name_of("North", language) in text for text in told.more)
    assert not message(PLAY, language).more


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", ["lost", "frozen"])
def test_only_a_game_that_there_is_is_said_to_be_kept(language, code):
    views = (View(t_s=1, phase=phase, trouble=code) for phase in ("searching", "play"))
    without, within = (message(view, language).lead for view in views)
    kept = {"en": "kept", "nl": "bewaard", "de": "erhalten", "fr": "conservée"}[language]
    assert kept in within
    assert kept not in without
    assert without.split()[:2] == within.split()[:2]
