"""A record in the words of one language: for pages, films and diagrams."""

from __future__ import annotations

from functools import cache

from controller.drawing.moments import Moment
from controller.journal.fold import Illegal, Record, Ruling
from controller.rules.api import Reason
from controller.web.phrases import name_of, phrase, phrases
from controller.words import decimal, say, sentence
from controller.words.catalogue import catalogue


def word(key: str, language: str, **facts: object) -> str:
    """A word of these pages."""
    return phrase(key, language, domain="games", **facts)


def side(record: Record, player: str, language: str) -> str:
    """Who plays a side: the name, where the operator said it, else the side's own."""
    return record.names.get(player) or name_of(player, language)


def who(record: Record, players: tuple[str, ...], language: str) -> str:
    """Both players, in the game's order."""
    return " – ".join(side(record, player, language) for player in players)


@cache
def _english() -> dict[str, str]:
    return {say(key, "en"): key for key, text in catalogue("en").items() if "{" not in text and text}


def result_words(record: Record, language: str) -> tuple[str, str]:
    """The result as a headline and why, as a sentence."""
    if record.result is None:
        return word("open", language), ""
    winner, why = record.result.get("winner"), str(record.result.get("why") or "")
    if winner is None:
        head = word("draw" if record.result.get("result") == "draw" else "over", language)
    else:
        head = word("wins", language, player=side(record, winner, language))
    key = why if why in catalogue(language) else _english().get(why)  # tables write the English sentence
    return head, say(key, language) if key else why


def result_named(result: str, language: str) -> str:
    """A result as the journal writes it ("South wins", "draw", …) in a language."""
    winner = result.removesuffix(" wins")
    if winner != result:
        return word("wins", language, player=name_of(winner, language))
    return word("draw" if result == "draw" else "over", language)


def took_text(seconds: float | None, language: str = "en") -> str:
    """A time as people say it: 12.3 s (12,3 s elsewhere), 4:05, 1:02:30; empty for none."""
    if seconds is None:
        return ""
    if seconds < 59.95:
        return f"{decimal(seconds, language)} s"
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def illegal_sentence(illegal: Illegal, language: str) -> str:
    """Why it was illegal: from the facts that the journal kept, or as it was written then, in English."""
    if illegal.reasons:
        first = illegal.reasons[0]
        facts = first.get("facts")
        if isinstance(facts, dict):
            reason = Reason(
                str(first.get("code", illegal.code)), tuple(first.get("sites") or ()), str(first.get("rule", "")),
                {str(name): str(value) for name, value in facts.items()},
            )  # fmt: skip
            try:
                return sentence(reason, language)
            except KeyError:
                pass  # a code of a game that is not installed here
    return illegal.why or illegal.code


def ruling_words(ruling: Ruling, record: Record, language: str) -> str:
    """What somebody said, or the table did; what these words don't know is shown as it was written."""
    key, facts, more = ruling.what, {}, ruling.text
    if ruling.what == "flag":
        player = ruling.text.removesuffix(" up again")
        key = "flag" if player == ruling.text else "flag_up"
        facts, more = {"player": side(record, player, language)}, ""
    elif ruling.what == "draw_offer":
        player, _, state = ruling.text.rpartition(" ")
        key, facts, more = f"offer_{state}", {"player": side(record, player, language)}, ""
    elif ruling.what == "guide":
        key, more = f"guide_{ruling.text}", ""
    elif ruling.what == "unexplained":
        facts, more = {"sites": ruling.text}, ""
    elif ruling.what in ("position", "accepted"):
        key, more = {"position": "set", "accepted": "as_played"}[ruling.what], ""
    elif ruling.what == "reported":
        more = ""  # the name of a file says nothing to a reader
    if key not in phrases(language, "games"):
        return f"{ruling.what} {ruling.text}".strip()
    return word(key, language, **facts) + (f": {more}" if more else "")


def moment_words(moment: Moment, record: Record, language: str) -> tuple[str, str]:
    """The caption of a board and the smaller line under it."""
    if moment.turn is not None:
        turn = moment.turn
        text = word("passed", language) if turn.passed else turn.text
        note = "" if turn.legal else word("as_played", language)
        took = took_text(turn.took_s, language)
        return f"{turn.n}. {side(record, turn.player, language)}  {text}", " · ".join(
            part for part in (note, took) if part
        )
    if moment.illegal is not None:
        head = word("illegal_of", language, player=side(record, moment.illegal.player, language))
        return head, illegal_sentence(moment.illegal, language)
    return word("set" if moment.kind == "set" else "start", language), ""
