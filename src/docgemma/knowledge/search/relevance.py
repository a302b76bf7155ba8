"""How well an entry answers a question: 0 to 1, and the same for every question and every base.

The engine's scores only order the entries of one question. Here the texts are compared: is what was asked about in
the entry, is the entry about more than was asked, do both want to know the same, and is it the disease or drug that
was named. An entry on another one does not fit, however much of the rest agrees.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.search.asked import FULL_SCORE, Asked, Term
from docgemma.knowledge.search.aspects import aspects
from docgemma.knowledge.search.fusing import Fused
from docgemma.knowledge.search.people import for_others
from docgemma.knowledge.search.rarity import PAIR, SYLLABLE, rarity
from docgemma.knowledge.search.readings import levels
from docgemma.knowledge.search.vietnamese import flat
from docgemma.knowledge.search.words import forms, skeletons

FITS, NEAR = 0.55, 0.35
"""A wrong entry is worse than none: of questions that no entry answers about one in twenty passes the first. What lies
between the two is offered as a question to ask, or put to a model. `bench/knowledge` prints what is kept and refused.
"""

SAME = 0.95

_READ, _LEAD = 1_200, 300
"""Characters of an answer that are read, and that say what it is about."""
_READ_FOR_PEOPLE = 1_500
_ENOUGH = 6.0
"""The rarity of one good word."""
_WORD = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"^([a-z]+)(\d+[a-z]?)$")
_OPPOSITES = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        (
            "low hypo hypoglycemia hypotension hypothyroidism underactiv",
            "high hyper hyperglycemia hypertension hyperthyroidism overactiv",
        ),
        ("gain", "los loss"),
        ("child children infant newborn childhood", "adult elderli older"),
        ("acut", "chronic"),
        ("men male man", "women female woman pregnanci"),
    )
)
"""In compared forms: an entry on the one does not answer a question on the other."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an entry and against it."""

    cosine: float
    """Similarity of meaning."""
    relative: float
    """The engine's word score against the best entry's."""
    strength: float
    """The engine's word score against what a perfect entry would have."""
    said: float
    """1 where the question says enough to tell anything by its words alone."""
    known: float
    """The share of what was asked that the entry speaks of, rare words counting more."""
    untitled: float
    """The rarest thing asked that the entry's question does not name, as a share of all that was asked."""
    unasked: float
    """The share of the entry's question that nobody asked for: "male breast cancer" for "breast cancer"."""
    other_aspect: float
    """1 where the entry tells something else of its subject: how it is treated, not what causes it."""
    verbatim: bool
    """The entry's question as it stands, but for case, marks and punctuation."""
    unnamed: float
    """How much of the diseases and drugs that were named the entry does not know."""
    contrary: float
    """1 where the entry is on another type or the opposite: type 1 for type 2, low for high."""
    others: float
    """1 where it is asked for somebody of whom the entry says nothing: in pregnancy, for a child."""

    @property
    def same(self) -> bool:
        """The entry's question is the one that was asked: nothing more, nothing less, nothing else."""
        against = (self.untitled, self.unasked, self.other_aspect, self.unnamed, self.contrary, self.others)
        return self.verbatim or not any(against)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each piece of evidence counts. All were fitted on the development half of `bench/knowledge`."""

    least: float
    cosine: float
    relative: float
    known: float
    untitled: float
    unasked: float
    other_aspect: float
    strength: float


BOTH = Weights(-4.3, 7.2, 3.6, 3.1, 1.9, 0.9, 0.9, 3.2)
WORDS = Weights(-1.75, 0.0, 3.8, 3.4, 4.0, 1.8, 0.6, 1.7)
VIETNAMESE = Weights(-1.85, 0.0, 4.35, 4.1, 4.2, 3.0, 0.0, 0.0)
"""By words alone more must agree: there is no second opinion."""


def weights_for(language: Language, *, by_meaning: bool) -> Weights:
    return BOTH if by_meaning else WORDS if language == "en" else VIETNAMESE


def evidence(question: Asked, entry: Entry, fused: Fused) -> Evidence:
    headline = forms(entry.question, entry.language)
    about = headline + forms(f"{entry.topic} {entry.subtopic}", entry.language)
    title = frozenset(about) | skeletons(about, entry.language)
    lead = title | frozenset(forms(entry.answer[:_LEAD], entry.language))
    whole = lead | frozenset(forms(entry.answer[_LEAD:_READ], entry.language))
    total = question.weight or 1.0
    wanted = aspects(entry.question, entry.language)
    return Evidence(
        cosine=fused.cosine,
        relative=fused.relative,
        strength=min(1.5, fused.words / (FULL_SCORE * total)),
        said=min(1.0, total / _ENOUGH),
        known=sum(term.rarity for term in question.terms if term.within(whole)) / total,
        untitled=max((term.rarity for term in question.terms if not term.within(title)), default=0.0) / total,
        unasked=_unasked(question, headline),
        other_aspect=float(bool(wanted and question.aspects and not wanted & question.aspects)),
        verbatim=_letters(question.typed) == _letters(entry.question),
        unnamed=0.3 * _lacking(question.names, lead) + 0.7 * _lacking(question.names, whole),
        contrary=float(_contrary(question, title, entry.question)),
        others=float(for_others(question.people, entry.question, entry.answer[:_READ_FOR_PEOPLE])),
    )


def relevance(found: Evidence, weights: Weights) -> float:
    """A logistic model with few weights; then what rules an entry out, however much else agrees."""
    sure = (
        weights.least
        + weights.cosine * found.cosine
        + weights.relative * found.relative
        + weights.known * found.known
        - weights.untitled * found.untitled
        - weights.unasked * found.unasked
        - weights.other_aspect * found.other_aspect
        - weights.strength * found.strength
    )
    if found.same:
        return SAME
    enough = 1.0 if weights.cosine else found.said * min(1.0, (found.known + 0.1) / 0.4)
    value = enough * (1 - 0.85 * found.unnamed) / (1 + math.exp(-sure))
    if found.contrary or found.others:
        return 0.3 * value
    return value


def standing(found: Evidence, fused: Fused, weights: Weights) -> float:
    """Where an entry stands among the others of one question: the two opinions, corrected a little by the texts."""
    return (
        fused.score
        + 0.08 * found.known
        - 0.35 * found.untitled
        - 0.5 * found.unnamed
        - 0.1 * found.contrary
        - 0.04 * found.other_aspect
        - 0.02 * found.unasked
        - 0.06 * weights.strength * found.strength
    )


def _letters(text: str) -> str:
    return " ".join(_WORD.findall(flat(text.lower())))


def _lacking(names: Sequence[Term], known: frozenset[str]) -> float:
    """How much of what was named is not there. Without the rarest of it nearly all is missing."""
    missing = [term.rarity for term in names if not term.within(known)]
    if not missing:
        return 0.0
    share = sum(missing) / sum(term.rarity for term in names)
    rarest = max(term.rarity for term in names)
    there = any(term.rarity >= rarest and term.within(known) for term in names)
    return share if there else max(share, 0.8)


def _unasked(question: Asked, headline: Sequence[str]) -> float:
    typed_plain = question.language == "vi" and all(form.isascii() for form in question.forms)
    compared = [form for form in headline if form.isascii()] if typed_plain else headline
    weights = {form: _weight(form, question.language) for form in compared}
    unasked = sum(weight for form, weight in weights.items() if form not in question.forms)
    return unasked / (sum(weights.values()) or 1.0)


def _weight(form: str, language: Language) -> float:
    return rarity(form) if language == "en" else PAIR if " " in form else SYLLABLE


def _contrary(asked: Asked, title: frozenset[str], headline: str) -> bool:
    told = levels(headline) if asked.levels else frozenset()
    if told and not asked.levels & told:
        return True
    question = asked.forms
    for word in question:
        match = _NUMBERED.match(word)
        if match and word not in title and any(_other_number(match[1], form) for form in title):
            return True
    return any(
        _against(one, other, question, title) or _against(other, one, question, title) for one, other in _OPPOSITES
    )


def _other_number(kind: str, form: str) -> bool:
    match = _NUMBERED.match(form)
    return match is not None and match[1] == kind


def _against(asked: frozenset[str], opposite: frozenset[str], question: frozenset[str], title: frozenset[str]) -> bool:
    return bool(asked & question and opposite & title and not asked & title and not opposite & question)
