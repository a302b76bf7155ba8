"""The records of one openFDA file, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from docgemma.sources.pack.document import Unreadable, Walker


class Document:
    """Walk through `records()`; `meta` is complete when they have ended."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._walker = Walker(read)
        self.meta: dict[str, Any] = {}

    def records(self) -> Iterator[Any]:
        """Every element of `results`. None for one with NaN or Infinity in it, which JSON does not have."""
        walker, found = self._walker, False
        if walker.next() != "{":
            raise Unreadable("is not a file of openFDA: it is no JSON object")
        for key in walker.names():
            if key == "results" and not found:
                found = True
                yield from self._results()
            else:
                value = walker.value()
                if key == "meta" and isinstance(value, dict):
                    self.meta = value
        if walker.next():
            raise Unreadable("is not valid JSON")
        if not found:
            raise Unreadable("is not a file of openFDA: it has no results")

    def _results(self) -> Iterator[Any]:
        walker = self._walker
        if walker.next() != "[":
            raise Unreadable("is not a file of openFDA: its results are no list")
        walker.odd = False
        for value in walker.elements():
            yield None if walker.odd else value
            walker.odd = False
