"""The one error base of this room."""


class VisionError(Exception):
    """Something about a set, an image, a camera or a recording is wrong; the text says what to do."""
