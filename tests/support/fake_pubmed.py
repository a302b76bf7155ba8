"""PubMed's E-utilities as far as a client can tell: numbers as JSON, articles as XML, unknown words left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import escape

from tests.support.fake_europepmc import BadQuery, Match, Record, contains, parsed
from tests.support.fake_service import FakeService, Question, Said

_TOKEN = re.compile(
    r'\s*(?:(\()|(\))|(AND|OR|NOT)\b|"([^"]*)"\[([\w:~]+)\]|(\d+):(\d+)\[dp\]|([\w-]+(?: [\w-]+){0,3})\[(\w+)\])'
)
_DOCTYPE = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)


class FakePubMed(FakeService):
    def __init__(self, records: Iterable[Record] = (), *, keys: Iterable[str] = ()) -> None:
        super().__init__()
        self.records = list(records)
        self.keys = set(keys)

    @property
    def terms(self) -> list[str]:
        return [question.params["term"] for question in self.questions if "term" in question.params]

    def answer(self, question: Question) -> Said:
        params = question.params
        if "api_key" in params and params["api_key"] not in self.keys:
            return Said(
                400, {"error": "API key invalid", "api-key": params["api_key"], "type": "api", "status": "unknown"}
            )
        if question.path.endswith("/esearch.fcgi"):
            return Said(200, self._listed(params.get("term", ""), int(params.get("retmax", "20"))))
        if question.path.endswith("/efetch.fcgi"):
            wanted = params.get("id", "").split(",")
            found = [record for number in wanted for record in self.records if record["id"] == number]
            return Said(200, document(found), {"content-type": "text/xml"})
        return Said(404, b"<html>Not Found</html>", {"content-type": "text/html"})

    def _listed(self, term: str, most: int) -> dict[str, Any]:
        header = {"type": "esearch", "version": "0.3"}
        unknown: list[str] = []
        try:
            match = parsed(term, lambda token: self._leaf(token, unknown), _TOKEN)
        except BadQuery:
            return {"header": header, "esearchresult": {"ERROR": "Search Backend failed: syntax"}}
        found = [record["id"] for record in self.records if match(record)]
        result: dict[str, Any] = {
            "count": str(len(found)),
            "retmax": str(most),
            "retstart": "0",
            "idlist": found[:most],
        }
        if unknown:
            result["errorlist"] = {"phrasesnotfound": unknown, "fieldsnotfound": []}
        return {"header": header, "esearchresult": result | {"translationset": [], "querytranslation": term}}

    def _leaf(self, token: re.Match[str], unknown: list[str]) -> Match:
        _, _, _, phrase, tag, low, high, words, other = token.groups()
        if low:
            return lambda record: int(low) <= int(record["pubYear"]) <= int(high)
        name, where = (phrase, tag) if phrase is not None else (words, other)
        if where.startswith("tiab") and not any(contains(_text(record), name) for record in self.records):
            unknown.append(name)
            return lambda record: True  # as observed: what the index does not have is not asked for
        if where == "pt":
            return lambda record: contains(record["pubTypeList"]["pubType"], name)
        if where == "ti":
            return lambda record: contains([record["title"]], name)
        if where in ("pmid", "aid"):
            return lambda record: name in (record["id"], record.get("doi"))
        return lambda record: contains(_text(record), name)


def _text(record: Record) -> list[str]:
    return [record["title"], record.get("abstractText", "")]


def document(records: Iterable[Record]) -> bytes:
    """The records as PubMed writes them."""
    return f"{_DOCTYPE}<PubmedArticleSet>{''.join(map(_article, records))}</PubmedArticleSet>".encode()


def _article(record: Record) -> str:
    types = "".join(f"<PublicationType>{escape(name)}</PublicationType>" for name in record["pubTypeList"]["pubType"])
    journal = record.get("journalInfo", {}).get("journal", {}).get("title", "")
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{record["id"]}</PMID><Article><Journal><JournalIssue>'
        f"<PubDate><Year>{record['pubYear']}</Year><Month>Mar</Month></PubDate></JournalIssue>"
        f"<Title>{escape(journal)}</Title></Journal><ArticleTitle>{escape(record['title'])}</ArticleTitle>"
        f"<Abstract>{_abstract(record.get('abstractText', ''))}</Abstract>"
        f"<PublicationTypeList>{types}</PublicationTypeList></Article></MedlineCitation><PubmedData><ArticleIdList>"
        f'<ArticleId IdType="doi">{record.get("doi", "")}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>'
    )


def _abstract(text: str) -> str:
    parts = re.split(r"<h4>([^<]*)</h4>", text)
    first = f"<AbstractText>{parts[0]}</AbstractText>" if parts[0].strip() else ""
    labelled = zip(parts[1::2], parts[2::2], strict=True)
    return first + "".join(f'<AbstractText Label="{label.upper()}">{words}</AbstractText>' for label, words in labelled)
