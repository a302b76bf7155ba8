"""A built pack as a source of articles."""

from __future__ import annotations

from dataclasses import replace

from docgemma.sources.literature.contract import Paper, Papers, Sought
from docgemma.sources.pack.documents.pack import DocumentPack
from docgemma.sources.pack.documents.papers import COLUMNS, EVIDENCE, doi_name, pmid_name
from docgemma.sources.pack.documents.search import Question, all_of, hits, numbered, one_of, within
from docgemma.sources.pack.manifest import Place
from docgemma.store.database import Value

MOST = 50
"""Articles of one answer: as many as a page of Europe PMC, for the caller to rank."""


class EuropePmcPack:
    def __init__(self, place: Place) -> None:
        self._pack = DocumentPack(place)

    @property
    def name(self) -> str:
        return self._pack.name

    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        if sought.by_number:
            return await self._by_number(sought, ends_at)
        question = question_for(sought)
        found = await self._pack.find(lambda handle: hits(handle, question, COLUMNS, most=MOST), ends_at=ends_at)
        if not found.numbers:
            return None
        papers = await self._pack.read(found.numbers, Paper, ends_at=ends_at)
        return self._papers(papers, found.total)

    async def close(self) -> None:
        await self._pack.close()

    async def _by_number(self, sought: Sought, ends_at: float) -> Papers | None:
        name = pmid_name(sought.pmid) if sought.pmid else doi_name(sought.doi)
        found = await self._pack.find(lambda handle: numbered(handle, name), ends_at=ends_at)
        if found is None:
            return None
        number, retracted = found
        (paper,) = await self._pack.read((number,), Paper, ends_at=ends_at)
        return self._papers((replace(paper, retracted=retracted or paper.retracted),), 1)

    def _papers(self, papers: tuple[Paper, ...], total: int) -> Papers:
        return Papers(papers, self.name, "pack", data_date=self._pack.data_date, total=total)


def question_for(sought: Sought) -> Question:
    """Every concept in one of its phrasings; where that has many hits, in the title or the terms."""
    expression = all_of([one_of(concept) for concept in sought.concepts])
    filters: list[tuple[str, tuple[Value, ...]]] = []
    if sought.kinds:
        places = tuple(EVIDENCE.index(kind) for kind in sought.kinds)
        filters.append((f"facts.kind IN ({', '.join('?' * len(places))})", places))
    if sought.since is not None:
        filters.append(("facts.year >= ?", (sought.since,)))
    if sought.until is not None:
        filters.append(("facts.year <= ?", (sought.until,)))
    return Question(expression, within(("title", "terms"), expression), tuple(filters))
