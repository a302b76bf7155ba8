"""What a GGUF file says of itself: whether it is one, whether it is whole, and how much memory it will want.

Only the header is read. The engine says no more than "failed" of a file that it cannot load, so what can be told
beforehand is told here.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from docgemma.errors import Unavailable

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_FIXED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_MOST_ENTRIES = 100_000
_MOST_ITEMS = 5_000_000
_LONGEST_KEPT = 1_000
_ALIGNMENT = 32
_HALF = 2
"""Bytes of one number in the engine's memory of a conversation."""

Value = int | float | bool | str | list[int | float | bool]


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A file that can be given to the engine."""

    path: Path
    size: int
    values: Mapping[str, Value]

    @property
    def trained_context(self) -> int | None:
        return self._number("context_length")

    def context_bytes(self, tokens: int) -> int:
        """Memory for a conversation of this length; 0 where the header does not say enough."""
        layers, heads, width = (
            self._number(key) for key in ("block_count", "attention.head_count", "embedding_length")
        )
        if not (layers and heads and width):
            return 0
        shared = self._of("attention.head_count_kv")
        a_layer = sum(map(int, shared)) / layers if isinstance(shared, list) else shared or heads
        key = self._number("attention.key_length") or width // heads
        value = self._number("attention.value_length") or width // heads
        return int(layers * float(a_layer) * (key + value) * _HALF * tokens)

    def _of(self, key: str) -> Value | None:
        return self.values.get(f"{self.values.get('general.architecture', '')}.{key}")

    def _number(self, key: str) -> int | None:
        found = self._of(key)
        if isinstance(found, list) and found:  # some models give one number for each layer
            found = max(found)
        return found if isinstance(found, int) and found > 0 else None


def read_gguf(path: Path) -> GgufFile:
    """The file's header. Unavailable when the file is missing, is something else, or has lost its end."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                raise Unavailable(f"{path} is not a GGUF file. Set DOCGEMMA_GGUF to a model in GGUF format.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as header:
                values, data_from, last = _Reader(header).everything()
    except FileNotFoundError:
        raise Unavailable(f"There is no file {path}. Set DOCGEMMA_GGUF to a model in GGUF format.") from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror or 'unknown reason'}.") from None
    except (struct.error, ValueError, IndexError):
        raise Unavailable(f"{path} is damaged or incomplete. Fetch it again.") from None
    if data_from + last >= size:
        raise Unavailable(f"{path} is incomplete: its end is missing. Fetch it again.")
    parts = values.get("split.count")
    return GgufFile(path, size * parts if isinstance(parts, int) and parts > 1 else size, values)


class _Reader:
    """Walks the header. ValueError, IndexError or struct.error where it makes no sense."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = len(MAGIC)

    def everything(self) -> tuple[dict[str, Value], int, int]:
        """The values, where the tensors begin, and how far after that the last one does."""
        version, tensors, entries = self._numbers("IQQ")
        if version not in _VERSIONS or entries > _MOST_ENTRIES or tensors > _MOST_ENTRIES:
            raise ValueError("unknown version, or nonsense")
        values: dict[str, Value] = {}
        for _ in range(entries):
            key = self._text()
            value = self._value(*self._numbers("I"))
            if value is not None:
                values[key] = value
        last = 0
        for _ in range(tensors):
            self._text()
            (dimensions,) = self._numbers("I")
            self._numbers("Q" * min(dimensions, 8) + "I")
            last = max(last, *self._numbers("Q"))
        aligned = values.get("general.alignment", _ALIGNMENT)
        alignment = aligned if isinstance(aligned, int) and aligned > 0 else _ALIGNMENT
        return values, -(-self._at // alignment) * alignment, last

    def _numbers(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _text(self) -> str:
        (length,) = self._numbers("Q")
        start, self._at = self._at, self._at + length
        if self._at > len(self._data):
            raise ValueError("a text goes beyond the end")
        return self._data[start : self._at].decode("utf-8", "replace") if length <= _LONGEST_KEPT else ""

    def _value(self, kind: int) -> Value | None:
        """A number or a text, or a short list of numbers; a vocabulary is only passed over."""
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._numbers(_FIXED[kind] if kind in _FIXED else _unknown())[0]
        inner, count = self._numbers("IQ")
        if count > _MOST_ITEMS:
            raise ValueError("a list is too long")
        if inner == _STRING:
            for _ in range(count):
                (length,) = self._numbers("Q")
                self._at += length
            return None
        form = _FIXED[inner] if inner in _FIXED else _unknown()
        if count <= _LONGEST_KEPT:
            return list(self._numbers(form * count))
        self._at += struct.calcsize(f"<{form}") * count
        return None


def _unknown() -> str:
    raise ValueError("an unknown kind of value")
