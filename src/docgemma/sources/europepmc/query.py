"""How Europe PMC is asked: every phrase in quotes, in title, abstract or keywords.

Full texts are left out on purpose: a word that stands in one of ten thousand lists of references says nothing about an
article. What the user wrote is always inside quotes, so that it can be no field, operator or bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docgemma.sources.literature.contract import Kind, Sought

PAGE_SIZE = 50
"""Enough to choose from: the order is made here."""

STRONG: tuple[Kind, ...] = ("guideline", "meta_analysis", "systematic_review", "randomised_trial")

_FOREVER = 3000
_LONGEST_PHRASE = 120
_LONGEST = 2_500
"""Letters of all concepts: a query travels in the address, which servers cut off at eight thousand."""

_PHRASINGS = (6, 4, 3, 2, 1)
_NOT_IN_PHRASE = re.compile(r"[^\w\s'’./+-]+")
_FIELDS = ("TITLE_ABS", "KW")
_SOURCES = "(SRC:MED OR SRC:PMC OR SRC:PPR)"
_RETRACTIONS = ('PUB_TYPE:"retracted publication"', 'PUB_TYPE:"retraction of publication"')
_KINDS: dict[Kind, tuple[str, ...]] = {
    "guideline": ('PUB_TYPE:"guideline"', 'PUB_TYPE:"practice guideline"', 'TITLE:"guideline"', 'TITLE:"guidelines"'),
    "meta_analysis": ('PUB_TYPE:"meta-analysis"', 'TITLE:"meta-analysis"'),
    "systematic_review": ('PUB_TYPE:"systematic review"', 'TITLE:"systematic review"'),
    "randomised_trial": ('PUB_TYPE:"randomized controlled trial"', 'TITLE:"randomized"', 'TITLE:"randomised"'),
    "trial": ('PUB_TYPE:"clinical trial"', 'TITLE:"clinical trial"', 'TITLE:"phase 3"', 'TITLE:"phase 2"'),
    "review": ('PUB_TYPE:"review"', 'PUB_TYPE:"review-article"'),
    "observational": ('PUB_TYPE:"observational study"', 'TITLE:"cohort"', 'TITLE:"case-control"', 'TITLE:"registry"'),
    "case_report": ('PUB_TYPE:"case reports"', 'PUB_TYPE:"case-report"', 'TITLE:"case report"'),
    "other": (),
}


def query_for(sought: Sought, *, kinds: Sequence[Kind] | None = None, since: int | None = None) -> str:
    """The query; `kinds` and `since` in place of what the user asked for."""
    if sought.pmid:
        return f"EXT_ID:{sought.pmid} AND SRC:MED"
    if sought.doi:
        return f"DOI:{quoted(sought.doi)}"
    clauses = _short_enough(sought.concepts)
    first = sought.since if since is None else since
    if first or sought.until:
        clauses.append(f"PUB_YEAR:[{first or 1600} TO {sought.until or _FOREVER}]")
    wanted = [clause for kind in (sought.kinds if kinds is None else kinds) for clause in _KINDS[kind]]
    if wanted:
        clauses.append(_any(wanted))
    return " AND ".join([*clauses, _SOURCES, *(f"NOT {clause}" for clause in _RETRACTIONS)])


def _short_enough(concepts: Sequence[Sequence[str]]) -> list[str]:
    """A clause for each concept, with as many phrasings as an address has room for; the first ones matter most."""
    clauses: list[str] = []
    for most in _PHRASINGS:
        named = [[phrase for name in concept if (phrase := quoted(name)) != '""'][:most] for concept in concepts]
        clauses = [_any(f"{field}:{phrase}" for phrase in phrases for field in _FIELDS) for phrases in named if phrases]
        if sum(map(len, clauses)) <= _LONGEST:
            break
    return clauses


def quoted(text: str) -> str:
    """A phrase that holds no quote, backslash, bracket or colon. What is left of it says the same to a search."""
    kept = text if text.startswith("10.") else _NOT_IN_PHRASE.sub(" ", text)
    plain = " ".join(kept.replace("\\", " ").replace('"', " ").split())[:_LONGEST_PHRASE]
    return f'"{plain.strip()}"'


def _any(clauses: Iterable[str]) -> str:
    return f"({' OR '.join(dict.fromkeys(clauses))})"
