"""Numbers for Prometheus: whole, named as the page says, and a sentence where the package is missing."""

from __future__ import annotations

import builtins
import math
import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from controller.counting import BUCKETS_S, Counts, Times
from controller.health import Check
from controller.web.app import create_app


@pytest.fixture
def counts() -> Counts:
    made = Counts()
    for number, took_s in enumerate((0.004, 0.02, 0.021, 3.0)):
        made.frame(took_s, "no_board" if number in (1, 2) else None, float(number))
    made.happened(["turn", "turn", "illegal", "question", "cannot_see"])
    made.committed(0.03)
    return made


def asked(stage: Any, **more: Any) -> dict[str, Any]:
    with TestClient(create_app(stage, **more), base_url="http://localhost") as client:
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


def test_everything_is_told_once_and_with_its_unit(stage: Any, counts: Counts) -> None:
    stage.counts = counts
    stage.tell(link={"state": "ready", "losses": 2, "connections": 3}, camera={"state": "ok", "losses": 1})
    told = asked(stage, machine=lambda: (Check("clock", "warning", "It is not set."),))
    value = {name: [(sample.labels, sample.value) for sample in family.samples] for name, family in told.items()}
    assert value["boardref_turns"] == [({}, 2.0)]
    assert value["boardref_illegal"] == [({}, 1.0)]
    assert value["boardref_cannot_see_seconds"] == [({"code": "no_board"}, 2.0)]
    assert value["boardref_lights_losses"] == [({}, 2.0)]
    assert value["boardref_frame_age_seconds"][0][1] == pytest.approx(0.05)
    levels = {labels["check"]: level for labels, level in value["boardref_check_level"]}
    assert {"camera": 0.0, "clock": 1.0}.items() <= levels.items()
    vision = {sample.labels.get("le", sample.name): sample.value for sample in told["boardref_vision_seconds"].samples}
    assert [vision[str(end_s)] for end_s in BUCKETS_S] == [1, 1, 2, 3, 3, 3, 3, 3, 3]
    assert (vision["+Inf"], vision["boardref_vision_seconds_count"]) == (4, 4)
    assert vision["boardref_vision_seconds_sum"] == pytest.approx(3.045)
    assert value["boardref_resident_memory_bytes"][0][1] > 1e6


def test_before_the_first_picture_there_is_no_age(stage: Any) -> None:
    stage.tell(age_s=float("inf"))
    assert math.isnan(asked(stage)["boardref_frame_age_seconds"].samples[0].value)


def test_the_page_lists_what_is_told_and_nothing_else(stage: Any, counts: Counts) -> None:
    stage.counts = counts
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.M))
    told = {f"{name}_total" if one.type == "counter" else name: one.type for name, one in asked(stage).items()}
    assert listed == told


def test_without_the_package_a_sentence_names_it(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("prometheus_client"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with TestClient(create_app(stage), base_url="http://localhost") as client:
        answer = client.get("/metrics")
    assert answer.status_code == 404
    assert "pip install 'boardref[metrics]'" in answer.json()["error"]


def test_times_are_counted_in_their_ranges() -> None:
    times = Times()
    for took_s in (*BUCKETS_S, 99.0):
        times = times.and_one(took_s)
    assert times.within == (1,) * (len(BUCKETS_S) + 1)
    assert (times.count, times.sum_s) == (len(BUCKETS_S) + 1, pytest.approx(sum(BUCKETS_S) + 99.0))
