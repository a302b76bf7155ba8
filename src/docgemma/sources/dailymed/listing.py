"""DailyMed's list of labels for a drug name, and which of them are worth reading."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.sources.openfda.texts import is_set_id, plain, words
from docgemma.sources.web import object_in, unusable

SERVICE = "DailyMed"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"([A-Za-z]{3})[a-z]{0,6}\.? {1,2}(\d{1,2}), {0,2}(\d{4})")


@dataclass(frozen=True, slots=True)
class Entry:
    """One label of the list, by its name there."""

    set_id: str
    title: str
    published: str


@dataclass(frozen=True, slots=True)
class Listing:
    entries: tuple[Entry, ...]
    total: int
    data_date: str | None


def read(reply: Reply) -> Listing | None:
    """The list; None when DailyMed counts none itself. Absent values are the text "null" there."""
    found = object_in(SERVICE, reply)
    data, metadata = found.get("data"), found.get("metadata")
    if not isinstance(data, list) or not isinstance(metadata, dict):
        raise unusable(SERVICE)
    total = _number(metadata.get("total_elements"))
    if not data and total == 0:
        return None
    entries = tuple(entry for row in data if (entry := _entry(row)) is not None)
    if not entries:
        raise unusable(SERVICE)
    return Listing(entries, max(total or 0, len(entries)), day(_text(metadata.get("db_published_date"))) or None)


def best(listing: Listing, drug: str, most: int) -> tuple[Entry, ...]:
    """Those that name the drug, products of one ingredient before combinations, then the newest."""
    asked = set(words(drug))

    def unlike(entry: Entry) -> tuple[bool, bool]:
        named = words(entry.title.partition("[")[0])
        return not asked <= set(named), "and" in named and "and" not in asked

    newest = sorted(listing.entries, key=lambda entry: entry.published, reverse=True)
    return tuple(sorted(newest, key=unlike)[:most])


def day(text: str) -> str:
    """A day like "May 21, 2026" as YYYY-MM-DD; empty for what is none."""
    found = _DATE.match(text)
    if found is None or found[1].lower() not in _MONTHS:
        return ""
    try:
        return date(int(found[3]), _MONTHS.index(found[1].lower()) + 1, int(found[2])).isoformat()
    except ValueError:
        return ""


def _entry(row: Any) -> Entry | None:
    if not isinstance(row, dict) or not is_set_id(_text(row.get("setid"))):
        return None
    return Entry(_text(row.get("setid")), _text(row.get("title")), day(_text(row.get("published_date"))))


def _text(value: Any) -> str:
    text = plain(value) if isinstance(value, str) else ""
    return "" if text == "null" else text


def _number(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 10 else None
