"""What a question is about, as far as rules can tell: enough to see that a query made from it still asks the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.words import replaced
from docgemma.knowledge.entry import Language
from docgemma.knowledge.search import english, vietnamese
from docgemma.knowledge.search.synonyms import spans
from docgemma.knowledge.search.tables import stop_words

_SURFACE = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_NUMBER = re.compile(r"(?<![^\W\d_])\d+(?:[.,]\d+)*")
_MOST_CONTEXT = 20
_SAME_BEGINNING = 4


def content(text: str, language: Language) -> list[str]:
    """Its words in the form in which they are compared, without those that say nothing about the subject."""
    if language == "en":
        return english.words(text)
    return [each for each in vietnamese.syllables(text) if each not in stop_words("vi")]


def written(text: str) -> list[str]:
    """Its words as they stand there."""
    return _SURFACE.findall(text)


def telling_words(text: str, language: Language) -> list[str]:
    """The same words as they were written, each once."""
    stop = stop_words(language)
    return list(dict.fromkeys(word for word in written(text) if word.lower() not in stop))[:_MOST_CONTEXT]


def strays(query: str, question: str, known: Sequence[str], language: Language) -> str:
    """Why a query no longer asks what the user asked; empty when it does.

    A query that loses a drug, a number or a disease finds an entry about something else, and one that brings in a new
    drug or number finds an answer nobody asked for. Both would look right.
    """
    allowed = (question, *known)
    if not drugs(question) <= drugs(query):
        return "a drug was lost"
    if not drugs(query) <= frozenset().union(*map(drugs, allowed)):
        return "a drug was added"
    if not numbers(question) <= numbers(query):
        return "a number was lost"
    if not numbers(query) <= frozenset().union(*map(numbers, allowed)):
        return "a number was added"
    if not _names_kept(query, question, language):
        return "a medical word was lost"
    if not _mostly_kept(query, question, language):
        return "most words were lost"
    return "" if _little_added(query, allowed, language) else "another subject was added"


def drugs(text: str) -> frozenset[str]:
    """By ingredient: a brand and its generic name are the same."""
    return frozenset(part for drug in drugs_in(text) for part in ingredients(drug.value) or (drug.value,))


def numbers(text: str) -> frozenset[str]:
    return frozenset(found.replace(",", ".") for found in _NUMBER.findall(text))


def _names_kept(query: str, question: str, language: Language) -> bool:
    """Each name that the table of medical words knows is still there, or another name of the same thing is."""
    asked, have = compared(question, language), frozenset(compared(query, language))
    for start, end, others in spans(asked, language):
        if not any(_holds(have, name, language) for name in (asked[start:end], *others)):
            return False
    return True


def _mostly_kept(query: str, question: str, language: Language) -> bool:
    asked, have = set(_other_words(question, language)), set(_other_words(query, language))
    renamed = {asked_word for asked_word in asked - have if _renamed(asked_word, query, language)}
    return 2 * len((asked & have) | renamed) >= len(asked)


def _little_added(query: str, allowed: Sequence[str], language: Language) -> bool:
    """A query about two things finds an entry about the one that nobody asked for."""
    words = set(_other_words(query, language))
    said = {word for text in allowed for word in _other_words(text, language)}
    new = {word for word in words - said if language == "vi" or not any(_alike(word, other) for other in said)}
    new = {word for word in new if not any(_renamed(word, text, language) for text in allowed)}
    return 3 * len(new) <= len(words)


def _alike(one: str, other: str) -> bool:
    """Forms of one word, near enough: "safe" and "safety"."""
    shared = min(len(one), len(other), _SAME_BEGINNING)
    return shared >= _SAME_BEGINNING - 1 and one[:shared] == other[:shared]


def _other_words(text: str, language: Language) -> list[str]:
    """The words that are no drug's name: those are compared by ingredient."""
    bare = replaced(text, ((drug.start, drug.end, " ") for drug in drugs_in(text)))
    return content(bare, language)


def _renamed(word: str, query: str, language: Language) -> bool:
    have = frozenset(compared(query, language))
    return any(_holds(have, name, language) for _, _, others in spans([word], language) for name in others)


def compared(text: str, language: Language) -> list[str]:
    return english.words(text) if language == "en" else vietnamese.syllables(text)


def _holds(have: frozenset[str], name: Iterable[str], language: Language) -> bool:
    if language == "en":
        return all(word in have for word in name)
    plain = {vietnamese.plain(word) for word in have}
    return all(vietnamese.plain(word) in plain for word in name)
