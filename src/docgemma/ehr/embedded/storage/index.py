"""The index for searches without a patient: a chain of kind, parameter, value and id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docgemma.ehr.embedded.contract import FhirFault, IndexEntry, Issue, Narrow
from docgemma.ehr.embedded.storage.chain import END, Chain
from docgemma.ehr.embedded.storage.schema import ENTRIES
from docgemma.store.database import Cursor

_PART = "\x1f"
_BEHIND_PART = "\x20"
_MOST_VALUES = 400

Key = tuple[str, str]
"""A resource: its kind and id."""


def find(cursor: Cursor, kind: str, narrow: Sequence[Narrow]) -> list[str]:
    """The ids that meet every condition, in order."""
    if sum(len(each.values) for each in narrow) > _MOST_VALUES:
        raise FhirFault(400, [Issue("too-costly", f"A search takes at most {_MOST_VALUES} values.")])
    entries = Chain(cursor, ENTRIES)
    found: set[str] | None = None
    for each in narrow:
        meeting = {id_ for value in each.values for id_ in _ids(entries, kind, each, value)}
        found = meeting if found is None else found & meeting
        if not found:
            break
    return sorted(found or ())


def add(cursor: Cursor, entries: Iterable[tuple[Key, IndexEntry]]) -> None:
    Chain(cursor, ENTRIES).put({_place(key, entry): "" for key, entry in entries})


def remove(cursor: Cursor, entries: Iterable[tuple[Key, IndexEntry]]) -> None:
    Chain(cursor, ENTRIES).drop(dict.fromkeys(_place(key, entry) for key, entry in entries))


def clear(cursor: Cursor) -> None:
    Chain(cursor, ENTRIES).start()


def _ids(entries: Chain, kind: str, narrow: Narrow, value: str) -> list[str]:
    start = _PART.join((kind, narrow.param, _plain(value)))
    try:
        start.encode()
    except UnicodeEncodeError:  # half a character is in no name
        return []
    low, high = (start, start + END) if narrow.prefix else (start + _PART, start + _BEHIND_PART)
    return [place.rpartition(_PART)[2] for place, _ in entries.span(low, high)]


def _place(key: Key, entry: IndexEntry) -> str:
    kind, id_ = key
    return _PART.join((kind, entry.param, _plain(entry.value), id_))


def _plain(value: str) -> str:
    return value.replace(_PART, " ")
