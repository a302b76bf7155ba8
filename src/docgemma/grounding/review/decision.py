"""What an expert decides on: one text of one type, wherever it stands. What was decided holds for all of them."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Literal

from pydantic import Field

from docgemma.clinical import Frozen
from docgemma.terminology.contract import Candidate, EntityType

Action = Literal["accept", "change", "reject", "undo"]

_PLAIN = str.maketrans("‐‑‒–—−’‘“”", "------''\"\"")


def item_text(text: str) -> str:
    """The text as it is compared: letters without case, plain dashes and quotes, single spaces, no full stop.

    No more than that. Two texts that only a search would call alike are for the expert to tell apart.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_PLAIN)
    return " ".join(plain.split()).strip(" .,;:()[]")


def item_key(text: str, entity_type: EntityType) -> str:
    """The id of an item: the same in every store, short enough to type."""
    return hashlib.sha256(f"{entity_type}\0{item_text(text)}".encode()).hexdigest()[:12]


class Choice(Frozen):
    """What an item is grounded to. None of it: it is not grounded."""

    umls_cui: str | None = None
    snomed_code: str | None = None
    preferred_term: str | None = None


class Decision(Frozen):
    """One entry of the history. Only the last one of an item holds; an `undo` leaves the item undecided."""

    item: str
    text: str
    entity_type: EntityType
    action: Action
    before: Choice = Choice()
    after: Choice = Choice()
    known: bool = Field(default=True, description="Whether the terminology knew the concept")
    shown: tuple[str, ...] = Field(default=(), description="The CUIs that the expert had in view")
    reason: str = ""
    who: str
    at: str
    bulk: str = Field(default="", description="The name of the decision on many items that this was a part of")


class Item(Frozen):
    """A text of one type with what it may stand for, as the last run that met it found."""

    item: str
    text: str
    entity_type: EntityType
    waiting: int = Field(default=0, description="How many different criteria wait for it")
    reason: str = ""
    confidence: float | None = Field(default=None, description="Of what was found; None: an older run did not say")
    found: Choice = Choice()
    candidates: tuple[Candidate, ...] = ()
    decision: Decision | None = None

    def chosen(self) -> Candidate | None:
        """The candidate that the run chose, where it has a code to be grounded to."""
        found = self.found
        if not (found.umls_cui or found.snomed_code):
            return None
        codes = (found.umls_cui, found.snomed_code, found.preferred_term)
        return next((each for each in self.candidates if (each.cui, each.snomed_code, each.display) == codes), None)


class Example(Frozen):
    """A criterion that an item stands in."""

    protocol_id: str
    criterion_id: str
    type: str = "unknown"
    text: str
