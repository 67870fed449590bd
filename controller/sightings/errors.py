"""The one error base of this room."""


class SightingLogError(Exception):
    """Something about a sighting log is wrong; the text says what to do."""
