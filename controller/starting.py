"""From settings to a table that can be served; and back to the settings again and again until that works."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from controller.config import TableConfig, data_folder, load_config, place_of
from controller.errors import CommandError, StartError
from controller.journal.errors import JournalError
from controller.journal.hold import Hold
from controller.journal.store import Journal
from controller.lighting import TableLights, map_source
from controller.recording import open_recording
from controller.rules.api import RulesError
from controller.salvage import salvaged
from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link
from firmware_bridge.ports import finder
from firmware_bridge.talks import check_wire, split_wire
from vision.boardset import BoardSet
from vision.camera import Camera, Recording, open_source
from vision.errors import VisionError
from vision.profile import Profile

_log = logging.getLogger(__name__)

POLL_S = 0.5
"""How often the settings are looked at while something is wrong; what changed since the last look may be half done."""
AGAIN_S = 1.0
"""How often they are tried though they are the same: a disk may be mounted, a file of a set mended."""


@dataclass
class Parts:
    """All that a table is made of but its lights, which a stand-in may still hold. `link` is empty until there are."""

    config: TableConfig
    folder: Path
    held: Hold
    watcher: Watcher
    camera: Camera
    journal: Journal | None
    warning: str | None
    map_of: Callable[[BoardSet], LightMap]
    link: list[Link]

    def close(self) -> None:
        """Let go of everything: it could not be used after all."""
        self.camera.close()
        if self.journal is not None:
            self.journal.close()
        self.held.release()

    def table(self) -> Table:
        """The table, with its lights; not started yet."""
        config, watcher = self.config, self.watcher
        lights: TableLights | None = None
        if config.lights not in (None, "none"):
            first = self.map_of(watcher.board)
            link = Link(config.lights, first, on_button=lambda button, action: table.button(button, action))
            self.link.append(link)
            lights = TableLights(link, first, self.map_of, board=watcher.board, calm_only=config.calm_lights)
        table = Table(
            watcher, self.camera, lights=lights, journal=self.journal, journal_warning=self.warning,
            shown=lights.shown if lights else None, reopen=lambda: Journal.open(self.folder / "boardref.db"),
        )  # fmt: skip
        return table


class Start:
    """The settings of one table: `path` of its file, and the `lights` that the command line names instead."""

    def __init__(self, path: str | None, lights: str | None = None) -> None:
        self._path, self._lights = path, lights

    def salvaged(self) -> TableConfig:
        """What can be read of the settings, whatever is wrong with the rest."""
        return self._named(salvaged(self._path))

    def parts(self) -> Parts:
        """Everything checked and opened but the lights. StartError says what is wrong, in whatever way it is."""
        try:
            return self._parts()
        except StartError:
            raise
        except Exception as error:
            _log.exception("the table can't be started")
            why = f"{type(error).__name__}: {error}"
            raise StartError(f"an internal fault ({why})", "internal", why=why) from None

    def once_mended(self, tell: Callable[[StartError], None]) -> Parts:
        """Wait until the settings are in order; `tell` hears what is wrong each time that they are tried."""
        seen = tried = self._read()
        tried_s = time.monotonic()
        while True:
            time.sleep(POLL_S)
            before, seen = seen, self._read()
            changed = seen != tried
            if seen != before or not (changed or time.monotonic() - tried_s >= AGAIN_S):
                continue
            tried, tried_s = seen, time.monotonic()
            try:
                return self.parts()
            except StartError as error:
                tell(error)

    def _read(self) -> bytes | int | None:
        """The file as it is, or the number of the error that keeps it from being read."""
        try:
            return Path(self._path).read_bytes() if self._path is not None else None
        except OSError as error:
            return error.errno

    def _named(self, config: TableConfig) -> TableConfig:
        return config.model_copy(update={"lights": self._lights}) if self._lights else config

    def _parts(self) -> Parts:
        config = self._named(load_config(self._path))
        with self._using("set" if config.set else "game"):
            sets = chosen_sets(config.game, config.set)
        with self._using("profile"):
            profile = Profile.load(config.profile) if config.profile else None
        with self._using("options" if config.options else "game"):
            Watcher(sets, options=config.options)  # a wrong option is named before anything is opened
        with self._using("light_map"):
            map_of = map_source(config.light_map)
            for board in sets:
                map_of(board)
        with self._using("lights"):
            port, wire = split_wire(config.lights or "none")
            finder(port)
            check_wire(wire)
        with self._using("data"):
            folder = data_folder(config.data)
        link: list[Link] = []
        with ExitStack() as opened:
            with self._using("data"):
                held = opened.enter_context(Hold.table(folder))
            with self._using("camera"):
                camera = open_source(
                    config.camera,
                    epoch=lambda: link[0].acknowledged_epoch if link else 0,
                    wait=False,
                    mains_hz=config.mains_hz,
                )
                opened.callback(camera.close)
                if isinstance(camera, Recording):
                    raise CommandError(f"{config.camera} is a recording; use `boardref watch` for recordings")
            journal, watcher, warning = open_recording(
                folder / "boardref.db",
                lambda rows: Watcher(
                    sets,
                    options=config.options,
                    start_mode="setup",
                    rows=rows,
                    profile=profile,
                    mode=config.mode,
                    clock=config.clock.rules(),
                ),
            )
            opened.pop_all()
        return Parts(config, folder, held, watcher, camera, journal, warning, map_of, link)

    @contextmanager
    def _using(self, key: str) -> Iterator[None]:
        """Whatever is raised meanwhile is the fault of this setting."""
        try:
            yield
        except StartError:
            raise
        except (CommandError, RulesError, VisionError, LightsError, JournalError, OSError, ValueError) as error:
            said = str(error).rstrip(".")
            place, facts = place_of(self._path, key)
            raise StartError(f"{place}: {key}: {said}", "use", key=key, why=said, **facts) from None
