"""What the operator's pages have in common: the links between them, their words, and how one is rendered."""

from __future__ import annotations

import json
from typing import Any

from controller.web.access import Who
from controller.web.pages import build_id, render
from controller.web.phrases import LANGUAGES, phrase, phrases
from controller.web.screen import Screen

LINKS = (
    ("/operator/timeline", "timeline_title"),
    ("/operator/preview", "preview_title"),
    ("/operator/games", "games_title"),
    ("/operator/records", "records_title"),
)
"""The pages beside `/operator` itself, as (address, key of its name in `operator.po` or `page.po`)."""

_EVERYWHERE = ("label_", "stale_")
"""Words of every page that the scripts of these say, too."""


def operator_page(template: str, screen: Screen, who: Who, domain: str = "operator", **facts: Any) -> str:
    """A page as text. `domain`: the catalogue of its own words; `facts`: what else its template needs."""
    own = phrases(screen.lang, domain)
    words = {**phrases(screen.lang, "operator"), **own}
    usual = {key: text for key, text in phrases(screen.lang).items() if key.startswith(_EVERYWHERE)}
    return render(
        template,
        screen=screen,
        lang=screen.lang,
        languages=LANGUAGES,
        build=build_id(),
        csrf=who.csrf,
        links=LINKS,
        words=json.dumps({**usual, **own}, ensure_ascii=False),
        say=lambda key: words[key] if key in words else phrase(key, screen.lang),
        **facts,
    )
