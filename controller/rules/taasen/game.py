"""Taasen as a `Game`: set-up, turns, judging, texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations

from controller.rules.api import (
    Kind,
    Option,
    Outcome,
    Placement,
    Player,
    RulesError,
    Setup,
    Shift,
    Site,
    TurnVerdict,
    Verdict,
)
from controller.rules.judging import moved, way_back
from controller.rules.options import option_values
from controller.rules.taasen import text as texts
from controller.rules.taasen.board import (
    CORNERS,
    GREEN,
    KINDS,
    NUMBER,
    OFF,
    OTHER,
    OWN,
    OWNER,
    PLAYERS,
    RED,
    SEA,
    SITES,
    START,
    Law,
    TaasenPosition,
    TaasenTurn,
    after,
    distance,
    legal_turns,
    material_end,
)
from controller.rules.taasen.judging import judge
from controller.rules.taasen.reasons import reason
from controller.rules.taasen.spoken import judge_spoken
from controller.rules.taasen.ways import ALPHABET, Ways, has_none, picture, stage_placement, ways_of

OPTIONS = {
    "push_mandatory": Option("true", ("true", "false"), "a piece moved next to its prey must press it"),
    "white_presses_white": Option("false", ("false", "true"), "a White piece presses White pieces, too"),
    "white_ban_includes_escape": Option(
        "false", ("false", "true"), "a White piece that has just fled may not be moved, either"
    ),
    "recursion_binds_escape": Option(
        "false", ("false", "true"), "a piece pressed twice running may not flee back to where it was pressed first"
    ),
    "no_attack_end": Option("material", ("material", "off"), "the game ends when no piece left can ever press another"),
    "stuck_by_recursion": Option(
        "loss", ("loss", "lift", "pass"), "a side that is stuck only by the two bans loses, is free of them, or passes"
    ),
    "first": Option("Red", PLAYERS, "who begins"),
    "repetition_draw": Option("off", ("off", "3"), "the game is a draw when a position stands for the third time"),
    "announce": Option(
        "reply", ("reply", "ask"), "which of two victims is meant: the reply shows it, or the mover confirms it"
    ),
}


class Taasen:
    """The game; instances are immutable."""

    name = "taasen"
    author = "Jennifer Diane Reitz"
    players = PLAYERS
    sites: frozenset[Site] = frozenset(SITES)  # the sea, 6, too: it must be seen to be empty
    pieces: Mapping[Kind, int] = dict.fromkeys(KINDS, 1)
    options: Mapping[str, Option] = OPTIONS
    turn_size = 2
    tries_two_turns = True
    distance = staticmethod(distance)

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        """`chosen`: option values; OptionError names what is unknown."""
        values = option_values(self.name, OPTIONS, chosen)
        self.chosen: Mapping[str, str] = values
        self.law = Law(
            may_decline=values["push_mandatory"] == "false",
            white_presses_white=values["white_presses_white"] == "true",
            ban_includes_escape=values["white_ban_includes_escape"] == "true",
            binds_escape=values["recursion_binds_escape"] == "true",
            lift=values["stuck_by_recursion"] == "lift",
        )
        self._passes = values["stuck_by_recursion"] == "pass"
        self.no_attack_ends = values["no_attack_end"] == "material"
        self._repetition = values["repetition_draw"] == "3"

    def with_options(self, chosen: Mapping[str, str]) -> Taasen:
        """The same game with these options on top of the ones it has."""
        return Taasen({**self.chosen, **chosen})

    def owner(self, kind: Kind) -> Player | None:
        """Red's or Green's; White belongs to nobody."""
        return OWNER[NUMBER[kind]] if kind in NUMBER else None

    def lane(self, site: Site) -> str:
        """Every site is its own."""
        return site

    def normal(self, placement: Placement) -> Placement:
        """Every site counts."""
        return placement

    def start(self) -> TaasenPosition:
        """White on 0, Red on 9, Green on 15."""
        return TaasenPosition(START, self.chosen["first"])

    def to_move(self, position: TaasenPosition) -> Player | None:
        """Whose turn it is, None where that isn't known."""
        return position.mover

    def with_mover(self, position: TaasenPosition, player: Player) -> TaasenPosition:
        """The same board with this side to move; what bound the other side in its turn is forgotten."""
        if position.mover in (None, player):
            return position._replace(mover=player)
        return position._replace(mover=player, ban=0, pressed=-1, back=-1)

    def setup(self, placement: Placement) -> Setup:
        """The start position that stands, whichever colour on whichever corner; otherwise the nearest one."""
        seen = _without_hidden(placement)
        hidden = ALPHABET.see(placement).hidden
        best: Setup | None = None
        for corners in permutations(CORNERS):
            start = TaasenPosition(tuple(corner for corner in corners for _ in range(3)), self.chosen["first"])
            wanted = picture(start.at)
            shifts = moved(seen, wanted, distance)
            if not shifts and not hidden:
                return Setup(start, start, (), 9, 9)
            shown = [s for s in shifts if not placement.hidden & {s.origin, s.to}]
            wrong = way_back([Shift(s.piece, s.to, s.origin) for s in shown], placement)
            right = sum(kind in seen.on.get(site, ()) for site, kinds in wanted.on.items() for kind in kinds)
            key = (len(wrong), -right, start.at != START)
            if best is None or key < (len(best.wrong), -best.right, best.nearest.at != START):
                best = Setup(None, start, wrong, right, 9)
        assert best is not None
        return best

    def midgame(self, placement: Placement) -> TaasenPosition | None:
        """A game in progress: one or more of Red and of Green, each kind at most once, stacks as they may still be."""
        at = [OFF] * 9
        if placement.hidden and ALPHABET.see(placement).hidden:
            return None
        for site, kinds in placement.on.items():
            if site in placement.hidden:
                continue
            for kind in kinds:
                if kind not in NUMBER or at[NUMBER[kind]] != OFF or site == SEA:
                    return None
                at[NUMBER[kind]] = int(site)
            if len(kinds) > 1 and (int(site) not in CORNERS or len({self.owner(kind) for kind in kinds}) > 1):
                return None
        position = TaasenPosition(tuple(at), None)
        over = any(has_none(position.at, player) for player in PLAYERS) or self.outcome(position) is not None
        return None if over else position

    def _sides(self, position: TaasenPosition) -> tuple[Player, ...]:
        """Who may move: nobody after the end, both where it isn't known."""
        if self.outcome(position) is not None:
            return ()
        return (position.mover,) if position.mover else PLAYERS

    def ways(self, position: TaasenPosition, player: Player, late: bool = False) -> Ways:
        """All that may stand on the way of this player's turn; `late`: also when the other side has gone on already."""
        bare = position if not position.past else position._replace(past=())
        return ways_of(bare, player, self.law, self.no_attack_ends, late)

    def legal_turns(self, position: TaasenPosition, towards: Placement | None = None) -> Iterator[TaasenTurn]:
        """Every turn, a forced pass too; with `towards` those that end or pass there, with pieces missing or hidden."""
        if towards is None:
            return self._turns(position)
        return self._turns_towards(position, towards)

    def _turns(self, position: TaasenPosition) -> Iterator[TaasenTurn]:
        at, mover = position.at, position.mover
        # The cheap half of `outcome`; a side that is stuck has no turns anyway.
        if OFF in at and self._ended(at):
            return iter(())
        if self._repetition and self._repeated(position):
            return iter(())
        if mover is not None:
            turns = legal_turns(position, mover, self.law)
            if not turns and self._passes:
                passing = self.forced_pass(position)
                return iter((passing,) if passing else ())
            return iter(turns)
        return iter([turn for player in PLAYERS for turn in legal_turns(position, player, self.law)])

    def _turns_towards(self, position: TaasenPosition, towards: Placement) -> Iterator[TaasenTurn]:
        seen = ALPHABET.see(towards)
        for player in self._sides(position):
            ways = self.ways(position, player)
            fits = {
                turn
                for where in (ways.table.ends, ways.table.stages)
                for mask, turns in where.items()
                if not seen.mask & ~mask & ~seen.hidden
                for turn in turns
            }
            yield from (turn for turn in ways.turns if turn in fits)

    def forced_pass(self, position: TaasenPosition) -> TaasenTurn | None:
        """With `stuck_by_recursion` = pass: the turn `--` of a side that only the two bans leave without a turn."""
        mover = position.mover
        if not self._passes or mover is None or self.outcome(position) is not None:
            return None
        if legal_turns(position, mover, self.law):
            return None
        return TaasenTurn(mover, -1, -1, -1)

    def stages(self, position: TaasenPosition, turn: TaasenTurn) -> Iterator[Placement]:
        """The attacker has moved and its victim still stands."""
        if turn.victim >= 0:
            yield stage_placement(position, turn)

    def after(self, position: TaasenPosition, turn: TaasenTurn) -> TaasenPosition:
        """The position when the turn is complete."""
        found = after(position, turn, self.law.ban_includes_escape)
        if self._repetition:
            return found._replace(past=(*position.past, position[:5]))
        return found

    def picture(self, position: TaasenPosition) -> Placement:
        """What stands on the table in this position."""
        return picture(position.at)

    def _ended(self, at: tuple[int, ...]) -> bool:
        """No pieces, or nobody can ever press again."""
        return has_none(at, RED) or has_none(at, GREEN) or (self.no_attack_ends and material_end(at))

    def _repeated(self, position: TaasenPosition) -> bool:
        return self._repetition and position.past.count(position[:5]) >= 2

    def outcome(self, position: TaasenPosition) -> Outcome | None:
        """The end test, in the order of taasen 2."""
        at, mover = position.at, position.mover
        for player in (mover,) if mover else ():
            if has_none(at, player):
                return _won(OTHER[player], "elimination")
        if OFF in at and self._ended(at):
            counts = {player: sum(at[piece] != OFF for piece in OWN[player]) for player in PLAYERS}
            why = "no_attack" if all(counts.values()) else "elimination"
            if counts[RED] == counts[GREEN]:
                return Outcome(None, "draw", why)
            return _won(RED if counts[RED] > counts[GREEN] else GREEN, why)
        if mover is not None and not legal_turns(position, mover, self.law):
            if self._passes and legal_turns(position._replace(ban=0, pressed=-1, back=-1), mover, self.law):
                return None
            # That the other side could not move either, which would be a draw, never comes about [DERIVED]: then all
            # pieces would stand on sites that lead nowhere else but to one barred site.
            return _won(OTHER[mover], "stuck")
        if self._repeated(position):
            return Outcome(None, "draw", "repetition")
        return None

    def turn_sites(self, position: TaasenPosition, turn: TaasenTurn) -> frozenset[Site]:
        """Every site that the turn needs to see."""
        shifts = self.turn_shifts(position, turn)
        return frozenset(site for shift in shifts for site in (shift.origin, shift.to) if site is not None)

    def turn_shifts(self, position: TaasenPosition, turn: TaasenTurn) -> tuple[Shift, ...]:
        """What the turn moves; a crushed piece goes off the board."""
        _, piece, origin, target, victim, stood, escape = turn
        if piece < 0:
            return ()
        first = Shift(KINDS[piece], SITES[origin], SITES[target])
        if victim < 0:
            return (first,)
        return first, Shift(KINDS[victim], SITES[stood], None if escape == OFF else SITES[escape])

    def judge(self, position: TaasenPosition, placement: Placement, done: Player | None = None) -> Verdict:
        """What this placement is after that position; `done`: this player says that his part is over."""
        return judge(self, position, self._sides(position), placement, done)

    def judge_turn(self, position: TaasenPosition, text: str) -> TurnVerdict:
        """A written turn: legal, half of one, or every reason why not. TextError where it can't be read."""
        spoken = texts.read_turn(text)
        sides = self._sides(position)
        if not sides:
            sites = [] if spoken is None else [spoken.target]
            over = reason("OUT_OF_TURN", "", sites, player=position.mover or RED, form="over")
            return TurnVerdict(False, False, reasons=(over,))
        if spoken is None:
            passing = self.forced_pass(position)
            if passing is None:
                why = reason("NOT_A_TURN", "", (), player=position.mover or RED, form="no_pass")
                return TurnVerdict(False, False, reasons=(why,))
            return TurnVerdict(True, True, passing, self.after(position, passing))
        owner = OWNER[spoken.piece]
        if len(sides) > 1 and owner is not None:
            sides = (owner,)
        verdicts = [judge_spoken(self.ways(position, side), spoken, self.law) for side in sides]
        verdict = max(verdicts, key=lambda found: (found.legal, found.complete))
        if verdict.turn is None:
            return verdict
        return replace(verdict, position=self.after(position, verdict.turn))

    def parse_position(self, text: str) -> TaasenPosition:
        """`RT=9 … WP=0 R - -`; TextError names the column."""
        return texts.parse_position(text)

    def position_text(self, position: TaasenPosition) -> str:
        """The same, printed."""
        return texts.position_text(position)

    def parse_turn(self, position: TaasenPosition, text: str) -> TaasenTurn:
        """A legal and complete turn in any spelling; TextError where it can't be read, RulesError where illegal."""
        verdict = self.judge_turn(position, text)
        if verdict.turn is not None:
            found: TaasenTurn = verdict.turn
            return found
        if verdict.legal:
            owed = verdict.owed[0]
            raise RulesError(f"{text.strip()} is only half a turn: {owed.player} still owes {owed.act}")
        raise RulesError(f"{text.strip()} is no legal turn here: {verdict.reasons[0].code}")

    def turn_text(self, position: TaasenPosition, turn: TaasenTurn) -> str:
        """The canonical text of a turn."""
        return texts.turn_text(turn)


def _won(player: Player, why: str) -> Outcome:
    return Outcome(player, f"{player} wins", why)


def _without_hidden(placement: Placement) -> Placement:
    """The same placement; pieces on hidden sites were not seen."""
    if not placement.hidden:
        return placement
    on = {site: kinds for site, kinds in placement.on.items() if site not in placement.hidden}
    return replace(placement, on=on, hidden=frozenset())


TAASEN = Taasen()
