"""The referee's frozen data as plain JSON values and back, exactly: floats to the last bit, classes by their names.

Numbers, texts, true, false and null stand for themselves, a list for a tuple. An object with `is` is one of the classes
of `controller.rules`, `controller.referee`, `vision.sighting` or of the game's own package, its fields beside it (`is`
can be no field: it is a word of the language). `{"set": […]}` and `{"map": [[key, value], …]}` are what they say.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from controller.sightings.errors import SightingLogError

_OURS = ("controller.rules.", "controller.referee.", "vision.sighting.")
_PLAIN = (str, int, float, bool, type(None))


def as_value(thing: Any, without: frozenset[str] = frozenset()) -> Any:
    """`thing` as JSON's values. `without`: fields of the outermost object that are left out."""
    if type(thing) in _PLAIN:
        if isinstance(thing, float) and not math.isfinite(thing):
            raise SightingLogError(f"{thing} is no number that a sighting log can hold")
        return thing
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = (one.name for one in dataclasses.fields(thing) if one.name not in without)
        return {"is": _name(type(thing))} | {name: as_value(getattr(thing, name)) for name in fields}
    if isinstance(thing, tuple):
        names = getattr(thing, "_fields", None)
        if names is None:
            return [as_value(one) for one in thing]
        return {"is": _name(type(thing))} | {name: as_value(one) for name, one in zip(names, thing, strict=True)}
    if isinstance(thing, frozenset):
        return {"set": sorted((as_value(one) for one in thing), key=lambda one: json.dumps(one, sort_keys=True))}
    if isinstance(thing, Mapping):
        return {"map": [[as_value(key), as_value(value)] for key, value in thing.items()]}
    raise SightingLogError(f"a {type(thing).__name__} has no place in a sighting log")


def from_value(told: Any, package: str, beside: Mapping[str, Any] | None = None) -> Any:
    """The thing that `as_value` told of. `package`: the game's own, beside ours; `beside`: fields that were left out.

    SightingLogError where it is not what this program's classes look like.
    """
    if type(told) in _PLAIN:
        return told
    if isinstance(told, list):
        return tuple(from_value(one, package) for one in told)
    if not isinstance(told, dict):
        raise SightingLogError(f"a {type(told).__name__} can't be read")
    if "is" in told:
        fields = {name: from_value(value, package) for name, value in told.items() if name != "is"}
        return _made(str(told["is"]), fields | dict(beside or {}), package)
    try:
        if told.keys() == {"set"}:
            return frozenset(from_value(one, package) for one in told["set"])
        if told.keys() == {"map"}:
            return {from_value(key, package): from_value(value, package) for key, value in told["map"]}
    except (TypeError, ValueError) as error:
        raise SightingLogError(f"a set or map can't be read ({error})") from None
    raise SightingLogError(f"an object with {', '.join(sorted(told)) or 'nothing'} can't be read")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _made(name: str, fields: Mapping[str, Any], package: str) -> Any:
    kind = _class(name, package)
    own = getattr(kind, "_fields", None) or tuple(one.name for one in dataclasses.fields(kind) if one.init)
    if set(own) != fields.keys():
        differing = ", ".join(sorted(set(own) ^ fields.keys()))
        raise SightingLogError(f"{name} has other fields in this version ({differing})")
    return kind(**fields)


def _class(name: str, package: str) -> Any:
    """A frozen class of ours or of the game's package; nothing else can be called from a file."""
    module, _, own = name.rpartition(".")
    ours = name.startswith(_OURS)
    if not ours and not (package and (module == package or module.startswith(f"{package}."))):
        raise SightingLogError(f"there is no {name} in a sighting log")
    try:
        found = getattr(importlib.import_module(module) if ours else sys.modules[module], own)
    except (ImportError, AttributeError, KeyError):
        raise SightingLogError(f"this version has no {name}") from None
    frozen = dataclasses.is_dataclass(found) and getattr(found, "__dataclass_params__").frozen  # noqa: B009
    named = isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")
    if not isinstance(found, type) or not (frozen or named):
        raise SightingLogError(f"{name} is no data")
    return found
