"""Does this physical set fit this game? Sites, kinds, counts; and the set's own names turned into the game's."""

from __future__ import annotations

from dataclasses import replace

from controller.rules.api import Game, RulesError
from vision.boardset import BoardSet
from vision.sighting import Sighting


class FitError(RulesError):
    """The set and the game don't belong together; the text names the first thing that differs."""


def check_fit(board: BoardSet, game: Game) -> None:
    """Raise FitError unless every site (platforms' slots among them) and kind of the game exists on the set.

    Under the set's `[names]`.
    """
    if board.game != game.name:
        raise FitError(f"the set {board.name} is made for {board.game}; choose --game {board.game}")
    sites = {board.names.get(place, place) for place in board.places}
    if lacking := sorted(game.sites - sites):
        raise FitError(f"the set {board.name} has no site {lacking[0]}, which {game.name} needs; add it to its TOML")
    kinds = {board.names.get(kind, kind) for kind in board.kinds}
    if unknown := sorted(set(game.pieces) - kinds):
        raise FitError(f"the set {board.name} has no piece {unknown[0]}, which {game.name} needs; add it to its TOML")


def in_game_names(sighting: Sighting, board: BoardSet) -> Sighting:
    """The same sighting with the set's names of sites and kinds turned into the game's (identity without `[names]`)."""
    names = board.names
    if not names:
        return sighting
    tokens = tuple(
        replace(
            token,
            kind=names.get(token.kind, token.kind),
            site=None if token.site is None else names.get(token.site, token.site),
            near=tuple(names.get(site, site) for site in token.near),
            likelihoods={names.get(kind, kind): value for kind, value in token.likelihoods.items()},
        )
        for token in sighting.tokens
    )
    return replace(
        sighting,
        tokens=tokens,
        hidden=frozenset(names.get(site, site) for site in sighting.hidden),
        uncertain=frozenset(names.get(site, site) for site in sighting.uncertain),
    )
