"""Why a placement or a written turn of Transet is illegal: every code, its sites and the facts of its sentence."""

from __future__ import annotations

from collections.abc import Iterable

from controller.rules.api import Placement, Player, Reason, Shift
from controller.rules.transet.board import (
    INDEX,
    KIND_OF,
    LETTER_OF,
    LETTERS,
    LINE,
    OTHER,
    SITES,
    delta,
    geometry_fits,
    player_of,
)

ORDER = (
    "NOT_YOUR_PAWN", "NO_REPLACEMENT", "BAD_REPLACEMENT", "WRONG_PAWN_RETURNED", "NOT_CAPTURED", "SWOP_TARGET_TAKEN",
    "SWOP_SAME_TARGET", "SWOP_NOT_OPPOSITE", "SIDEWAYS_ALONE", "BACKWARD_ALONE", "OWN_PAWN_THERE", "WRONG_STEP",
    "TOO_FAR",
    "OUT_OF_TURN", "WRONG_PIECE", "EXTRA_PIECE", "TWO_ON_A_SITE", "MISSING_PIECE", "NOT_A_TURN",
)  # fmt: skip
_RANK = {code: i for i, code in enumerate(ORDER)}


def reason(code: str, item: str, sites: Iterable[int], **facts: str) -> Reason:
    """One reason; sites as indices."""
    return Reason(code, tuple(dict.fromkeys(SITES[i] for i in sites)), f"transet 2{item}", facts)


def ordered(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Most specific first; the same reason only once."""
    unique = {(r.code, r.sites): r for r in reasons}
    return tuple(sorted(unique.values(), key=lambda r: (_RANK[r.code], r.sites)))


def line_text(player: Player) -> str:
    """The rank of a player's own line, for sentences."""
    return str(LINE[player][0] // 5 + 1)


def _facts(board: str, origin: int, target: int) -> dict[str, str]:
    letter = board[origin]
    return {"piece": KIND_OF[letter], "from": SITES[origin], "to": SITES[target], "player": player_of(letter)}


def one_pawn(board: str, origin: int, target: int) -> Reason | None:
    """Why this pawn alone may not go there; None where it is a step or the first act of a capture."""
    letter = board[origin]
    mover = player_of(letter)
    files, ranks = delta(origin, target, mover)
    facts = _facts(board, origin, target)
    there = board[target]
    sites = (origin, target)
    if there != "." and there in LETTERS[mover]:
        return reason("OWN_PAWN_THERE", ".1", sites, **facts, other=KIND_OF[there])
    if abs(files) > 1 or abs(ranks) > 1:
        return reason("TOO_FAR", ".1", sites, **facts)
    if geometry_fits(letter, origin, target):
        return None
    if there == "." and ranks == 0:
        return reason("SIDEWAYS_ALONE", ".4", sites, **facts)
    if there == "." and ranks == -1 and files == 0:
        return reason("BACKWARD_ALONE", ".3", sites, **facts)
    return reason("WRONG_STEP", ".1", sites, **facts, form=letter.upper())


def swap(board: str, one: tuple[int, int], two: tuple[int, int], exchange: bool) -> list[Reason]:
    """Why these two shifts of own pawns are no swap; empty where they are one."""
    mover = player_of(board[one[0]])
    ways = [delta(*one, mover), delta(*two, mover)]
    if any(abs(files) + abs(ranks) != 1 for files, ranks in ways):
        pairs = zip((one, two), ways, strict=True)
        return [_second_half(board, *shift) for shift, (files, ranks) in pairs if abs(files) + abs(ranks) != 1]
    found = []
    sites = (*one, *two)
    facts = {"from": SITES[one[0]], "to": SITES[one[1]], "from2": SITES[two[0]], "to2": SITES[two[1]], "player": mover}
    trading = one == two[::-1]
    if not (exchange and trading):
        for origin, target in (one, two):
            if board[target] != ".":
                taken = {"site": SITES[target], "piece": KIND_OF[board[origin]], "other": KIND_OF[board[target]]}
                found.append(reason("SWOP_TARGET_TAKEN", ".3" if ways[0][1] else ".4", (target,), **taken))
    if one[1] == two[1]:
        found.append(reason("SWOP_SAME_TARGET", ".3" if ways[0][1] else ".4", (one[1],), **facts, site=SITES[one[1]]))
    elif (ways[0][0] + ways[1][0], ways[0][1] + ways[1][1]) != (0, 0):
        found.append(reason("SWOP_NOT_OPPOSITE", ".3" if ways[0][1] and ways[1][1] else ".4", sites, **facts))
    return found


def _second_half(board: str, origin: int, target: int) -> Reason:
    """The second half of a swap goes one square along a file or rank: a diagonal one is a wrong step for everybody."""
    facts = _facts(board, origin, target)
    found = one_pawn(board, origin, target)
    return found or reason("WRONG_STEP", ".3", (origin, target), **facts, form="swap")


def placement_reasons(
    board: str, mover: Player, shifts: tuple[Shift, ...], seen: Placement, exchange: bool
) -> tuple[list[Reason], bool]:
    """Every reason that shows, and whether only the other side's pawns have moved (then it may be out of turn)."""
    own = [(INDEX[s.origin], INDEX[s.to]) for s in shifts if _is_of(s, mover) and s.origin and s.to]
    enemy = [(INDEX[s.origin], INDEX[s.to]) for s in shifts if _is_of(s, OTHER[mover]) and s.origin and s.to]
    gone = {INDEX[s.origin]: s.piece for s in shifts if s.to is None and s.origin}
    found: list[Reason] = []
    victims = {to for frm, to in own if board[to] in LETTERS[OTHER[mover]] and geometry_fits(board[frm], frm, to)}
    if len(own) == 1:
        origin, target = own[0]
        alone = one_pawn(board, origin, target)
        if alone:
            found.append(alone)
        elif board[target] != ".":
            found += _after_capture(board, mover, target, enemy, shifts, seen)
    elif len(own) == 2:
        lone = [one_pawn(board, *shift) for shift in own]
        if all(sum(map(abs, delta(*shift, mover))) == 1 for shift in own):
            found += swap(board, own[0], own[1], exchange)
        else:
            found += [r for r in lone if r]
    astray = [shift for shift in enemy if shift[0] not in victims]
    if not own and enemy:
        for origin, target in enemy:
            facts = {**_facts(board, origin, target), "player": mover}
            found.append(reason("NOT_YOUR_PAWN", "", (origin, target), **facts))
    elif not any(r.code in ("WRONG_PAWN_RETURNED", "NO_REPLACEMENT") for r in found):
        for origin, target in astray:
            found.append(reason("NOT_CAPTURED", ".2", (origin, target), **_facts(board, origin, target)))
    found += _common(shifts, gone, seen)
    if len(own) > 2 or len(own) + len(astray) > 2 or (len(own) == 2 and not found) or not found:
        sites = [INDEX[site] for s in shifts for site in (s.origin, s.to) if site]
        found.append(reason("NOT_A_TURN", "", sites))
    return found, bool(enemy) and not own


def _is_of(shift: Shift, player: Player) -> bool:
    letter = LETTER_OF.get(shift.piece)
    return letter is not None and letter in LETTERS[player]


def capture_facts(board: str, mover: Player, target: int) -> dict[str, str]:
    """Facts of a sentence about a captured pawn and the line it must go to."""
    owner = OTHER[mover]
    piece = KIND_OF[board[target]]
    return {"piece": piece, "player": mover, "owner": owner, "rank": line_text(owner), "site": SITES[target]}


def _after_capture(
    board: str,
    mover: Player,
    target: int,
    enemy: list[tuple[int, int]],
    shifts: tuple[Shift, ...],
    seen: Placement,
) -> list[Reason]:
    """What is wrong with the captured pawn, after a capture that is right in itself."""
    victim = KIND_OF[board[target]]
    line = LINE[OTHER[mover]]
    facts = capture_facts(board, mover, target)
    back = next((to for frm, to in enemy if frm == target), None)
    if back is not None:
        if back not in line:
            return [reason("BAD_REPLACEMENT", ".2", (back,), **{**facts, "to": SITES[back], "form": "line"})]
        if board[back] != ".":
            return [reason("BAD_REPLACEMENT", ".2", (back,), **{**facts, "to": SITES[back], "form": "taken"})]
        return []
    still_there = victim in seen.on.get(SITES[target], ())
    if still_there:
        return []
    from_hand = [INDEX[s.to] for s in shifts if s.origin is None and s.to and _is_of(s, OTHER[mover])]
    wrong = [to for to in from_hand if to in line] + [to for _, to in enemy if to in line]
    if wrong:
        other = next(k for k in seen.on[SITES[wrong[0]]] if k != victim or len(seen.on[SITES[wrong[0]]]) == 1)
        return [reason("WRONG_PAWN_RETURNED", ".2", wrong, **{**facts, "other": other, "to": SITES[wrong[0]]})]
    if enemy:
        return [reason("NO_REPLACEMENT", ".2", (target,), **facts)]
    return []


def _common(shifts: tuple[Shift, ...], gone: dict[int, str], seen: Placement) -> list[Reason]:
    found = []
    for shift in shifts:
        if shift.origin is None and shift.to is not None:
            at = INDEX[shift.to]
            if at in gone:
                found.append(reason("WRONG_PIECE", "", (at,), site=shift.to, piece=shift.piece, other=gone[at]))
            else:
                found.append(reason("EXTRA_PIECE", "", (at,), site=shift.to, piece=shift.piece))
    new = {shift.to for shift in shifts}
    for site, kinds in seen.on.items():
        if len(kinds) > 1 and site in new and site not in seen.hidden:
            found.append(reason("TWO_ON_A_SITE", "", (INDEX[site],), site=site))
    return found
