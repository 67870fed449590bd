"""Stands in for `rpicam-vid`: takes the options of the real one, and behaves as RPICAM_MOOD says.

Like the real one it refuses options it doesn't know, writes bare JPEGs to stdout and settings of each picture to
`--metadata` as text, says what is wrong on stderr, and holds the camera for itself alone (a lock file here). Its
automatics wander until they are held. Run by a shell script that the tests put on PATH.
"""

import argparse
import fcntl
import os
import random
import signal
import sys
import time
from pathlib import Path

WHERE = Path(os.environ["RPICAM_DIR"])


def mood() -> str:
    return (WHERE / "mood").read_text().strip()


def fail(words: str) -> None:
    print(f"ERROR: *** {words} ***", file=sys.stderr, flush=True)
    sys.exit(255)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for flag in ("-n", "--flush"):
        parser.add_argument(flag, action="store_true")
    for name in ("-t", "--codec", "--quality", "-o", "--width", "--height", "--framerate"):
        parser.add_argument(name, required=True)
    for name in ("--camera", "--shutter", "--gain", "--awbgains", "--autofocus-mode", "--lens-position"):
        parser.add_argument(name)
    if mood() != "old":
        for name in ("--metadata", "--metadata-format", "--flicker-period"):
            parser.add_argument(name)
    told, unknown = parser.parse_known_args()
    if unknown:
        fail(f"unrecognised option '{unknown[0]}'")
    return told


def main() -> None:
    with (WHERE / "calls").open("a") as calls:
        calls.write(" ".join(sys.argv[1:]) + "\n")
    told = options()
    if mood() == "no camera":
        fail("no cameras available")
    # without a camera module the real one finds none with that number
    holding = (WHERE / f"camera{told.camera or 0}").open("w")
    try:
        fcntl.flock(holding, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fail("failed to acquire camera /base/soc/i2c0mux/i2c@1/imx708@1a")
    if mood() == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("[0:00:01.5] [99]  INFO Camera camera_manager.cpp:327 libcamera v0.3.2", file=sys.stderr, flush=True)
    metadata = Path(told.metadata).open("w") if getattr(told, "metadata", None) else None  # noqa: SIM115
    pictures = sorted((WHERE / "pictures").glob("*.jpg"))
    out = sys.stdout.buffer
    number = 0
    while True:
        now = mood()
        if now == "dies":
            fail("camera frontend has timed out")
        if now == "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        if now == "stalls":
            print("ERROR: Device timeout detected, attempting a restart!!!", file=sys.stderr, flush=True)
            time.sleep(0.05)
            continue
        if now == "talks":  # more complaints than a pipe holds, if nobody listens
            print("WARN V4L2 v4l2_videodevice.cpp:1906 " + "x" * 2000, file=sys.stderr, flush=True)
        jpeg = pictures[number % len(pictures)].read_bytes()
        if now == "halves" and number % 2:
            jpeg = jpeg[: len(jpeg) // 2]
        while jpeg:  # however a pipe cuts it
            cut = random.choice((1, 100, 4096, 65536))
            out.write(jpeg[:cut])
            out.flush()
            jpeg = jpeg[cut:]
        if metadata is not None:
            wander = random.uniform(0.7, 1.4)
            exposure = int(told.shutter or 0) or int(20_000 * wander)
            gain = float(told.gain or 0) or 2.0 * wander
            red, blue = (told.awbgains or f"{1.5 * wander:.6f},{1.9 * wander:.6f}").split(",")
            if now == "stubborn":
                exposure = int(20_000 * wander)
            lens = told.lens_position or f"{5.0 * wander:.6f}"
            print(f"SensorTimestamp={number * 66_000_000}", file=metadata)
            print(f"ExposureTime={exposure}\nAnalogueGain={gain:.6f}\nAeLocked=1", file=metadata)
            print(f"ColourGains=[ {red}, {blue} ]\nLensPosition={lens}\n", file=metadata, flush=True)
        number += 1
        time.sleep(0.02)


main()
