"""What this room says when something is wrong with a journal: one error base, and sentences of what was mended."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Coded(Protocol):
    """Something that any language can say."""

    code: str
    facts: dict[str, str]


class JournalError(Exception):
    """Something about a journal file is wrong; the text says what to do.

    `code` and `facts` say the same in any language (`fault.journal.CODE`), where a page may have to.
    """

    def __init__(self, text: str, code: str = "", **facts: object) -> None:
        super().__init__(text)
        self.code = code
        self.facts = {name: str(fact) for name, fact in facts.items()}


class Warned(str):
    """A sentence in English about something that did not stop anybody; `code` and `facts` as above."""

    code: str
    facts: dict[str, str]

    def __new__(cls, text: str, code: str, **facts: object) -> Warned:
        """The sentence, and how any language says it."""
        made = super().__new__(cls, text)
        made.code, made.facts = code, {name: str(fact) for name, fact in facts.items()}
        return made
