"""Run by `run.sh` in its virtual machine: what the camera code does with real V4L2 devices that fail."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from vision.camera.capture import open_device
from vision.camera.devices import Device
from vision.camera.feed import FeedError
from vision.camera.live import LiveCamera

faults = 0
DRIVER = Path("/sys/bus/platform/drivers/vivid")


def check(holds: bool, words: str) -> None:
    global faults
    faults += not holds
    print(("ok     " if holds else "FAULT  ") + words, flush=True)


def becomes(holds: Callable[[], bool], limit_s: float = 15.0) -> bool:
    ends_s = time.monotonic() + limit_s
    while time.monotonic() < ends_s:
        if holds():
            return True
        time.sleep(0.02)
    return False


def control(device: str, setting: str) -> None:
    subprocess.run(["v4l2-ctl", "-d", device, "-c", setting], check=False)


def value_of(device: str, name: str) -> str:
    told = subprocess.run(["v4l2-ctl", "-d", device, "-C", name], capture_output=True, text=True, check=False)
    return told.stdout.partition(":")[2].strip()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def name_by_path() -> None:
    """The lasting names that udev would give."""
    folder = Path("/dev/v4l/by-path")
    folder.mkdir(parents=True, exist_ok=True)
    for link in folder.iterdir():
        link.unlink()
    for entry in Path("/sys/class/video4linux").glob("video*"):
        (folder / f"platform-{(entry / 'name').read_text().strip()}-video-index0").symlink_to(f"/dev/{entry.name}")


def pictures() -> None:
    camera = LiveCamera("0")
    first = camera.latest(-1, 20)
    check(first is not None and first.image.shape == (720, 1280, 3), "pictures of 1280x720")
    check(becomes(lambda: (camera.latest() or first).index > 20), "they go on")  # type: ignore[union-attr]
    check(camera.status().state == "ok", camera.status().sentence)

    control("/dev/video0", "gain_automatic=1")
    lock = camera.controls.lock()
    check("gain" in lock.locked and not lock.loose, f"held: {lock.sentence}")
    check(value_of("/dev/video0", "gain_automatic") == "0", "the automatic is off")
    camera.controls.release()
    check(value_of("/dev/video0", "gain_automatic") == "1", "and on again once it is let go")

    camera.controls.lock()
    for _ in range(3):
        control("/dev/video0", "disconnect=1")
        check(becomes(lambda: camera.status().state == "lost", 3), "a disconnected device is lost at once")
        check(camera.status().said.code == "silent", camera.status().sentence)
        check(becomes(lambda: camera.status().state == "ok"), "and found again")
    check("gain" in (held.locked if (held := camera.controls.held()) else {}), "what was held is held again")

    control("/dev/video0", "percentage_of_dropped_buffers=100")
    began_s = time.monotonic()
    check(becomes(lambda: camera.status().state == "lost", 5), "a device that stalls is lost")
    check(time.monotonic() - began_s < 2.5, f"after {time.monotonic() - began_s:.1f} s")
    control("/dev/video0", "percentage_of_dropped_buffers=0")
    check(becomes(lambda: camera.status().state == "ok"), "and found again")
    camera.close()


def renumbered() -> None:
    """Unbound from its driver with its device open, it comes back under another number."""
    name_by_path()
    camera = LiveCamera("0")
    check(becomes(lambda: camera.status().state == "ok"), "the first camera")
    other = os.open("/dev/video0", os.O_RDWR | os.O_NONBLOCK)  # somebody holds the old number
    entry = Path("/sys/class/video4linux/video0")
    there, name = (entry / "device").resolve().name, (entry / "name").read_text().strip()
    (DRIVER / "unbind").write_text(there)
    check(becomes(lambda: camera.status().state == "lost", 4), "a pulled device is lost")
    (DRIVER / "bind").write_text(there)
    name_by_path()
    now = next(iter(Path("/dev/v4l/by-path").glob(f"*{name}*"))).resolve().name
    check(now != "video0", f"it is {now} now")
    check(becomes(lambda: camera.status().state == "ok"), "and found under its new number")
    camera.close()
    os.close(other)


def busy() -> None:
    """Another program streams from it."""
    holder = open_device("/dev/video1")
    holder.read()
    camera = LiveCamera("/dev/video1")
    check(becomes(lambda: camera.status().state == "lost", 8), f"in use: {camera.status().sentence}")
    holder.close()
    check(becomes(lambda: camera.status().state == "ok"), "taken up when it is free")
    camera.close()


def often() -> None:
    camera = LiveCamera("/dev/video1")
    check(becomes(lambda: camera.status().state == "ok"), "the second camera")
    threads, before = threading.active_count(), descriptors()
    losses = 10
    for _ in range(losses):
        control("/dev/video1", "disconnect=1")
        becomes(lambda: camera.status().state == "lost", 5)
        becomes(lambda: camera.status().state == "ok")
    check(camera.status().losses >= losses, f"{camera.status().losses} losses")
    check(threading.active_count() <= threads, "no thread is left over")
    check(descriptors() <= before + 1, "no descriptor is left over")
    camera.close()


def names() -> None:
    try:
        Device("usb").path()
    except FeedError as error:
        check(True, f"usb: {error}")
    else:
        check(False, "a platform device is no USB camera")


def main() -> int:
    for part in (pictures, names, busy, often, renumbered):
        part()
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
