"""What a table owner sends along with a question: settings, checks and the last matches, without pictures or secrets.

Everything in it is text that can be read before it is sent.
"""

from __future__ import annotations

import contextlib
import io
import json
import platform
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from controller.health import Check
from controller.journal.errors import JournalError
from controller.journal.store import Journal
from controller.wholefile import write_whole

GAMES = 3
"""So many of the last matches are put in, event by event."""
REPORTS = 5
"""So many of the last reported sighting logs."""
HIDDEN = "(hidden)"
_ACCOUNT = re.compile(r"(?<=://)[^/\s\"']+@")
_SECRET_KEY = r"[\w.-]*(?:pass(?:word|wd|phrase)?|pin|token|secret|api_?key|credentials?)"
_BLOCK = re.compile(rf"""(?is)(\b{_SECRET_KEY}["']?\s*=\s*)(?:\"{{3}}.*?(?:\"{{3}}|\Z)|'{{3}}.*?(?:'{{3}}|\Z))""")
_SETTING = re.compile(rf"(?im)^(\s*[\"']?{_SECRET_KEY}[\"']?\s*=\s*).+$")
_INLINE = re.compile(rf"""(?i)(\b{_SECRET_KEY}["']?\s*=\s*)("[^"\n]*"|'[^'\n]*')""")
_QUERY = re.compile(rf"(?i)([?&;]{_SECRET_KEY}=)[^&#\s\"']+")
NAMED = {"name", "names", "reason", "note"}
"""Keys of events that may hold what people typed."""
README = """What `boardref bundle` put together for a question about this table.

doctor.json    what `boardref doctor` found
settings.toml  the table's settings; secrets are hidden
packages.txt   the software and its versions
games.txt      the numbers of the recorded matches
game-N.jsonl   the last matches, event by event; what people typed is hidden
*.sightings    reported wrong calls: what the table saw before them, as text

There is no picture in it. Look through it before you send it.
"""


def redacted(text: str) -> str:
    """The text without accounts in addresses and without the values of secrets."""
    text = _BLOCK.sub(rf'\g<1>"{HIDDEN}"', text)
    text = _INLINE.sub(rf'\g<1>"{HIDDEN}"', _ACCOUNT.sub(f"{HIDDEN}@", text))
    return _QUERY.sub(rf"\g<1>{HIDDEN}", _SETTING.sub(rf'\g<1>"{HIDDEN}"', text))


def without_names(value: Any) -> Any:
    """An event without what people typed into it."""
    if isinstance(value, Mapping):
        return {key: HIDDEN if key in NAMED and inner else without_names(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_names(inner) for inner in value]
    return value


def write_bundle(target: Path, checks: Iterable[Check], settings: str, journal: Journal | None) -> tuple[str, ...]:
    """Write the ZIP; returns the names of what is in it. OSError where it can't be written."""
    parts = {"README.txt": README}
    parts["doctor.json"] = json.dumps([check.as_json() for check in checks], indent=1, ensure_ascii=False)
    parts["settings.toml"] = settings
    parts["packages.txt"] = _packages()
    if journal is not None:
        parts |= _games(journal)
        parts |= _reports(journal.path.parent)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, redacted(text))
    write_whole(target, packed.getvalue())
    return tuple(parts)


def _games(journal: Journal) -> dict[str, str]:
    """The matches, as far as they can be read: a bundle is asked for because something is wrong."""
    found: dict[str, str] = {}
    try:
        numbers = journal.games()
        found["games.txt"] = "".join(f"{number}\n" for number in numbers) or "no match is recorded\n"
        for number in numbers[-GAMES:]:
            rows = (json.dumps(without_names(event), ensure_ascii=False) for event in journal.events(number))
            found[f"game-{number}.jsonl"] = "".join(f"{row}\n" for row in rows)
    except JournalError as error:
        found["games.txt"] = f"{found.get('games.txt', '')}{error}\n"
    return found


def _reports(folder: Path) -> dict[str, str]:
    """The last reported sighting logs, which hold neither pictures nor what people typed."""
    found = {}
    for path in sorted(folder.glob("*.sightings"))[-REPORTS:]:
        with contextlib.suppress(OSError):  # deleted meanwhile
            found[path.name] = path.read_text(encoding="utf-8", errors="replace")
    return found


def _packages() -> str:
    found = sorted({f"{part.metadata['Name']} {part.version}" for part in metadata.distributions()}, key=str.lower)
    machine = f"Python {platform.python_version()} on {platform.system()} {platform.release()}, {platform.machine()}"
    return "\n".join([machine, *found, ""])
