"""Looking for words in the index of a pack.

Each thing asked for becomes a phrase in quotation marks, made of folded words alone, so that nothing a user writes can
be an operator. Of very many hits the first in the pack's own order are compared: a common word leads to half of it.

Words that are indexed and words that are looked for are folded alike, so that they meet: capitals, accents and hyphens
make no difference, nor do British and American spelling, "IL-6" and "IL6", "TNF-α" and "TNF alpha". What is left is
letters a to z and digits; endings (plurals and the like) are the index's own affair."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from docgemma.entities.words import phrase_list
from docgemma.sources.contract import SourceError
from docgemma.store.database import Value
from docgemma.store.snapshot import Handle

_GREEK = phrase_list(
    "alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa, lambda, mu, nu, xi, omicron, pi, rho, sigma, "
    "sigma, tau, upsilon, phi, chi, psi, omega"
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


COMPARED = 2000
"""Hits whose fit is computed; a microsecond each, and for each phrase."""
_FROM = "FROM words CROSS JOIN facts ON facts.id = words.rowid WHERE words MATCH ?"
"""In this order: SQLite must not go through the facts and look for the words of each."""
_MOST_WORDS = 16
_MOST_PHRASES = 32
_MOST_GROUPS = 16


@dataclass(frozen=True, slots=True)
class Hits:
    """Numbers of records, the best first, and how many there are in all."""

    numbers: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Question:
    """`expression` in the language of the index; `closer` is one that asks for more, for when there are many hits.

    `filters` are conditions on the facts, each with its values.
    """

    expression: str
    closer: str = ""
    filters: tuple[tuple[str, tuple[Value, ...]], ...] = ()


def phrase(text: str) -> str:
    """A phrase of the index's language; empty when there is no word in the text."""
    words = folded(text[:2000]).split()
    if len(words) > _MOST_WORDS:
        raise SourceError("invalid_args", "That is too long to search for. Use fewer words.")
    return f'"{" ".join(words)}"' if words else ""


def one_of(texts: Iterable[str]) -> str:
    """Any of these phrases."""
    phrases = list(dict.fromkeys(filter(None, map(phrase, texts))))[:_MOST_PHRASES]
    return f"({' OR '.join(phrases)})" if phrases else ""


def all_of(groups: Sequence[str]) -> str:
    """Every one of these expressions; those without a word ask for nothing."""
    asked = list(dict.fromkeys(filter(None, groups)))
    if not asked:
        raise SourceError("invalid_args", "There is no word to search for. Name a disease, a treatment or a drug.")
    if len(asked) > _MOST_GROUPS:
        raise SourceError("invalid_args", "That is too much to search for at once. Use fewer words.")
    return " AND ".join(asked)


def within(columns: Sequence[str], expression: str) -> str:
    return f"{{{' '.join(columns)}}} : ({expression})" if expression else ""


def hits(handle: Handle, question: Question, weights: Mapping[str, float], *, most: int, from_: int = 0) -> Hits:
    """So many records from this place on. How many there are is counted apart only where they are very many."""
    found = _compared(handle, question.expression, question, weights)
    total = len(found)
    if total > COMPARED:
        total = _count(handle, question.expression, question)
        if question.closer:
            closer = _compared(handle, question.closer, question, weights)
            found = closer if len(closer) >= from_ + most else found
    best = sorted(found[:COMPARED])[from_ : from_ + most]
    return Hits(tuple(number for _, number in best), total)


def _compared(
    handle: Handle, expression: str, question: Question, weights: Mapping[str, float]
) -> list[tuple[float, int]]:
    """The first hits in the pack's order, each with its fit, the smaller the better; one more than are compared."""
    where, values = _where(question)
    fit = f"bm25(words, {', '.join(map(str, weights.values()))})"
    sql = " ".join(("SELECT", fit, ", words.rowid", _FROM, where, "ORDER BY words.rowid LIMIT ?"))
    return [(score, number) for score, number in handle.each(sql, (expression, *values, COMPARED + 1))]


def numbered(handle: Handle, name: str) -> tuple[int, bool] | None:
    """The record with this number of its own, and whether it was retracted."""
    row = handle.row("SELECT id, retracted FROM number WHERE name = ?", (name,))
    return None if row is None else (row[0], bool(row[1]))


def _count(handle: Handle, expression: str, question: Question) -> int:
    where, values = _where(question)
    source = _FROM if where else "FROM words WHERE words MATCH ?"
    row = handle.row(" ".join(("SELECT COUNT(*)", source, where)), (expression, *values))
    return int(row[0]) if row else 0


def _where(question: Question) -> tuple[str, tuple[Value, ...]]:
    where = " ".join(f"AND {condition}" for condition, _ in question.filters)
    return where, tuple(value for _, values in question.filters for value in values)
