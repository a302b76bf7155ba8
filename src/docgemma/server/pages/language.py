"""The languages of the page. English texts are the keys; clinical content, numbers and dates are never translated."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from markupsafe import Markup, escape

Lang = Literal["en", "vi"]
LANGUAGES: tuple[Lang, ...] = get_args(Lang)
NAMES: dict[Lang, str] = {"en": "English", "vi": "Tiếng Việt"}
COOKIE = "docgemma_language"

Translate = Callable[..., Markup]


@cache
def catalogue(lang: Lang) -> Mapping[str, str]:
    """English text → text of this language."""
    if lang == "en":
        return {}
    text = files("docgemma.server.pages").joinpath(f"{lang}.toml").read_text(encoding="utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


@cache
def translator(lang: Lang) -> Translate:
    """`_` of the templates: the text in this language, with `{name}` filled in. Both are escaped."""
    texts = catalogue(lang)

    def translate(text: str, **values: object) -> Markup:
        said = escape(texts.get(text, text))
        if not values:
            return said
        return Markup(str(said).format(**{name: escape(value) for name, value in values.items()}))  # noqa: S704

    return translate


def chosen(cookie: str | None, accepted: str | None) -> Lang:
    """The language that was picked, else the first of the browser's that the page speaks."""
    if cookie in LANGUAGES:
        return cookie
    for part in (accepted or "").split(",")[:20]:
        code = part.partition(";")[0].strip().lower()[:2]
        if code in LANGUAGES:
            return code
    return "en"
