"""The lights' rows of `boardref bench`, in small."""

from controller.cli.bench_lights import endurance, latency


def test_the_lateness_is_that_of_the_wire_at_least() -> None:
    row = latency(verdicts=6, lights=64)
    assert row["target_ms"] == 30
    assert row["worst"] >= row["p95"] >= row["median"] >= 205 * 10 / 115.2  # 205 bytes of ten bits


def test_nothing_is_lost_in_a_short_endurance() -> None:
    rows = list(endurance(times=30, seconds=60))
    assert [row["ok"] for row in rows] == [True, True]
    assert [row["value"] for row in rows] == [0, 0]
