"""One PubmedArticle as a Paper, from the service or from PubMed's bulk files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from docgemma.sources.dailymed.spl import markup
from docgemma.sources.literature import facts
from docgemma.sources.literature.contract import Paper
from docgemma.sources.literature.facts import Sections, labelled, text_in

ARTICLES, ARTICLE = "PubmedArticleSet", "PubmedArticle"
PAGE = "https://pubmed.ncbi.nlm.nih.gov"

_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|2[01])\d\d(?!\d)")
_RETRACTED = frozenset({"retracted publication", "retraction of publication"})
_RETRACTING = frozenset({"RetractionIn", "PartialRetractionIn", "RetractionOf", "PartialRetractionOf"})
_MOST_TERMS = 100


def paper_of(element: Element) -> Paper | None:
    """The article as a Paper; None without a title. Never raises: what has the wrong shape is left out."""
    citation = element.find("MedlineCitation")
    article = citation.find("Article") if citation is not None else None
    if citation is None or article is None:
        return None
    title = _text(article.find("ArticleTitle"))[: facts.LONGEST_TITLE] or _text(article.find("VernacularTitle"))
    if not title:
        return None
    pmid = facts.pmid(citation.findtext("PMID"))
    types = tuple(dict.fromkeys(_types(article)))
    return Paper(
        title=title,
        sections=tuple(_sections(article)),
        pmid=pmid,
        pmcid=facts.pmcid(_id(element, "pmc")),
        doi=facts.doi(_id(element, "doi")) or facts.doi(_location(article)),
        journal=_journal(article),
        published=_published(article),
        types=types,
        terms=tuple(dict.fromkeys(_terms(citation)))[:_MOST_TERMS],
        preprint="preprint" in types,
        retracted=_is_retracted(citation, types, title),
        url=f"{PAGE}/{pmid}/" if pmid else None,
    )


def _text(element: Element | None) -> str:
    """Its words; markup inside a line is undone as in any abstract."""
    return "" if element is None else text_in(markup(element))


def _sections(article: Element) -> Iterator[tuple[str, str]]:
    for part in article.iterfind("Abstract/AbstractText"):
        heading, text = facts.name(part.get("Label") or ""), _text(part)
        found: Sections = ((heading, text),) if heading else labelled(text)
        yield from ((name, words) for name, words in found if words)


def _types(article: Element) -> Iterator[str]:
    for each in article.iterfind("PublicationTypeList/PublicationType"):
        if name := facts.name(_text(each)):
            yield name.lower()


def _journal(article: Element) -> str:
    journal = article.find("Journal")
    return "" if journal is None else _text(journal.find("ISOAbbreviation")) or _text(journal.find("Title"))


def _published(article: Element) -> str:
    """The day it appeared on paper or, in the same year, on line; of "2012 Nov-Dec" only the year is sure."""
    printed = _date(article.find("Journal/JournalIssue/PubDate"))
    online = _date(article.find("ArticleDate"))
    return (
        online if online and online[:4] == (printed or online)[:4] and len(online) > len(printed) else printed or online
    )


def _date(element: Element | None) -> str:
    if element is None:
        return ""
    year = facts.day(element.findtext("Year") or "")
    if not year:
        found = _YEAR.search(element.findtext("MedlineDate") or "")
        return found.group() if found else ""
    month, of_month = facts.month(element.findtext("Month") or ""), (element.findtext("Day") or "").strip()
    parts = [year, *([month] if month else []), *([of_month] if month and of_month.isdecimal() else [])]
    return facts.day("-".join(parts))


def _terms(citation: Element) -> Iterator[str]:
    for path in ("MeshHeadingList/MeshHeading/DescriptorName", "ChemicalList/Chemical/NameOfSubstance"):
        yield from (name for each in citation.iterfind(path) if (name := facts.name(_text(each))))
    yield from (name for each in citation.iterfind("KeywordList/Keyword") if (name := facts.name(_text(each))))


def _id(element: Element, kind: str) -> str:
    """Of the article itself: the ids of what it cites stand in the same document."""
    for each in element.iterfind("PubmedData/ArticleIdList/ArticleId"):
        if each.get("IdType") == kind:
            return each.text or ""
    return ""


def _location(article: Element) -> str:
    for each in article.iterfind("ELocationID"):
        if each.get("EIdType") == "doi" and each.get("ValidYN", "Y") == "Y":
            return each.text or ""
    return ""


def _is_retracted(citation: Element, types: tuple[str, ...], title: str) -> bool:
    notes = {each.get("RefType") for each in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")}
    return bool(notes & _RETRACTING) or not _RETRACTED.isdisjoint(types) or facts.says_retracted(title)
