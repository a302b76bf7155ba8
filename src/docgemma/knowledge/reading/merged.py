"""Cells that were merged downwards: a topic that stands once beside its twenty questions holds for all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref\s*=\s*[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']")
_CHUNK = 1 << 20
_OVERLAP = 300
_MOST = 200_000


class Merged:
    """Ranges by their first column: what is merged sideways has its value there, and no other column gets it."""

    def __init__(self, ranges: Mapping[int, list[tuple[int, int]]]) -> None:
        self._waiting = {column: sorted(found, reverse=True) for column, found in ranges.items()}
        self._current: dict[int, tuple[int, Any]] = {}

    def filled(self, number: int, own: dict[int, Any]) -> dict[int, Any]:
        """The row with what holds for it from above. Rows are asked for from the top down."""
        for column, waiting in self._waiting.items():
            while waiting and waiting[-1][0] <= number:
                first, last = waiting.pop()
                if first == number and column in own:
                    self._current[column] = (last, own[column])
        held = {column: cell for column, (last, cell) in self._current.items() if number <= last}
        return {**held, **own}


def merged(sheet: Any) -> Merged:
    """A streamed sheet names its merged cells after all rows, so its text is looked through first."""
    ranges: dict[int, list[tuple[int, int]]] = {}
    count, before = 0, b""
    with sheet._get_source() as text:
        while count < _MOST and (chunk := text.read(_CHUNK)):
            here = before + chunk
            end = 0
            for found in _MERGE.finditer(here):
                end = found.end()
                first, last = int(found[2]), int(found[4])
                if last > first:
                    ranges.setdefault(_column(found[1]), []).append((first, last))
                    count += 1
            before = here[max(end, len(here) - _OVERLAP) :]
    return Merged(ranges)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
