"""The errors of the service and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class CommandError(Exception):
    """One sentence that says what to do; exit code 1 (2 for wrong usage)."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Fault:
    """Why a table can't start, as code and facts for any language (`controller.words.faults`)."""

    code: str
    facts: Mapping[str, str] = field(default_factory=dict)


class StartError(CommandError):
    """The table can't start as it is set up; the page answers all the same, and tells the `fault`."""

    def __init__(self, message: str, code: str, **facts: object) -> None:
        super().__init__(message)
        self.fault = Fault(code, {name: str(fact) for name, fact in facts.items() if fact is not None})
