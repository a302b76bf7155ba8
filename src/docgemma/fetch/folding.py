"""Text as it is searched for people: without case, accents and what cannot be seen.

The record system has a folding of its own, for names alone. This one keeps the marks, which part ids and dates.
"""

from __future__ import annotations

import re
import unicodedata

_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_LOOKS = str.maketrans("авеёіјкмнорсѕтухһԁαβεικμνορτυχ", "abeeijkmhopcstyxhdabeikmvoptux")
"""Cyrillic and Greek letters that look Latin, in lower case. A name written in them alone is folded the same way."""

_APOSTROPHES = str.maketrans({"\u02bc": "'", "\u02bb": "'", "\u02b9": "'", "\ua78c": "'"})
"""Those that count as letters. They part a word like all others."""

_UNSEEN = ("Mn", "Mc", "Me", "Cf")
_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """ "GARCÍA" is "garcia", also with a Cyrillic "А". Marks that part words stay."""
    if text.isascii():
        return text.lower()
    # The case may bring marks forth, and the marks other letters: apart before and after.
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    seen = (letter for letter in apart if unicodedata.category(letter) not in _UNSEEN)
    plain = (str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in seen)
    return "".join(plain).translate(_LETTERS).translate(_LOOKS).translate(_APOSTROPHES)


def words_of(text: str) -> list[str]:
    """The words of a text, folded. Every mark parts them, an apostrophe and a hyphen too."""
    return _WORD.findall(fold(text))


def word_set(listed: str) -> frozenset[str]:
    """A list of words, written as people read it."""
    return frozenset(listed.split())
