"""Lets the tests of this folder import its scripts; the shim they share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """Built once."""
    from cutting import build_shim

    return build_shim(tmp_path_factory.mktemp("shim"))
