"""The records in the files of a service: pages of a search, lists, single records, or many of these in a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.sources.pack.document import TooLong, Unreadable, Walker
from docgemma.sources.pack.parts import Read

_WHOLE = 4_000_000
"""Characters. An object up to this size is read in one go; what is larger is a page with many records."""


class Values:
    """JSON of any of these shapes. `page` is where in a page the list of records is."""

    def __init__(self, read: Read, page: tuple[str, ...]) -> None:
        self._walker = Walker(read)
        self._page = page

    def records(self) -> Iterator[Any]:
        found = False
        while sign := self._walker.peek():
            found = True
            if sign == "[":
                self._walker.next()
                for value in self._walker.elements():
                    yield from self._inside(value)
            elif sign == "{":
                yield from self._object()
            else:
                raise Unreadable("is not valid JSON")
        if not found:
            raise Unreadable("is empty")

    def _object(self) -> Iterator[Any]:
        try:
            value = self._walker.value(longest=_WHOLE)
        except TooLong:
            yield from self._large(self._page)
        else:
            yield from self._inside(value)

    def _inside(self, value: Any) -> Iterator[Any]:
        """The records of a page; anything else as it is."""
        refuse_short_form(value)
        found = value
        for name in self._page:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, list):
            yield from found
        else:
            yield value

    def _large(self, page: tuple[str, ...]) -> Iterator[Any]:
        """A page that is larger than one would hold, walked through along the way to its list."""
        walker, found = self._walker, False
        if walker.next() != "{":
            raise Unreadable("has a record far larger than real ones")
        for name in walker.names():
            if name != page[0]:
                refuse_short_form({name: walker.value()})
            elif len(page) > 1:
                found = True
                yield from self._large(page[1:])
            elif walker.next() == "[":
                found = True
                yield from walker.elements()
            else:
                raise Unreadable("is not a page of a search: its records are no list")
        if not found:
            raise Unreadable("has a record far larger than real ones")


def refuse_short_form(value: Any) -> None:
    """Europe PMC's short results have no abstracts, and look like articles without one."""
    request = value.get("request") if isinstance(value, Mapping) else None
    if isinstance(request, Mapping) and request.get("resultType") in ("lite", "idlist"):
        raise Unreadable("was saved without abstracts (resultType=lite)", "Save the search again with resultType=core.")
