"""Phase "play": judge a settled board, and say what follows from it."""

from __future__ import annotations

from controller.referee.asking import answered, ask, lose_thread, question_after, victim_to_confirm
from controller.referee.beginning import await_new_game, possible, stands_as_new, start_rearranging
from controller.referee.choosing import Choice, consider, put_back_again, two_turns_ago
from controller.referee.crushed import still_there, without
from controller.referee.lines import Line, same_history, without_repeats
from controller.referee.offences import name_offence, side_read
from controller.referee.reading import agree, differing, left_their_places
from controller.referee.record import (
    believe,
    end_game,
    outcome_of,
    strong,
)
from controller.referee.search import MOST_LINES, Explained
from controller.referee.state import Draft, State
from controller.referee.strokes import (
    Way,
    changes_nothing,
    finished_and_begun,
    in_strokes,
    there_and_back,
    with_null_turns,
    within_a_stroke,
)
from controller.referee.view import Offence
from controller.rules.api import Owed, Placement, Player, Verdict

MOST_ACCUSED = 60
"""So many placements are remembered as named: of a board that nobody puts right for days the oldest is named again."""


def judge_board(draft: Draft) -> None:
    """Judge what stands, if it has stood long enough."""
    state = draft.state
    if not state.seen.clocks.settled(state.timing):
        return
    if state.ruled is not None:
        if agree(state.ruled, state.seen.placement):
            return
        draft.set(ruled=None)
    if _still_asked_about(state):
        return
    again = put_back_again(state)
    if again is not None:
        accept(draft, Choice(state.seen.placement, Explained("unchanged", (again,), Verdict("unchanged"))))
        return
    choice = consider(draft)
    answer = choice.explained.answer
    if state.rearranging:
        if answer not in ("unchanged", "complete") or choice.explained.quick or choice.close:
            await_new_game(draft)
            _played_on_unseen(draft, choice.placement)
            return
        if answer == "complete" and stands_as_new(state.game, choice.placement):
            await_new_game(draft)
            return
    if answer == "unchanged":
        accept(draft, choice)
    elif answer == "complete":
        wait_s = state.timing.extendable_s if choice.explained.waits else state.timing.still_s
        if state.seen.clocks.settled(state.timing, wait_s):
            accept(draft, choice)
        elif not choice.close and state.pending != strong(choice.explained.lines):
            hold(draft, choice)
    elif answer == "partial":
        stage(draft, choice)
    elif answer == "illegal":
        refuse(draft, choice)


def _played_on_unseen(draft: Draft, placement: Placement) -> None:
    """Who only records has nobody to ask: a board that is no set-up and has long stood still is played on from."""
    state = draft.state
    long = state.seen.clocks.settled(state.timing, state.timing.missing_s)
    if state.mode == "record" and state.rearranging and long and possible(state.game, placement) is not None:
        draft.set(rearranging=False)
        lose_thread(draft, placement)


def _still_asked_about(state: State) -> bool:
    """Whether strokes without a seam have been asked about and nothing has happened since: what comes next tells."""
    asked = state.asked if state.question_about == "thread" else None
    return asked is not None and in_strokes(state.game) and agree(asked, state.seen.placement)


def _thread_lost(state: State) -> bool:
    """Whether the board was not seen settled shortly before it changed: no ground to accuse."""
    return state.seen.gap_s > state.timing.thread_s


def judge_done(draft: Draft, player: Player | None) -> None:
    """A player said "my part is over": judge at once what otherwise would be waited for."""
    choice = consider(draft, player)
    answer = choice.explained.answer
    if choice.close or draft.state.rearranging:
        return
    if draft.state.question_about == "thread" and in_strokes(draft.state.game):
        return  # what lies there is asked about: it is nobody's null turn either
    if answer == "complete" and _says_it_of_the_turn_before(draft.state, choice):
        return
    if answer == "complete":
        # Of two quick turns nobody knows which one is meant; a slip of the hand can look like two: they must stand.
        if not choice.explained.quick:
            accept(draft, choice)
    elif answer == "illegal" and player is not None:
        if draft.state.question_about == "thread" or _thread_lost(draft.state):
            return  # who has lost the thread accuses nobody
        plain = consider(draft)
        if plain.explained.answer == "partial" and all(owed.player != player for owed in plain.explained.verdict.owed):
            return  # the other side owes it: nothing is wrong
        found = choice.explained
        line, placement = found.reader or draft.state.line, found.read or choice.placement
        if side_read(draft.state.game, line, placement) == player:  # what the other side has done is waited for
            accuse(draft, choice)
    elif answer == "partial" and player is not None:
        _taken_back_and_done(draft, choice, player)


def _says_it_of_the_turn_before(state: State, choice: Choice) -> bool:
    """Whether nothing has changed since the other side had to pass: who then says done means the turn before that."""
    record = state.line.record
    passed = bool(record) and record[-1].played.passed
    return passed and in_strokes(state.game) and changes_nothing(state.game, choice.explained.lines[0])


def _taken_back_and_done(draft: Draft, choice: Choice, player: Player) -> None:
    """Who takes back the answer to an accepted turn, says done, and so means it as a turn, which is none."""
    state = draft.state
    found = choice.explained
    if _thread_lost(state) or any(same_history(found.lines[0], line) for line in (*state.lines, *state.pending)):
        return
    if not found.verdict.owed or any(owed.player != player for owed in found.verdict.owed):
        return
    verdict = state.game.judge(state.line.position, choice.placement, player)
    if state.game.to_move(state.line.position) == player and verdict.answer == "illegal":
        accuse(draft, Choice(choice.placement, Explained("illegal", state.lines, verdict)))


def hold(draft: Draft, choice: Choice) -> None:
    """A complete turn stands settled but could still be extended: believe it as soon as something else happens."""
    draft.set(pending=strong(choice.explained.lines))
    draft.set_seen(touched_since_pending=frozenset())


def accept(draft: Draft, choice: Choice) -> None:
    """The placement is explained: believe its lines."""
    state = draft.state
    found = choice.explained
    lines = found.lines
    if in_strokes(state.game):
        way = state.way
        if state.line.steps and same_history(lines[0], state.line.back()):  # a whole turn put back
            way = Way(state.game.position_text(lines[0].position), (choice.placement,))
        lines = with_null_turns(state.game, lines, choice.placement, way)
    if _thread_lost(state) or same_history(lines[0], state.line):
        kept = [line.as_stage() for line in state.lines if two_turns_ago(line, lines[0])]
        lines = without_repeats([*lines, *kept])[:MOST_LINES]
    if state.question_about == "thread":
        kept = [line.as_stage() for line in state.lines if not any(same_history(line, new) for new in lines)]
        lines = without_repeats([*lines, *kept])[:MOST_LINES]
    before = len(state.published)
    put_back = found.answer == "unchanged" or len(lines[0].record) < before
    had_offence = state.offence is not None
    believe(draft, lines)
    if had_offence and put_back:
        draft.emit("restored", {"by": "put_back"})
    draft.set(
        pending=(), offence=None, accused=(), owed=(), stage=None, stage_at=None, partial=False, rearranging=False,
        setup=None, way=Way(), provisional=found.waits and found.answer == "complete",
    )  # fmt: skip
    stands = state.game.picture(draft.state.line.position)
    draft.set_seen(
        touched=frozenset(), touched_since_pending=frozenset(), explained=choice.placement, seam=stands, gap_s=0.0
    )
    asking = question_after(draft, choice) or victim_to_confirm(draft, new=draft.state.published != state.published)
    if not asking:
        answered(draft, "seen")
        outcome = outcome_of(state.game, draft.state.lines)
        if outcome is not None:
            end_game(draft, outcome)


def stage(draft: Draft, choice: Choice) -> None:
    """A stage of a turn stands, or pieces are missing."""
    state = draft.state
    found = choice.explained
    verdict = found.verdict
    game = state.game
    gone = min(left_their_places(game, game.picture(line.position), choice.placement) for line in found.lines)
    cleared = not choice.placement.on and not choice.placement.hidden  # with few pieces left, `gone` is never many
    if not verdict.owed and (cleared or gone > game.turn_size + 1):
        start_rearranging(draft)
        return
    if state.offence is not None and state.accused and agree(state.accused[-1], choice.placement):
        return  # named because of a "done": it stays named as long as it stands
    known = (*state.lines, *state.pending)
    if in_strokes(game):  # a slip may look like the stage of a less likely line
        known = tuple(line for line in known if not line.weak)
    goes_on = any(same_history(line, other) for line in found.lines if not line.weak for other in known)
    if not goes_on and not state.seen.clocks.settled(state.timing, state.timing.extendable_s):
        return  # a turn taken back for half of another, or a slip of the hand: it must stand to be believed
    _keep_those_on_the_way(draft, found.lines)
    _let_wait(draft, choice)
    changed = differing(state.game.picture(draft.state.line.position), state.seen.explained)
    draft.set_seen(touched=state.seen.touched | changed)  # seen from a position before the last picture
    moved_on = bool(verdict.owed)
    if moved_on:
        if state.offence is not None:
            draft.emit("restored", {"by": "going_on"})
            draft.set(offence=None, accused=())
        draft.set(stage_at=choice.placement)
        draft.set_seen(gap_s=0.0)
        if not choice.placement.hidden and not verdict.missing:
            draft.set_seen(seam=choice.placement)
    draft.set(partial=True, owed=verdict.owed, missing=verdict.missing, provisional=False)
    key = (state.game.position_text(draft.state.line.position), choice.placement)
    if moved_on and not _same_stage(state.stage, key):
        draft.emit("obligation", obligation(verdict.owed))
        draft.set(stage=key, way=state.way.then(*key))


def _let_wait(draft: Draft, choice: Choice) -> None:
    """Lines that a crushed piece holds up wait until it is gone; what comes next goes on from them."""
    ahead = choice.explained.ahead
    if not ahead:
        return
    game, known = draft.state.game, draft.state.pending
    new = not known or not same_history(known[0], ahead[0])
    draft.set(pending=ahead)
    standing = without(choice.placement, still_there(game, ahead[0], choice.placement))
    if new or agree(game.picture(ahead[0].position), standing):
        draft.set_seen(touched_since_pending=frozenset())


def _same_stage(known: tuple[str, Placement] | None, now: tuple[str, Placement]) -> bool:
    return known is not None and known[0] == now[0] and agree(known[1], now[1])


def _keep_those_on_the_way(draft: Draft, found: tuple[Line, ...]) -> None:
    """Drop the lines that the stage contradicts; take up those it shows to be true."""
    state = draft.state

    def among(line: Line, lines: tuple[Line, ...]) -> bool:
        return any(same_history(line, other) for other in lines)

    if in_strokes(state.game):  # the likeliest is known already: see `explain_by_strokes`
        also = [line for line in state.lines if among(line, found[1:])]
        believe(draft, (found[0], *also, *(line for line in found[1:] if not among(line, tuple(also))))[:MOST_LINES])
        draft.set(pending=())
        return
    believed = tuple(line for line in state.lines if among(line, found))
    waiting = tuple(line for line in state.pending if among(line, found))
    if not believed:
        believed, waiting = waiting or found, ()
    elif not strong(believed):
        believed = (Line(believed[0].position, believed[0].record, believed[0].steps), *believed[1:])
    less = [line for line in found if line.weak and not among(line, believed) and not among(line, waiting)]
    believed = (*believed, *less)[:MOST_LINES]
    if believed != state.lines:
        believe(draft, believed)
    draft.set(pending=waiting)


def obligation(owed: tuple[Owed, ...]) -> dict[str, object]:
    """What is owed, as one event: the act, every piece that could do it, every site it may go to."""
    pieces = sorted({one.piece for one in owed})
    return {
        "player": owed[0].player,
        "act": owed[0].act,
        "piece": pieces[0] if len(pieces) == 1 else None,
        "sites": sorted({one.at for one in owed if one.at is not None}),
        "to": sorted({site for one in owed for site in one.to}),
        "choices": [
            {"piece": one.piece, "sites": [one.at] if one.at is not None else [], "to": sorted(one.to)} for one in owed
        ],
    }


def refuse(draft: Draft, choice: Choice) -> None:
    """Nothing explains the placement: rearranged, not seen well enough, or illegal."""
    state = draft.state
    game, timing, seen = state.game, state.timing, state.seen
    placement = choice.placement
    reader = choice.explained.reader
    line, read = (reader, choice.explained.read or placement) if reader else (choice.explained.lines[0], placement)
    setup_stands = stands_as_new(game, placement)
    lost = _thread_lost(state) or _taken_up_amid_a_turn(state, placement)
    if lost and not setup_stands and possible(game, placement) is not None:
        if seen.clocks.settled(timing, timing.illegal_s):
            lose_thread(draft, placement)
        return
    if setup_stands or left_their_places(game, game.picture(line.position), read) > game.turn_size + 1:
        start_rearranging(draft)
        await_new_game(draft)
        return
    wait_s = timing.righting_s if state.offence is not None else timing.illegal_s
    if not seen.clocks.settled(timing, wait_s):
        return
    if lost or state.question_about == "thread":
        lose_thread(draft, placement)
    elif choice.close:
        ask(draft, "reading", strong(state.lines), placement)
    elif in_strokes(game) and state.offence is None and _more_than_a_stroke(state, placement):
        quick = finished_and_begun(game, state.line, placement)
        if quick is not None:
            stage(draft, Choice(placement, Explained("partial", quick[:1], quick[1])))
            return
        lose_thread(draft, placement, choice.explained.verdict.reasons)
    else:
        accuse(draft, choice)


def _taken_up_amid_a_turn(state: State, placement: Placement) -> bool:
    """Whether a piece has gone since a game was taken up and before its first turn: it may have been crushed before."""
    if state.published or len(strong(state.lines)) < 2 or possible(state.game, placement) is None:
        return False
    stood = state.game.picture(state.line.position).on
    return sum(map(len, placement.on.values())) < sum(map(len, stood.values()))


def _more_than_a_stroke(state: State, placement: Placement) -> bool:
    """Whether more may have happened since the last seam than one wrong stroke."""
    game, position = state.game, state.line.position
    return not within_a_stroke(game, state.seen.seam, placement) or there_and_back(game, position, placement)


def accuse(draft: Draft, choice: Choice) -> None:
    """Say what is wrong, once for each placement; who only records says nothing, and goes on from what stands."""
    state = draft.state
    if state.mode == "record":
        lose_thread(draft, choice.placement)
        return
    found = choice.explained
    if state.offence is not None and state.accused and agree(state.accused[-1], choice.placement):
        return
    verdict = found.verdict if found.verdict.answer == "illegal" else Verdict("illegal")
    if found.answer == "illegal" and not same_history(found.lines[0], state.line):
        believe(draft, found.lines)
        draft.set(pending=())
    if found.reader is not None and found.read is not None:
        offence = name_offence(state.game, found.reader, found.read, verdict, None)
    else:
        offence = name_offence(state.game, draft.state.line, choice.placement, verdict, state.stage_at)
    if not offence.reasons:
        return
    draft.set(offence=offence, owed=(), partial=False, provisional=False)
    if any(agree(known, choice.placement) for known in state.accused):
        return
    draft.set(accused=(*state.accused, choice.placement)[-MOST_ACCUSED:])
    draft.emit("illegal", _illegal(offence), reasons=offence.reasons)


def _illegal(offence: Offence) -> dict[str, object]:
    first = offence.reasons[0]
    data: dict[str, object] = {"player": offence.player}
    if offence.owner is not None:
        data["owner"] = offence.owner
    data |= {
        "code": first.code,
        "sites": list(first.sites),
        "reasons": [{"code": one.code, "sites": list(one.sites), "rule": one.rule} for one in offence.reasons],
        "way_back": [{"piece": one.piece, "from": one.origin, "to": one.to} for one in offence.way_back],
        "nearest": None,
    }
    if offence.nearest is not None:
        near = offence.nearest
        data["nearest"] = {"text": offence.nearest_turn, "piece": near.piece, "from": near.origin, "to": near.to}
    return data
