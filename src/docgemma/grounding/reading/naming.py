"""Ids of criteria: the file's own, else made of protocol or file, type and number; none stands twice in a protocol."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter

from docgemma.grounding.contract import Criterion
from docgemma.grounding.reading.contract import Piece, Problem, Refused
from docgemma.grounding.reading.records import within_limit

_START = 1 << 12


class Seen:
    """A set of texts in 16 to 32 bytes each: a run of millions fits. It holds digests of 64 bits in an open table."""

    def __init__(self) -> None:
        self._table = array("Q", bytes(8 * _START))
        self._count = 0

    def add(self, text: str) -> bool:
        """False where it was there before."""
        digest = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) or 1
        place = self._place(digest)
        if self._table[place]:
            return False
        self._table[place] = digest
        self._count += 1
        if 2 * self._count > len(self._table):
            self._grow()
        return True

    def _place(self, digest: int) -> int:
        mask = len(self._table) - 1
        place = digest & mask
        while self._table[place] not in (0, digest):
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        old = self._table
        self._table = array("Q", bytes(16 * len(old)))
        for digest in old:
            if digest:
                self._table[self._place(digest)] = digest


class Naming:
    """Turns pieces into criteria. Numbers run per protocol and type, in the order of the file."""

    def __init__(self, protocol: str = "") -> None:
        self._protocol = protocol
        self._seen = Seen()
        self._counts: Counter[str] = Counter()

    def begin(self) -> None:
        """A file begins: its numbers do not depend on the files before."""
        self._counts.clear()

    def name(self, piece: Piece, stem: str, file: str) -> Criterion | Problem:
        protocol = piece.protocol or self._protocol
        ident = piece.id or self._made(piece, protocol or stem)
        if not self._seen.add(f"{protocol}\0{ident}"):  # protocols number their criteria from 1
            made = "" if piece.id else " made here, because its study or file was read before"
            return Problem(file, piece.line, f"The id '{ident}'{made} was already used. Each criterion needs its own.")
        try:
            text = within_limit(piece.text)
        except Refused as reason:
            return Problem(file, piece.line, str(reason))
        return Criterion(criterion_id=ident, protocol_id=protocol, type=piece.type, text=text, context=piece.context)

    def _made(self, piece: Piece, base: str) -> str:
        if piece.fresh:
            self._counts.clear()
        if piece.name:
            return f"{base}-{piece.name}"
        kind = "criterion" if piece.type == "unknown" else piece.type
        self._counts[f"{base}-{kind}"] += 1
        return f"{base}-{kind}-{self._counts[f'{base}-{kind}']}"
