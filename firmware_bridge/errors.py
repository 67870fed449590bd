"""The one error base of this room."""


class LightsError(Exception):
    """Something about a lights device or port is wrong; the text says what to do."""


class SpecError(LightsError):
    """What names a port or a wire can't be read."""
