"""Two drugs and a label of one of them, as the tests on interactions need them."""

from __future__ import annotations

from docgemma.drugs.interactions.find import find
from docgemma.drugs.model import Drug, Interaction
from docgemma.entities.drugs.names import ingredients
from docgemma.sources.contract import Label


def drug(name: str, *, brands: tuple[str, ...] = (), classes: tuple[str, ...] = ()) -> Drug:
    """A drug as the dictionary knows it; a name it does not know stands for itself."""
    return Drug(name, ingredients(name) or (name.lower(),), brands, classes)


def told(one: str, field: str, text: str, other: str) -> tuple[Interaction, ...]:
    """What a label of one drug with this single sentence says of the other."""
    return find(drug(one), drug(other), [Label(one, {field: (text,)})], [])


def quote(found: Interaction) -> str:
    assert found.statement is not None
    return found.statement.text
