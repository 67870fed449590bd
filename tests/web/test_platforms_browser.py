"""Transfer's platforms on the demo's page: dragged along their rails, with what lies on them."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from vision.boardset import installed_sets
from vision.camera.world import World

TRANSFER = installed_sets()["transfer"]


@pytest.mark.parametrize("shift_mm", [-90.0, 500.0])
def test_a_platform_is_dragged_and_stays_on_its_rail(page: Page, serve: Any, demo_stage: Any, shift_mm: float) -> None:
    world = World(TRANSFER, {"south.1": ("sky",), "A1": ("orange",)})
    demo_stage.world = world
    demo_stage.tell(set=TRANSFER)
    page.goto(serve(demo_stage).url)
    card = page.locator('.card[data-rail="south"]')
    expect(page.locator(".loose")).to_have_count(2)
    before = world.as_json()
    box, scale = card.bounding_box(), page.evaluate("document.querySelector('#board').getScreenCTM().a")
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.9  # its far end: the piece lies at the mouth
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + shift_mm * scale, y + 5, steps=6)
    page.mouse.up()
    (left, _), (right, _) = TRANSFER.rails["south"]
    assert TRANSFER.platforms is not None
    half = TRANSFER.platforms.width_mm / 2
    at = before["platforms"]["south"]
    wanted = min(right - half, max(left + half, at + shift_mm))
    page.wait_for_function(
        """([rail, x]) => {
            const card = document.querySelector(`.card[data-rail="${rail}"]`);
            const moved = card.transform.baseVal.consolidate()?.matrix.e ?? 0;
            return Math.abs(card.x.baseVal.value + card.width.baseVal.value / 2 + moved - x) < 1.5;
        }""",
        arg=["south", wanted],
    )
    after = world.as_json()
    assert after["platforms"]["south"] == pytest.approx(wanted, abs=1.5)
    assert after["platforms"]["north"] == before["platforms"]["north"]
    moved = {one["kind"]: one["x_mm"] for one in after["tokens"]}
    stood = {one["kind"]: one["x_mm"] for one in before["tokens"]}
    assert moved["orange"] == stood["orange"]
    assert moved["sky"] - stood["sky"] == pytest.approx(after["platforms"]["south"] - at, abs=0.1)
