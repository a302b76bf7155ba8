"""Text from outside as it may be shown: one line, nothing invisible, no word changed."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from functools import lru_cache

from docgemma.entities.instructions import instructions_in

LONGEST_NAME = 120
_NEVER_SEEN = frozenset(("Cc", "Cf", "Cs", "Co"))
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u3164\uffa0\u2800")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_UNUSUAL = re.compile(r"[^\t-\r -~]")
_NO_WORD = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """The words as published. Control, zero-width and bidi characters go: they hide or turn what a reader sees."""
    unseen = {ord(character): None for character in set(_UNUSUAL.findall(text)) if _is_unseen(character)}
    return " ".join((text.translate(unseen) if unseen else text).split())


@lru_cache(maxsize=8192)
def name(text: str) -> str:
    """What a product, a maker or a class is called. What gives orders to a program is no name: it would be a title."""
    found = plain(text)[:LONGEST_NAME].strip()
    return "" if instructions_in(found) else found


def _is_unseen(character: str) -> bool:
    if character.isspace():
        return False
    if unicodedata.category(character) in _NEVER_SEEN or character in _BLANK_LETTERS:
        return True
    return any(ord(character) in selectors for selectors in _SELECTORS)


def iso_day(digits: object) -> str | None:
    """YYYYMMDD, with or without a time behind it, as YYYY-MM-DD; None for what is no day."""
    if not isinstance(digits, str) or not re.fullmatch(r"\d{8}(?:\d{2,6})?", digits.strip(), re.ASCII):
        return None
    found = digits.strip()
    try:
        return date(int(found[:4]), int(found[4:6]), int(found[6:8])).isoformat()
    except ValueError:
        return None


def is_set_id(text: str) -> bool:
    """Whether this can stand in an address as a label's id."""
    return _UUID.fullmatch(text) is not None


def words(text: str) -> tuple[str, ...]:
    """Lower-case words and numbers without what stands between them, to compare names by."""
    return tuple(word for word in _NO_WORD.split(plain(text).casefold()) if word)
