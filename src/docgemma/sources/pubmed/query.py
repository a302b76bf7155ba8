"""How PubMed is asked: each phrase in title and abstract, its words next to each other.

A quoted phrase that PubMed's index does not know is taken apart in silence. Words that have to stand at distance 0 are
not, so that is how phrases are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from docgemma.sources.literature.contract import Kind, Sought

MOST = 25
"""Articles that are read: each is a document of its own."""

_FOREVER = 3000
_LONGEST_PHRASE = 120
_NOT_IN_PHRASE = re.compile(r"[^\w\s'’.-]+")
_RETRACTIONS = ("retracted publication[pt]", "retraction of publication[pt]")
_KINDS: dict[Kind, tuple[str, ...]] = {
    "guideline": ("guideline[pt]", "practice guideline[pt]", "guideline[ti]", "guidelines[ti]"),
    "meta_analysis": ("meta-analysis[pt]", "meta-analysis[ti]"),
    "systematic_review": ("systematic review[pt]", '"systematic review"[ti]'),
    "randomised_trial": ("randomized controlled trial[pt]", "randomized[ti]", "randomised[ti]"),
    "trial": ("clinical trial[pt]",),
    "review": ("review[pt]",),
    "observational": ("observational study[pt]", "cohort[ti]", "case-control[ti]"),
    "case_report": ("case reports[pt]",),
    "other": (),
}


def term_for(sought: Sought) -> str:
    """The search term."""
    if sought.pmid:
        return f"{sought.pmid}[pmid]"
    if sought.doi:
        return f'"{_clean(sought.doi, keep="/()")}"[aid]'
    named = [[_phrase(name) for name in concept if _clean(name)] for concept in sought.concepts]
    clauses = [_any(phrases) for phrases in named if phrases]
    if sought.since or sought.until:
        clauses.append(f"{sought.since or 1600}:{sought.until or _FOREVER}[dp]")
    wanted = [clause for kind in sought.kinds for clause in _KINDS[kind]]
    if wanted:
        clauses.append(_any(wanted))
    return " ".join([" AND ".join(clauses), *(f"NOT {clause}" for clause in _RETRACTIONS)])


def _phrase(name: str) -> str:
    words = _clean(name)
    return f'"{words}"[tiab:~0]' if " " in words or "-" in words else f'"{words}"[tiab]'


def _clean(name: str, keep: str = "") -> str:
    kept = "".join(mark if mark in keep or not _NOT_IN_PHRASE.match(mark) else " " for mark in name)
    return " ".join(kept.split())[:_LONGEST_PHRASE].strip()


def _any(clauses: Iterable[str]) -> str:
    return f"({' OR '.join(dict.fromkeys(clauses))})"
