"""Drug labels from DailyMed, for when openFDA fails or has none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from docgemma.fetch.door import Reply
from docgemma.ingest.xml_trees import BadMarkup
from docgemma.sources.contract import Label, Labels, SourceError
from docgemma.sources.dailymed.spl import label_in
from docgemma.sources.openfda.query import asked_name
from docgemma.sources.openfda.record import is_about
from docgemma.sources.openfda.texts import is_set_id, plain, words
from docgemma.sources.web import Answer, Web, accept, object_in, unusable, whichever

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


BASE_URL = "https://dailymed.nlm.nih.gov/dailymed/services/v2"
_MOST = 2
_LISTED = "25"


class DailyMed:
    """A LabelSource. A label here is a document of its own, so only the likeliest two are read."""

    name = SERVICE

    def __init__(self, web: Web, base_url: str = BASE_URL) -> None:
        self._web = web
        self._url = base_url.rstrip("/")

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        """None only when DailyMed lists nothing under this name. One readable label is enough."""
        name = asked_name(drug)
        params = (("drug_name", name), ("name_type", "both"), ("pagesize", _LISTED))
        listed = await self._web.ask(SERVICE, f"{self._url}/spls.json", params, read=read, ends_at=ends_at)
        if listed.data is None:
            return None
        chosen = best(listed.data, name, _MOST)
        answers = [answer for answer in await whichever(*(self._label(entry, ends_at) for entry in chosen)) if answer]
        found = tuple(label for answer in answers if (label := answer.data) is not None and is_about(label, name))
        if not found:
            raise SourceError(
                "invalid_response", "DailyMed gave labels of other drugs only. Write the drug's plain generic name."
            )
        from_cache = listed.origin == "cache" or any(answer.origin == "cache" for answer in answers)
        return Labels(
            found,
            source="DailyMed drug labels",
            origin="cache" if from_cache else "live",
            data_date=listed.data.data_date or (min(answer.date for answer in answers) if from_cache else None),
            total=listed.data.total,
        )

    async def _label(self, entry: Entry, ends_at: float) -> Answer[Label]:
        url = f"{self._url}/spls/{entry.set_id.lower()}.xml"
        return await self._web.ask(SERVICE, url, read=_label_in, ends_at=ends_at)


def _label_in(reply: Reply) -> Label:
    accept(SERVICE, reply)
    try:
        return label_in(reply.body)
    except BadMarkup:
        raise unusable(SERVICE) from None
