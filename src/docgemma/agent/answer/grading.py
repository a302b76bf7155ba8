"""How grave a sentence calls an interaction, against what the sources of this turn call it.

A grade that no source gives is marked. One that makes light of what a source calls worse is left out: whoever reads
"a minor interaction" reads no further.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from docgemma.clinical import ToolResult
from docgemma.tools.results import InteractionReport

_MINOR = r"minor|mild|low|weak|trivial|slight|negligible|insignificant|minimal"
_GRADE = rf"(?P<minor>{_MINOR})|(?P<moderate>moderate)|(?P<major>major|high|severe)"
_BESIDE = r"(?:(?:drug|possible|potential|clinical|known|pharmacokinetic|pharmacodynamic)[\s-]+){0,3}"
_GRADING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:{_GRADE})\s+(?:severity\s+)?{_BESIDE}interactions?\b",
        rf"\binteractions?\b[^.;:?]{{0,80}}?\b(?:is|are|be|as)\s+(?:(?:only|of|a|an|considered|classified|rated|graded|"
        rf"deemed|as|generally|usually|likely)\s+){{0,4}}(?:{_GRADE})\b(?!\s+(?:in(?!\s+severity)|for|with|dose))",
        rf"\bseverity\s*(?:is|as|of|:|–|—|=|-)\s*(?:(?:only|considered|classified|rated|graded|as)\s+){{0,3}}"
        rf"(?:{_GRADE})\b",
    )
)
_BELITTLING = re.compile(
    r"\b(?:unlikely|not\s+(?:likely|expected|thought))\s+to\s+be\s+(?:clinically\s+)?(?:relevant|significant|important|"
    r"meaningful)|\b(?:little|limited|minimal)\s+clinical\s+(?:relevance|significance|importance)|"
    r"\bclinically\s+(?:insignificant|irrelevant|unimportant|negligible)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|than)\s+(?:an?\s+|any\s+)?$|n['’]t\s+(?:an?\s+|any\s+)?$", re.IGNORECASE)
_RANKS = {"minor": 1, "moderate": 2, "major": 3}
_RANK_OF = {"minor": 1, "moderate": 2, "major": 3, "contraindicated": 4}


@dataclass(frozen=True, slots=True)
class Graded:
    """A pair that a source speaks of; rank 0 is "no relevant effect was seen", None is "no grade was given"."""

    drugs: frozenset[str]
    rank: int | None


def graded(results: Iterable[ToolResult], drugs_in: Callable[[str], Sequence[str]]) -> Iterator[Graded]:
    """Every pair that the results of this turn speak of; one of no drugs where a check found none."""
    for result in results:
        if isinstance(result, InteractionReport):
            if not result.interactions:
                yield Graded(frozenset(), None)
            for each in result.interactions:
                names = frozenset(part.casefold() for name in each.drugs for part in drugs_in(name) or (name,))
                yield Graded(names, 0 if each.no_effect else _RANK_OF.get(each.severity or ""))


def stated(sentence: str) -> int | None:
    """The mildest grade that the sentence gives an interaction."""
    matches = [match for pattern in _GRADING for match in pattern.finditer(sentence)]
    said = [match for match in matches if not _DENIED.search(sentence[: match.start()])]
    found = [rank for match in said for name, rank in _RANKS.items() if match[name]]
    return min([*found, *([_RANKS["minor"]] if _BELITTLING.search(sentence) else [])], default=None)


def makes_light(sentence: str, named: frozenset[str], known: Sequence[Graded]) -> bool:
    """Whether it calls an interaction milder than a source does, or mild where none gives a grade."""
    rank = stated(sentence)
    if rank is None or not known:
        return False
    told = [each.rank for each in _about(named, known)]
    worst = max((each for each in told if each is not None), default=None)
    return rank < worst if worst is not None else rank == _RANKS["minor"]


def invents_grade(sentence: str, named: frozenset[str], known: Sequence[Graded]) -> bool:
    """Whether it gives an interaction a grade that no source gives it."""
    rank = stated(sentence)
    return rank is not None and bool(known) and all(each.rank is None for each in _about(named, known))


def _about(named: frozenset[str], known: Sequence[Graded]) -> list[Graded]:
    """The pairs that a sentence with these drugs is about: all of them where it does not name two."""
    if len(named) < 2:
        return list(known)
    return [each for each in known if len(each.drugs & named) > 1]
