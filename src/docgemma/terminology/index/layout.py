"""What an index file looks like inside. Names are numbered so that those of one concept follow each other.

A key is stored as a 64-bit hash, and lists of names as packed numbers: a tenth of the size of text, and faster.
Damage and versions: a file of another `FORMAT` is refused, not read by luck.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from hashlib import blake2b

FORMAT = 2
WHAT = "terminology index"

TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE concept (id INTEGER PRIMARY KEY, display TEXT, type INTEGER, ontology INTEGER, "
    "cui TEXT, snomed TEXT, ids TEXT)",
    "CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT)",
    "CREATE TABLE key (hash INTEGER PRIMARY KEY, names BLOB)",
    "CREATE TABLE word (hash INTEGER PRIMARY KEY, seen INTEGER, left_out INTEGER, near TEXT)",
    "CREATE TABLE posting (hash INTEGER PRIMARY KEY, names BLOB, sizes BLOB)",
    "CREATE TABLE spelling (hash INTEGER PRIMARY KEY, words TEXT)",
)

EXACT = ""
SQUEEZED = "="
"""Without spaces: IL-2 and IL2 are one."""
BAG = "~"
"""Stems in alphabetical order without small words: cancer of the breast is breast cancer."""


SHARES = 1000
"""A share between 0 and 1 is stored as a whole number of this many parts."""
LONGEST_POSTED = 8
"""Names with more stems than this are found by their keys alone."""


_LONG = 8


def buckets(word: str, length: int | None = None) -> tuple[str, str]:
    """Where words of this length that are spelt alike lie: one slip cannot change both beginning and end of a word."""
    length = len(word) if length is None else length
    reach = 3 if length < _LONG else 4
    return f"{word[:reach]}+{length}", f"{length}+{word[-reach:]}"


def hashed(text: str, family: str = EXACT) -> int:
    """A key as the number it is stored under."""
    return int.from_bytes(blake2b((family + text).encode(), digest_size=8).digest(), "little", signed=True)


def packed(numbers: Iterable[int], code: str = "I") -> bytes:
    """Numbers as little-endian bytes, whatever the machine."""
    values = array(code, numbers)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def unpacked(data: bytes, code: str = "I") -> array[int]:
    values: array[int] = array(code)
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values
