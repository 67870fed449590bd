"""Can the referee see? Board found and moved, troubles that begin and end, and what was touched meanwhile."""

from __future__ import annotations

from controller.referee.choosing import consider
from controller.referee.clocks import Clocks
from controller.referee.reading import agree, differing, normal_readings, occupancy
from controller.referee.state import Draft, State
from controller.rules.api import Placement
from vision.sighting import Sighting

# With these nothing on the sheet can be trusted; the others only hide some sites.
BLIND = frozenset({"no_board", "too_dark", "too_bright", "blurred", "frozen", "lost"})


def look(draft: Draft, sighting: Sighting) -> bool:
    """Take in one frame. True when the board can be judged from it."""
    state = draft.state
    first = state.eyes.last_s is None
    gap_s = 0.0 if first else sighting.t_s - (state.eyes.last_s or 0.0)
    draft.set(t_s=sighting.t_s, frame=sighting.frame)
    draft.set_eyes(last_s=sighting.t_s)
    if first:
        draft.set_seen(clocks=Clocks.restarted(sighting.t_s))
    usable = _find_board(draft, sighting)
    trouble = sighting.trouble if sighting.trouble != "hand" else None
    if not usable and trouble is None and not draft.state.eyes.moved:
        trouble = "no_board"
    _follow_trouble(draft, trouble)
    if not usable or trouble in BLIND:
        _nothing_seen(draft, sighting)
        return False
    _take_in(draft, sighting, blind=gap_s > state.timing.blind_s)
    return True


def _find_board(draft: Draft, sighting: Sighting) -> bool:
    eyes = draft.state.eyes
    if sighting.trouble in BLIND and sighting.trouble != "no_board":
        return False  # the light has gone, or the picture: that is no bump
    if sighting.board_moved:
        if not eyes.moved and eyes.found:
            draft.emit("board_moved")
        draft.set_eyes(moved=True, found=False)
        return False
    if sighting.game is None:
        return False
    if not eyes.found:
        draft.emit("board_found", {"game": sighting.game, "set": sighting.set_name or draft.state.set_name})
        draft.set_eyes(found=True, moved=False)
        if draft.state.phase == "searching":
            draft.set(phase="setup")
        _restart(draft)
    return True


def _restart(draft: Draft) -> None:
    """Clocks begin again and the whole board is read again: anything may have been touched."""
    draft.set_seen(clocks=Clocks.restarted(draft.state.t_s), touched=draft.state.game.sites,
                   touched_since_pending=draft.state.game.sites)  # fmt: skip


def _nothing_seen(draft: Draft, sighting: Sighting) -> None:
    _restart(draft)
    draft.set_seen(hand=sighting.hand)
    draft.set_eyes(hand_since_s=None)


def _take_in(draft: Draft, sighting: Sighting, *, blind: bool) -> None:
    state = draft.state
    seen = state.seen
    looked = (sighting.tokens, sighting.hidden)
    now = seen.readings if looked == seen.looked else normal_readings(state.game, sighting)
    placement = now[0].placement
    moved = sighting.moving or _came_or_went(seen.placement, placement)
    clocks = seen.clocks.at(sighting.t_s, hand=sighting.hand, moved=moved)
    changed = placement.hidden | differing(seen.explained, placement)
    if blind:
        changed = state.game.sites
    draft.set_seen(
        looked=looked,
        readings=now,
        hand=sighting.hand,
        clocks=clocks,
        touched=seen.touched | changed,
        touched_since_pending=seen.touched_since_pending | placement.hidden | _changed_since(state, placement)
        | (changed if blind else frozenset()),
    )  # fmt: skip
    _follow_thread(draft, placement)


def _changed_since(state: State, placement: Placement) -> frozenset[str]:
    if not state.pending:
        return frozenset()
    return differing(state.game.picture(state.pending[0].position), placement)


def _came_or_went(before: Placement, now: Placement) -> bool:
    if before.on == now.on:
        return False
    unseen = before.hidden | now.hidden
    was, here = occupancy(before.on), occupancy(now.on)
    return any(site not in unseen and was.get(site, 0) != here.get(site, 0) for site in {*was, *here})


def _follow_thread(draft: Draft, placement: Placement) -> None:
    """How long before a change was the board last seen settled?"""
    state = draft.state
    seen = state.seen
    differs = seen.steady is not None and not agree(seen.steady, placement)
    if differs and not seen.away:
        draft.set_seen(away=True, gap_s=max(seen.gap_s, state.t_s - seen.steady_s))
    if seen.clocks.settled(state.timing):
        draft.set_seen(steady=placement, steady_s=state.t_s, away=False)


def _follow_trouble(draft: Draft, code: str | None) -> None:
    """Say that something hinders when it has lasted a while, and that it is over.

    Where something else hinders then, the first holds until that has lasted a while, too: nobody hears in between that
    all is well.
    """
    state = draft.state
    eyes = state.eyes
    if code != eyes.code:
        draft.set_eyes(code=code, since_s=state.t_s)
        eyes = draft.state.eyes
    if code is None and eyes.told is not None and not eyes.told_of_sites:
        _sees_again(draft)
    if code is not None and draft.state.eyes.told != code and state.t_s - eyes.since_s >= state.timing.trouble_s - 1e-6:
        if draft.state.eyes.told is not None:
            _sees_again(draft)
        cannot_see(draft, code, sorted(state.seen.placement.hidden) if code not in BLIND else [])
        if code == "no_board":
            draft.set_eyes(found=False)


def cannot_see(draft: Draft, code: str, sites: list[str], *, of_sites: bool = False) -> None:
    """Seeing ends. `why` names the sentence."""
    draft.set_eyes(told=code, told_of_sites=of_sites)
    draft.emit("cannot_see", {"code": code, "sites": sites, "why": f"cannot_see.{code}"})


def _sees_again(draft: Draft) -> None:
    eyes = draft.state.eyes
    hindered = eyes.code not in (None, eyes.told) or eyes.moved
    draft.set_eyes(told=None, told_of_sites=False)
    why = "sees_again.not_yet" if hindered else f"sees_again.{eyes.told}"
    draft.emit("sees_again", {"code": eyes.told, "sites": [], "why": why})


def follow_hand(draft: Draft) -> None:
    """A hand that keeps needed sites hidden: needed are those that leave the judgement open."""
    state = draft.state
    placement = state.seen.placement
    judging = state.phase == "play" and bool(placement.hidden)
    if not judging or not _left_open(draft):
        draft.set_eyes(hand_since_s=None)
        if state.eyes.told_of_sites:
            _sees_again(draft)
        return
    if state.eyes.hand_since_s is None:
        draft.set_eyes(hand_since_s=state.t_s)
    since_s = draft.state.eyes.hand_since_s or 0.0
    if draft.state.eyes.told is None and state.t_s - since_s >= state.timing.hand_s - 1e-6:
        cannot_see(draft, "hand" if state.seen.hand else "glare", sorted(placement.hidden), of_sites=True)


def _left_open(draft: Draft) -> bool:
    guiding = draft.state.guiding
    return bool(guiding.way.waits) if guiding else consider(draft).explained.answer == "unclear"


def tick(draft: Draft, t_s: float) -> None:
    """The clock, without a frame: a camera that has gone is named."""
    state = draft.state
    if t_s <= state.t_s:
        return
    draft.set(t_s=t_s)
    last_s = state.eyes.last_s
    if last_s is not None and t_s - last_s >= state.timing.lost_s and state.eyes.told is None:
        cannot_see(draft, "lost", [])
        draft.set_eyes(code="lost", since_s=last_s)
