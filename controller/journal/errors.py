"""The one error base of this room."""


class JournalError(Exception):
    """Something about a journal file is wrong; the text says what to do."""
