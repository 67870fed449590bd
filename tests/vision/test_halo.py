"""Reflections on the sheet: the veil round them pales tokens, and the white within hides them, however large it is."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import board_of, stills

from vision.eye import Eye

SURE_NATS = 3.0


def wrong_and_certain(sequence: str, spots: int, reach: float, strength: float) -> list[str]:
    """Sites read wrongly, and not nearly as likely as rightly, in pictures with a reflection in many a place.

    `reach`: share of the sheet's shorter side at which a seventh of it is left; `strength`: levels in its middle.
    """
    board = board_of(sequence)
    eye, faults = Eye([board]), []
    for number, (image, standing) in enumerate(stills(sequence, 4)):
        eye.look(image)
        where = eye.registration
        assert where is not None
        y, x = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(np.float32)
        for place in np.random.default_rng(number).uniform(0.2, 0.8, (spots, 2)) * board.sheet_mm:
            at = where.pose.project(place[None])[0]
            away2 = ((x - at[0]) ** 2 + (y - at[1]) ** 2) / (reach * min(board.sheet_mm) * where.px_per_mm()) ** 2
            spot = strength * np.exp(-2 * away2)[:, :, None]
            seen = eye.look(np.clip(image + spot + 0.5, 0, 255).astype(np.uint8))
            told = {token.site: token.likelihoods for token in seen.tokens}
            for site in {*standing, *seen.on()} & {one.id for one in board.sites} - seen.hidden - seen.uncertain:
                read, true = seen.on().get(site, ()), standing.get(site, ())
                if read == true or (read and true and told[site].get(true[0], -25.0) > -SURE_NATS):
                    continue
                faults.append(f"{number} {place.round()} {site}: {read} for {true}")
    return faults


@pytest.mark.parametrize(("reach", "strength"), [(0.2, 320), (0.2, 200), (0.25, 250)])
@pytest.mark.parametrize("sequence", ["transfer-b", "transfer-e"])
def test_no_square_in_the_halo_of_a_reflection_is_surely_of_another_colour(
    sequence: str, reach: float, strength: float
) -> None:
    assert not [fault for fault in wrong_and_certain(sequence, 10, reach, strength) if "()" not in fault]


@pytest.mark.parametrize("sequence", ["transet-a", "transet-e", "taasen-a", "taasen-e"])
def test_a_large_reflection_hides_what_it_covers(sequence: str) -> None:
    assert not wrong_and_certain(sequence, 6, 0.35, 400)
