"""One result of Europe PMC's search, lite or core, as a Paper. It is taken as it comes: anything may be missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.sources.literature import facts
from docgemma.sources.literature.contract import Paper
from docgemma.sources.literature.facts import Sections, sections_in

PAGE = "https://europepmc.org/article"

_PREPRINTS = "PPR"
_PREPRINT_ID = re.compile(r"PPR\d{1,10}", re.ASCII)
_RETRACTED = frozenset(
    {"retractedpublication", "retractionofpublication", "retractedarticle", "retraction", "retracted"}
)
_RETRACTS = ("retractionin", "partialretractionin", "retractionof", "partialretractionof", "withdrawalin")
"""As their letters alone: the same words come with hyphens, in capitals and written together."""

_MOST_TERMS = 100


def paper_of(record: Mapping[str, Any]) -> Paper | None:
    """The record as a Paper; None for what has no title. Never raises: what has the wrong shape is left out."""
    title = facts.title(record.get("title"))
    if not title:
        return None
    source = record.get("source")
    preprint = source == _PREPRINTS
    types = tuple(dict.fromkeys(_types(record)))
    pmid = facts.pmid(record.get("pmid")) or (facts.pmid(record.get("id")) if source == "MED" else "")
    pmcid = facts.pmcid(record.get("pmcid")) or facts.pmcid(record.get("id"))
    return Paper(
        title=title,
        sections=_sections(record),
        pmid=pmid,
        pmcid=pmcid,
        doi=facts.doi(record.get("doi")),
        journal=_journal(record),
        published=_published(record),
        types=types,
        terms=tuple(dict.fromkeys(_terms(record)))[:_MOST_TERMS],
        preprint=preprint or "preprint" in types,
        retracted=_is_retracted(record, types, title),
        cited=facts.count(record.get("citedByCount")),
        url=_url(record, pmid, pmcid, preprint=preprint),
    )


def _sections(record: Mapping[str, Any]) -> Sections:
    abstract = record.get("abstractText")
    return sections_in(abstract) if isinstance(abstract, str) else ()


def _types(record: Mapping[str, Any]) -> Iterator[str]:
    """A list in core results, one text in lite ones."""
    written = record.get("pubType")
    named = [*_listed(record, "pubTypeList", "pubType"), *(written.split(";") if isinstance(written, str) else ())]
    yield from (name.lower() for each in named if (name := facts.name(each)))


def _journal(record: Mapping[str, Any]) -> str:
    journal = _object(_object(record.get("journalInfo")).get("journal"))
    publisher = _object(record.get("bookOrReportDetails")).get("publisher")
    names = (record.get("journalTitle"), journal.get("title"), journal.get("isoabbreviation"), publisher)
    return next((name for each in names if (name := facts.name(each))), "")


def _published(record: Mapping[str, Any]) -> str:
    """The day it first appeared where that is in the year it is cited by; else that year."""
    info = _object(record.get("journalInfo"))
    year = facts.day(_text(record.get("pubYear"))) or facts.day(_text(info.get("yearOfPublication")))
    dates = (
        record.get("firstPublicationDate"),
        record.get("electronicPublicationDate"),
        info.get("printPublicationDate"),
    )
    days = [found for each in dates if (found := facts.day(each))]
    return next((found for found in days if not year or found.startswith(year)), year)


def _terms(record: Mapping[str, Any]) -> Iterator[str]:
    for heading in _listed(record, "meshHeadingList", "meshHeading"):
        if name := facts.name(_object(heading).get("descriptorName")):
            yield name
    yield from (name for each in _listed(record, "keywordList", "keyword") if (name := facts.name(each)))


def _is_retracted(record: Mapping[str, Any], types: tuple[str, ...], title: str) -> bool:
    """By its type, by what its index says of it, or by its title, which publishers change first."""
    notes = (_object(each).get("type") for each in _listed(record, "commentCorrectionList", "commentCorrection"))
    noted = any(isinstance(note, str) and _letters(note).startswith(_RETRACTS) for note in notes)
    return noted or any(_letters(each) in _RETRACTED for each in types) or facts.says_retracted(title)


def _letters(words: str) -> str:
    return "".join(letter for letter in words.lower() if letter.isalpha())


def _url(record: Mapping[str, Any], pmid: str, pmcid: str, *, preprint: bool) -> str | None:
    own = record.get("id")
    if preprint and isinstance(own, str) and _PREPRINT_ID.fullmatch(own):
        return f"{PAGE}/PPR/{own}"
    if pmid:
        return f"{PAGE}/MED/{pmid}"
    return f"{PAGE}/PMC/{pmcid}" if pmcid else None


def _listed(record: Mapping[str, Any], outer: str, inner: str) -> list[Any]:
    """One thing, a list of them, or a list in a list: all three are sent."""
    found = _object(record.get(outer)).get(inner)
    listed = found if isinstance(found, list) else [found] if found else []
    return [one for each in listed for one in (each if isinstance(each, list) else [each])]


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
