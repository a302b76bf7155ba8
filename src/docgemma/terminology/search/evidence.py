"""What speaks for a concept: the name that it was found by, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docgemma.terminology.contract import EntityType
from docgemma.terminology.search.variants import How

Way = Literal["same", "key", "squeezed", "bag", "soft"]
QUALITY: dict[Way, float] = {"same": 1.0, "key": 0.97, "squeezed": 0.95, "bag": 0.85, "soft": 0.75}


@dataclass(frozen=True, slots=True)
class Found:
    """One concept by its best name. `worth` is between 0 and 1."""

    concept: int
    name: int
    text: str
    way: Way
    how: How
    worth: float
    fit: float
    type: EntityType | None = None
    """What kind of thing the reading of the term is, where that is known."""
