"""Words of people: a player's "done" and answers, and what an operator may say."""

from __future__ import annotations

from collections.abc import Mapping

from controller.referee.agreements import accept_draw, agree_on_draw, decline_draw, offer_draw, resign, rule
from controller.referee.asking import answered
from controller.referee.beginning import lines_from, possible
from controller.referee.clocks import Clocks
from controller.referee.correcting import as_moved
from controller.referee.events import Command, Press
from controller.referee.judging import judge_done
from controller.referee.leading import start_guide
from controller.referee.lines import Done, Line
from controller.referee.naming import name_players
from controller.referee.record import begin_game, believe, end_game, forget_moment, outcome_of, strong
from controller.referee.rulings import correct_turn, go_on, take_back_to
from controller.referee.state import Draft
from controller.referee.view import Played
from controller.rules.api import CountsPoints, Game, Position, RulesError

OPTION = "option."
"""Before the name of a rules option in the arguments of a command."""
LONGEST_SAID = 500


def press(draft: Draft, given: Press) -> None:
    """A button, key or tap. "done" waits for the hand to leave."""
    state = draft.state
    player = given.player
    if player is not None and player not in state.game.players:
        return
    if given.button in ("call_operator", "dismiss_operator"):
        call_operator(draft, given.button == "call_operator", player)
        return
    if state.phase != "play" or state.paused or not state.lines:
        return
    if given.button == "guide":
        if state.rearranging:
            start_guide(draft, "player")
    elif given.button == "done":
        draft.set(pressed=(player, given.t_s))
        serve_press(draft)
    elif given.button == "resign":
        resign(draft, player, "player")
    elif given.button == "offer_draw":
        offer_draw(draft, player, "player")
    elif given.button == "accept_draw":
        accept_draw(draft, player, "player")
    elif given.button == "decline_draw":
        decline_draw(draft, player)
    elif state.question_about == "victim" and given.button == "no":
        believe(draft, (state.line.back(),))
        answered(draft, "player")
        draft.set(ruled=state.seen.placement)  # the answer must be put back first
    elif state.question:
        likely = strong(state.lines)
        chosen = likely[0] if given.button == "yes" else likely[1] if len(likely) == 2 else None
        if chosen is not None:
            believe(draft, (chosen,))
            answered(draft, "player")
            _over_if_it_is(draft)


def serve_press(draft: Draft) -> None:
    """Judge a "done" that waits, once the hand is away; forget one that waited too long."""
    state = draft.state
    if state.pressed is None or state.phase != "play":
        return
    player, t_s = state.pressed
    if state.t_s - t_s > state.timing.press_s:
        draft.set(pressed=None)
    elif (state.eyes.last_s or 0.0) < t_s - 1e-6:
        return  # what was seen before it may have changed since: the next frame tells
    elif state.eyes.found and not state.seen.hand and state.seen.clocks.seen(state.timing):
        draft.set(pressed=None)
        judge_done(draft, player)


def call_operator(draft: Draft, called: bool, player: str | None) -> None:
    """Somebody needs the operator, or no longer. The game goes on meanwhile: a called operator stops nobody."""
    if called == draft.state.operator:
        return
    draft.set(operator=called)
    draft.emit("operator", {"state": "called" if called else "gone", "player": player})


def command(draft: Draft, given: Command) -> None:
    """An operator's word. Whatever it changes follows from a ruling; one that changes nothing is written nowhere."""
    said = ((word, given.arguments.get(word, "").strip()[:LONGEST_SAID]) for word in ("reason", "key"))
    draft.said = {word: text for word, text in said if text}
    call_operator(draft, False, None)
    before, written = draft.state, len(draft.events)
    _obey(draft, given)
    follows = draft.events[written:]
    if (follows or draft.state != before) and all(event.event != "ruling" for event in follows):
        player = given.arguments.get("player")  # for whom the operator spoke
        rule(draft, given.name, "operator", **({"player": player} if player in before.game.players else {}))
        draft.events.insert(written, draft.events.pop())


def _obey(draft: Draft, given: Command) -> None:
    state = draft.state
    name, player = given.name, given.arguments.get("player")
    if name == "new_game":
        _new_game(draft, given.arguments)
    elif name == "name_players":
        name_players(draft, given.arguments)
    elif name == "lights":
        rule(draft, "lights", "operator", show=given.arguments.get("show", ""))
    elif name in ("pause", "resume"):
        _pause(draft, name == "pause")
    elif name == "set_position":
        _set_position(draft, given.arguments.get("position", ""))
    elif name == "guide":
        _guide(draft, given.arguments.get("position"))
    elif state.phase != "play" or not state.lines:
        return
    elif name == "accept_as_played":
        _accept_as_played(draft)
    elif name == "choose":
        _choose(draft, given.arguments.get("position", ""))
    elif name == "take_back":
        if "to" in given.arguments:
            take_back_to(draft, given.arguments["to"])
        else:
            _take_back(draft)
    elif name == "correct":
        correct_turn(draft, given.arguments)
    elif name == "resign":
        resign(draft, player or state.game.to_move(state.line.position), "operator")
    elif name == "draw":
        agree_on_draw(draft, "operator")
    elif name == "offer_draw":
        offer_draw(draft, player, "operator")
    elif name == "accept_draw":
        accept_draw(draft, player, "operator")
    elif name == "decline_draw":
        decline_draw(draft, player)


def _new_game(draft: Draft, arguments: Mapping[str, str]) -> None:
    """Whatever was being played is left as it is; the next game begins with a set-up, and with the options given."""
    state = draft.state
    chosen = {name.removeprefix(OPTION): value for name, value in arguments.items() if name.startswith(OPTION)}
    if state.lines or chosen:
        rule(draft, "new_game", "operator", **({"options": chosen} if chosen else {}))
    forget_moment(draft)
    draft.set(phase="setup" if state.eyes.found else "searching", lines=(), published=(), played=(), written=0,
              anchors=(), start_mode="setup", winner=None, result=None, why=None, ruled=None)  # fmt: skip


def _pause(draft: Draft, paused: bool) -> None:
    """While paused nothing is judged. Nobody knows what happened meanwhile: a board that stands then accuses nobody."""
    state = draft.state
    if paused == state.paused:
        return
    rule(draft, "paused" if paused else "resumed", "operator")
    draft.set(paused=paused, pressed=None)
    if not paused:
        every = state.game.sites
        draft.set_seen(clocks=Clocks.restarted(state.t_s), touched=every, touched_since_pending=every,
                       gap_s=state.timing.thread_s + 1.0)  # fmt: skip


def _guide(draft: Draft, text: str | None) -> None:
    """Lead to the believed position, or to another one that the game is to go on from."""
    if text is not None and not _set_position(draft, text):
        return
    if draft.state.phase == "play" and draft.state.lines:
        _pause(draft, False)
        start_guide(draft, "operator")


def _set_position(draft: Draft, text: str) -> bool:
    """The game goes on from this position; where none is being played, one is taken up there. False if it is none."""
    state = draft.state
    game = state.game
    try:
        position = game.parse_position(text)
    except RulesError:  # whoever hands commands in has shown what is wrong with it
        return False
    if state.phase != "play" or not state.lines:
        if game.outcome(position) is None:
            rule(draft, "position", "operator", position=game.position_text(position))
            begin_game(draft, lines_from(game, position), position, "midgame")
        return True
    rule(draft, "position", "operator", position=game.position_text(position))
    answered(draft, "operator")
    forget_moment(draft)
    draft.set(ruled=None)
    believe(draft, lines_from(game, position, state.line))
    _over_if_it_is(draft)
    return True


def _over_if_it_is(draft: Draft) -> None:
    outcome = outcome_of(draft.state.game, draft.state.lines)
    if outcome is not None:
        end_game(draft, outcome)


def _take_back(draft: Draft) -> None:
    """The last turn no longer stands; what stands on the table is not judged until it changes."""
    state = draft.state
    line = state.line
    if not line.record:
        return
    if line.steps:
        shorter = line.back()
    else:
        record = line.record[:-1]
        while record and line.record[len(record)].played.passed:  # a pass goes with the turn that forced it
            record = record[:-1]
        if not record:
            take_back_to(draft, "0")
            return
        shorter = Line(state.game.parse_position(record[-1].position), record)
    rule(draft, "taken_back", "operator", n=len(shorter.record) + 1)
    answered(draft, "operator")
    forget_moment(draft)
    believe(draft, (shorter,))
    draft.set(ruled=state.seen.placement)


def _choose(draft: Draft, position: str) -> None:
    """A question is answered by one of its candidates, or, of a piece said to be pressed, by "none": not that one."""
    state = draft.state
    if state.question_about == "victim":
        chosen = [state.line.back()] if position == "none" else [state.line]
    else:
        known = strong(state.lines)
        chosen = [line for line in known if state.game.position_text(line.position) == position]
    asked = [one["position"] for one in state.question]
    if not chosen and state.question_about == "thread" and position in asked:
        # what stands was taken up meanwhile, and the record's own position left
        chosen = list(lines_from(state.game, state.game.parse_position(position), state.line))
    if not chosen or position not in (*asked, *(("none",) if state.question_about == "victim" else ())):
        return
    rule(draft, "answered", "operator", position=state.game.position_text(chosen[0].position))
    believe(draft, (chosen[0],))
    answered(draft, "operator")
    if position == "none":
        draft.set(ruled=state.seen.placement)  # the answer must be put back first
    go_on(draft, answered_so=True)


def _accept_as_played(draft: Draft) -> None:
    """What stands counts, legal or not: a question's first line, or an offence written as an illegal turn."""
    state = draft.state
    game, line = state.game, state.line
    if state.question_about in ("lines", "reading", "victim"):
        rule(draft, "accepted", "operator", position=game.position_text(line.position))
        believe(draft, (line,))
        answered(draft, "operator")
        _over_if_it_is(draft)
        return
    middle = possible(game, state.seen.placement, line.position)
    if middle is None:
        return
    if state.offence is None:
        # The thread was lost: what stands is the position, whoever moves next.
        if state.question_about or state.guiding:
            rule(draft, "position", "operator", position=game.position_text(middle))
            answered(draft, "operator")
            forget_moment(draft)
            believe(draft, lines_from(game, middle, line))
        return
    mover = game.to_move(line.position) or state.offence.player
    position = _with_other_mover(game, middle, mover)
    if isinstance(game, CountsPoints):
        position = game.with_points(line.position, position)
    text = as_moved(state.offence.way_back)
    played = Played(line.record[-1].n + 1 if line.record else 1, mover, text, legal=False)
    done = Done(played, game.position_text(position))
    rule(draft, "accepted", "operator", position=done.position)
    forget_moment(draft)
    believe(draft, (Line(position, (*line.record, done)).passed(game),))
    _over_if_it_is(draft)


def _with_other_mover(game: Game, position: Position, mover: str) -> Position:
    return game.with_mover(position, next(player for player in game.players if player != mover))
