"""One spelling for signs that look alike, character for character, so that places in the text stay true."""

from __future__ import annotations

import re

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("⩾≧", "≥"),
        **dict.fromkeys("⩽≦", "≤"),
        **dict.fromkeys("−–—‐‑‒", "-"),
        **dict.fromkeys("×✕⨯", "x"),
        **dict.fromkeys("\u00a0\u2009\u202f\u2007\u200a\u2002\u2003\t\n\r\v\f", " "),
        "μ": "µ",
        "＞": ">",
        "＜": "<",
        "＝": "=",
        "％": "%",
        "⁄": "/",
        "’": "'",
    }
)


def folded(text: str) -> str:
    """As long as the text itself."""
    plain = text.translate(_ALIKE)
    lower = plain.lower()
    if len(lower) == len(plain):
        return lower
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in plain)


def choice(phrases: str) -> str:
    """Phrases separated by commas as one expression, the longest first."""
    listed = sorted((" ".join(phrase.split()) for phrase in phrases.split(",")), key=len, reverse=True)
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s{1,3}") for phrase in listed)
