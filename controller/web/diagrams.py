"""What a page needs to draw small diagrams of any installed set, under the names that its game uses."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Query, Response

from controller.rules.registry import game_named
from controller.web.geometry import set_json
from vision.artwork import svg_token
from vision.boardset import BoardSet, SetError, installed_sets

TOKEN = "/api/operator/token.svg"


def add_tokens(app: FastAPI) -> None:
    """The pieces of every installed set, also of one that does not lie on the table."""

    @app.get(TOKEN)
    def token(name: Annotated[str, Query(alias="set", max_length=60)], kind: str) -> Response:
        try:
            drawn = svg_token(installed_sets()[name], kind)
        except (KeyError, SetError):
            raise HTTPException(404, f"No installed set {name[:60]} has such a piece.") from None
        return Response(drawn, media_type="image/svg+xml", headers={"cache-control": "private, max-age=3600"})


def diagram_json(board: BoardSet) -> dict[str, Any]:
    """`crop` [x, y, w, h] and `sheet` [w, h] in mm; `sites`: site -> centre, polygon, fill; `kinds`: address."""
    told = set_json(board)
    fills = {site.id: _hex(site.fill) for site in board.sites}
    return {
        "name": board.name,
        "crop": told["crop"],
        "sheet": told["sheet"],
        "size": board.tokens.size_mm,
        "sites": {
            board.names.get(site, site): {**place, "fill": fills.get(site)} for site, place in told["sites"].items()
        },
        "cards": told["platforms"],
        "kinds": {
            board.names.get(kind, kind): f"{TOKEN}?set={quote(board.name)}&kind={quote(kind)}" for kind in board.kinds
        },
    }


def _hex(rgb: tuple[int, int, int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in rgb)


def set_for(game: str | None, name: str | None, lying: BoardSet | None) -> BoardSet | None:
    """The set to draw a game's boards with: the one it was played on, or another one of that game."""
    if lying is not None and (name in (None, lying.name) and game in (None, lying.game)):
        return lying
    sets = installed_sets()
    named = sets.get(name or "")
    if named is not None and named.game == game:
        return named
    return next((board for board in sets.values() if board.game == game), None)


def sides(game: str | None) -> tuple[str, ...]:
    """The two sides of a game."""
    return game_named(game).players if game else ()
