"""Every source of articles in one row: the first that has any, put in order; and one wider try where all have none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import LiteratureSource, Papers, Sought
from docgemma.sources.literature.ranking import ranked
from docgemma.sources.literature.sought import wider
from docgemma.sources.row import Heard, Row

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
