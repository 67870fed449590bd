"""Entries of a timeline in words: what each verdict and each ruling says, in a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.drawing.captions import result_named
from controller.journal.fold import Record
from controller.journal.timeline import Entry
from controller.rules.api import Reason
from controller.web.phrases import name_of, phrases
from controller.words import say, sentence

DOMAIN = "timeline"
SPOKEN = ("offer_draw", "accept_draw", "decline_draw")
"""Rulings that only say that it was the operator who spoke; what became of it stands in a row of its own."""


def entry_json(entry: Entry, record: Record, language: str) -> dict[str, Any]:
    """One entry as the page draws it; `changed`: site -> what stands there now."""
    title, said = _title(entry, language), _said(entry, language)
    result = "" if entry.result is None else _word(language, "was_over", result=result_named(entry.result, language))
    return {
        "row": entry.row,
        "verdict": entry.verdict,
        "n": entry.n,
        "utc": entry.written_utc,
        "title": title,
        "said": [text for text in (*said, result) if text],
        "stands": bool(entry.standing) or not entry.turns,
        "turns": [
            {"n": turn["n"], "player": turn["player"], "text": turn["text"], "position": turn["position"],
             "stands": turn["n"] in entry.standing}
            for turn in entry.turns
        ],
        "changed": {site: list(entry.placement.get(site, ())) for site in entry.changed},
        "hidden": list(entry.hidden),
        "player": entry.turns[-1]["player"] if entry.turns else entry.said.get("player"),
        "fault": list(entry.said.get("sites") or ()) if entry.verdict == "illegal" else [],
        "after": max((turn["n"] for turn in entry.turns), default=0),
        "last": len(record.turns),
    }  # fmt: skip


def _word(language: str, key: str, **facts: Any) -> str:
    return phrases(language, DOMAIN)[key].format(**facts)


def _turn(turn: Mapping[str, Any], language: str) -> str:
    player = name_of(str(turn["player"]), language)
    if turn["event"] == "pass":
        return _word(language, "turn_pass", n=turn["n"], player=player)
    key = "turn_legal" if turn["legal"] else "turn_accepted"
    return _word(language, key, n=turn["n"], player=player, text=turn["text"])


def _title(entry: Entry, language: str) -> str:
    if entry.verdict == "ruling":
        return _ruling(entry.said, language)
    if entry.verdict == "turn" and entry.turns:
        return " · ".join(_turn(turn, language) for turn in entry.turns)
    if entry.verdict == "setup" and entry.said.get("as") == "midgame":
        return _word(language, "v_midgame")
    player = entry.said.get("player")
    if entry.verdict in ("illegal", "owed") and player:
        return _word(language, f"v_{entry.verdict}_of", player=name_of(str(player), language))
    return _word(language, f"v_{entry.verdict}")


def _said(entry: Entry, language: str) -> list[str]:
    told = entry.said
    if entry.verdict == "ruling":
        reason = str(told.get("reason") or "")
        shown = [] if told.get("what") == "corrected" else entry.turns  # that one says it all in its title
        turns = " · ".join(_turn(turn, language) for turn in shown)
        return [_word(language, "because", reason=reason) if reason else "", turns]
    if entry.verdict == "illegal":
        return [_why(reason, language) for reason in told.get("reasons", ())][:3]
    if entry.verdict == "question":
        one_of = ", ".join(dict.fromkeys(_candidate(one, language) for one in told.get("candidates", ())))
        doubts = [_why(reason, language) for reason in told.get("reasons", ())]
        return [_word(language, "said_question", candidates=one_of), *doubts[:2]]
    if entry.verdict == "owed":
        return _owed(told, language)
    if entry.verdict in ("unexplained", "waiting"):
        return [_word(language, f"said_{entry.verdict}")]
    return []


def _why(reason: Mapping[str, Any], language: str) -> str:
    made = Reason(str(reason["code"]), tuple(reason.get("sites") or ()), str(reason.get("rule") or ""),
                  dict(reason.get("facts") or {}))  # fmt: skip
    try:
        return sentence(made, language) if "facts" in reason else str(reason.get("why") or sentence(made, language))
    except KeyError:
        return str(reason.get("why") or reason["code"])


def _candidate(one: Mapping[str, Any], language: str) -> str:
    player = name_of(str(one["player"]), language) if one.get("player") else "?"
    return f"{player} {one['text']}" if one.get("text") else _word(language, "ask_moves", player=player)


def _owed(told: Mapping[str, Any], language: str) -> list[str]:
    found = []
    for one in told.get("choices") or ():
        at = next(iter(one.get("sites") or ()), None)
        act = "owed.reply.lifted" if told["act"] == "reply" and at is None else f"owed.{told['act']}"
        facts = {"player": told["player"], "piece": one["piece"], "at": at, "to": ", ".join(one.get("to") or ())}
        try:
            found.append(say(act, language, **facts))
        except KeyError:
            continue
    return list(dict.fromkeys(found))[:2]


def _ruling(told: Mapping[str, Any], language: str) -> str:
    words = phrases(language, DOMAIN)
    what = str(told.get("what") or told["event"])
    player = name_of(str(told["player"]), language) if told.get("player") else ""
    if what == "corrected":
        key = "r_corrected" if told.get("was") else "r_corrected_new"
        return words[key].format(n=told["n"], was=told.get("was"), text=told["text"])
    if what == "draw_offer":
        return words[f"r_draw_{told['state']}"].format(player=player)
    if what in SPOKEN:
        return words["r_spoke" if player else "r_spoke_plain"].format(player=player)
    key = f"r_{what}"
    return words[key].format(player=player, n=told.get("n", "")) if key in words else words["r_other"].format(what=what)


def lines_json(lines: Sequence[Mapping[str, Any]], language: str) -> list[dict[str, Any]]:
    """The lines believed, each by the turns in it that may still be changed, otherwise by whose turn it is."""
    words = phrases(language, DOMAIN)
    found = []
    for line in lines:
        turns = " ".join(f"{line['n'] + i}. {text}" for i, text in enumerate(line["turns"], 1))
        mover = name_of(str(line["to_move"]), language) if line.get("to_move") else "?"
        key = "line_open" if turns else "line_closed"
        told = words[key].format(turns=turns, n=line["n"], player=mover)
        found.append({"text": told, "weak": bool(line.get("weak")), "position": line["anchor"]})
    return found
