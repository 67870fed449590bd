"""What the page tells, from a View: one message at a time, the most urgent first, in plain words.

The order is that of the lights' vocabulary, so page and lights never speak of different things.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from controller.referee.view import Lifted, Offence, View
from controller.rules.api import Owed, Reason, Shift
from controller.web.asking import answer_for, asked_words
from controller.web.phrases import name_of, phrase, place_of
from controller.words import fault_rest, fault_sentence, say, sentence

Tone = Literal["calm", "blue", "amber", "win"]


@dataclass(frozen=True)
class Step:
    """One piece to carry, in words; `origin`/`to` None = beside the board."""

    piece: str
    origin: str | None
    to: str | None
    text: str


@dataclass(frozen=True)
class Message:
    """`headline` is read from three metres, `sub` beside it, `lead` is the sentence, `more` further ones.

    `code`: which state this is; `player`: whose turn or fault it concerns; `steps`: what to carry where, listed under
    `label` and drawn as arrows; `targets`: sites where a piece may go; `answers`: a question, answered with yes or no.
    """

    code: str
    tone: Tone
    headline: str
    sub: str = ""
    lead: str = ""
    more: tuple[str, ...] = ()
    player: str | None = None
    label: str = ""
    steps: tuple[Step, ...] = ()
    targets: tuple[str, ...] = ()
    answers: bool = False


def fault_message(fault: Mapping[str, Any], language: str) -> Message:
    """Why there is no table yet."""
    told = fault_sentence(fault["code"], fault["facts"], language)
    return Message("fault", "amber", say("fault.head", language), lead=told, more=fault_rest(language))


def message(view: View, language: str) -> Message:
    """The one message for this View in `language`."""
    if view.trouble is not None and view.trouble != "hand":
        return _blind(view, language)
    if view.board_moved:
        return Message("board_moved", "amber", phrase("head_moved", language), lead=phrase("lead_moved", language))
    if view.phase == "searching":
        return Message("searching", "calm", phrase("head_searching", language), lead=phrase("lead_searching", language))
    if view.operator:
        return Message("operator", "amber", phrase("head_operator", language), lead=phrase("lead_operator", language))
    if view.paused:
        return Message("paused", "calm", phrase("head_paused", language), lead=phrase("lead_paused", language))
    if view.guiding:
        return _guide(view, language)
    if view.phase == "setup" or view.rearranging:
        return _setup(view, language)
    if view.phase == "over" and view.unrecorded and view.result is None:
        return Message("unrecorded", "amber", say("fault.unwritten.head", language), lead=_unwritten(view, language))
    if view.phase == "over":
        return _over(view, language)
    if view.offence is not None:
        return _illegal(view.offence, language)
    if view.question:
        return _question(view, language)
    if view.lifted is not None:
        return _lifted(view.lifted, view.placement, language)
    if view.owed and not view.hand:
        return _owed(view, language)
    return _to_move(view, language)


def steps(shifts: Iterable[Shift], language: str) -> tuple[Step, ...]:
    """Shifts as steps in words."""
    told = []
    for shift in shifts:
        piece = name_of(shift.piece, language)
        origin, to = (place_of(site or "", language) for site in (shift.origin, shift.to))
        key = "step_put" if shift.origin is None else "step_take" if shift.to is None else "step_move"
        text = phrase(key, language, **{"piece": piece, "from": origin, "to": to})
        told.append(Step(shift.piece, shift.origin, shift.to, text))
    return tuple(told)


def _blind(view: View, language: str) -> Message:
    code = view.trouble or "lost"
    head = "head_searching" if code == "no_board" else "head_blind"
    calm = view.phase == "searching" and code in ("no_board", "markers")  # nobody has laid a board yet
    lead = say(f"cannot_see.{code}", language)
    if view.phase == "searching" and code in ("lost", "frozen"):  # no game is there to be kept
        lead = phrase(f"lead_searching_{code}", language)
    return Message(code, "calm" if calm else "amber", phrase(head, language), lead=lead)


def _setup(view: View, language: str) -> Message:
    head = phrase("head_setup", language)
    if view.rearranging and not view.wrong:
        return Message(
            "rearranging", "calm", phrase("head_rearranging", language), lead=phrase("lead_rearranging", language)
        )
    if not view.wrong:
        whole = view.total > 0 and view.right == view.total
        return Message("setup", "calm", head, lead=phrase("lead_setup_still" if whole else "lead_setup", language))
    return Message(
        "setup",
        "calm",
        head,
        sub=phrase("sub_right", language, right=view.right, total=view.total),
        label=phrase("label_next", language),
        steps=steps(view.wrong[:1], language),
    )


def _guide(view: View, language: str) -> Message:
    """Back to where the game was: the next piece, until everything stands."""
    head = say("guide.head", language)
    if view.waits:
        sites = ", ".join(place_of(site, language) for site in sorted(view.waits))
        return Message("guide", "calm", head, lead=say("guide.waits", language, sites=sites))
    if not view.wrong:
        still = view.total > 0
        return Message("guide", "calm", head, lead=say("guide.still" if still else "guide.lead", language))
    return Message(
        "guide",
        "calm",
        head,
        sub=phrase("sub_right", language, right=view.right, total=view.total),
        lead=say("guide.lead", language),
        label=phrase("label_next", language),
        steps=steps(view.wrong[:1], language),
    )


def _illegal(offence: Offence, language: str) -> Message:
    sentences = tuple(dict.fromkeys(_why(reason, language) for reason in offence.reasons))
    rest = (*sentences[1:3], phrase("lead_put_back", language))
    if offence.nearest is not None:
        step = steps((offence.nearest,), language)[0].text
        rest = (*sentences[1:2], phrase("lead_nearest", language, step=step, text=offence.nearest_turn), rest[-1])
    return Message(
        "illegal",
        "amber",
        name_of(offence.player, language),
        sub=phrase("sub_put_right", language),
        lead=sentences[0] if sentences else "",
        more=rest,
        player=offence.player,
        label=phrase("label_back", language),
        steps=steps(offence.way_back, language),
    )


def _over(view: View, language: str) -> Message:
    if view.winner is None:
        head = phrase("head_draw" if view.result == "draw" else "head_over", language)
    else:
        head = phrase("head_wins", language, player=name_of(view.winner, language))
    lead = _said(view.why, language) if view.why else ""
    return Message("over", "win", head, lead=lead, more=(phrase("lead_again", language),), player=view.winner)


def _question(view: View, language: str) -> Message:
    candidates = []
    for candidate in view.question:
        player, text = candidate.get("player"), candidate.get("text")
        told = f"{name_of(player, language)}: {text}" if player else text or ""
        told = told if text else asked_words(view, candidate, language)
        answer = answer_for(view, candidate)
        candidates.append(f"{phrase(f'label_{answer}', language)} – {told}" if answer else told)
    return Message(
        "question",
        "amber",
        phrase("head_question", language),
        lead=phrase("lead_question", language),
        more=(*(_why(reason, language) for reason in view.doubts[:1]), *candidates),
        answers=True,
    )


def _why(reason: Reason, language: str) -> str:
    """The sentence of a reason; the bare code where a game brings codes without words."""
    try:
        return sentence(reason, language)
    except KeyError:
        return f"{reason.code} ({', '.join(reason.sites)})"


def _said(key: str, language: str) -> str:
    try:
        return say(key, language)
    except KeyError:
        return key


def _owed(view: View, language: str) -> Message:
    """A turn on its way: who must still do what. The choice between several pieces is told once."""
    player = view.owed[0].player
    told = _owed_texts(tuple(owed for owed in view.owed if owed.player == player), language)
    targets = sorted(set().union(*(owed.to for owed in view.owed)))
    return Message(
        "owed",
        "blue",
        name_of(player, language),
        sub=phrase("sub_owes" if view.hint else "sub_finish", language),
        lead=told[0],
        more=told[1:4],
        player=player,
        targets=tuple(targets),
    )


def _owed_texts(owed: tuple[Owed, ...], language: str) -> tuple[str, ...]:
    if len(owed) > 1 and all(one.act == "second_half" for one in owed):
        return (phrase("owed_second_half", language),)
    told = (
        say(
            "owed.reply.lifted" if one.act == "reply" and one.at is None else f"owed.{one.act}",
            language,
            player=one.player,
            piece=one.piece,
            at=place_of(one.at or "", language),
            to=", ".join(place_of(site, language) for site in sorted(one.to, key=lambda site: (len(site), site))),
        )
        for one in owed
    )
    return tuple(dict.fromkeys(told))


def _lifted(lifted: Lifted, standing: Mapping[str, tuple[str, ...]], language: str) -> Message:
    """A piece in the air: where it may go, what goes with it, and why not elsewhere."""
    also = [(site, kind) for site in lifted.along for kind in standing.get(site, ())]
    facts = {
        "piece": name_of(lifted.piece, language),
        "to": ", ".join(place_of(site, language) for site in sorted(lifted.to, key=lambda site: (len(site), site))),
        "along": ", ".join(f"{name_of(kind, language)} {place_of(site, language)}" for site, kind in also),
    }
    if lifted.to:
        told = [say("teach.may", language, **facts)] + [say("teach.along", language, **facts)] * bool(facts["along"])
    else:
        told = [say("teach.load" if lifted.along else "teach.nowhere", language, **facts)]
    nearest: dict[str, Reason] = {}
    for reason in lifted.why.values():
        nearest.setdefault(reason.code, reason)
    told += [_why(reason, language) for reason in nearest.values()][: 3 - len(told)]
    return Message(
        "lifted",
        "blue",
        name_of(lifted.player, language),
        sub=phrase("sub_to_move", language),
        lead=told[0],
        more=tuple(told[1:]),
        player=lifted.player,
        targets=lifted.to or lifted.along,
    )


def _to_move(view: View, language: str) -> Message:
    lead = ""
    if view.turns:
        last = view.turns[-1]
        key = "lead_passed" if last.passed else "lead_played" if last.legal else "lead_accepted_as_played"
        lead = phrase(key, language, player=name_of(last.player, language), text=last.text)
    elif view.phase == "play":
        lead = phrase("lead_begin", language)
    if view.missing:
        lead = sentence(Reason("MISSING_PIECE", (), "", {"piece": view.missing[0]}), language)
    if view.unwritten:
        lead = _unwritten(view, language)
    more = (phrase("lead_offer", language, player=name_of(view.offer, language)),) if view.offer else ()
    if view.to_move is None:
        head = phrase("head_wait", language)
        return Message("to_move", "blue", head, sub=_now(view, language), lead=lead, more=more)
    name = name_of(view.to_move, language)
    sub = _now(view, language) or phrase("sub_to_move", language)
    code = "hand" if view.hand else "settling" if view.seen else "to_move"
    return Message(code, "blue", name, sub=sub, lead=lead, more=more, player=view.to_move)


def _unwritten(view: View, language: str) -> str:
    return say("fault.unwritten.one" if view.unwritten == 1 else "fault.unwritten.many", language, n=view.unwritten)


def _now(view: View, language: str) -> str:
    if view.hand or view.trouble == "hand":
        return phrase("sub_hand", language)
    return phrase("sub_seen", language) if view.seen else ""
