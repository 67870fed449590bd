"""Naming an offence: whose turn is being read, what is wrong with it, and the way back."""

from __future__ import annotations

from controller.referee.lines import Line
from controller.referee.reading import differing, owners_of_changes
from controller.referee.strokes import in_strokes, other_side_began
from controller.referee.view import Offence
from controller.rules.api import Game, Placement, Player, Position, Reason, Verdict
from controller.rules.nearest import nearest_turn

FOREIGN = ("WRONG_PIECE", "EXTRA_PIECE")  # pieces came out of the box: that is no turn changed


def side_read(game: Game, line: Line, placement: Placement) -> Player:
    """The side that has just moved as long as only its own pieces have changed since, otherwise the side to act.

    To act is who is on the move, or who owes the answer to what the mover has done.
    """
    mover = game.to_move(line.position)
    answer = _to_be_answered(game, line.position, placement)
    if answer is not None and mover is not None:
        stood, player = answer
        return mover if owners_of_changes(game, stood, placement) == {mover} else player
    changed = owners_of_changes(game, game.picture(line.position), placement)
    last = line.just_moved(game)
    if last is not None and changed == {last}:
        return last
    if mover is not None:
        return mover
    theirs = [player for player in game.players if player in changed]
    return theirs[0] if theirs else game.players[0]


def _to_be_answered(game: Game, position: Position, placement: Placement) -> tuple[Placement, Player] | None:
    """The stage after an act of the mover that stands and that the other side must answer; and who that is."""
    mover = game.to_move(position)
    if mover is None or not game.tries_two_turns:
        return None
    for turn in game.legal_turns(position):
        for stage in game.stages(position, turn):
            act = game.turn_shifts(position, turn)[0]
            if {act.origin, act.to} & placement.hidden or act.piece not in placement.on.get(act.to or "", ()):
                continue
            if act.piece in placement.on.get(act.origin or "", ()):
                continue
            owed = game.judge(position, stage).owed
            if owed and all(one.act in ("reply", "choose", "remove") for one in owed):
                return stage, next(player for player in game.players if player != mover)
    return None


def name_offence(game: Game, line: Line, placement: Placement, verdict: Verdict, stage: Placement | None) -> Offence:
    """The offence of a placement that nothing explains. `stage`: the stage that stood settled before it, if any."""
    player = side_read(game, line, placement)
    reasons = (
        _left_unfinished(game, line, placement, stage)
        or _moved_on_again(game, line, placement, player, verdict.reasons)
        or verdict.reasons
    )
    owners = {game.owner(shift.piece) for shift in verdict.way_back}
    other = next((owner for owner in game.players if owner in owners), None)
    # The side that has just moved is read as changing its last turn.
    before = line.back().position if _is_change(game, line, placement, player) else line.position
    near = nearest_turn(game, before, placement)
    return Offence(
        player=player,
        owner=other if owners and player not in owners else None,
        reasons=reasons,
        way_back=verdict.way_back,
        nearest=near.shift if near else None,
        nearest_turn=game.turn_text(before, near.turn) if near else None,
    )


def _is_change(game: Game, line: Line, placement: Placement, player: Player) -> bool:
    """Whether this side is read as changing its last turn, not as answering."""
    if not line.steps or player != line.just_moved(game):
        return False
    return _to_be_answered(game, line.position, placement) is None


def _left_unfinished(game: Game, line: Line, placement: Placement, stage: Placement | None) -> tuple[Reason, ...]:
    """A stage stood, something was owed, and the other side moved: what was owed is the reason."""
    mover = game.to_move(line.position)
    if stage is None or mover is None or owners_of_changes(game, stage, placement) & {mover}:
        return ()
    if in_strokes(game) and not other_side_began(game, mover, stage, placement):
        return ()
    changed = differing(stage, placement)
    gone = [site for site in changed if len(placement.on.get(site, ())) < len(stage.on.get(site, ()))]
    come = [site for site in changed if len(placement.on.get(site, ())) > len(stage.on.get(site, ()))]
    if not gone or len(come) > len(gone):  # only laid something down: the mover's own act, finished wrongly
        return ()
    verdict = game.judge(line.position, stage, mover)
    return verdict.reasons if verdict.answer == "illegal" else ()


def _moved_on_again(
    game: Game, line: Line, placement: Placement, player: Player, reasons: tuple[Reason, ...]
) -> tuple[Reason, ...]:
    """The pieces of an accepted turn were moved again by the same side: read as that turn, changed."""
    if not _is_change(game, line, placement, player) or any(one.code in FOREIGN for one in reasons):
        return ()
    last = line.steps[-1]
    stands = {shift.to for shift in game.turn_shifts(last.before, last.turn)}
    if not stands & differing(game.picture(line.position), placement):
        return ()
    verdict = game.judge(last.before, placement)
    return verdict.reasons if verdict.answer == "illegal" else ()
