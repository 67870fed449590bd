"""The same camera under another number: found by the names that the system gives it, in a made-up /dev and /sys."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.camera.devices import Device
from vision.camera.feed import FeedError


class System:
    """/dev and /sys with cameras that come and go."""

    def __init__(self, folder: Path) -> None:
        self.dev, self.sys = folder / "dev", folder / "sys" / "class" / "video4linux"
        self.dev.mkdir()
        self.sys.mkdir(parents=True)

    def plug(self, number: int, socket: str, name: str | None = None, bus: str = "usb1") -> None:
        """A camera in a socket, with a serial number or without; a second device of it carries no pictures."""
        for index in (0, 1):
            node = self.dev / f"video{number + index}"
            node.touch()
            place = self.sys.parents[1] / "devices" / bus / socket / f"video{number + index}"
            place.mkdir(parents=True, exist_ok=True)
            entry = self.sys / node.name
            entry.mkdir(exist_ok=True)
            (entry / "device").symlink_to(place)
            for kind, by in (("by-path", socket), ("by-id", name)):
                if by is not None:
                    link = self.dev / "v4l" / kind / f"{bus}-{by}-video-index{index}"
                    link.parent.mkdir(parents=True, exist_ok=True)
                    link.symlink_to(f"../../{node.name}")

    def pull(self, number: int) -> None:
        for index in (0, 1):
            node = self.dev / f"video{number + index}"
            for link in self.dev.glob("v4l/*/*"):
                if link.resolve() == node.resolve():
                    link.unlink()
            (self.sys / node.name / "device").unlink()
            (self.sys / node.name).rmdir()
            node.unlink()

    def device(self, name: str) -> Device:
        return Device(name, self.dev, self.sys)

    def where(self, device: Device) -> str:
        return Path(device.path()).resolve().name


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


@pytest.mark.parametrize("name", ["0", "usb"])
@pytest.mark.parametrize("serial", ["Maker_Cam_123", None])
def test_a_camera_that_comes_back_under_another_number_is_found(
    system: System, name: str, serial: str | None
) -> None:
    system.plug(0, "1-1", serial)
    device = system.device(name)
    device.opened(device.path())
    system.pull(0)
    system.plug(2, "1-1", serial)
    assert system.where(device) == "video2"
    device.opened(device.path())
    system.pull(2)
    system.plug(0, "1-1", serial)
    assert system.where(device) == "video0"


def test_it_is_the_same_camera_and_no_other(system: System) -> None:
    """Two are there; ours loses its number to the other one."""
    system.plug(0, "1-1", "ours")
    system.plug(2, "1-2", "other")
    device = system.device("0")
    device.opened(device.path())
    system.pull(0)
    system.pull(2)
    system.plug(0, "1-2", "other")
    system.plug(2, "1-3", "ours")
    assert system.where(device) == "video2"


def test_two_cameras_with_the_same_serial_number_are_told_by_their_sockets(system: System) -> None:
    """Cheap ones all have the same: the system then names one of them only."""
    system.plug(0, "1-1", "same")
    system.plug(2, "1-2")
    device = system.device("2")
    device.opened(device.path())
    system.pull(2)
    system.plug(4, "1-2")
    assert system.where(device) == "video4"


def test_another_camera_in_its_place_is_taken(system: System) -> None:
    """A broken camera was replaced: the number means the new one."""
    system.plug(0, "1-1", "old")
    device = system.device("0")
    device.opened(device.path())
    system.pull(0)
    system.plug(0, "1-2", "new")
    assert system.where(device) == "video0"
    device.opened(device.path())
    system.pull(0)
    system.plug(3, "1-2", "new")
    assert system.where(device) == "video3"


def test_usb_means_a_usb_camera(system: System) -> None:
    device = system.device("usb")
    with pytest.raises(FeedError, match="no USB camera"):
        device.path()
    system.plug(10, "codec", bus="platform")  # as on a Pi: video devices that decode
    with pytest.raises(FeedError, match="no USB camera"):
        device.path()
    system.plug(12, "1-1")
    assert system.where(device) == "video12"


def test_a_path_is_taken_as_it_is(system: System) -> None:
    system.plug(0, "1-1", "ours")
    by_id = system.dev / "v4l" / "by-id" / "usb1-ours-video-index0"
    device = system.device(str(by_id))
    assert system.where(device) == "video0"
    system.pull(0)
    assert device.path() == str(by_id)  # and opening it says that nothing is there
    system.plug(1, "1-4", "ours")
    assert system.where(device) == "video1"
