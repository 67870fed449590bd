"""A turn given as text: the strokes it is, or every reason why it is none."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.api import Player, Reason, Site
from controller.rules.transfer.board import KIND_OF, OTHER, ROWS, SLOTS, Stroke
from controller.rules.transfer.picture import cell
from controller.rules.transfer.reasons import ordered, reason
from controller.rules.transfer.strokes import (
    Law,
    Stage,
    ended,
    enough,
    faults,
    finishable,
    groups,
    held,
    moved,
    pushed_out,
    view,
)
from controller.rules.transfer.text import SaidPlatform, SaidStroke


class Broken(Exception):
    """A written turn breaks a rule; `reasons`, most specific first."""

    def __init__(self, reasons: tuple[Reason, ...]) -> None:
        super().__init__(", ".join(found.code for found in reasons))
        self.reasons = reasons


def judge_acts(
    law: Law, rows: tuple[str, ...], player: Player, acts: tuple[SaidStroke | SaidPlatform, ...]
) -> tuple[Stroke, ...]:
    """The strokes of a complete turn, `rows` as South sees them; Broken where it is none: its first fault stops it."""
    stage = Stage(view(law, rows, player))
    strokes: list[Stroke] = []
    for act in acts:
        if isinstance(act, SaidPlatform):
            _agree(law, stage, player, act)
            continue
        stroke = _stroke(law, stage, player, act)
        codes = faults(law, stage, stroke)
        if codes:
            raise Broken(ordered(_told(law, stage, player, stroke, code) for code in codes))
        stage = moved(law, stage, stroke)
        strokes.append(stroke)
    if not ended(stage):
        raise Broken(unfinished(law, stage, player))
    return tuple(strokes)


def unfinished(law: Law, stage: Stage, player: Player) -> tuple[Reason, ...]:
    """Why a turn can't be over at this stage: there is no way on, or a platform is not empty."""
    found = []
    lines = ((stage.own, player, "OWN_PLATFORM_NOT_EMPTY"), (stage.other, OTHER[player], "OPP_PLATFORM_NOT_EMPTY"))
    if not finishable(law, stage):
        letter = (stage.own or stage.other)[0]
        sites = [site for line, owner, _ in lines for site in SLOTS[owner][: len(line)]]
        found.append(reason("DEAD_END", player, sites, piece=KIND_OF[letter]))
    for line, owner, code in lines:
        if line:
            slots = SLOTS[owner][: len(line)]
            found.append(reason(code, player, slots, piece=KIND_OF[line[0]], site=slots[0]))
    return tuple(found)


def _stroke(law: Law, stage: Stage, player: Player, said: SaidStroke) -> Stroke:
    """The stroke that is meant; Broken where the pieces it names aren't there, or can't be so many."""
    stroke = Stroke(said.act, said.row, said.size, said.slot)
    row = ROWS[said.row]
    if not enough(stage, stroke):
        lines = {"L": stage.rows[said.row], "U": stage.own, "O": stage.other}
        there = held(lines[said.act])
        if said.act == "L":
            sites = tuple(_row_sites(law, stage, player, said.row))
            raise Broken((reason("NOT_A_TURN", player, sites, form="few", row=row, count=str(there)),))
        owner = player if said.act == "U" else OTHER[player]
        form = "few_on" if there else "none_on"
        raise Broken((reason("NOT_A_TURN", player, (), form=form, owner=owner, count=str(there)),))
    if said.out is None:
        return stroke
    over = said.out - len(pushed_out(law, stage, stroke))
    if over < 0:
        sites = tuple(_row_sites(law, stage, player, said.row))
        raise Broken((reason("NO_ROOM", player, sites, row=row, form="push"),))
    if over > held(stage.rows[said.row]) - len(pushed_out(law, stage, stroke)):
        sites = tuple(_row_sites(law, stage, player, said.row))
        raise Broken((reason("NOT_A_TURN", player, sites, form="few", row=row, count=str(held(stage.rows[said.row]))),))
    return stroke._replace(over=over)


def _row_sites(law: Law, stage: Stage, player: Player, row: int) -> Iterator[Site]:
    line = stage.rows[row]
    return (cell(law, row, line, index, player) for begin, end in groups(line) for index in range(begin, end))


def _told(law: Law, stage: Stage, player: Player, stroke: Stroke, code: str) -> Reason:
    """The reason for one fault of a stroke, with what is concerned."""
    row, line = ROWS[stroke.row], stage.rows[stroke.row]
    if code == "OVER_CAPACITY":
        if stroke.act == "L":
            count, owner = len(stage.own) + stroke.size, player
        else:
            count, owner = len(stage.other + pushed_out(law, stage, stroke)), OTHER[player]
        return reason(code, player, SLOTS[owner], count=str(count))
    if code == "GROUP_SPLIT_LOAD":
        taken = 0
        for begin, end in groups(line):
            if taken + end - begin > stroke.size:
                sites = [cell(law, stroke.row, line, index, player) for index in range(begin, end)]
                return reason(code, player, sites, row=row, piece=KIND_OF[line[begin]], site=sites[0])
            taken += end - begin
    if code in ("GROUP_SPLIT_PLATFORM", "LIFO_ORDER"):
        owner, held_there, form = (
            (player, stage.own, "own") if stroke.act == "U" else (OTHER[player], stage.other, "other")
        )
        sites = [*SLOTS[owner][: len(held_there)]]
        letter = held_there[stroke.slot + stroke.size - 2]
        return reason(code, player, sites, piece=KIND_OF[letter], site=sites[0], form=form)
    if code in ("GROUP_SPLIT_PUSH", "OVERPUSH"):
        first = len(line) - max(1, len(pushed_out(law, stage, stroke)))  # the first to leave lies at the far end
        begin, end = next((b, e) for b, e in groups(line) if b <= first < e)
        sites = [cell(law, stroke.row, line, index, player) for index in range(begin, end)]
        return reason(code, player, sites, row=row, piece=KIND_OF[line[begin]], site=sites[-1])
    if code == "NO_ROOM":
        sites = [*_row_sites(law, stage, player, stroke.row)]
        return reason(code, player, sites, row=row, count=str(held(line) + stroke.size))
    if code == "OWN_PLATFORM_NOT_EMPTY":
        sites = [*SLOTS[player][: len(stage.own)]]
        return reason(code, player, sites, piece=KIND_OF[stage.own[0]], site=sites[0])
    assert code == "LOAD_AFTER_UNLOAD", code
    return reason(code, player, [*_row_sites(law, stage, player, stroke.row)], row=row)


def _agree(law: Law, stage: Stage, player: Player, said: SaidPlatform) -> None:
    """Broken where a platform can't hold at this moment what was written, as exactly as that shows."""
    line = stage.own if said.player == player else stage.other
    if said.letters == line:
        return
    sites = SLOTS[said.player]
    form = "own" if said.player == player else "other"
    if len(said.letters) > len(sites):
        raise Broken((reason("OVER_CAPACITY", player, sites, count=str(len(said.letters))),))
    if sorted(said.letters) == sorted(line):
        raise Broken((reason("LIFO_ORDER", player, sites, form=form),))
    if stage.last == "L" and said.letters:
        piece = KIND_OF[said.letters[0]]
        if said.player != player:
            raise Broken((reason("WRONG_PLATFORM", player, sites, piece=piece, site=sites[0]),))
        for row, held_there in enumerate(stage.rows):
            if held_there and held_there[-1] == said.letters[0] and said.letters[0] not in line:
                at = cell(law, row, held_there, len(held_there) - 1, player)
                told = reason("FAR_END", player, (at,), piece=piece, site=at, row=ROWS[row], form="load")
                raise Broken((told,))
    raise Broken((reason("NOT_A_TURN", player, sites, form="platform", owner=said.player),))
