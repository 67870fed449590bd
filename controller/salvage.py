"""What can still be read of settings that are not in order: enough for the right port and for the lights."""

from __future__ import annotations

import os
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from controller.config import PREFIX, TableConfig, credentials


class _Given(TableConfig):
    """The settings as they are given to it, whatever else the environment says."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def salvaged(path: str | None) -> TableConfig:
    """Every setting that is right by itself, the usual ones for the rest. Never raises."""
    found: dict[str, Any] = _file(path)
    with suppress(OSError):
        for name, place in credentials().items():
            found[name.upper().removeprefix(PREFIX).lower()] = _text(place).strip()
    found |= {name.removeprefix(PREFIX).lower(): said for name, said in os.environ.items() if name.startswith(PREFIX)}
    found = {key: said for key, said in found.items() if key in TableConfig.model_fields}
    while True:
        try:
            return _Given(**found)
        except ValidationError as error:
            wrong = {str(one["loc"][0]) for one in error.errors() if one["loc"]} & found.keys()
            if not wrong:
                return _Given()
            for key in wrong:
                del found[key]


def _text(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""


def _file(path: str | None) -> dict[str, Any]:
    """The file as a whole, or else line by line what stands by itself before the first table."""
    text = _text(Path(path)) if path is not None else ""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        found: dict[str, Any] = {}
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            break
        try:
            found |= tomllib.loads(line)
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
    return found
