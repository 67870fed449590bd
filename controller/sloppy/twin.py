"""The twin of the sloppy table: tidy play with one offence planted, which must be named, once, by its code."""

from __future__ import annotations

import time

from controller.referee.events import Event
from controller.rules.api import Game, Shift
from controller.sloppy.evening import lay_out
from controller.sloppy.games import manners_at
from controller.sloppy.hands import carry, rest
from controller.sloppy.manners import Manners, Offence
from controller.sloppy.planting import find, placed_after
from controller.sloppy.record import Report
from controller.sloppy.sitting import EXTENDABLE_S, ILLEGAL_S, SETTLED_S, Sitting, Wrong

RIGHTING_S = 0.8


def plant(seed: int, code: str, game: Game, report: Report | None = None) -> Report:
    """One table with one offence of this code, somewhere in a game; put right; and the game goes on."""
    report = Report() if report is None else report
    started = time.process_time()
    table = Sitting(game, seed, report)
    table.tidy = True
    manners = manners_at(table)
    try:
        opening = manners.opening(code)
        if opening is not None:
            table.open_with(opening)
        lay_out(manners, opening)
        offence = None
        for _ in range(table.rng.randrange(12) if opening is None else 0):
            go_on(manners)
        for _ in range(200):
            offence = find(manners, code)
            if offence is not None:
                break
            go_on(manners)
        if offence is None:
            raise Wrong("missed", f"no position came up in which {code} could be planted")
        commit(manners, offence)
        for _ in range(3):
            go_on(manners)
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
    codes = tuple(manners_at(Sitting(game, seed, report)).makers)
    for i in range(offences):
        plant(seed + i, codes[i % len(codes)], game, report)
    return report


def go_on(manners: Manners) -> None:
    """One tidy turn; a game that has no turn left but winning ones is begun again by nobody: the table stops there."""
    table = manners.table
    turns = manners.tidy_turns()
    if not turns:
        raise Wrong("stuck", f"no turn left that goes on; {table.whereabouts()}")
    turn = table.rng.choice(turns)
    manners.carry_out(turn, brisk=True)
    rest(manners, turn)
    table.played(turn)


def commit(manners: Manners, offence: Offence) -> None:
    """Do it, see it named, put it right, see it restored."""
    table = manners.table
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
    if offence.at_once:
        table.stay(SETTLED_S)
    elif offence.first:
        table.settle(SETTLED_S + table.rng.uniform(0, 1.5))
    if offence.done:
        table.press(offence.by or table.game.to_move(table.position))
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
        ending = another_turn(manners, offence, ending)
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
    if {shift.origin for shift in wrong} & {shift.to for shift in wrong}:  # step by step, the last one first
        for shift in reversed([*offence.first, *offence.shifts]):
            table.reach(shift.to, shift.origin)
            mat.lift(shift.piece, shift.to)
            replace(table, shift)
            table.reach(shift.to, shift.origin)
    else:
        for shift in wrong:
            table.reach(shift.to)
            mat.lift(shift.piece, shift.to)
        for shift in wrong:
            table.reach(shift.origin)
            replace(table, shift)
    for shift in offence.kept:
        table.reach(shift.origin)
        mat.put(shift.piece, shift.origin)
    table.reach(*[shift.origin for shift in wrong])


def replace(table: Sitting, shift: Shift) -> None:
    """A piece in a hand goes back to where it came from, a spare into the box."""
    if shift.origin is None:
        table.mat.stow(shift.piece)
    else:
        table.mat.put(shift.piece, shift.origin)


def another_turn(manners: Manners, offence: Offence, ending: str) -> str:
    """Instead of what was wrong, a legal turn, at once or with a rest half-way; returns how it ended."""
    table = manners.table
    game, turns = table.game, manners.tidy_turns()
    for turn in table.rng.sample(turns, len(turns)):
        if ending == "going_on":
            half = manners.half_way(turn)
            # What a "done" has made wrong stays named while it stands.
            if half is None or set(half[0]) & set(offence.first):
                continue
            stage = placed_after(table, *half[0])
            if game.judge(table.position, stage).answer != "partial":
                continue
            if table.history and game.judge(table.history[-1][0], stage).answer != "illegal":
                continue  # it also undoes the last turn
            for shift in half[0]:
                carry(table, shift, plain=True)
            table.stay(RIGHTING_S)
            for shift in half[1]:
                carry(table, shift, plain=True)
        else:
            manners.carry_out(turn, brisk=True)
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
