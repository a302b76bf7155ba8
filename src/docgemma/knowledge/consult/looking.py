"""Searching the base for one role: what may be found, in which order, and what the finds say about the topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docgemma.knowledge.consult.state import MOST_CANDIDATES
from docgemma.knowledge.contract import Knowledge
from docgemma.knowledge.entry import Language
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.search.found import Found

EACH = 10
CLEAR, LIKELY = 0.7, 0.5
"""Share of the vote from which a topic is clear, and from which it is likely."""
OTHER: dict[Language, Language] = {"en": "vi", "vi": "en"}

Votes = tuple[tuple[str, float], ...]
"""Name and share, best first."""


@dataclass(frozen=True, slots=True)
class Look:
    """Candidates, best first, and what the search said about itself."""

    found: tuple[Found, ...]
    notices: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        return any(each.fits for each in self.found)


async def look(
    knowledge: Knowledge, query: str, role: str, language: Language, *, topic: str = "", subtopic: str = ""
) -> Look:
    """With and without the subtopic. An index that gives anything of another role or language is not believed."""
    scopes = [Scope((role,), language, topic, subtopic)]
    if subtopic:
        scopes.append(Scope((role,), language, topic))
    found: list[Found] = []
    notices: list[str] = []
    for scope in scopes:
        findings = await knowledge.search(query, scope, limit=EACH)
        found += (each for each in findings.found if each.entry.role == role and each.entry.language == language)
        notices += findings.notices
    return Look(best_first(found)[:MOST_CANDIDATES], tuple(dict.fromkeys(notices)))


def best_first(found: Iterable[Found]) -> tuple[Found, ...]:
    """Each entry once, those that fit before the others."""
    once: dict[str, Found] = {}
    for each in sorted(found, key=lambda each: (not each.fits, -each.relevance, each.entry.id)):
        once.setdefault(each.entry.id, each)
    return tuple(once.values())


def topic_votes(found: Sequence[Found]) -> Votes:
    """Which topic the entries speak for: those that fit, or all when none does."""
    return _shares((each.entry.topic, each.relevance) for each in _voters(found))


def subtopic_votes(found: Sequence[Found], topic: str) -> Votes:
    """The same among the entries of one topic. An entry without a subtopic speaks for none."""
    own = [each for each in found if each.entry.topic == topic]
    return _shares((each.entry.subtopic, each.relevance) for each in _voters(own) if each.entry.subtopic)


def _voters(found: Sequence[Found]) -> Sequence[Found]:
    return [each for each in found if each.fits] or found


def _shares(votes: Iterable[tuple[str, float]]) -> Votes:
    counted: dict[str, float] = {}
    for name, weight in votes:
        counted[name] = counted.get(name, 0.0) + max(weight, 0.0)
    total = sum(counted.values())
    ordered = sorted(counted.items(), key=lambda vote: -vote[1])
    return tuple((name, weight / total) for name, weight in ordered) if total > 0 else ()
