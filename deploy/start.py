#!/usr/bin/env python3
"""Set Boardref up in this folder and run it: `start.py demo`, `start.py test`, or any other `boardref` command.

Makes a virtual environment in .venv, installs Boardref as a wheel with the exact versions of constraints.txt, and runs
the command with it. Runs on any Python 3, so that an old one is told what is missing.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(HERE, ".venv")
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BIN, "python.exe" if os.name == "nt" else "python")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FIRMWARE_NEEDS = {  # Debian package -> a command or a file it brings (tests/firmware/board.py)
    "avr-libc": "/usr/lib/avr/include/avr/io.h",
    "gcc": "gcc",
    "gcc-avr": "avr-gcc",
    "libc6-dev": "/usr/include/stdio.h",
    "libelf-dev": "/usr/include/libelf.h",
    "libsimavr-dev": "/usr/include/simavr/sim_avr.h",
    "make": "make",
}


def fail(sentence):
    """One sentence, exit code 1."""
    sys.stderr.write("start: " + sentence + "\n")
    sys.exit(1)


def run(words, why):
    """Run a command in the project's folder; a failure becomes a sentence. Ctrl-C stops it and what it started."""
    child = subprocess.Popen(words, cwd=HERE, start_new_session=True)  # so that Ctrl-C reaches this file alone
    try:
        code = child.wait()
    except KeyboardInterrupt:
        if os.name == "nt":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise
    if code != 0:
        fail(why)


def check_python():
    """The Python that runs this file must be new enough and must be able to make virtual environments."""
    version = "{}.{}".format(*sys.version_info[:2])
    if sys.version_info < (3, 11):
        fail(f"Boardref needs Python 3.11 or newer and this is {version}; run this line with a newer python3.")
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        sudo = "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo "
        fail(
            "this Python can't make virtual environments; install what is missing with\n"
            f"    {sudo}apt-get update && {sudo}apt-get install -y python3-venv\nand run the same line again."
        )


def fingerprint(extra):
    """What an installation was made from: an unchanged checkout is not installed again, and needs no network."""
    found = hashlib.sha256((sys.version + extra).encode())
    for name in ("pyproject.toml", "constraints.txt", "controller", "vision", "firmware_bridge", "calibration"):
        top = os.path.join(HERE, name)
        for folder, _, files in os.walk(top) if os.path.isdir(top) else [(HERE, [], [name])]:
            for file in sorted(files):
                if not file.endswith(".pyc"):
                    path = os.path.join(folder, file)
                    found.update(os.path.relpath(path, HERE).encode())
                    with open(path, "rb") as opened:
                        found.update(opened.read())
    return found.hexdigest()


def whole_venv():
    """Whether .venv is there with its pip: one whose making was broken off has none, and is made again."""
    if not os.path.exists(PYTHON):
        return False
    return subprocess.call([PYTHON, "-c", "import pip"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def install(extra):
    """Make .venv once and put this checkout into it as a wheel, unless that is what it holds."""
    stamp = os.path.join(VENV, "boardref-installed")
    wanted = fingerprint(extra)
    if os.path.exists(stamp):
        with open(stamp) as opened:
            if opened.read() in (wanted, fingerprint("[test]")):
                return
    if not whole_venv():
        sys.stderr.write("start: making a virtual environment in .venv\n")
        run([sys.executable, "-m", "venv", VENV], "the environment could not be made; delete .venv and try again.")
    sys.stderr.write("start: installing Boardref into .venv (the first time takes about a minute)\n")
    run(
        [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", "constraints.txt", "." + extra],
        "the packages could not be installed; check the network and run the same line again.",
    )
    with open(stamp, "w") as opened:
        opened.write(wanted)


def missing_packages():
    """Debian packages the tests need beside Python's, as far as what they bring is not here."""
    missing = []
    if not any(shutil.which(name) for name in BROWSERS):
        missing.append("chromium")  # the page's tests drive a real browser
    for package, brings in sorted(FIRMWARE_NEEDS.items()):
        if not (os.path.exists(brings) if "/" in brings else shutil.which(brings)):
            missing.append(package)  # the lights' firmware is built and run in a simulator
    return missing


def need_system():
    """Install what the tests need of the system where that can be done, or name it."""
    missing = missing_packages()
    if missing and shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        sys.stderr.write("start: installing for the tests: " + " ".join(missing) + "\n")
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        subprocess.call(["apt-get", "update", "-qq"], env=environment)
        subprocess.call(["apt-get", "install", "-y", "-qq", "--no-install-recommends"] + missing, env=environment)
        missing = missing_packages()
    if missing:
        fail(
            "the tests drive a browser, and run the lights' firmware in a simulator; install what is missing with\n"
            f"    sudo apt-get install -y --no-install-recommends {' '.join(missing)}\nand run the same line again."
        )


def main():
    """`start.py test [pytest arguments]` or `start.py COMMAND [arguments]`."""
    words = sys.argv[1:] or ["demo"]
    check_python()
    if words[0] == "test":
        need_system()
        install("[test]")
        # The pytest script, not `python -m pytest`: the checkout must not stand before the installed wheel.
        # As many files at a time as there are processors, up to four: more browsers than that need too much memory.
        command = [os.path.join(BIN, "pytest"), "-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", *words[1:]]
    else:
        install("")
        command = [os.path.join(BIN, "boardref"), *words]
    if words[0] == "test":
        os.chdir(HERE)
    if os.name != "nt":
        os.execv(command[0], command)  # the command itself gets Ctrl-C and SIGTERM, and its exit code is ours
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.stderr.write("\nstart: stopped; the same line goes on where this one was.\n")
        sys.exit(130)
