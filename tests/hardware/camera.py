"""Checks of a real camera that need hands; see README.md beside this file."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

from vision.camera.frame import CameraStatus, Frame
from vision.camera.live import LiveCamera

faults: list[str] = []


def check(holds: bool, words: str) -> None:
    """Say what was found; faults are counted."""
    print(("ok     " if holds else "FAULT  ") + words, flush=True)
    if not holds:
        faults.append(words)


def wait_for(holds: Callable[[], bool], limit_s: float) -> float | None:
    """Seconds until it is so, None when it never was."""
    began_s = time.monotonic()
    while time.monotonic() - began_s < limit_s:
        if holds():
            return time.monotonic() - began_s
        time.sleep(0.02)
    return None


def said(status: CameraStatus) -> str:
    return f"{status.state}: {status.sentence}"


def light(frame: Frame | None) -> float:
    return 0.0 if frame is None else float(np.mean(frame.image[::8, ::8]))


def follow(camera: LiveCamera, seconds: float) -> None:
    """Frames a second, how old, how damaged, and every change of state."""
    first = camera.latest(-1, 20)
    check(first is not None, f"a first picture ({said(camera.status())})")
    if first is None:
        return
    print(f"       {first.image.shape[1]}x{first.image.shape[0]}")
    ends_s, index, frames, gaps, last_said = time.monotonic() + seconds, first.index, 0, [], ""
    before_s = time.monotonic()
    while time.monotonic() < ends_s:
        frame = camera.latest(index, 1.0)
        if said(camera.status()) != last_said:
            last_said = said(camera.status())
            print(f"       {last_said}")
        if frame is not None:
            frames, index = frames + 1, frame.index
            gaps.append(time.monotonic() - before_s)
            before_s = time.monotonic()
    status = camera.status()
    rate = frames / seconds
    check(rate >= 12, f"{rate:.1f} frames a second")
    check(bool(gaps) and max(gaps) < 0.5, f"longest gap {max(gaps, default=0):.2f} s")
    check(status.damaged == 0, f"{status.damaged} damaged pictures")
    check(status.losses == 0, f"lost {status.losses} times")


def hold(camera: LiveCamera) -> None:
    """Hold, read back, compare the light, let go."""
    check(camera.latest(-1, 20) is not None, f"a first picture ({said(camera.status())})")
    print("       leave the picture alone; the camera settles")
    time.sleep(3)
    before = light(camera.latest(-1, 1))
    camera.controls.lock()
    time.sleep(6)
    lock = camera.status().lock
    print(f"       {lock.sentence if lock else 'nothing is held'}")
    check(lock is not None and "exposure" in lock.locked, "exposure is held")
    check(lock is not None and "white_balance" in lock.locked, "white balance is held")
    after = light(camera.latest(-1, 2))
    check(abs(after - before) <= 0.1 * max(before, 1), f"brightness {before:.0f} before, {after:.0f} after")
    check(camera.status().losses == 0, "holding is no loss")
    input("       Lay a sheet of white paper beside the board, then press Enter. ")
    time.sleep(1)
    print(f"       brightness {light(camera.latest(-1, 2)):.0f}: elsewhere in the picture nothing may have changed")
    camera.controls.release()
    time.sleep(4)
    check(camera.status().lock is None and camera.status().state == "ok", f"let go ({said(camera.status())})")


def unplug(camera: LiveCamera, times: int) -> None:
    """Lost and found again, as often as asked for."""
    check(camera.latest(-1, 20) is not None, f"a first picture ({said(camera.status())})")
    camera.controls.lock()
    time.sleep(4)
    held = set(lock.locked) if (lock := camera.status().lock) else set()
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for number in range(times):
        print(f"{number + 1}.     Pull the camera's cable now.")
        if wait_for(lambda: camera.status().state == "lost", 60) is None:
            check(False, "it was never lost")
            return
        gone_s = time.monotonic() - camera.status().since_s
        check(gone_s < 2.5, f"lost {gone_s:.1f} s after the last picture ({camera.status().sentence})")
        input("       Plug it in again and press Enter at once. ")
        back_s = wait_for(lambda: camera.status().state == "ok", 60)
        check(back_s is not None and back_s < 5, f"back after {back_s if back_s is not None else 60:.1f} s")
        time.sleep(3)
        again = set(lock.locked) if (lock := camera.status().lock) else set()
        check(again == held, f"held as before: {', '.join(sorted(again)) or 'nothing'}")
    check(threading.active_count() <= threads, f"{threading.active_count()} threads, {threads} before")
    now = len(os.listdir("/proc/self/fd"))
    check(now <= descriptors + 1, f"{now} descriptors, {descriptors} before")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["follow", "hold", "unplug"])
    parser.add_argument("source")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--mains", type=int, choices=[50, 60], default=50)
    args = parser.parse_args()
    camera = LiveCamera(args.source, mains_hz=args.mains)
    try:
        if args.what == "follow":
            follow(camera, args.seconds)
        elif args.what == "hold":
            hold(camera)
        else:
            unplug(camera, args.times)
    finally:
        camera.close()
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
