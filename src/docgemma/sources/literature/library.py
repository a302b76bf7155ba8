"""Every source of articles in one row: the first that has any, put in order; and one wider try where all have none.

What was searched for is told in words that a person reads beside the results.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from docgemma.sources.contract import SourceError
from docgemma.sources.literature.concepts import fold, is_short_form, key
from docgemma.sources.literature.contract import Kind, LiteratureSource, Papers, Sought, evidence
from docgemma.sources.literature.ranking import ranked
from docgemma.sources.literature.sought import wider
from docgemma.sources.row import Heard, Row

KIND_NAMES: dict[Kind, str] = {
    "guideline": "guideline",
    "meta_analysis": "meta-analysis",
    "systematic_review": "systematic review",
    "randomised_trial": "randomised trial",
    "trial": "clinical trial",
    "review": "review",
    "observational": "observational study",
    "case_report": "case report",
}


def in_words(sought: Sought) -> str:
    """What is searched for, as a person reads it."""
    if sought.by_number:
        return f"PMID {sought.pmid}" if sought.pmid else f"DOI {sought.doi}"
    concepts = " and ".join(map(_shown, sought.concepts))
    return ", ".join(part for part in (concepts, _years(sought), _kinds(sought)) if part)


def left_out(narrow: Sought, wide: Sought) -> str:
    """What the wider search does without, as a person reads it."""
    kept = {key(name) for concept in wide.concepts for name in concept}
    whole = [concept[0] for concept in narrow.concepts if kept.isdisjoint(map(key, concept))]
    gone = [name for name in whole if not all(key(word) in kept for word in name.split())]
    kinds = [] if wide.kinds == narrow.kinds else [_kinds(narrow)]
    years = [] if _years(wide) == _years(narrow) else [_years(narrow)]
    phrases = ["the exact wording"] if len(gone) < len(whole) else []
    return ", ".join([*gone, *years, *kinds, *phrases])


def _shown(concept: tuple[str, ...]) -> str:
    """The first phrasing, and a second one where it is another word and not the same in another spelling."""
    start = fold(concept[0])[:4]
    other = [name for name in concept[1:2] if fold(name)[:4] != start and not is_short_form(name)]
    return f"{concept[0]} (or {other[0]})" if other else concept[0]


def _kinds(sought: Sought) -> str:
    return f"only {' or '.join(evidence()[kind].plural for kind in sought.kinds)}" if sought.kinds else ""


def _years(sought: Sought) -> str:
    since, until = sought.since, sought.until
    if since and since == until:
        return f"published in {since}"
    if since and until:
        return f"published from {since} to {until}"
    return f"published from {since} on" if since else f"published up to {until}" if until else ""


_LEAST_S = 0.3
"""Of the time: with less a wider search is not worth starting."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found, best first, and what went wrong on the way.

    `sought` is what was found with; `narrow` what was asked for, where that found nothing. `tried` is the wider search
    that found nothing either, and `untried` why there was none. No papers and no failures: every source has none.
    """

    sought: Sought
    papers: Papers | None = None
    narrow: Sought | None = None
    tried: Sought | None = None
    untried: str = ""
    failures: tuple[SourceError, ...] = ()
    asked: tuple[str, ...] = ()


class Library:
    """The row of sources, and the day to count years from."""

    def __init__(
        self, row: Row[LiteratureSource], *, today: Callable[[], date] = lambda: datetime.now(UTC).date()
    ) -> None:
        self._row = row
        self._today = today

    def __bool__(self) -> bool:
        """Whether there is anybody to ask."""
        return bool(self._row)

    @property
    def has_pack(self) -> bool:
        return self._row.has_pack

    def today(self) -> date:
        return self._today()

    async def search(self, sought: Sought, *, ends_at: float) -> Outcome:
        """Raises nothing of a source's."""
        heard = await self._ask(sought, ends_at)
        if heard.answer is not None:
            return await self._ordered(sought, heard)
        wide = wider(sought)
        answered = len(heard.failures) < len(heard.asked)
        if wide is None or not answered or ends_at - asyncio.get_running_loop().time() < _LEAST_S:
            return Outcome(sought, failures=heard.failures, asked=heard.asked)
        again = await self._ask(wide, ends_at)
        if again.answer is None:
            untried = str(again.failures[0]).rstrip(".") if again.failures else ""
            tried = None if untried else wide
            return Outcome(sought, tried=tried, untried=untried, failures=heard.failures, asked=heard.asked)
        found = await self._ordered(wide, again)
        return replace(found, narrow=sought, failures=_told_once((*heard.failures, *again.failures)))

    async def _ask(self, sought: Sought, ends_at: float) -> Heard[Papers]:
        async def ask(source: LiteratureSource, until: float) -> Papers | None:
            return await source.search(sought, ends_at=until)

        return await self._row.first(ask, ends_at=ends_at)

    async def _ordered(self, sought: Sought, heard: Heard[Papers]) -> Outcome:
        """Hundreds of abstracts are compared with what is sought: not on the loop, where others wait."""
        papers = heard.answer
        if papers is not None:
            order = await asyncio.to_thread(ranked, papers.papers, sought, today=self._today())
            papers = replace(papers, papers=order)
        return Outcome(sought, papers, failures=heard.failures, asked=heard.asked)


def _told_once(failures: tuple[SourceError, ...]) -> tuple[SourceError, ...]:
    return tuple({str(failure): failure for failure in failures}.values())
