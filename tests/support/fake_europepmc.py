"""Europe PMC's search as far as a client can tell: its query language, its envelope and its errors with status 200."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.support.fake_service import FakeService, Question, Said

Record = dict[str, Any]
Match = Callable[[Record], bool]
_ALLOWED = {"query", "format", "resultType", "pageSize", "cursorMark", "synonym", "sort", "email"}
_TOKEN = re.compile(
    r'\s*(?:(\()|(\))|(AND|OR|NOT)\b|([A-Z_]+):"([^"\\]*)"|([A-Z_]+):\[(\d+) TO (\d+)\]|([A-Z_]+):(\w+))'
)


class BadQuery(Exception):
    """What the search engine cannot parse."""


def article(
    pmid: str,
    title: str,
    abstract: str = "",
    *,
    types: Sequence[str] = ("journal article",),
    year: int = 2022,
    journal: str = "Journal of Examples",
    cited: int = 3,
    source: str = "MED",
    keywords: Sequence[str] = (),
    **more: Any,
) -> Record:
    """A fictional core result in the captured shape."""
    made: Record = {
        "id": pmid,
        "source": source,
        "title": title,
        "authorString": "Example A, Example B.",
        "pubYear": str(year),
        "pubTypeList": {"pubType": list(types)},
        "isOpenAccess": "N",
        "citedByCount": cited,
        "firstPublicationDate": f"{year}-03-04",
    }
    if source == "MED":
        made |= {"pmid": pmid, "doi": f"10.1234/example.{pmid}"}
        made["journalInfo"] = {
            "yearOfPublication": year,
            "journal": {"title": journal, "isoabbreviation": journal, "issn": "0000-0000"},
        }
    if abstract:
        made["abstractText"] = abstract
    if keywords:
        made["keywordList"] = {"keyword": list(keywords)}
    return made | more


class FakeEuropePmc(FakeService):
    def __init__(self, records: Iterable[Record] = ()) -> None:
        super().__init__()
        self.records = list(records)

    @property
    def queries(self) -> list[str]:
        return [question.params.get("query", "") for question in self.questions]

    def answer(self, question: Question) -> Said:
        params = question.params
        if not question.path.endswith("/search") or set(params) - _ALLOWED:
            return Said(404, b"<html>Not Found</html>", {"content-type": "text/html"})
        size = params.get("pageSize", "25")
        if params.get("format") != "json" or not size.isdecimal() or int(size) > 1000:
            return Said(200, {"errCode": 1, "errMsg": "bad parameter"})
        try:
            match = parsed(params.get("query", ""), _leaf)
        except BadQuery:
            return Said(200, {"version": "6.9"})  # as observed: a rejected question is answered with the version alone
        found = [record for record in self.records if match(record)]
        request = {"queryString": params["query"], "resultType": params.get("resultType", "lite"), "cursorMark": "*"}
        page = found[: int(size)]
        more = {"nextCursorMark": "AoI"} if len(found) > len(page) else {}
        return Said(
            200,
            {"version": "6.9", "hitCount": len(found), **more, "request": request, "resultList": {"result": page}},
        )


def parsed(query: str, leaf: Callable[[re.Match[str]], Match], token: re.Pattern[str] = _TOKEN) -> Match:
    """A query as a function that tells whether a record fits. The first three groups are brackets and operators."""
    tokens: list[re.Match[str]] = []
    place = 0
    while place < len(query.rstrip()):
        found = token.match(query, place)
        if found is None:
            raise BadQuery
        tokens.append(found)
        place = found.end()
    match, rest = _alternatives(tokens, leaf)
    if rest:
        raise BadQuery
    return match


Tokens = list[re.Match[str]]


def _alternatives(tokens: Tokens, leaf: Callable[[re.Match[str]], Match]) -> tuple[Match, Tokens]:
    options: list[Match] = []
    while True:
        match, tokens = _together(tokens, leaf)
        options.append(match)
        if not tokens or tokens[0][3] != "OR":
            return lambda record: any(option(record) for option in options), tokens
        tokens = tokens[1:]


def _together(tokens: Tokens, leaf: Callable[[re.Match[str]], Match]) -> tuple[Match, Tokens]:
    match, tokens = _clause(tokens, leaf)
    parts = [match]
    while tokens and tokens[0][3] in ("AND", "NOT"):
        match, tokens = _clause(tokens[1:] if tokens[0][3] == "AND" else tokens, leaf)
        parts.append(match)
    return lambda record: all(part(record) for part in parts), tokens


def _clause(tokens: Tokens, leaf: Callable[[re.Match[str]], Match]) -> tuple[Match, Tokens]:
    if not tokens:
        raise BadQuery
    if tokens[0][3] == "NOT":
        match, rest = _clause(tokens[1:], leaf)
        return lambda record: not match(record), rest
    if tokens[0][1]:
        match, rest = _alternatives(tokens[1:], leaf)
        if not rest or not rest[0][2]:
            raise BadQuery
        return match, rest[1:]
    if tokens[0][2] or tokens[0][3]:
        raise BadQuery
    return leaf(tokens[0]), tokens[1:]


def _leaf(token: re.Match[str]) -> Match:
    _, _, _, field, phrase, ranged, low, high, bare_field, bare = token.groups()
    if ranged:
        return lambda record: int(low) <= int(record.get("pubYear", 0)) <= int(high)
    return lambda record: contains(_values(record, field or bare_field), phrase if field else bare)


def _values(record: Record, field: str) -> list[str]:
    types = record.get("pubTypeList", {}).get("pubType", [])
    fields = {
        "TITLE": [record.get("title", "")],
        "TITLE_ABS": [record.get("title", ""), record.get("abstractText", "")],
        "KW": record.get("keywordList", {}).get("keyword", []),
        "PUB_TYPE": types,
        "SRC": [record.get("source", "")],
        "EXT_ID": [record.get("id", "")],
        "DOI": [record.get("doi", "")],
    }
    if field not in fields:
        raise BadQuery
    return [str(value) for value in fields[field]]


def contains(values: Sequence[str], phrase: str) -> bool:
    wanted = f" {' '.join(_words(phrase))} "
    return bool(wanted.strip()) and any(wanted in f" {' '.join(_words(value))} " for value in values)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", re.sub(r"<[^>]+>", " ", text).lower())
