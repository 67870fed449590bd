"""Transet as a `Game`: set-up, turns, judging, texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

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
from controller.rules.judging import match, moved, way_back
from controller.rules.options import option_values
from controller.rules.transet import text as texts
from controller.rules.transet.board import (
    COUNT,
    INDEX,
    KIND_OF,
    LETTER_OF,
    NORTH,
    OTHER,
    PLAYERS,
    SITES,
    SOUTH,
    START,
    TransetPosition,
    TransetTurn,
    board_after,
    legal_turns,
    on_goal,
    player_of,
)
from controller.rules.transet.reasons import ordered, placement_reasons, reason
from controller.rules.transet.spoken import judge_spoken
from controller.rules.transet.ways import ALPHABET, Ways, stage_placements, ways_of, wins

OPTIONS = {
    "swop_exchange": Option("false", ("false", "true"), "in a swap two neighbours may trade places"),
    "swop_wins": Option("true", ("true", "false"), "a swap that reaches the enemy line wins"),
    "repetition_draw": Option("off", ("off", "3"), "the game is a draw when a position stands for the third time"),
}


class Transet:
    """The game; instances are immutable."""

    name = "transet"
    author = "Harm van Veen"
    players = PLAYERS
    sites: frozenset[Site] = frozenset(SITES)
    pieces: Mapping[Kind, int] = {KIND_OF[letter]: count for letter, count in COUNT.items()}
    options: Mapping[str, Option] = OPTIONS
    turn_size = 2
    tries_two_turns = True

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        """`chosen`: option values; OptionError names what is unknown."""
        values = option_values(self.name, OPTIONS, chosen)
        self.chosen: Mapping[str, str] = values
        self._exchange = values["swop_exchange"] == "true"
        self._swop_wins = values["swop_wins"] == "true"
        self._repetition = values["repetition_draw"] == "3"

    def with_options(self, chosen: Mapping[str, str]) -> Transet:
        """The same game with these options on top of the ones it has."""
        return Transet({**self.chosen, **chosen})

    def owner(self, kind: Kind) -> Player | None:
        """Dark is South's, light North's."""
        return player_of(LETTER_OF[kind]) if kind in LETTER_OF else None

    def lane(self, site: Site) -> str:
        """Every square is its own."""
        return site

    def normal(self, placement: Placement) -> Placement:
        """Every square counts."""
        return placement

    @staticmethod
    def distance(one: Site, other: Site) -> float:
        """King's moves, straight ones a little shorter than diagonal ones."""
        a, b = INDEX[one], INDEX[other]
        files, ranks = abs(a % 5 - b % 5), abs(a // 5 - b // 5)
        return max(files, ranks) + (files + ranks) / 100

    def start(self) -> TransetPosition:
        """The one start position; South begins."""
        return TransetPosition(START, SOUTH)

    def to_move(self, position: TransetPosition) -> Player | None:
        """Whose turn it is, None where that isn't known."""
        return position.mover

    def with_mover(self, position: TransetPosition, player: Player) -> TransetPosition:
        """The same board with this side to move."""
        return position._replace(mover=player)

    def setup(self, placement: Placement) -> Setup:
        """The start position if it stands, otherwise the fewest shifts to it."""
        start = self.start()
        wanted = self.picture(start)
        shifts = moved(placement_without_hidden(placement), wanted, self.distance)
        right = sum(
            site not in placement.hidden and tuple(placement.on.get(site, ())) == kinds
            for site, kinds in wanted.on.items()
        )
        hidden = ALPHABET.see(placement).hidden
        stands = not shifts and not hidden
        shown = tuple(s for s in shifts if not placement.hidden & {s.origin, s.to})
        wrong = way_back([Shift(s.piece, s.to, s.origin) for s in shown], placement)
        return Setup(start if stands else None, start, wrong, right, 10)

    def midgame(self, placement: Placement) -> TransetPosition | None:
        """The position of a game in progress: ten pawns, the right ones, one on a site, nobody on the enemy line."""
        seen = ALPHABET.see(placement)
        cells = ["."] * 25
        for site, kinds in placement.on.items():
            if site in placement.hidden:
                continue
            if len(kinds) != 1 or kinds[0] not in LETTER_OF:
                return None
            cells[INDEX[site]] = LETTER_OF[kinds[0]]
        board = "".join(cells)
        whole = all(board.count(letter) == count for letter, count in COUNT.items())
        if seen.hidden or not whole or any(on_goal(board, player) for player in PLAYERS):
            return None
        return TransetPosition(board, None)

    def _ways(self, board: str, mover: Player) -> Ways:
        return ways_of(board, mover, self._exchange, self._swop_wins)

    def _sides(self, position: TransetPosition) -> tuple[Player, ...]:
        """Who may move: nobody after the end, both where it isn't known."""
        if self.outcome(position) is not None:
            return ()
        return (position.mover,) if position.mover else PLAYERS

    def legal_turns(self, position: TransetPosition, towards: Placement | None = None) -> Iterator[TransetTurn]:
        """Every turn; with `towards` only those that end or pass there, with pieces missing or hidden."""
        if towards is None:
            for mover in self._sides(position):
                yield from legal_turns(position.board, mover, self._exchange)
            return
        seen = ALPHABET.see(towards)
        for mover in self._sides(position):
            ways = self._ways(position.board, mover)
            hidden, fits = seen.hidden, set()
            for where in (ways.table.ends, ways.table.stages):
                for mask, turns in where.items():
                    if not seen.mask & ~mask & ~hidden:
                        fits |= set(turns)
            fits |= {
                turn
                for mask, kind, turn in ways.table.loose
                if not (extra := seen.mask & ~mask & ~hidden) & ~kind and extra.bit_count() <= 1
            }
            yield from (turn for turn in ways.turns if turn in fits)

    def forced_pass(self, position: TransetPosition) -> None:
        """The side to move always has a turn [DERIVED]."""
        return None

    def stages(self, position: TransetPosition, turn: TransetTurn) -> Iterator[Placement]:
        """The boards after one act of a turn of two acts."""
        yield from stage_placements(position.board, turn)

    def after(self, position: TransetPosition, turn: TransetTurn) -> TransetPosition:
        """The position when the turn is complete."""
        mover = player_of(position.board[turn.origin])
        board = board_after(position.board, turn)
        if self._swop_wins and not self._repetition:
            return TransetPosition(board, OTHER[mover])
        live = not self._swop_wins and on_goal(board, mover) and not wins(position.board, turn, mover, False)
        live = live or (position.live and not wins(position.board, turn, mover, False) and on_goal(board, OTHER[mover]))
        past = (*position.past, _key(position)) if self._repetition else ()
        return TransetPosition(board, OTHER[mover], live, past)

    def picture(self, position: TransetPosition) -> Placement:
        """What stands on the table in this position."""
        return _picture(position.board)

    def outcome(self, position: TransetPosition) -> Outcome | None:
        """South or North wins by an end-move; a draw by repetition only with that option."""
        winner = texts.winner_of(position)
        if winner:
            return Outcome(winner, f"{winner} wins", "end_move")
        if self._repetition and position.past.count(_key(position)) >= 2:
            return Outcome(None, "draw", "repetition")
        return None

    def turn_sites(self, position: TransetPosition, turn: TransetTurn) -> frozenset[Site]:
        """Every site that the turn needs to see."""
        return frozenset(SITES[i] for i in turn[1:] if i >= 0)

    def turn_shifts(self, position: TransetPosition, turn: TransetTurn) -> tuple[Shift, ...]:
        """What the turn moves; a captured pawn goes to its return square, or off where the game is over."""
        _, a, b, c, d = turn
        first = Shift(KIND_OF[position.board[a]], SITES[a], SITES[b])
        if c < 0:
            return (first,)
        return first, Shift(KIND_OF[position.board[c]], SITES[c], SITES[d] if d >= 0 else None)

    def judge(self, position: TransetPosition, placement: Placement, done: Player | None = None) -> Verdict:
        """What this placement is after that position; `done`: this player says that his part is over."""
        seen = ALPHABET.see(placement)
        sides = self._sides(position)
        if not sides:
            return self._judge_over(position, placement)
        found = {side: match(self._ways(position.board, side).table, ALPHABET, seen) for side in sides}
        answers = {m.answer for m in found.values()}
        shifts = moved(self.picture(position), placement, self.distance)
        missing = tuple(s.piece for s in shifts if s.to is None)
        if "unchanged" in answers:
            turns = self._different(found[done].ends) if done in found and len(sides) == 1 else ()
            return Verdict("complete", turns) if turns else Verdict("unchanged", missing=missing)
        if "complete" in answers:
            turns = tuple(turn for m in found.values() for turn in self._different(m.ends))
            extendable = any(m.extendable and side != done for side, m in found.items())
            return Verdict("complete", turns, extendable)
        if "unclear" in answers:
            return Verdict("unclear", missing=missing)
        if "partial" in answers:
            if done in found and found[done].mask is not None and not seen.hidden:
                reasons = self._ways(position.board, done).done_reasons(found[done].mask or 0)
                others = any(m.answer == "partial" for side, m in found.items() if side != done)
                if reasons and not others:
                    return Verdict("illegal", missing=missing, reasons=reasons, way_back=way_back(shifts, placement))
            ways = {who: self._ways(position.board, who) for who, m in found.items() if m.answer == "partial"}
            owed = tuple(owed for who, way in ways.items() for owed in way.owed(found[who]))
            return Verdict("partial", owed=owed, missing=missing)
        side = self._reader(shifts, sides)
        why, foreign = placement_reasons(position.board, side, shifts, placement, self._exchange)
        if foreign and len(sides) == 1:
            theirs = match(self._ways(position.board, OTHER[side]).table, ALPHABET, seen)
            if theirs.answer == "complete":
                sites = [INDEX[s] for shift in shifts for s in (shift.origin, shift.to) if s]
                why.append(reason("OUT_OF_TURN", "", sites, player=side, other=OTHER[side]))
        if not seen.hidden:
            undone = self._ways(position.board, side).overtaken(seen.mask, self._exchange, self._swop_wins)
            if undone:  # then the other side's pawn was moved by right
                why = undone + [r for r in why if r.code not in ("NOT_CAPTURED", "WRONG_PAWN_RETURNED")]
        return Verdict("illegal", missing=missing, reasons=ordered(why), way_back=way_back(shifts, placement))

    def _judge_over(self, position: TransetPosition, placement: Placement) -> Verdict:
        """After the end there is nothing to judge: the board may be cleared."""
        shifts = moved(self.picture(position), placement, self.distance)
        missing = tuple(s.piece for s in shifts if s.to is None)
        if not any(s.to for s in shifts):
            return Verdict("partial" if missing else "unchanged", missing=missing)
        # A pawn captured by the last turn may be anywhere.
        gone = [kind for kind, count in self.pieces.items() if count > position.board.count(LETTER_OF[kind])]
        added = [s for s in shifts if s.to]
        if len(added) == 1 and added[0].origin is None and added[0].piece in gone:
            return Verdict("partial" if missing else "unchanged", missing=missing)
        sites = [INDEX[s] for shift in shifts for s in (shift.origin, shift.to) if s]
        why = (reason("NOT_A_TURN", "", sites),)
        return Verdict("illegal", missing=missing, reasons=why, way_back=way_back(shifts, placement))

    @staticmethod
    def _different(turns: tuple[TransetTurn, ...]) -> tuple[TransetTurn, ...]:
        """All of these end on one board; the generator writes the canonical one (a vertical swap) first."""
        return turns[:1]

    def judge_turn(self, position: TransetPosition, text: str) -> TurnVerdict:
        """A written turn: legal, or every reason why not. TextError where it can't be read."""
        spoken = texts.read_turn(text)
        mover = position.mover
        if mover is None:
            letter = position.board[spoken.origin]
            mover = player_of(letter) if letter != "." else SOUTH
        if self.outcome(position) is not None:
            over = reason("OUT_OF_TURN", "", (spoken.origin, spoken.target), player=mover, form="over")
            return TurnVerdict(False, False, reasons=(over,))
        found = judge_spoken(position.board, mover, spoken, self._exchange)
        if not isinstance(found, TransetTurn):
            return TurnVerdict(False, False, reasons=found)
        end = board_after(position.board, found)
        turns = self._ways(position.board, mover).turns
        turn = next(t for t in turns if t == found or _same_swap(position.board, t, found, end))
        return TurnVerdict(True, True, turn, self.after(position, turn))

    def parse_position(self, text: str) -> TransetPosition:
        """`rbkbr/5/5/5/RBKBR S`; TextError names the column."""
        return texts.parse_position(text, self._swop_wins)

    def position_text(self, position: TransetPosition) -> str:
        """The same, printed."""
        return texts.position_text(position)

    def parse_turn(self, position: TransetPosition, text: str) -> TransetTurn:
        """A legal turn in any spelling; TextError where it can't be read, RulesError with the code where illegal."""
        verdict = self.judge_turn(position, text)
        if verdict.turn is None:
            raise RulesError(f"{text.strip()} is no legal turn here: {verdict.reasons[0].code}")
        mover = player_of(position.board[verdict.turn.origin])
        found = judge_spoken(position.board, mover, texts.read_turn(text), self._exchange)
        assert isinstance(found, TransetTurn)
        return found

    def turn_text(self, position: TransetPosition, turn: TransetTurn) -> str:
        """The canonical text of a turn."""
        mover = player_of(position.board[turn.origin])
        return texts.turn_text(turn, wins(position.board, turn, mover, self._swop_wins))

    @staticmethod
    def _reader(shifts: tuple[Shift, ...], sides: tuple[Player, ...]) -> Player:
        """The side whose turn is being read: the only one, or the one that moved more pawns."""
        if len(sides) == 1:
            return sides[0]
        pawns = [player_of(LETTER_OF[s.piece]) for s in shifts if s.piece in LETTER_OF]
        return NORTH if pawns.count(NORTH) > pawns.count(SOUTH) else SOUTH


def _same_swap(board: str, one: TransetTurn, two: TransetTurn, end: str) -> bool:
    """A vertical and a horizontal swap of like pawns can give one board; the vertical one is canonical."""
    return one.act == "vertical" and two.act == "horizontal" and board_after(board, one) == end


def _key(position: TransetPosition) -> str:
    return f"{position.board}{position.mover}"


@lru_cache(maxsize=1024)
def _picture(board: str) -> Placement:
    return Placement({SITES[i]: (KIND_OF[letter],) for i, letter in enumerate(board) if letter != "."})


def placement_without_hidden(placement: Placement) -> Placement:
    """The same placement; pieces on hidden sites were not seen."""
    on = {site: kinds for site, kinds in placement.on.items() if site not in placement.hidden}
    return replace(placement, on=on, hidden=frozenset())


TRANSET = Transet()
