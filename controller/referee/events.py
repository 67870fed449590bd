"""What goes into the referee and what comes out: frozen data, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from controller.rules.api import Reason
from vision.sighting import Sighting

Button = Literal[
    "done", "yes", "no", "resign", "offer_draw", "accept_draw", "decline_draw", "call_operator", "dismiss_operator",
    "guide",
]  # fmt: skip


@dataclass(frozen=True)
class Press:
    """A player's button, key or tap. `done`: "my part is over"; `player` None: no side, never accuses.

    `yes` and `no` answer a question. `call_operator` (a long press) and `dismiss_operator` count at any time, from
    anybody. `guide`, of a board that is being rearranged: back to where the game was. The others mean nothing without
    a player.
    """

    t_s: float
    player: str | None
    button: Button = "done"


@dataclass(frozen=True)
class Command:
    """An operator's word; with it an operator who was called has come.

    new_game, pause, resume, accept_as_played, set_position(position), take_back, resign(player), draw (both agree);
    guide: lead to the believed position, or guide(position): to another one, from which the game then goes on;
    take_back(to): to the position after turn `to`; correct(n, text, reason): turn n, or the next one, was this one;
    text "as played" with `position`: what led there; `falls`: the first later turn that the operator was told falls.
    offer_draw(player), accept_draw(player), decline_draw(player): said for a player;
    choose(position): answer a question by one of its candidates; name_players(SIDE=name), "" for none;
    lights(show): try them; new_game(option.NAME): under these rules. `reason` and `key` (whose API key) go into the
    ruling. What can't be done now, or has an
    argument that can't be read, changes nothing.
    """

    t_s: float
    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tick:
    """The clock, for tables without frames (camera lost)."""

    t_s: float


Input = Sighting | Press | Command | Tick


@dataclass(frozen=True)
class Event:
    """Something that happened, as `watch --json` writes it: `event`, `t`, `frame`, `game_no`, then `data`.

    `internal` events ("belief") go to the journal, never to `watch`. `reasons`: those of `data`, whole, for their
    sentences.
    """

    event: str
    t_s: float
    frame: int
    game_no: int
    data: Mapping[str, Any] = field(default_factory=dict)
    internal: bool = False
    reasons: tuple[Reason, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The object `watch --json` prints."""
        return {"event": self.event, "t": round(self.t_s, 3), "frame": self.frame, "game_no": self.game_no, **self.data}
