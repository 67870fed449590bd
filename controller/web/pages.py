"""Templates and the build they belong to: what every page of the table is made with."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from fastapi import Query
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

Lang = Annotated[Literal["en", "nl", "de", "fr"], Query()]


@cache
def _templates() -> Environment:
    loader = PackageLoader("controller.web", "templates")
    escape = select_autoescape()
    return Environment(
        loader=loader, autoescape=escape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip


def render(template: str, **facts: Any) -> str:
    """A page as text."""
    return _templates().get_template(template).render(**facts)


@cache
def build_id() -> str:
    """Changes with the page's own files: a screen that runs older ones reloads itself."""
    digest = hashlib.sha256()
    for folder in ("static", "templates"):
        for entry in sorted(files("controller.web").joinpath(folder).iterdir(), key=lambda entry: entry.name):
            if entry.is_file():
                digest.update(entry.read_bytes())
    return digest.hexdigest()[:12]
