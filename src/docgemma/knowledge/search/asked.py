"""A question taken apart once, to be compared with many entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.entities.drugs.matcher import find
from docgemma.entities.drugs.names import ingredients
from docgemma.knowledge.entry import Language
from docgemma.knowledge.search import english, vietnamese
from docgemma.knowledge.search.aspects import aspects
from docgemma.knowledge.search.people import groups
from docgemma.knowledge.search.rarity import PAIR, RAREST, SYLLABLE, is_common, rarity
from docgemma.knowledge.search.readings import Level, levels, subject
from docgemma.knowledge.search.synonyms import Name, spans

_HEADS = frozenset(map(english.stem, ("syndrome", "disease", "disorder", "deficiency", "dysplasia", "dystrophy")))
_RARE, _SAYS = 5.5, 2.5
"""From which rarity on a word may be a name, and says anything."""
_FEW, _FEW_WITH_DRUG, _FEW_IN_FRAME = 3, 4, 6
"""How many words that say anything make a question about one thing: anyhow, with a drug, and in the usual wording."""
_FRAME = re.compile(
    r"^\W*(?:please |hello |hi )*(?:what(?:'?s| is| are| does| causes?| helps)\b|tell me about|explain|"
    r"how (?:is|are|do doctors|do you|do they) |"
    r"(?:symptoms?|signs?|treatments?|causes?|diagnosis|outlook|prognosis) (?:of|for) |"
    r"(?:is|are|can) [^,;]{3,60}(?:inherit|hereditary|passed|prevented|cured|curable|treated|dangerous|contagious))"
    r"|\b(?:treatment|symptoms|prognosis|diagnosis|causes|outlook|life expectancy|treatment options)\W*$"
)

FULL_SCORE = 2.0
"""The engine's score for each unit of rarity when an entry is all about the question."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing the question names. Any of `names` in an entry is that thing; the first is what was typed."""

    names: tuple[Name, ...]
    rarity: float

    def within(self, known: frozenset[str]) -> bool:
        return any(known.issuperset(name) for name in self.names)


@dataclass(frozen=True, slots=True)
class Asked:
    """`names`: the diseases and drugs that were named, without which an entry answers another question.

    `forms`: all that was typed, with its other names, to see what of an entry's question nobody asked for."""

    terms: tuple[Term, ...]
    names: tuple[Term, ...]
    aspects: frozenset[str]
    forms: frozenset[str]
    language: Language
    typed: str
    people: frozenset[str]
    levels: frozenset[Level]

    @property
    def weight(self) -> float:
        return sum(term.rarity for term in self.terms)

    @property
    def full(self) -> float:
        return FULL_SCORE * self.weight


def asked(question: str, language: Language) -> Asked:
    typed, question = question, subject(question, language)
    found = _english(question) if language == "en" else _vietnamese(question)
    terms = tuple({term.names[0]: term for term in found}.values())
    forms = frozenset(form for term in terms for name in term.names for form in name)
    names = tuple(_named(question, terms, language))
    return Asked(terms, names, aspects(question, language), forms, language, typed, groups(typed), levels(typed))


def _english(question: str) -> Iterator[Term]:
    for words, others in _parted(english.words(question), "en"):
        if others:
            names = (words, *others)
            yield Term(names, min(max(map(rarity, name)) for name in names))
        else:
            yield from (Term(_spelt(word), rarity(word)) for word in words)


def _spelt(word: str) -> tuple[Name, ...]:
    """A word that medical text hardly knows may be a misspelling of one that has the same skeleton."""
    bones = "" if is_common(word) else english.skeleton(word)
    return ((word,), (bones,)) if bones else ((word,),)


def _vietnamese(question: str) -> Iterator[Term]:
    """Words of the table as they are; elsewhere every pair of syllables may be a word."""
    bare = vietnamese.is_plain(question)
    for syllables, others in _parted(vietnamese.syllables(question), "vi"):
        if others:
            names = (vietnamese.name(each, bare=bare) for each in (syllables, *others))
            yield Term(tuple(name for name in names if name), PAIR)
            continue
        single, pairs = (vietnamese.plain_forms if bare else vietnamese.marked_forms)(list(syllables))
        yield from (Term(((form,),), SYLLABLE) for form in single)
        yield from (Term(((form,),), PAIR) for form in pairs)


def _named(question: str, terms: Sequence[Term], language: Language) -> Iterator[Term]:
    """A rare word before "syndrome"; drugs by the dictionary; and where hardly more was said, every rare word.

    In a long question drugs are what somebody takes, not what is asked about.
    """
    said = sum(term.rarity >= _SAYS for term in terms)
    if said <= _FEW_WITH_DRUG:
        yield from map(_drug, {name for name, _, _ in find(question)})
    if language != "en":
        return
    short = said <= (_FEW_IN_FRAME if _FRAME.search(question.lower()) else _FEW)
    headed = {word for word, head in pairwise(english.words(question)) if head in _HEADS}
    wanted = {english.stem(word) for word in question.lower().split() if aspects(word, language)}
    for term in terms:
        words = set(term.names[0])
        if term.rarity >= _RARE and not words <= wanted and (short or words & headed):
            yield term


def _drug(name: str) -> Term:
    names = (tuple(english.words(each)) for each in (name, *ingredients(name)))
    return Term(tuple(dict.fromkeys(each for each in names if each)), RAREST)


def _parted(found: Sequence[str], language: Language) -> Iterator[tuple[Name, tuple[Name, ...]]]:
    """The words between names of the table, and each such name with its other names."""
    at = 0
    for start, end, others in (*spans(found, language), (len(found), len(found), ())):
        if start > at:
            yield tuple(found[at:start]), ()
        if others:
            yield tuple(found[start:end]), others
        at = end
