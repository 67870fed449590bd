"""Which device a name means at this moment: after replugging the same camera may have another number.

The kernel numbers cameras in the order in which they come; `/dev/v4l/by-id` and `by-path` name each for itself. The
camera that was opened under a number is remembered by such a name, and found under it again.
"""

from __future__ import annotations

from pathlib import Path

from vision.camera import saying
from vision.camera.feed import FeedError

DEV, SYS = Path("/dev"), Path("/sys/class/video4linux")


class Device:
    """A V4L2 camera by `usb`, a number or a path. `dev`, `sys`: where the system lists its devices."""

    def __init__(self, name: str, dev: Path = DEV, sys: Path = SYS) -> None:
        self.name = name
        self._dev, self._sys = dev, sys
        self._lasting: Path | None = None  # the lasting name of the camera that was opened last

    def path(self) -> str:
        """Where it is now. Raises FeedError when there is none."""
        if self._lasting is not None and self._lasting.exists():
            return str(self._lasting)
        if self.name == "usb":
            return str(self._first_usb())
        return str(self._dev / f"video{int(self.name)}") if self.name.isdecimal() else self.name

    def opened(self, path: str) -> None:
        """The camera there answered: it is this one from now on, wherever it turns up."""
        self._lasting = self._lasting_name(Path(path))

    def _lasting_name(self, path: Path) -> Path | None:
        """The first name that leads there and stays: by make and serial number, otherwise by the socket."""
        try:
            there = path.resolve(strict=True)
            folders = [self._dev / "v4l" / kind for kind in ("by-id", "by-path")]
            links = [link for folder in folders if folder.is_dir() for link in sorted(folder.iterdir())]
            return next((link for link in links if link.resolve() == there), None)
        except OSError:
            return None

    def _first_usb(self) -> Path:
        by_id = self._dev / "v4l" / "by-id"
        found = sorted(by_id.glob("*-video-index0")) if by_id.is_dir() else []
        if not found:
            numbered = sorted(self._dev.glob("video[0-9]*"), key=lambda path: int(path.name[5:]))
            found = [path for path in numbered if self._on_usb(path)]
        if not found:
            raise FeedError("no_usb", **saying.device("usb"))
        return found[0]

    def _on_usb(self, path: Path) -> bool:
        """Whether it hangs on USB: a Pi has a dozen video devices that are no cameras. True where nobody can tell."""
        entry = self._sys / path.name
        if not entry.exists():
            return True
        return any(part.startswith("usb") for part in (entry / "device").resolve().parts)
