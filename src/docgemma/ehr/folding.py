"""Names as they are compared: without case, accents, marks and order."""

from __future__ import annotations

import unicodedata

FOLDED_NAMES = "urn:docgemma:folded-names"
"""The extension with which a server says that its name search ignores accents and the order of words."""

_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_SILENT = str.maketrans(dict.fromkeys("'’ʼ‘`´ʻ"))
_ASCII = {code: None if chr(code) in "'`" else " " for code in range(128) if not chr(code).isalnum()}


def fold(text: str) -> str:
    """ "García" and "GARCIA" are one word, and so are "O’Hara" and "ohara"; what else is no letter parts words.

    Combining marks go where a Latin letter carries them. Elsewhere they are part of the letter, and stay. What cannot
    be seen is not there.
    """
    if text.isascii():
        return text.lower().translate(_ASCII)
    bare: list[str] = []
    latin = False
    for letter in _apart(_apart(text.translate(_SILENT)).translate(_SILENT).casefold()):
        if letter.isalnum():
            latin = letter < "ɐ"
            bare.append(letter)
        elif (kind := unicodedata.category(letter))[0] == "M":
            if not latin:
                bare.append(letter)
        elif kind != "Cf":
            latin = True
            bare.append(" ")
    return unicodedata.normalize("NFC", "".join(bare)).translate(_LETTERS)


def _apart(text: str) -> str:
    """Letters and their marks one by one. Needed before and after the case goes: each may bring forth the other."""
    return unicodedata.normalize("NFKD", text)


def fold_words(text: str) -> list[str]:
    """The words of a name, folded, in the order they were written."""
    return fold(text).split()
