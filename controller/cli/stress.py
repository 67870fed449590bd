"""`boardref bench --stress`: does every token keep its name when light and picture get worse?

Compared is each site (slots of platforms, and what lies beside the board, count as sites) that the clean picture shows
right and without doubt. *Wrong*: something else is read there. *Uncertain*: the eyes say hidden or uncertain, or the
true reading is nearly as likely as another. *Wrong and certain*: wrong, and the referee would have believed it.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from controller.cli.spoil import STRESSES, Stress
from controller.errors import CommandError
from controller.rules.registry import game_named
from vision.boardset import BoardSet, installed_sets
from vision.camera.folder import SUFFIXES, read_image
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye
from vision.registration import Image, Registration
from vision.sighting import Sighting

MOST_LOSS = 0.001
"""Share of sites that may be wrong or uncertain against the clean pictures; of a sample (`--every`), one site."""
TIE_NATS = 3.0
"""Readings of one site that are nearer than this are told apart by the rules, not by the eyes."""
SIMULATED = 12
"""Simulated pictures of each set, where none are given."""
BESIDE = "beside the board"
SETTLING = 8
"""Pictures, a tenth of a second apart, after which what moved must be read rightly again."""
_STEP_S = 0.1

Standing = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Reading:
    """What one picture was read as: place -> kinds (nothing: empty), the doubtful places, and each token's doubts."""

    standing: Standing
    doubtful: frozenset[str]
    likelihoods: Mapping[str, tuple[Mapping[str, float], ...]]
    trouble: str | None = None

    def at(self, place: str) -> tuple[str, ...]:
        """What was read there."""
        return self.standing.get(place, ())

    def nats_against(self, place: str, true: Sequence[str]) -> float:
        """By how much the true reading of a place lies behind what was read; 25 where nothing speaks for it."""
        read, missing = list(self.at(place)), list(true)
        for kind in true:
            if kind in read:
                read.remove(kind)
                missing.remove(kind)
        if len(read) != len(missing) or not missing:
            return 25.0
        tokens = self.likelihoods.get(place, ())
        chances = [doubts for doubts in tokens if doubts and max(doubts, key=doubts.__getitem__) in read]
        return min((-doubts.get(kind, -25.0) for doubts in chances for kind in missing), default=25.0)

    def near_tie(self, place: str) -> bool:
        """Whether some token there could nearly as well be another."""
        tokens = self.likelihoods.get(place, ())
        return any(sorted(doubts.values())[-2] > -TIE_NATS for doubts in tokens if len(doubts) > 1)


@dataclass
class Row:
    """One stress over all pictures. `spare`: sites that may be lost in any case: a sample is too small for shares."""

    name: str
    honest: bool = False
    spare: int = 0
    pictures: int = 0
    sites: int = 0
    wrong: int = 0
    uncertain: int = 0
    certain: int = 0
    cannot_see: int = 0
    worst: str = ""
    worst_nats: float = -1.0

    @property
    def loss(self) -> float:
        """Share of sites that are lost; where it may, a picture that isn't read at all costs nothing."""
        return (self.wrong + self.uncertain) / self.sites if self.sites else 0.0

    @property
    def held(self) -> bool:
        """Whether this keeps the limits."""
        lost = self.wrong + self.uncertain
        return self.certain == 0 and (self.honest or lost <= max(self.spare, MOST_LOSS * self.sites))

    def as_json(self) -> dict[str, Any]:
        """One line of `--json`."""
        return {
            "stress": self.name, "pictures": self.pictures, "sites": self.sites, "wrong": self.wrong,
            "uncertain": self.uncertain, "wrong_and_certain": self.certain, "cannot_see": self.cannot_see,
            "loss": round(self.loss, 6), "worst": self.worst or None,
            "worst_nats": self.worst_nats if self.worst else None, "held": self.held,
        }  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A clean picture, where the sheet lies in it, and what must be read at which places."""

    name: str
    load: Callable[[], Image]
    where: Registration
    true: Standing
    places: tuple[str, ...]
    faults: tuple[str, ...] = field(default=())


def run(args: argparse.Namespace) -> int:
    """Measure and print; exit 1 when a limit is broken."""
    if args.every < 1:
        raise CommandError("--every takes a number above 0", 2)
    if args.first < 0:
        raise CommandError("--from takes 0 or more", 2)
    cv2.setNumThreads(1)
    sets = list(installed_sets().values())
    folders: list[str] = args.frames or []
    cases: list[Case] = []
    clean = Row("clean")
    for case in _cases(folders, sets, args.every, args.first):
        cases.append(case)
        clean.pictures += 1
        clean.sites += len(case.places) + len(case.faults)
        clean.wrong += len(case.faults)
        if case.faults:
            clean.worst = clean.worst or case.faults[0]
    if not any(case.places for case in cases):
        raise CommandError("no board is seen in these pictures, so there is nothing to compare with; give others")
    rows = [clean]
    _print(clean, args.json)
    for stress in STRESSES:
        rows.append(measure(stress, cases, sets, spare=int(args.every > 1 or args.first > 0)))
        _print(rows[-1], args.json)
    broken = [row.name for row in rows[1:] if not row.held]
    if broken and not args.json:
        print(f"limits broken: {', '.join(broken)}", flush=True)
    return 1 if broken else 0


def measure(stress: Stress, cases: Sequence[Case], sets: Sequence[BoardSet], spare: int = 0) -> Row:
    """One stress over all pictures. What moves is watched as it moves, everything else looked at cold."""
    row = Row(stress.name, stress.honest, spare)
    eye = Eye(sets)
    for number, case in enumerate(cases):
        image = case.load()
        if stress.steps > 1:
            eye.forget()
            eye.see(image, 0.0, 0)
        frames = 0
        for step in range(stress.steps):
            index = number * stress.steps + step
            spoiled = stress.spoil(image, index, case.where)
            glow = () if stress.glow is None else stress.glow(index, case.where)
            if stress.steps == 1:
                _compare(row, case, reading(eye.look(spoiled), case.where.board_set))
                continue
            for _ in range(SETTLING):
                frames += 1
                seen = eye.see(spoiled, frames * _STEP_S, frames, glow=glow)
            _compare(row, case, reading(seen, case.where.board_set, steady=True))
    return row


def _compare(row: Row, case: Case, read: Reading) -> None:
    row.pictures += 1
    row.sites += len(case.places)
    if read.trouble is not None:
        row.cannot_see += 1
        row.uncertain += 0 if row.honest else len(case.places)
        return
    for place in case.places:
        true = case.true.get(place, ())
        if read.at(place) != true and place not in read.doubtful:
            row.wrong += 1
            nats = read.nats_against(place, true)
            row.certain += nats > TIE_NATS
            if nats > row.worst_nats:
                row.worst_nats = round(nats, 1)
                row.worst = f"{case.name} {place}: {_named(read.at(place))} for {_named(true)}"
        elif place in read.doubtful or read.near_tie(place):
            row.uncertain += 1


def reading(seen: Sighting, board: BoardSet, steady: bool = False) -> Reading:
    """A Sighting as places, slots and what lies beside them. Where all is `steady`, a hand that is seen is an error."""
    if seen.game is None or seen.trouble is not None or (steady and seen.hand):
        return Reading({}, frozenset(), {}, seen.trouble or ("hand" if seen.game else "no_board"))
    standing: Standing = dict(seen.on())
    doubtful = set(seen.hidden | seen.uncertain)
    for seat, card in (seen.platforms or {}).items():
        if card is not None:
            standing |= {f"{seat}.{slot}": (kind,) for slot, kind in enumerate(card.slots, 1) if kind is not None}
            standing[f"{seat} row"] = (card.row or "",)
        elif seen.hidden.issuperset(board.slots[seat]):
            doubtful.add(f"{seat} row")  # the eyes say that they can't see it
    standing[BESIDE] = seen.off()
    likelihoods: dict[str, tuple[Mapping[str, float], ...]] = {}
    for token in seen.tokens:
        place = token.site or BESIDE
        likelihoods[place] = (*likelihoods.get(place, ()), token.likelihoods)
    return Reading(standing, frozenset(doubtful), likelihoods)


def _named(kinds: Iterable[str]) -> str:
    return " + ".join(kind or "none" for kind in kinds) or "nothing"


def _cases(folders: Sequence[str], sets: Sequence[BoardSet], every: int, first: int = 0) -> Iterator[Case]:
    for name, load, true in islice(_given(folders) if folders else _simulated(sets), first, None, every):
        eye = Eye(sets)
        seen = eye.look(load())
        where = eye.registration
        if where is None or seen.game is None or (true is None and (seen.hand or seen.hidden)):
            if true is not None:
                raise CommandError(f"no board is seen in {name}, though its truth.json says what stands there")
            continue
        read = reading(seen, where.board_set)
        platforms = tuple(f"{seat} row" for seat in where.board_set.slots)
        everything = (*where.board_set.places, *platforms, BESIDE)
        places = tuple(place for place in everything if place not in read.doubtful)
        right = read.standing if true is None else true
        if true is not None and seen.platforms is None:
            places = tuple(place for place in places if place not in platforms)
        faults = tuple(
            f"{name} {place}: {_named(read.at(place))} for {_named(right.get(place, ()))}"
            for place in places
            if read.at(place) != right.get(place, ())
        )
        sure = tuple(place for place in places if read.at(place) == right.get(place, ()) and not read.near_tie(place))
        yield Case(name, load, where, dict(right), sure, faults)


def _given(folders: Sequence[str]) -> Iterator[tuple[str, Callable[[], Image], Standing | None]]:
    """The pictures of folders: with a truth.json those without hands, otherwise all."""
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise CommandError(f"there is no folder {folder}; name folders of pictures")
        if (folder / "truth.json").is_file():
            yield from _with_truth(folder)
            continue
        files = sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
        if not files:
            raise CommandError(f"{folder} holds no *.jpg or *.png pictures; name a folder with some")
        for file in files:
            yield f"{folder.name}/{file.stem}", partial(read_image, file), None


def _with_truth(folder: Path) -> Iterator[tuple[str, Callable[[], Image], Standing]]:
    try:
        frames = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["frames"]
        told = [(frame["file"], frame) for frame in frames if not frame["hand"]]
        standings = []
        for file, frame in told:
            standing: Standing = {site: tuple(sorted(kinds)) for site, kinds in frame["placement"].items()}
            for seat, card in (frame.get("platforms") or {}).items():
                standing[f"{seat} row"] = (card["row"] or "",)
                standing |= {f"{seat}.{slot}": (kind,) for slot, kind in enumerate(card["slots"], 1) if kind}
            standing[BESIDE] = tuple(sorted(frame["off"]))
            standings.append((file, standing))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CommandError(f"{folder / 'truth.json'} can't be read ({error!r}); mend it or take it away") from None
    for file, standing in standings:
        yield f"{folder.name}/{Path(file).stem}", partial(read_image, folder / file), standing


def _simulated(sets: Sequence[BoardSet]) -> Iterator[tuple[str, Callable[[], Image], None]]:
    """Every set's tokens on sites chosen by lot, under the simulated camera."""
    for board in sets:
        dice = random.Random(1)
        pieces = game_named(board.game).pieces
        kinds = [kind for kind in board.kinds for _ in range(pieces[board.names.get(kind, kind)])]
        world = World(board)
        camera = SimulatedCamera(world)
        for number in range(SIMULATED):
            sites = dice.sample([site.id for site in board.sites], min(len(board.sites), len(kinds)) - number % 4)
            dice.shuffle(kinds)
            world.reset({site: (kind,) for site, kind in zip(sites, kinds, strict=False)})
            picture = np.asarray(camera.render(), np.uint8)
            yield f"{board.name} {number}", partial(np.copy, picture), None
        camera.close()


def _print(row: Row, as_json: bool) -> None:
    if as_json:
        print(json.dumps(row.as_json(), ensure_ascii=False), flush=True)
        return
    text = (
        f"{row.name:<20} {row.pictures:>4} pictures {row.sites:>6} sites   wrong {row.wrong:>4}   "
        f"uncertain {row.uncertain:>4}   wrong and certain {row.certain:>4}   cannot see {row.cannot_see:>3}   "
        f"loss {row.loss:.3%}"
    )
    if row.worst:
        text += f"   worst: {row.worst}" + (f" ({row.worst_nats:.1f} nats)" if row.worst_nats >= 0 else "")
    print(text + ("" if row.name == "clean" or row.held else "   LIMIT BROKEN"), flush=True)
