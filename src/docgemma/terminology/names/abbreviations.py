"""Abbreviations that a text defines itself: "left ventricular ejection fraction (LVEF)" or the other way round.

The rule is that of Schwartz and Hearst (2003): walking from the right, each letter of the short form is found in the
long form, and the first letter starts a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,120})[)\]]")
_NEXT_PART = re.compile(r"[;,]|\bor\b")
_LONGEST_SHORT = 12
_REACH = 160
"""How many characters before the bracket the long form may start."""


@lru_cache(maxsize=64)
def defined(text: str) -> dict[str, str]:
    """Short form → long form, as written. The first definition of a short form wins. Shared: do not change it."""
    found: dict[str, str] = {}
    for short, long in _definitions(text):
        found.setdefault(short, long)
        if short.endswith("s") and len(short) > 2 and short[:-1].isupper():
            found.setdefault(short[:-1], long)
        elif short.isupper():
            found.setdefault(short + "s", long)
    return found


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    for bracket in _BRACKETS.finditer(text):
        before = text[max(0, bracket.start() - _REACH) : bracket.start()].rstrip()
        inside = bracket.group(1).strip()
        short = _NEXT_PART.split(inside, maxsplit=1)[0].strip().strip("\"'")
        if is_short_form(short):
            long = long_form(short, before) or same_initials(short, before)
            if long is not None:
                yield short, long
                continue
        last = before.rsplit(None, 1)[-1].strip("\"',;") if before else ""
        if is_short_form(last) and len(inside) > len(last):
            long = long_form(last, inside)
            if long is not None and len(long) > len(inside) * 0.6:
                yield last, long


def is_short_form(text: str) -> bool:
    """Whether a string looks like an abbreviation: short, at most two words, with a letter."""
    return (
        2 <= len(text) <= _LONGEST_SHORT
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(letter.isalpha() for letter in text)
        and (len(text) <= 5 or any(letter.isupper() or letter.isdigit() for letter in text[1:]))
    )


def long_form(short: str, before: str) -> str | None:
    """The words at the end of `before` that `short` abbreviates, if they do."""
    letters = [letter for letter in short.lower() if letter.isalnum()]
    words = before.split()
    limit = min(len(letters) + 5, len(letters) * 2)
    window = " ".join(words[-limit:])
    place = _matched_from(letters, window.lower())
    if place is None:
        return None
    start = window.rfind(" ", 0, place) + 1
    opener = max(window.rfind("-", start, place), window.rfind("/", start, place), window.rfind("(", start, place)) + 1
    long = window[max(start, opener) if opener > start else start :].strip()
    if len(long) <= len(short) or short.lower() in long.lower().split() or long.count("(") != long.count(")"):
        return None
    return long


def same_initials(short: str, before: str) -> str | None:
    """As many words as the short form has letters, with the same initials in another order: myotonic dystrophy (DM)."""
    if not (2 <= len(short) <= 5 and short.isalpha() and short.isupper()):
        return None
    words = before.replace("-", " ").split()[-len(short) :]
    initials = sorted(word[0].upper() for word in words)
    return " ".join(words) if initials == sorted(short) else None


def _matched_from(letters: list[str], window: str) -> int | None:
    """Where in `window` the first letter of the short form was found, walking from the right."""
    place = len(window)
    for number in range(len(letters) - 1, -1, -1):
        place -= 1
        first = number == 0
        while place >= 0 and (
            window[place] != letters[number] or (first and place > 0 and window[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
    return place
