"""openFDA's label endpoint as far as a client can tell: its query language, its limits and its ways of saying no."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.support.fake_service import FakeService, Question, Said
from tests.support.labels import Record

_ALLOWED = {"search", "count", "limit", "skip", "sort", "search_after", "api_key"}
_TOKEN = re.compile(r'\s*(?:(\()|(\))|(AND|OR|NOT)\b|([\w.]+):"((?:[^"\\]|\\.)*)"|(\w+):(\w+)|([^\s()":]+))')
Match = Callable[[Record], int]


class BadQuery(Exception):
    """What the search engine cannot parse."""


class FakeOpenFda(FakeService):
    def __init__(
        self, records: Iterable[Record], *, keys: Iterable[str] = (), updated: str | None = "2026-08-11"
    ) -> None:
        super().__init__()
        self.records = list(records)
        self.keys = set(keys)
        self.updated = updated
        self.misread = 0

    @property
    def queries(self) -> list[str]:
        return [question.params.get("search", "") for question in self.questions]

    def answer(self, question: Question) -> Said:
        params = question.params
        if question.path != "/drug/label.json":
            return Said(404, b"<html>Not Found</html>", {"content-type": "text/html"})
        if "api_key" in params and params["api_key"] not in self.keys:
            return _error(403, "API_KEY_INVALID", "An invalid api_key was supplied.")
        for name in params:
            if name not in _ALLOWED:
                return _error(400, "BAD_REQUEST", f"Invalid parameter: {name}")
        limit, skip = params.get("limit", "1"), params.get("skip", "0")
        if not limit.isdecimal() or int(limit) > 1000:
            return _error(400, "BAD_REQUEST", "Limit cannot exceed 1000 results for search requests.")
        if not skip.isdecimal() or int(skip) > 25000:
            return _error(400, "BAD_REQUEST", "Skip value must 25000 or less.")
        try:
            found = self._found(params.get("search", ""))
        except BadQuery:
            return _error(500, "SERVER_ERROR", "Check your request and try again", "[parse_exception] Cannot parse")
        if not found:
            return _error(404, "NOT_FOUND", "No matches found!")
        page = found[int(skip) : int(skip) + int(limit)]
        counts = {"skip": int(skip), "limit": int(limit), "total": len(found)}
        meta = {"disclaimer": "…", "terms": "…", "license": "…", "last_updated": self.updated, "results": counts}
        return Said(200, {"meta": meta, "results": page})

    def _found(self, search: str) -> list[Record]:
        if search.endswith('\\"') and not search.endswith('\\\\"'):
            self.misread += 1
            return self.records  # as observed: the closing quote is lost, and everything matches
        scored = [(parsed(search)(record), record) for record in self.records]
        return [record for score, record in sorted(scored, key=lambda pair: -pair[0]) if score]


def parsed(search: str) -> Match:
    """A query as a function that counts the clauses a record fits."""
    tokens: list[tuple[str, ...]] = []
    place = 0
    while place < len(search.rstrip()):
        found = _TOKEN.match(search, place)
        if found is None:
            raise BadQuery
        if found[8] and set(found[8]) & set("+^~"):
            raise BadQuery
        tokens.append(tuple(group or "" for group in found.groups()))
        place = found.end()
    match, rest = _alternatives(tokens)
    if rest:
        raise BadQuery
    return match


def _alternatives(tokens: list[tuple[str, ...]]) -> tuple[Match, list[tuple[str, ...]]]:
    """Clauses joined by OR, or by nothing, which means the same."""
    options: list[Match] = []
    while tokens and not tokens[0][1]:
        if tokens[0][2] == "OR":
            tokens = tokens[1:]
        match, tokens = _together(tokens)
        options.append(match)
    if not options:
        raise BadQuery
    return lambda record: sum(option(record) for option in options), tokens


def _together(tokens: list[tuple[str, ...]]) -> tuple[Match, list[tuple[str, ...]]]:
    match, tokens = _clause(tokens)
    parts = [match]
    while tokens and tokens[0][2] == "AND":
        match, tokens = _clause(tokens[1:])
        parts.append(match)
    return lambda record: sum(scores) if all(scores := [part(record) for part in parts]) else 0, tokens


def _clause(tokens: list[tuple[str, ...]]) -> tuple[Match, list[tuple[str, ...]]]:
    if not tokens or tokens[0][1] or tokens[0][2]:
        raise BadQuery
    if tokens[0][0]:
        match, tokens = _alternatives(tokens[1:])
        if not tokens or not tokens[0][1]:
            raise BadQuery
        return match, tokens[1:]
    _, _, _, field, phrase, bare_field, bare, word = tokens[0]
    if field:
        return _phrase(field, re.sub(r"\\(.)", r"\1", phrase)), tokens[1:]
    if bare_field:
        return _phrase(bare_field, bare), tokens[1:]
    return lambda record: int(word.lower() in str(record).lower()), tokens[1:]


def _phrase(field: str, phrase: str) -> Match:
    exact = field.endswith(".exact")
    path = field.removesuffix(".exact").split(".")

    def match(record: Record) -> int:
        values = _values(record, path)
        if exact:
            return int(phrase in values)
        wanted = f" {' '.join(_words(phrase))} "
        return int(any(wanted in f" {' '.join(_words(value))} " for value in values))

    return match


def _values(record: Any, path: list[str]) -> list[str]:
    for part in path:
        record = record.get(part, {}) if isinstance(record, dict) else {}
    return [str(value) for value in (record if isinstance(record, list) else [record] if record else [])]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _error(status: int, code: str, message: str, details: str = "") -> Said:
    error = {"code": code, "message": message} | ({"details": details} if details else {})
    return Said(status, {"error": error})
