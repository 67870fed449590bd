"""The suite tries the same examples each time, however slow; BOARDREF_EXPLORE=1 lets hypothesis look for new ones."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=300, deadline=None)
settings.load_profile("explore" if os.environ.get("BOARDREF_EXPLORE") else "same")
