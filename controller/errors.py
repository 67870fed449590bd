"""The error of the service and the command line."""


class CommandError(Exception):
    """One sentence that says what to do; exit code 1 (2 for wrong usage)."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code
