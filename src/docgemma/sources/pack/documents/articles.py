"""Articles in a pack: out of Europe PMC's pages and PubMed's XML files, and as a source that is searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from docgemma.sources.europepmc.record import paper_of as paper_of_europe_pmc
from docgemma.sources.literature.contract import KINDS, Paper, Papers, Sought
from docgemma.sources.literature.ranking import kind_of, year_of
from docgemma.sources.pack.content import packed, unpacked
from docgemma.sources.pack.documents.database import Entry, Indexed, Skipped, TakenBack
from docgemma.sources.pack.documents.inputs import refuse_others
from docgemma.sources.pack.documents.pack import DocumentPack
from docgemma.sources.pack.documents.search import Question, all_of, folded, folded_row, hits, numbered, one_of, within
from docgemma.sources.pack.manifest import Kind
from docgemma.sources.pubmed.record import paper_of as paper_of_pubmed
from docgemma.store.database import Value

COLUMNS: Mapping[str, float] = {"title": 8.0, "terms": 3.0, "abstract": 1.0}
FACTS: tuple[str, ...] = ("year INTEGER", "kind INTEGER NOT NULL")


def numbers_of(paper: Paper) -> tuple[str, ...]:
    """What an article is told apart and asked for by; the first one is its own for sure."""
    pmid = (pmid_name(paper.pmid),) if paper.pmid else ()
    doi = (doi_name(paper.doi),) if paper.doi else ()
    return (*pmid, *doi, *((f"pmcid {paper.pmcid}",) if paper.pmcid else ()))


def pmid_name(pmid: str) -> str:
    return f"pmid {pmid}"


def doi_name(doi: str) -> str:
    return f"doi {doi.lower()}"


_STRONG, _MIDDLE = 4, 6
"""So many of the kinds are strong evidence, and so many at least of the middling sort."""
_NO_YEAR = 9999


class Articles:
    kind: Kind = "europepmc"
    page: tuple[str, ...] = ("resultList", "result")
    columns = COLUMNS
    facts = FACTS

    def read(self, record: Any) -> Iterator[Entry | TakenBack | Skipped]:
        if isinstance(record, Element):
            yield from _from_pubmed(record)
        elif isinstance(record, Mapping):
            refuse_others(record, self.kind)
            yield from _from_europe_pmc(record)
        else:
            yield Skipped("not a record")

    def indexed(self, body: bytes) -> Indexed:
        paper = unpacked(body, Paper)
        abstract = folded_row(part for section in paper.sections for part in section if part)
        texts = (folded(paper.title), folded_row(paper.terms), abstract)
        return Indexed(numbers_of(paper), texts, (year_of(paper), KINDS.index(kind_of(paper))))


def _from_europe_pmc(record: Mapping[str, Any]) -> Iterator[Entry | TakenBack | Skipped]:
    day = _text(record, "dateOfRevision") or _text(record, "firstIndexDate")
    taken_back = tuple(_taken_back(record))
    if taken_back:
        yield TakenBack(taken_back, day)
    yield _entry(paper_of_europe_pmc(record), day, day)


def _from_pubmed(element: Element) -> Iterator[Entry | TakenBack | Skipped]:
    if element.tag == "DeleteCitation":
        yield TakenBack(tuple(pmid_name(pmid) for pmid in _texts(element, "PMID")), deleted=True)
        return
    if element.tag != "PubmedArticle":
        yield Skipped("a book, not an article")
        return
    citation = element.find("MedlineCitation")
    day = "" if citation is None else _day(citation.find("DateRevised"))
    path = "MedlineCitation/CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionOf']/PMID"
    taken_back = tuple(pmid_name(pmid) for pmid in _texts(element, path))
    if taken_back:
        yield TakenBack(taken_back, day)
    number = element.find("MedlineCitation/PMID")
    version = "" if number is None else (number.get("Version") or "")[:4]
    yield _entry(paper_of_pubmed(element), f"{day} {version.zfill(4)}", day)


def _entry(paper: Paper | None, version: str, day: str) -> Entry | Skipped:
    if paper is None:
        return Skipped("no title")
    names = numbers_of(paper)
    if not names:
        return Skipped("no number of its own")
    return Entry(names[0], version, _order(paper), packed(paper), day, retracted=paper.retracted)


def _order(paper: Paper) -> str:
    """Strong evidence first, and the newest of it: where a word has very many hits, these are looked at."""
    place = KINDS.index(kind_of(paper))
    sort = 0 if place < _STRONG else 1 if place < _MIDDLE else 2
    return f"{sort + 3 * paper.preprint}{_NO_YEAR - (year_of(paper) or 0):04}"


def _taken_back(record: Mapping[str, Any]) -> Iterator[str]:
    """The articles of which this one is the notice of retraction."""
    listed = record.get("commentCorrectionList")
    found = listed.get("commentCorrection") if isinstance(listed, Mapping) else None
    for one in found if isinstance(found, list) else ():
        if isinstance(one, Mapping) and _text(one, "type").lower() == "retraction of" and _text(one, "source") == "MED":
            yield pmid_name(_text(one, "id"))


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _texts(element: Element, path: str) -> Iterator[str]:
    return (found.text.strip() for found in element.iterfind(path) if found.text and found.text.strip())


def _day(element: Element | None) -> str:
    if element is None:
        return ""
    year, month, day = ((element.findtext(name) or "").strip() for name in ("Year", "Month", "Day"))
    return f"{year}-{month.zfill(2)}-{day.zfill(2)}" if year and month and day else ""


MOST = 50
"""Articles of one answer: as many as a page of Europe PMC, for the caller to rank."""


class EuropePmcPack(DocumentPack):
    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        if sought.by_number:
            return await self._by_number(sought, ends_at)
        question = question_for(sought)
        found = await self.find(lambda handle: hits(handle, question, COLUMNS, most=MOST), ends_at=ends_at)
        if not found.numbers:
            return None
        papers = await self.read(found.numbers, Paper, ends_at=ends_at)
        return self._papers(papers, found.total)

    async def _by_number(self, sought: Sought, ends_at: float) -> Papers | None:
        name = pmid_name(sought.pmid) if sought.pmid else doi_name(sought.doi)
        found = await self.find(lambda handle: numbered(handle, name), ends_at=ends_at)
        if found is None:
            return None
        number, retracted = found
        (paper,) = await self.read((number,), Paper, ends_at=ends_at)
        return self._papers((replace(paper, retracted=retracted or paper.retracted),), 1)

    def _papers(self, papers: tuple[Paper, ...], total: int) -> Papers:
        return Papers(papers, self.name, "pack", data_date=self.data_date, total=total)


def question_for(sought: Sought) -> Question:
    """Every concept in one of its phrasings; where that has many hits, in the title or the terms."""
    expression = all_of([one_of(concept) for concept in sought.concepts])
    filters: list[tuple[str, tuple[Value, ...]]] = []
    if sought.kinds:
        places = tuple(KINDS.index(kind) for kind in sought.kinds)
        filters.append((f"facts.kind IN ({', '.join('?' * len(places))})", places))
    if sought.since is not None:
        filters.append(("facts.year >= ?", (sought.since,)))
    if sought.until is not None:
        filters.append(("facts.year <= ?", (sought.until,)))
    return Question(expression, within(("title", "terms"), expression), tuple(filters))
