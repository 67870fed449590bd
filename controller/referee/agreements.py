"""How a game ends by word: a side resigns, or a draw that one side has offered and the other accepts."""

from __future__ import annotations

from typing import Literal

from controller.referee.asking import answered
from controller.referee.record import end_game
from controller.referee.state import Draft, Offer
from controller.rules.api import Outcome, Player

By = Literal["player", "operator"]


def rule(draft: Draft, what: str, by: By, **facts: object) -> None:
    """Write a word that changes the game, before what follows from it."""
    draft.emit("ruling", {"what": what, "by": by, **draft.said, **facts})


def resign(draft: Draft, player: Player | None, by: By) -> None:
    """The other side wins at once; a name that doesn't play here says nothing."""
    players = draft.state.game.players
    if player not in players:
        return
    winner = players[1 - players.index(player)]
    rule(draft, "resigned", by, player=player)
    _over(draft, Outcome(winner, f"{winner} wins", "resigned"), by)


def agree_on_draw(draft: Draft, by: By, **who: Player) -> None:
    """Both sides have agreed. `who`: who `offered` and who `accepted`, where that is known."""
    rule(draft, "draw", by, **who)
    _over(draft, Outcome(None, "draw", "agreed"), by)


def _over(draft: Draft, outcome: Outcome, by: By) -> None:
    answered(draft, by)
    end_game(draft, outcome)


def offer_draw(draft: Draft, player: Player | None, by: By) -> None:
    """One side offers a draw; where the other one has offered it already, both have agreed."""
    state = draft.state
    if player not in state.game.players or (state.offer and state.offer.player == player):
        return
    if state.offer:
        accept_draw(draft, player, by)
        return
    draft.set(offer=Offer(player, state.game_no, len(state.published)))
    draft.emit("draw_offer", {"player": player, "state": "made"})


def accept_draw(draft: Draft, player: Player | None, by: By) -> None:
    """Only the other side can accept."""
    state = draft.state
    if state.offer and player in state.game.players and player != state.offer.player:
        _end_offer(draft, "accepted")
        agree_on_draw(draft, by, offered=state.offer.player, accepted=player)


def decline_draw(draft: Draft, player: Player | None) -> None:
    """The other side declines, or the side that offered takes it back."""
    state = draft.state
    if state.offer and player in state.game.players:
        _end_offer(draft, "withdrawn" if player == state.offer.player else "declined")


def let_offer_lapse(draft: Draft) -> None:
    """An offer stands until the next turn is complete."""
    state = draft.state
    offer = state.offer
    if offer is None:
        return
    if state.phase != "play" or state.game_no != offer.game_no:
        draft.set(offer=None)
    elif len(state.published) > offer.n:
        _end_offer(draft, "lapsed")


def _end_offer(draft: Draft, how: str) -> None:
    offer = draft.state.offer
    assert offer is not None
    draft.set(offer=None)
    draft.emit("draw_offer", {"player": offer.player, "state": how})
