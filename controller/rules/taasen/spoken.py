"""A turn given as text: which legal turn it is, half of one, or every reason why it is none."""

from __future__ import annotations

from controller.rules.api import Reason, TurnVerdict
from controller.rules.taasen.board import KINDS, OFF, SITES, Law, TaasenTurn
from controller.rules.taasen.reasons import move_reasons, not_crushed, ordered, pending, reason, reply_reasons
from controller.rules.taasen.text import Spoken
from controller.rules.taasen.ways import Ways, choices, reply


def judge_spoken(ways: Ways, spoken: Spoken, law: Law) -> TurnVerdict:
    """The turn (its position is the caller's to add), half a turn with what is owed, or the reasons."""
    position, player = ways.position, ways.player
    why = move_reasons(position, player, spoken.piece, spoken.target)
    if why:
        return _illegal(why)
    rest = next((r for r in ways.rests.values() if r.attack == (spoken.piece, spoken.target) and not r.late), None)
    victims = rest.victims if rest is not None else ()
    if spoken.reply == "none":
        if victims and not law.may_decline:
            owed = choices(player, victims) if len(victims) > 1 else (reply(player, victims[0]),)
            return TurnVerdict(True, False, owed=owed)
        return _complete(TaasenTurn(player, spoken.piece, position.at[spoken.piece], spoken.target))
    victim = next((one for one in victims if one.piece == spoken.victim), None)
    if victim is None:
        must_reply = any(one.exits for one in victims) and not law.may_decline
        first = [pending(player, victims)] if must_reply and spoken.reply == "moves" else []
        return _illegal([*first, _nothing_pressed(ways, spoken)])
    if spoken.reply == "open":
        return TurnVerdict(True, False, owed=(reply(player, victim),))
    if spoken.reply == "crushed" and victim.exits:
        return _illegal([not_crushed(player, victim)])
    if spoken.reply == "moves":
        why = reply_reasons(position, player, victim, spoken.escape, spoken.target, law)
        if why:
            return _illegal(why)
    origin = position.at[spoken.piece]
    return _complete(TaasenTurn(player, spoken.piece, origin, spoken.target, victim.piece, victim.stood, spoken.escape))


def _nothing_pressed(ways: Ways, spoken: Spoken) -> Reason:
    stands = ways.position.at[spoken.victim]
    sites = (spoken.target,) if stands == OFF else (spoken.target, stands)
    facts = {"piece": KINDS[spoken.victim], "other": KINDS[spoken.piece], "to": SITES[spoken.target]}
    return reason("NOT_PRESSED", ".2", sites, **facts, player=ways.player, form="named")


def _complete(turn: TaasenTurn) -> TurnVerdict:
    return TurnVerdict(True, True, turn)


def _illegal(why: list[Reason]) -> TurnVerdict:
    return TurnVerdict(False, False, reasons=ordered(why))
