"""What a drug name stands for: our dictionary first, then a service that knows more names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from docgemma.drugs.model import Drug
from docgemma.entities.drugs.names import names
from docgemma.entities.drugs.spelling import near_misses, resolve
from docgemma.sources.contract import NameSource, SourceError

MOST_BRANDS = 12
MOST_SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class Named:
    """A name as given, and the drug it was taken for.

    `known`: its ingredients are certain. `suggestions` are what may have been meant where nothing carries this name.
    `disguised`: written with characters that look like others.
    """

    asked: str
    drug: Drug
    known: bool = False
    suggestions: tuple[str, ...] = ()
    disguised: bool = False


class Naming:
    """Never corrects: a near miss is offered, and a person chooses."""

    def __init__(self, service: NameSource | None = None) -> None:
        self._service = service

    def here(self, name: str) -> Named:
        """By the dictionary alone. An unknown name stands for itself, so that a source can be asked for it."""
        written = " ".join(name.split())
        found = resolve(written)
        if found.kind in ("known", "shorthand"):
            drug = Drug(found.name or written, found.ingredients, _brands(found.ingredients))
            return Named(written, drug, known=True)
        drug = Drug(written, (written.lower(),))
        if found.kind == "disguised":
            return Named(written, drug, suggestions=found.suggestions, disguised=True)
        return Named(written, drug)

    async def elsewhere(self, named: Named, *, ends_at: float) -> Named:
        """For a name that neither the dictionary nor a label knows: its ingredients, else what may have been meant."""
        parts: tuple[str, ...] = ()
        offered: tuple[str, ...] = ()
        if self._service is not None:
            try:
                parts = await self._service.ingredients(named.asked, ends_at=ends_at)
                if not parts:
                    offered = await self._service.suggestions(named.asked, ends_at=ends_at)
            except SourceError:
                parts = ()
        if parts:
            return replace(named, drug=Drug(named.asked, parts, _brands(parts)), known=True)
        suggestions = tuple(dict.fromkeys([*near_misses(named.asked), *offered]))[:MOST_SUGGESTIONS]
        return replace(named, suggestions=suggestions)

    async def classes(self, drug: Drug, *, ends_at: float) -> tuple[str, ...]:
        """What a service calls the classes of its ingredients; nothing where it does not answer."""
        if self._service is None:
            return ()
        found: list[str] = []
        try:
            for part in drug.ingredients:
                found += await self._service.classes(part, ends_at=ends_at)
        except SourceError:
            return ()
        return tuple(dict.fromkeys(found))


def _brands(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in _named_by().get(parts, ()) if (name,) != parts)[:MOST_BRANDS]


@cache
def _named_by() -> dict[tuple[str, ...], list[str]]:
    """Ingredients → every name of them."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, parts in names().items():
        found.setdefault(parts, []).append(name)
    return found
