"""Seals: sums that show whether what is stored still is what was written. Nothing else makes or compares them.

A seal has no key: it shows damage, not who wrote. Each way of sealing below is part of a format on disk, so none is
ever changed: what shall be sealed otherwise gets another one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

Form = TypeVar("Form", str, bytes, int)

_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Seal(Generic[Form]):
    """One way to seal: which hash, how the parts of a thing become bytes, and in which form the sum is stored."""

    hash: Callable[[], Any]
    pieces: Callable[[Iterable[Any]], Iterable[bytes]]
    form: Callable[[bytes], Form]

    def of(self, *parts: Any) -> Form:
        """The seal of these, in this order. TypeError or ValueError for what this way cannot seal."""
        found = self.hash()
        for piece in self.pieces(parts):
            found.update(piece)
        return self.form(found.digest())

    def fits(self, stored: object, *parts: Any) -> bool:
        """Whether `stored` is the seal of these. A part of a kind that was never sealed is damage, and no error."""
        try:
            return self.of(*parts) == stored
        except (TypeError, ValueError):
            return False


def canonical(value: object) -> str:
    """A value as JSON in one spelling: keys in order, ASCII alone, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _joined(parts: Iterable[object]) -> Iterator[bytes]:
    """One after the other; whoever seals sets them apart where need be."""
    for part in parts:
        if isinstance(part, Path):
            with part.open("rb") as file:
                yield from iter(partial(file.read, _BLOCK), b"")
        elif isinstance(part, Iterator):
            yield from part
        else:
            yield part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part  # type: ignore[misc]


def _framed(parts: Iterable[bytes]) -> Iterator[bytes]:
    for part in parts:
        yield len(part).to_bytes(8, "little")
        yield part


def _json(parts: Iterable[object]) -> Iterator[bytes]:
    return (canonical(part).encode("ascii") for part in parts)


def _row(columns: Iterable[str | int]) -> Iterator[bytes]:
    """Told apart by NUL, which no column holds."""
    yield "\0".join(map(str, columns)).encode()


def _brief(digest: bytes) -> str:
    return digest[:16].hex()


def _number(digest: bytes) -> int:
    """As SQLite's integers are: signed, of 64 bits."""
    return int.from_bytes(digest, "big", signed=True)


_SHORT = partial(hashlib.blake2b, digest_size=16)

CONTENT = Seal(hashlib.sha256, _joined, bytes.hex)
"""Of texts, bytes, files (by their paths) and blocks (an iterator): files that ship, index files, turns, entries."""

BRIEF = Seal(hashlib.sha256, _joined, _brief)
"""The same, half as long: kept replies of public services, names of images."""

RECORD = Seal(hashlib.sha256, _json, bytes.hex)
"""Of a mapping, as canonical JSON: rows of the audit log and of the ledger, cards."""

PACKED = Seal(_SHORT, _framed, bytes)
"""Of bytes, their borders included: rows of packs."""

DESCRIBED = Seal(_SHORT, _framed, bytes.hex)
"""The same as text: the description of a pack."""

SUMMED = Seal(_SHORT, _joined, bytes.hex)
"""Of all seals of a pack's records."""

CHART = Seal(partial(hashlib.blake2b, digest_size=8), _row, _number)
"""Of the columns of a row of the chart store."""
