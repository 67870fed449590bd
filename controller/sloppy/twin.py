"""The twin of the sloppy table: tidy play with one offence planted, which must be named, once, by its code."""

from __future__ import annotations

import time

from controller.referee.events import Event
from controller.rules.api import Game, Shift
from controller.sloppy.evening import lay_out
from controller.sloppy.habits import carry, carry_out, finishes_earlier, rest
from controller.sloppy.planting import MAKERS, Offence, find, placed_after, turns_of
from controller.sloppy.record import Report
from controller.sloppy.sitting import EXTENDABLE_S, ILLEGAL_S, SETTLED_S, Sitting, Wrong

RIGHTING_S = 0.8


def plant(seed: int, code: str, game: Game, report: Report | None = None) -> Report:
    """One table with one offence of this code, somewhere in a game; put right; and the game goes on."""
    report = Report() if report is None else report
    started = time.process_time()
    table = Sitting(game, seed, report)
    table.tidy = True
    try:
        lay_out(table)
        offence = None
        for _ in range(table.rng.randrange(12)):
            go_on(table)
        for _ in range(200):
            offence = find(table, code)
            if offence is not None:
                break
            go_on(table)
        if offence is None:
            raise Wrong("missed", f"no position came up in which {code} could be planted")
        commit(table, offence)
        for _ in range(3):
            go_on(table)
        table.compare()
    except Wrong as wrong:
        table.fault(wrong.kind, wrong.text)
    report.tables += 1
    report.frames += table.mat.frames
    report.cpu_s += time.process_time() - started
    return report


def play_twin(seed: int, offences: int, game: Game) -> Report:
    """So many offences, the codes in turn; offence i has seed `seed + i` and code `i` of the list."""
    report = Report()
    codes = tuple(MAKERS)
    for i in range(offences):
        plant(seed + i, codes[i % len(codes)], game, report)
    return report


def go_on(table: Sitting) -> None:
    """One tidy turn; a game that has no turn left but winning ones is begun again by nobody: the table stops there."""
    turns = turns_of(table)
    if not turns:
        raise Wrong("stuck", f"no turn left that goes on; {table.whereabouts()}")
    turn = table.rng.choice(turns)
    carry_out(table, turn, brisk=True)
    rest(table, turn)
    table.played(turn)


def commit(table: Sitting, offence: Offence) -> None:
    """Do it, see it named, put it right, see it restored."""
    table.report.offences += 1
    table.habit(offence.code + (" by done" if offence.done else " by reply" if offence.first else ""))
    mat, begun = table.mat, len(table.record.events)
    table.expecting = True
    for shift in offence.kept:
        table.reach(shift.origin)
        mat.lift(shift.piece, shift.origin)
        table.reach(shift.origin)
    for shift in offence.first:
        carry(table, shift, plain=True)
    if offence.first:
        table.settle(SETTLED_S + table.rng.uniform(0, 1.5))
    if offence.done:
        table.press(table.game.to_move(table.position))
    do_at_once(table, offence.shifts)
    table.stay(ILLEGAL_S + 0.2)
    check_named(table, offence, table.record.events[begun:])
    table.stay(table.rng.uniform(0.3, 4.0))
    check_named(table, offence, table.record.events[begun:])
    named = len(table.record.events)
    take_back(table, offence)
    ending = table.rng.choice(("put_back", "put_back", "going_on", "another turn"))
    if ending == "put_back":
        table.stay(RIGHTING_S)
    else:
        ending = another_turn(table, offence, ending)
    table.habit(f"ended by {ending}")
    check_ended(table, offence, ending, table.record.events[named:])
    table.expecting = False


def do_at_once(table: Sitting, shifts: tuple[Shift, ...]) -> None:
    """Several pieces under one hand: all up, all down."""
    mat = table.mat
    sites = [site for shift in shifts for site in (shift.origin, shift.to)]
    for shift in shifts:
        table.reach(*sites)
        if shift.origin is None:
            mat.fetch(shift.piece)
        else:
            mat.lift(shift.piece, shift.origin)
    for shift in shifts:
        table.reach(*sites)
        mat.put(shift.piece, shift.to)
    if shifts:
        table.reach(*sites)


def take_back(table: Sitting, offence: Offence) -> None:
    """Everything back to the position before the turn, under hands."""
    mat = table.mat
    wrong = [*offence.shifts, *offence.first]
    for shift in wrong:
        table.reach(shift.to)
        mat.lift(shift.piece, shift.to)
    for shift in wrong:
        table.reach(shift.origin)
        if shift.origin is None:
            mat.stow(shift.piece)
        else:
            mat.put(shift.piece, shift.origin)
    for shift in offence.kept:
        table.reach(shift.origin)
        mat.put(shift.piece, shift.origin)
    table.reach(*[shift.origin for shift in wrong])


def another_turn(table: Sitting, offence: Offence, ending: str) -> str:
    """Instead of what was wrong, a legal turn, at once or with a rest half-way; returns how it ended."""
    game = table.game
    for turn in table.rng.sample(turns_of(table), len(turns_of(table))):
        shifts = game.turn_shifts(table.position, turn)
        if ending == "going_on":
            if (
                len(shifts) < 2 or shifts[1] in offence.first
            ):  # what a "done" has made wrong stays named while it stands
                continue
            if finishes_earlier(table, shifts[1]):
                continue
            stage = placed_after(table, shifts[1])
            if game.judge(table.position, stage).answer != "partial":
                continue
            if table.history and game.judge(table.history[-1][0], stage).answer != "illegal":
                continue  # it also undoes the last turn
            carry(table, shifts[1], plain=True)
            table.stay(RIGHTING_S)
            carry(table, shifts[0], plain=True)
        else:
            carry_out(table, turn, brisk=True)
        table.stay(EXTENDABLE_S)
        table.played(turn)
        return ending
    table.stay(RIGHTING_S)
    return "put_back"


def check_ended(table: Sitting, offence: Offence, ending: str, events: list[Event]) -> None:
    """`restored` as the ending asks for, once; no second accusation."""
    said = [event.data["by"] for event in events if event.event == "restored"]
    if said != ([] if ending == "another turn" else [ending]):
        raise Wrong("missed", f"{offence}: ended by {ending}, restored said {said}; {table.whereabouts()}")
    if any(event.event in ("illegal", "question") for event in events):
        raise Wrong("surplus", f"{offence}: {[event.event for event in events]} while put right; {table.whereabouts()}")


def check_named(table: Sitting, offence: Offence, events: list[Event]) -> None:
    """Exactly one accusation, with the code that was planted."""
    named = [event for event in events if event.event == "illegal"]
    if not named:
        said = ", ".join(event.event for event in events)
        raise Wrong("missed", f"{offence} not named; said: {said or 'nothing'}; {table.whereabouts()}")
    if len(named) > 1:
        raise Wrong("surplus", f"{offence} named {len(named)} times; {table.whereabouts()}")
    codes = [reason["code"] for reason in named[0].data["reasons"]]
    if offence.code not in codes or (offence.leading and codes[0] != offence.code):
        raise Wrong("missed", f"{offence} named {codes}; {table.whereabouts()}")
    turns = [event for event in events if event.event == "turn" and event.t_s > named[0].t_s]
    if turns or any(event.event == "question" for event in events):
        raise Wrong("surplus", f"{offence}: also said {[event.event for event in events]}; {table.whereabouts()}")
