"""Words as they are indexed and looked for: both go through here, so that they meet.

Capitals, accents and hyphens make no difference, nor do British and American spelling, "IL-6" and "IL6", "TNF-α" and
"TNF alpha". What is left is letters a to z and digits; endings (plurals and the like) are the index's own affair.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_GREEK = (
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
    ),
    *("omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
_LETTERS = str.maketrans(
    {
        **{letter: f" {name} " for letter, name in zip("αβγδεζηθικλμνξοπρςστυφχψω", _GREEK, strict=True)},
        **{"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "ß": "ss"},
    }
)
_TWO_SPELLINGS = (("ae", "e"), ("oe", "e"), ("sulph", "sulf"), ("\u2019", "'"))
_TWO_ENDINGS = (
    (re.compile(r"is(?=(?:e[drs]?|ing|ations?)\b)"), "iz"),
    (re.compile(r"our(?<=[a-z]{5})(?=(?:s|ed|ing|al|able)?\b)"), "or"),
    (re.compile(r"re(?<=[tb]re)(?=s?\b)"), "er"),
    (re.compile(r"lys(?=(?:e[ds]?|ing)\b)"), "lyz"),
    (re.compile(r"'s\b"), ""),
)
"""Randomised, tumour, fibre, analysed, Crohn's. Other words may be changed too, alike in an index and in a question."""

_ACCENTS = re.compile("[\u0300-\u036f]+")
_BETWEEN = "0x0"
_PIECES = re.compile(r"[a-z]+|[0-9]+|[^\W0-9_a-z]")


def folded(text: str) -> str:
    """The words of a text with one blank between them. Letters and digits are words of their own."""
    plain = text.lower() if text.isascii() else _latin(text)
    for long, short in _TWO_SPELLINGS:
        plain = plain.replace(long, short)
    for ending, other in _TWO_ENDINGS:
        plain = ending.sub(other, plain)
    pieces = _PIECES.findall(plain)
    return " ".join(pieces if plain.isascii() else map(_known, pieces))


def folded_row(texts: Iterable[str], apart: int = 1) -> str:
    """Several texts, so that no phrase reaches from one into the next: words that no text is folded to lie between."""
    return f" {' '.join([_BETWEEN] * apart)} ".join(map(folded, texts))


def _latin(text: str) -> str:
    """Without accents, Greek letters by their names, ligatures and the like taken apart."""
    named = unicodedata.normalize("NFKC", text).lower().translate(_LETTERS)
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", named))


def _known(piece: str) -> str:
    """A letter of another script is a word, by its number: which letters an index knows differs with SQLite."""
    return piece if piece.isascii() else f"u{ord(piece):x}"
