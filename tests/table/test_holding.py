"""A camera that takes its time over its settings."""

from __future__ import annotations

import threading

import pytest

from controller.holding import Holding
from controller.steadiness import Act
from vision.camera.controls import Lock


class Slow:
    """Controls that take until they are let; `done`: what they were made to do."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.begun, self.let, self.ended = (threading.Semaphore(0) for _ in range(3))
        self.breaks = False

    def _do(self, act: str) -> None:
        self.begun.release()
        assert self.let.acquire(timeout=30)
        self.done.append(act)
        self.ended.release()
        if self.breaks:
            raise OSError("the driver is gone")

    def lock(self) -> Lock:
        self._do("lock")
        return Lock()

    def release(self) -> None:
        self._do("release")

    def held(self) -> Lock | None:
        return None


def setting_threads() -> int:
    return sum(thread.name == "camera settings" for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("meanwhile", "then"),
    [
        (["release"], ["release"]),
        (["release", "lock"] * 50, ["release", "lock"]),
        (["release", "lock"] * 50 + ["release"], ["release"]),
        (["lock"] * 50, ["lock"]),
    ],
)
def test_a_camera_that_hangs_takes_one_thread_and_ends_as_was_asked_last(meanwhile: list[Act], then: list[Act]) -> None:
    slow = Slow()
    before = setting_threads()
    holding = Holding(lambda: slow)
    holding.ask("lock")
    assert slow.begun.acquire(timeout=30)
    for act in meanwhile:
        holding.ask(act)
    assert setting_threads() == before + 1
    for _ in ["lock", *then]:
        slow.let.release()
        assert slow.ended.acquire(timeout=30)
    assert slow.done == ["lock", *then]


def test_a_fault_keeps_nothing_back(caplog: pytest.LogCaptureFixture) -> None:
    slow = Slow()
    slow.breaks = True
    holding = Holding(lambda: slow)
    acts: tuple[Act, ...] = ("lock", "release")
    for act in acts:
        holding.ask(act)
        slow.let.release()
        assert slow.ended.acquire(timeout=30)
    assert slow.done == ["lock", "release"]
    assert "could not be changed" in caplog.text
