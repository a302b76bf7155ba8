"""Several things named with shared words: "breast and ovarian cancer", "hepatitis B or C", "tumours of lung and liver".

Which words are shared cannot be told from the text alone, so every reading is offered; the index decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_JOINED = re.compile(r"\s*(?:,\s*(?:and/or|and|or)\b|\band/or\b|\band\b|\bor\b|\bas well as\b|&|,|/)\s*", re.IGNORECASE)
_TOO_LONG = 14
_MOST_PARTS = 4


def readings(text: str) -> Iterator[tuple[str, ...]]:
    """The ways to read a text as a list of things, most explicit first. Nothing for a text without a list."""
    pieces = [piece.strip() for piece in _JOINED.split(text)]
    if not 2 <= len(pieces) <= _MOST_PARTS or not all(pieces) or len(text.split()) > _TOO_LONG:
        return
    yield from _shared_end(pieces)
    yield from _shared_beginning(pieces)
    yield tuple(pieces)


def _shared_end(pieces: list[str]) -> Iterator[tuple[str, ...]]:
    """`hepatic` and `renal toxicity`: the end of the last belongs to all."""
    last = re.split(r"[\s]+", pieces[-1])
    for cut in range(1, len(last)):
        end = " ".join(last[cut:])
        yield (*(f"{piece.rstrip('-')} {end}" for piece in pieces[:-1]), pieces[-1])


def _shared_beginning(pieces: list[str]) -> Iterator[tuple[str, ...]]:
    """`hepatitis B` and `C`: the beginning of the first belongs to all."""
    first = pieces[0].split()
    for cut in range(len(first) - 1, 0, -1):
        beginning = " ".join(first[:cut])
        yield (pieces[0], *(f"{beginning} {piece}" for piece in pieces[1:]))
