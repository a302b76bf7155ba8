"""What a source of drug labels or drug names gives, whichever one it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from docgemma.clinical import ErrorType, Origin
from docgemma.errors import Unavailable


class SourceError(Unavailable):
    """A source that gave no usable answer: nothing was read, so nothing is known. Never the same as "has none"."""

    def __init__(self, error_type: ErrorType, sentence: str) -> None:
        super().__init__(sentence)
        self.error_type: ErrorType = error_type


@dataclass(frozen=True, slots=True)
class Label:
    """One product's label. Sections have openFDA's field names, whatever source they come from.

    A section's texts are as published; `<section>_table` holds the raw markup of its tables. `full`: the whole label
    was read, so that what it does not name is not named. An entry of the starter pack is never full. `classes` are the
    pharmacological classes that come with it, as the source spells them.
    """

    title: str
    sections: Mapping[str, tuple[str, ...]] = field(repr=False, hash=False)
    set_id: str = ""
    effective: str | None = None
    brands: tuple[str, ...] = ()
    generics: tuple[str, ...] = ()
    substances: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    manufacturer: str = ""
    product_type: str = ""
    original: bool = False
    url: str | None = None
    full: bool = True


@dataclass(frozen=True, slots=True)
class Labels:
    """What a source has for one drug, never empty, in its own order."""

    labels: tuple[Label, ...]
    source: str
    origin: Origin
    data_date: str | None = None
    demonstration: bool = False
    total: int = 0


class LabelSource(Protocol):
    """One place that has labels. `ends_at` is a time of the running loop: whatever it does, it is done by then."""

    @property
    def name(self) -> str: ...

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        """Labels of products with this ingredient or brand; None when it has none. Raises SourceError."""
        ...


class NameSource(Protocol):
    """What a drug name stands for, asked of a service that knows more names than our dictionary."""

    async def ingredients(self, name: str, *, ends_at: float) -> tuple[str, ...]:
        """Lower-case ingredient names; empty when the name is not known. Raises SourceError."""
        ...

    async def suggestions(self, name: str, *, ends_at: float) -> tuple[str, ...]:
        """Names that are spelled almost like this one, for a person to choose from. Raises SourceError."""
        ...

    async def classes(self, ingredient: str, *, ends_at: float) -> tuple[str, ...]:
        """Names of the drug classes it belongs to, as the service spells them. Raises SourceError."""
        ...
