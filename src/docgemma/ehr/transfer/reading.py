"""Resources out of a file, one after the other: a bundle, a single resource, or one a line.

What cannot be used is handed on as a `Refusal` that says where it stands and why, and the rest goes on. A sentence
names no value: the file may be about real people.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.fhir_json import NotJson
from docgemma.ehr.transfer.files import Source

MOST_BYTES = 256_000_000
"""Of a document, which is read as a whole. NDJSON may be of any length."""
MOST_ENTRIES = 500_000
"""Of one bundle: what is refused is listed entry by entry, and a small file can hold millions of nothing."""
LONGEST_LINE = 32_000_000
_TAKEN = ("transaction", "batch", "collection", "searchset", "document")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Entry:
    """A resource as the file has it. The others of its bundle may call it by its full address."""

    place: str
    resource: Resource
    full_url: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was not taken: where it stands in its file, and why."""

    place: str
    reason: str


Piece = Entry | Refusal
Group = list[Piece]
"""Entries that may refer to each other by their addresses: a bundle, or one line."""


class Unreadable(Exception):
    """The file as a whole gives nothing. Carries the reason."""


def groups(source: Source, read: Callable[[int], None] = lambda _: None) -> Iterator[Group]:
    """Everything in a file. `read` hears how many of its bytes, as they lie on the disk, have been gone through."""
    if source.refused:
        raise Unreadable(source.refused)
    try:
        with source.path.open("rb") as raw:
            stream = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if source.packed else raw
            if not source.of_lines:
                yield _document(stream)
                return
            for group in _lines(stream):
                yield group
                read(raw.tell())
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise Unreadable("The compressed file is damaged or cut off.") from None
    except OSError as error:
        raise Unreadable(f"It cannot be read: {error.strerror or 'the disk reports an error'}.") from None


def _document(stream: BinaryIO) -> Group:
    data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Unreadable(f"It is larger than {MOST_BYTES // 1_000_000} MB. Split it, or write it as NDJSON.")
    try:
        value = fhir_json.loads(data.removeprefix(_BOM))
    except NotJson:
        raise Unreadable("It is not valid JSON. If it holds one resource a line, name it .ndjson.") from None
    return _unpacked(value, "")


def _lines(stream: BinaryIO) -> Iterator[Group]:
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        place = f"line {number}"
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while not (line := stream.readline(LONGEST_LINE)).endswith(b"\n") and line:
                pass
            yield [Refusal(place, f"It is longer than {LONGEST_LINE // 1_000_000} MB.")]
            continue
        line = line.strip() if number > 1 else line.removeprefix(_BOM).strip()
        if not line:
            continue
        try:
            value = fhir_json.loads(line)
        except NotJson:
            yield [Refusal(place, "It is not valid JSON.")]
            continue
        yield _unpacked(value, place)


def _unpacked(value: Any, place: str) -> Group:
    """A bundle's entries, or the resource itself."""
    if not isinstance(value, dict):
        return [Refusal(place, "It is not a FHIR resource: those are JSON objects.")]
    if value.get("resourceType") != "Bundle":
        return [Entry(place, value)]
    kind, entries = value.get("type"), value.get("entry", [])
    if kind not in _TAKEN:
        return [Refusal(place, f"A bundle of this type is not imported; these are: {', '.join(_TAKEN)}.")]
    if not isinstance(entries, list):
        return [Refusal(place, "The bundle's entries are not a list.")]
    if len(entries) > MOST_ENTRIES:
        return [Refusal(place, f"The bundle has more than {MOST_ENTRIES:,} entries. Write them as NDJSON.")]
    before = f"{place}, " if place else ""
    group = [_entry(entry, f"{before}entry {number}") for number, entry in enumerate(entries, start=1)]
    if _has_more(value):
        group.append(Refusal(place, "It is one page of a search that has more pages. What it holds was read."))
    return [piece for piece in group if piece is not None]


def _entry(entry: Any, place: str) -> Piece | None:
    """None for what says something about a search or a past request, and is no part of a chart."""
    if not isinstance(entry, dict):
        return Refusal(place, "The entry is not an object.")
    resource, request, search, url = (entry.get(name) for name in ("resource", "request", "search", "fullUrl"))
    method = request.get("method") if isinstance(request, dict) else None
    if method not in (None, "POST", "PUT"):
        return Refusal(place, "An import only adds and replaces: other requests of a bundle are not carried out.")
    if isinstance(search, dict) and search.get("mode") == "outcome":
        return None
    if not isinstance(resource, dict):
        return Refusal(place, "The entry has no resource.")
    return Entry(place, resource, url if isinstance(url, str) else "")


def _has_more(bundle: Resource) -> bool:
    links = bundle.get("link")
    return isinstance(links, list) and any(isinstance(link, dict) and link.get("relation") == "next" for link in links)
