"""The physical sets that ship with Boardref, as data beside this file."""

from importlib.resources import files


def _text(name: str) -> str:
    return files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


def transet() -> str:
    """The text of the Transet set's TOML."""
    return _text("transet")


def taasen() -> str:
    """The text of the Taasen set's TOML."""
    return _text("taasen")


def transfer() -> str:
    """The text of the Transfer set's TOML."""
    return _text("transfer")
