"""Whether an article's text has what is sought, as far as code can tell: word by word, plurals and both Englishes
taken as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from docgemma.sources.literature.contract import Paper, Sought
from docgemma.sources.literature.naming import fold

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> str:
    """The words in one form, with a blank on both sides of each, so that a phrase is looked for as it is."""
    return f" {' '.join(_folded(word) for word in _WORD.findall(text))} "


@lru_cache(maxsize=50_000)
def _folded(word: str) -> str:
    return fold(word) or word.lower()


def has(text: str, phrasings: Sequence[str]) -> bool:
    """Whether one of the phrasings stands in `words_of` a text."""
    return any(words_of(name) in text for name in phrasings)


def has_words(text: str, phrasings: Sequence[str]) -> bool:
    """Whether all words of one phrasing stand there, wherever."""
    return any(all(f" {word} " in text for word in words_of(name).split()) for name in phrasings)


def fits(paper: Paper, sought: Sought, *, exactly: bool = False) -> bool:
    """Whether every concept is in the title, the abstract or the terms; `exactly`: as a phrase."""
    text = words_of(" ".join((paper.title, *(part for section in paper.sections for part in section), *paper.terms)))
    return all((has if exactly else has_words)(text, concept) for concept in sought.concepts)
