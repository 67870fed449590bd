"""Settings of a real table, from one TOML. Unknown keys are errors: a misspelt setting must not be silently ignored."""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.errors import CommandError


class TableConfig(BaseModel):
    """One table. Everything may be left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str | None = Field(default=None, description="the game; recognised from the tags where left out")
    set: str | None = Field(default=None, description="a set's TOML file; the installed sets where left out")
    camera: str = Field(default="0", description="a camera: number, device, usb, pi, or the URL of a stream")
    profile: str | None = Field(default=None, description="a profile written by `boardref calibrate`")
    mains_hz: Literal[50, 60] = Field(default=50, description="the frequency of the mains, for lamps that flicker")
    lights: str | None = Field(default="auto", description="a serial port, auto, or none")
    data: str | None = Field(default=None, description="the folder for the journal")
    host: str = Field(default="0.0.0.0", description="the address the page answers on")
    port: int = Field(default=8000, ge=0, le=65535, description="the port the page answers on")
    options: dict[str, str] = Field(default_factory=dict, description="rules options of the game")


def load_config(path: str | None) -> TableConfig:
    """Read a table's TOML; CommandError names the key and, for a misspelt one, the likely meaning."""
    if path is None:
        return TableConfig()
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"the configuration {path} can't be read ({error.strerror}); check the name") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError(f"the configuration {path} is not valid TOML: {error}") from None
    try:
        return TableConfig(**found)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        near = difflib.get_close_matches(key, list(TableConfig.model_fields), n=1)
        hint = f"; did you mean {near[0]}?" if first["type"] == "extra_forbidden" and near else ""
        said = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
        raise CommandError(f"the configuration {path}: {key}: {said}{hint}") from None


def data_folder(chosen: str | None) -> Path:
    """Where the journal lives: the choice, systemd's state folder, or the user's data folder; made where missing."""
    if chosen is not None:
        folder = Path(chosen)
    elif state := os.environ.get("STATE_DIRECTORY"):
        folder = Path(state.split(":")[0])
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
        folder = Path(base) / "boardref"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"the data folder {folder} can't be used ({error.strerror})"
        raise CommandError(f"{reason}; choose another with --data") from None
    return folder
