"""How one screen wants its pages: language, light or dark, contrast, motion. All of it stands in the page's address."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict

DARK, MORE = "(prefers-color-scheme: dark)", "(prefers-contrast: more)"


class Screen(BaseModel):
    """`auto`: as the device. `keys`: the keys 1 and 2 are the players' buttons."""

    model_config = ConfigDict(frozen=True)
    lang: Literal["en", "nl", "de", "fr"] = "en"
    theme: Literal["auto", "light", "dark"] = "auto"
    contrast: Literal["auto", "more"] = "auto"
    motion: Literal["auto", "less"] = "auto"
    keys: bool = False

    def address(self, **changes: object) -> str:
        """The same page with something changed, as a relative address; what is as usual is left out."""
        wanted = self.model_copy(update=changes)
        told = wanted.model_dump(exclude_defaults=True, exclude={"lang"})
        return "?" + urlencode({"lang": wanted.lang} | {key: 1 if v is True else v for key, v in told.items()})

    def sheets(self) -> list[tuple[str, str]]:
        """Style sheets over the light one: name and when it counts (a media query)."""
        dark = {"auto": DARK, "light": None, "dark": "all"}[self.theme]
        more = {"auto": MORE, "more": "all"}[self.contrast]
        found = [("dark", dark)] if dark else []
        found.append(("contrast", more))
        if dark:
            both = " and ".join(one for one in (more, dark) if one != "all")
            found.append(("contrast-dark", both or "all"))
        return found

    @property
    def scheme(self) -> str:
        """What the browser's own parts (scroll bars) should look like."""
        return "light dark" if self.theme == "auto" else self.theme
