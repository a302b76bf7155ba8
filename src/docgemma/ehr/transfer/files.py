"""Which files are imported: those that were named, and in a folder those of the right kind that really lie in it."""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.fhir_json import NotJson
from docgemma.errors import BadInput
from docgemma.ingest.archives import DAMAGED, Bounded, TooMuch
from docgemma.ingest.files import files_in, stream_of
from docgemma.ingest.json_values import BadJson, json_values
from docgemma.ingest.problem import shown
from docgemma.ingest.text import ByteLine, byte_lines

DOCUMENT = (".json",)
LINES = (".ndjson", ".jsonl")
_PACKED = ".gz"


@dataclass(frozen=True, slots=True)
class Source:
    """One file. `name` is how it is shown: relative to what was given, without anything a terminal would obey."""

    path: Path
    name: str
    size: int
    refused: str = ""
    """Why it is not read, if so."""

    @property
    def packed(self) -> bool:
        return self.path.name.lower().endswith(_PACKED)

    @property
    def of_lines(self) -> bool:
        return _bare(self.path.name).endswith(LINES)


def sources(paths: Sequence[Path]) -> list[Source]:
    """In the order given; the files of a folder sorted by name. A file that is named twice is taken once.

    Links in a folder come last, refused: what they lead to is not read, and must not pass for read. One to something
    that is read anyway is left out.
    """
    found: dict[str, Source] = {}
    links: dict[str, Source] = {}
    for path in paths:
        for source in _under(path) if path.is_dir() else [_named(path)]:
            (links if source.refused else found).setdefault(os.path.realpath(source.path), source)
    folders = [Path(os.path.realpath(path)) for path in paths if path.is_dir()]
    astray = [link for target, link in links.items() if target not in found and not _inside(Path(target), folders)]
    if not found and not astray:
        raise BadInput("There is no .json, .ndjson or .jsonl file to import in the folder.")
    return [*found.values(), *astray]


def _named(path: Path) -> Source:
    name = shown(path.name)
    try:
        size = path.stat().st_size
    except (OSError, ValueError):  # the latter for a name with a NUL
        raise BadInput(f"The file {name} cannot be found.") from None
    if not path.is_file():
        raise BadInput(f"{name} is neither a file nor a folder.")
    if not _taken(path.name):
        raise BadInput(f"{name} is not a .json, .ndjson or .jsonl file (each may end in .gz).")
    return Source(path, name, size)


def _under(root: Path) -> Iterator[Source]:
    """Links are not followed: one may lead out of the folder, or round in a circle."""
    for path, seen in files_in(root, folders_last=True, hidden_folders=True):
        name = shown(str(path.relative_to(root)))
        if stat.S_ISLNK(seen.st_mode):
            if _taken(path.name) or path.is_dir():
                yield Source(path, name, 0, "It is a link, and those are not followed. Name what it leads to.")
        elif stat.S_ISREG(seen.st_mode) and _taken(path.name):
            yield Source(path, name, seen.st_size)


def _inside(target: Path, folders: Sequence[Path]) -> bool:
    """Whether this is a folder that is gone through anyway."""
    return target.is_dir() and any(target.is_relative_to(folder) for folder in folders)


def _taken(name: str) -> bool:
    return _bare(name).endswith(DOCUMENT + LINES)


def _bare(name: str) -> str:
    return name.lower().removesuffix(_PACKED)


MOST_BYTES = 256_000_000
"""Of a document, which is read as a whole. NDJSON may be of any length."""
MOST_ENTRIES = 500_000
"""Of one bundle: what is refused is listed entry by entry, and a small file can hold millions of nothing."""
LONGEST_LINE = 32_000_000
_NO_JSON = "It is not valid JSON. If it holds one resource a line, name it .ndjson."
_TAKEN = ("transaction", "batch", "collection", "searchset", "document")


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
            for line in byte_lines(stream, LONGEST_LINE):
                yield _of_line(line)
                read(raw.tell())
    except DAMAGED:
        raise Unreadable("The compressed file is damaged or cut off.") from None
    except OSError as error:
        raise Unreadable(f"It cannot be read: {error.strerror or 'the disk reports an error'}.") from None


def _document(stream: BinaryIO) -> Group:
    """The entries of a bundle are put together one by one; only they are held."""
    bounded = Bounded(MOST_BYTES)
    entries: list[Any] = []
    whole: Any = None
    counted = stream_of(lambda size: bounded.count(stream.read(size)))
    try:
        for found in json_values(counted, ("entry",), decimals=True, longest=MOST_BYTES):
            if found.half or found.odd:
                raise Unreadable(_NO_JSON)
            if found.kind == "record":
                entries.append(found.value)
            else:
                whole = found.value
    except TooMuch:
        raise Unreadable(f"It is larger than {MOST_BYTES // 1_000_000} MB. Split it, or write it as NDJSON.") from None
    except BadJson:
        raise Unreadable(_NO_JSON) from None
    if entries:
        whole["entry"] = entries
    return _unpacked(whole, "")


def _of_line(line: ByteLine) -> Group:
    place = f"line {line.number}"
    if line.cut:
        return [Refusal(place, f"It is longer than {LONGEST_LINE // 1_000_000} MB.")]
    try:
        return _unpacked(fhir_json.loads(line.data), place)
    except NotJson:
        return [Refusal(place, "It is not valid JSON.")]


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
