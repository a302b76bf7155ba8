"""What a sentence embedder is to the rest of the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors of length one, so that a dot product is their similarity.

    A text has the same vector alone and among others: what was stored yesterday compares with what is asked today.
    """

    @property
    def name(self) -> str:
        """Which model it is; vectors of two names do not compare."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text, in order. A long text is read up to the model's limit."""
        ...
