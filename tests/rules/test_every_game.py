"""What must hold for every game, from 200 positions of random play, against the generator and the stages alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from walks import GAMES, OPTIONS, Scene, key_of, pieces, scenes, some_scenes

from controller.rules.api import Kind, Placement, Reason, Shift, Site
from controller.rules.registry import game_named
from controller.words import LANGUAGES, sentence

SAMPLE = {"transfer": 24}  # of the thousands of placements that one piece or one pair makes of each position

# What the side that owes an act and says "done" is told.
OWED = {
    "return": {"NO_REPLACEMENT"},
    "second_half": {"SIDEWAYS_ALONE", "BACKWARD_ALONE", "WRONG_STEP", "NOT_CAPTURED"},
    "reply": {"PUSH_PENDING", "NOT_CRUSHED"},
    "unload": {"OWN_PLATFORM_NOT_EMPTY"},
    "clear": {"OPP_PLATFORM_NOT_EMPTY"},
}


def lay(standing: list[tuple[Kind, Site]], off: tuple[Kind, ...] = ()) -> Placement:
    """These pieces on these sites."""
    on: dict[Site, tuple[Kind, ...]] = {}
    for kind, site in standing:
        on[site] = tuple(sorted((*on.get(site, ()), kind)))
    return Placement(on, off)


Change = tuple[str, int, object]  # how, which piece, and where to: a site, (lane, place in its order), another piece


def changes(scene: Scene) -> Iterator[Change]:
    """One piece on each other site; in each place of a row's order, where rows have one; each pair swapped."""
    game, standing = scene.game, pieces(scene.before)
    for i, (kind, origin) in enumerate(standing):
        yield from (("elsewhere", i, site) for site in sorted(game.sites) if site != origin)
        if not game.tries_two_turns:
            yield from (("between", i, site) for site in sorted(game.sites))
        for k in range(i):
            if standing[k][0] != kind and standing[k][1] != origin:
                yield "swapped", i, k


def some_changes(scene: Scene, rng: random.Random) -> list[Change]:
    """All of them, or a sample that has of every sort."""
    every = list(changes(scene))
    most = SAMPLE.get(scene.game.name, len(every))
    if len(every) <= most:
        return every
    sorts = sorted({change[0] for change in every})
    return [c for sort in sorts for c in rng.sample([c for c in every if c[0] == sort], most // len(sorts))]


def changed(scene: Scene, change: Change) -> Placement:
    """The picture of the position with a change made."""
    game, standing = scene.game, pieces(scene.before)
    how, i, to = change
    kind, origin = standing.pop(i)
    if how == "swapped":
        other, there = standing.pop(int(str(to)))
        return lay([*standing, (kind, there), (other, origin)])
    if how == "elsewhere":
        return game.normal(lay([*standing, (kind, str(to))]))
    cells = sorted(site for site in game.sites if game.lane(site) == game.lane(str(to)))
    order = [kind for kind, site in standing if site in cells]
    order.insert(cells.index(str(to)), kind)
    if len(order) > len(cells):
        return game.normal(lay([*standing, (kind, str(to))]))  # a sixth piece in a row
    return lay([*(piece for piece in standing if piece[1] not in cells), *zip(order, cells, strict=False)])


def carried(placement: Placement, way: tuple[Shift, ...]) -> Placement:
    """The placement after these shifts; a piece goes into the gap of its row that the shift names."""
    standing = pieces(placement)
    for shift in way:
        if shift.origin is not None:
            standing.remove((shift.piece, shift.origin))
        if shift.to is not None:
            standing.append((shift.piece, shift.to))
    return lay(standing)


def by_the_law(scene: Scene) -> bool:
    """Whether no option is taken otherwise."""
    return scene.game is game_named(scene.game.name)


def judged_as_listed(some: Sequence[Scene]) -> tuple[dict[str, int], list[Reason]]:
    """Every change of these positions is judged as the listing says: how often which answer, and one reason a code."""
    told: dict[tuple[str, str | None], Reason] = {}
    rng = random.Random(1)
    answers = dict.fromkeys(("unchanged", "complete", "partial", "illegal"), 0)
    for scene in some:
        for change in some_changes(scene, rng):
            placement = changed(scene, change)
            verdict = scene.game.judge(scene.position, placement)
            expected = scene.expected(placement)
            assert verdict.answer == expected, (scene.game.position_text(scene.position), change, placement)
            answers[expected] += 1
            if expected == "illegal":
                assert verdict.reasons
                if change[0] != "swapped" and by_the_law(scene):  # one piece: there is more to say
                    assert verdict.reasons[0].code != "NOT_A_TURN", (scene.position, change)
                assert len(verdict.way_back) <= (2 if change[0] == "swapped" else 1)
                told |= {(reason.code, reason.facts.get("form")): reason for reason in verdict.reasons}
                if scene.game.tries_two_turns:  # Transfer's rows slide together as pieces go
                    assert carried(placement, verdict.way_back).on == scene.before.on
    return answers, list(told.values())


@pytest.mark.parametrize("name", GAMES)
def test_one_piece_elsewhere_or_two_swapped_is_illegal_unless_a_turn_ends_or_passes_there(name: str) -> None:
    answers, told = judged_as_listed(scenes(name))
    assert answers["illegal"] > 4_000
    assert answers["complete"] > 20
    assert answers["partial"] > 10
    for reason in told:
        for language in LANGUAGES:
            text = sentence(reason, language)
            assert text[0].isupper() or text[0].isdigit()
            assert text[-1] in ".?!"
            assert "…" not in text, (language, reason, text)


@pytest.mark.parametrize(("name", "option", "value"), OPTIONS)
def test_the_same_under_each_option(name: str, option: str, value: str) -> None:
    some = some_scenes(game_named(name).with_options({option: value}), 12)
    answers, _ = judged_as_listed(some)
    assert answers["illegal"] > 100
    for scene in some:
        ends_are_complete(scene)


@pytest.mark.parametrize("name", GAMES)
def test_a_piece_only_removed_is_never_illegal(name: str) -> None:
    rng = random.Random(2)
    for scene in scenes(name):
        standing = [scene.before, *scene.stages.values(), *scene.ends.values()]
        for placement in standing if len(standing) < 4 else rng.sample(standing, 4):
            there = pieces(placement)
            for gone in [*combinations(range(len(there)), 1), *(rng.sample(range(len(there)), 2) for _ in range(4))]:
                left = [piece for i, piece in enumerate(there) if i not in gone]
                beside = tuple(there[i][0] for i in gone) if rng.random() < 0.5 else ()
                verdict = scene.game.judge(scene.position, lay(left, beside))
                assert verdict.answer in ("unchanged", "complete", "partial"), (scene.position, placement, gone)


@pytest.mark.parametrize("name", GAMES)
def test_done_at_a_stage_is_illegal_for_the_side_that_owes_and_for_nobody_else(name: str) -> None:
    named = 0
    for scene in scenes(name):
        game, position = scene.game, scene.position
        for stage in scene.stages.values():
            plain = game.judge(position, stage)
            owing = {owed.player for owed in plain.owed}
            acts = {owed.act for owed in plain.owed}
            if plain.answer == "complete":
                assert all(game.judge(position, stage, done).answer == "complete" for done in game.players)
                continue
            assert plain.answer == "partial"
            assert len(owing) == len(acts) == 1
            for player in game.players:
                verdict = game.judge(position, stage, player)
                if player in owing and acts <= OWED.keys():
                    named += 1
                    assert verdict.answer == "illegal", (position, stage)
                    assert verdict.reasons[0].code in OWED[min(acts)]
                    assert verdict.way_back
                else:  # the other side owes it, or it is only a hint
                    assert verdict.answer == "partial", (position, stage)
    assert named > 50


@pytest.mark.parametrize("name", GAMES)
def test_another_kind_in_a_piece_s_place_is_noticed(name: str) -> None:
    rng = random.Random(3)
    for scene in scenes(name):
        game = scene.game
        for placement in [scene.before, *rng.sample(sorted(scene.ends.values(), key=str), min(3, len(scene.ends)))]:
            there = pieces(placement)
            # Where a piece has left the game, another one, its double gone too, may also be a turn with one in a hand.
            noticed = ("illegal",) if len(there) == len(pieces(scene.before)) else ("illegal", "partial")
            for i, (kind, site) in enumerate(there):
                others = sorted(game.pieces.keys() - {kind})
                for other in rng.sample(others, 2 if name not in SAMPLE else rng.random() < 0.2):
                    verdict = game.judge(scene.position, lay([*there[:i], (other, site), *there[i + 1 :]]))
                    assert verdict.answer in noticed, (scene.position, placement, site, other)


@pytest.mark.parametrize("name", GAMES)
def test_hidden_sites_never_make_illegal_what_was_not(name: str) -> None:
    rng = random.Random(4)
    unclear = 0
    for scene in scenes(name):
        game = scene.game
        sites = sorted(game.sites)
        standing = [scene.before, *scene.stages.values(), *scene.ends.values()]
        wrong = [changed(scene, change) for change in rng.sample(list(changes(scene)), 4)]
        for placement in [*rng.sample(standing, min(4, len(standing))), *wrong]:
            for done in (None, rng.choice(game.players)):
                plain = game.judge(scene.position, placement, done)
                hidden = frozenset(rng.sample(sites, rng.choice((1, 2, 4, len(sites) // 2))))
                on = {site: kinds for site, kinds in placement.on.items() if site not in hidden}
                covered = game.judge(scene.position, Placement(on, placement.off, hidden), done)
                unclear += covered.answer == "unclear"
                if plain.answer != "illegal":
                    assert covered.answer != "illegal", (scene.position, placement, hidden, done)
    assert unclear > 50


def ends_are_complete(scene: Scene) -> None:
    """Each end of a turn is judged as that turn, and its text leads there."""
    game = scene.game
    for key, end in list(scene.ends.items())[:30]:
        verdict = game.judge(scene.position, end)
        assert verdict.answer == scene.expected(end)
        if verdict.answer == "complete":
            (turn,) = verdict.turns
            assert key_of(game, game.picture(game.after(scene.position, turn))) == key
            read = game.parse_turn(scene.position, game.turn_text(scene.position, turn))
            assert game.after(scene.position, read) == game.after(scene.position, turn)


@pytest.mark.parametrize("name", GAMES)
def test_every_end_of_a_turn_is_complete(name: str) -> None:
    for scene in scenes(name):
        ends_are_complete(scene)
