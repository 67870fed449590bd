"""The physical sets that ship with Boardref, as data beside this file."""

from importlib.resources import files


def transet() -> str:
    """The text of the Transet set's TOML."""
    return files(__name__).joinpath("transet.toml").read_text(encoding="utf-8")
