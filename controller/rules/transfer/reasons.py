"""The reasons of Transfer: every code, its rule and the facts of its sentence.

Facts, all plain strings: `player` (the mover) and `other` always; `piece` (a kind), `site`, `row` ("A"), `count` where
the code speaks of them; `form` picks a variant of the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.rules.api import Player, Reason, Site
from controller.rules.transfer.board import OTHER

ORDER = (
    "WRONG_PLATFORM", "FAR_END", "OVER_CAPACITY", "GROUP_SPLIT_LOAD", "GROUP_SPLIT_PLATFORM", "GROUP_SPLIT_PUSH",
    "LIFO_ORDER", "OVERPUSH", "ROW_REORDERED", "NO_ROOM", "LOAD_AFTER_UNLOAD", "DEAD_END", "OWN_PLATFORM_NOT_EMPTY",
    "OPP_PLATFORM_NOT_EMPTY", "SETUP_ADJACENT", "PIECE_COUNT",
    "OUT_OF_TURN", "WRONG_PIECE", "EXTRA_PIECE", "TWO_ON_A_SITE", "MISSING_PIECE", "NOT_A_TURN",
)  # fmt: skip
_RANK = {code: n for n, code in enumerate(ORDER)}
_ITEM = {
    "OVER_CAPACITY": ".1", "GROUP_SPLIT_LOAD": ".1", "LOAD_AFTER_UNLOAD": ".1",
    "GROUP_SPLIT_PUSH": ".2", "OVERPUSH": ".2", "OWN_PLATFORM_NOT_EMPTY": ".2",
    "NO_ROOM": ".3", "OPP_PLATFORM_NOT_EMPTY": ".3",
}  # fmt: skip


def rule_of(code: str, form: str | None = None) -> str:
    """Section and item of the law: loading is 1, unloading 2, clearing 3."""
    if code in ("GROUP_SPLIT_PLATFORM", "LIFO_ORDER"):
        return "transfer 2.3" if form == "other" else "transfer 2.2"
    if code == "FAR_END":
        return "transfer 2.2" if form in ("put", "between") else "transfer 2.1"
    return "transfer 2" + _ITEM.get(code, "")


def reason(code: str, player: Player, sites: Iterable[Site] = (), **facts: str) -> Reason:
    """One reason; `player` is the mover."""
    told = {"player": player, "other": OTHER[player], **facts}
    return Reason(code, tuple(dict.fromkeys(sites)), rule_of(code, facts.get("form")), told)


def ordered(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Most specific first; the same reason only once."""
    unique = {(r.code, r.sites): r for r in reasons}
    return tuple(sorted(unique.values(), key=lambda r: _RANK[r.code]))
