"""The starter pack: a small hand-written set of medicines, so that a fresh installation has something to show offline.

It is a demonstration. Nobody compared it with the current labels, no clinician reviewed it, and what it does not name
is unknown, not safe. One medicine a line, looked up by whatever name the drug dictionary resolves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from docgemma.clinical import Frozen
from docgemma.entities.drugs.names import ingredients
from docgemma.sources.contract import Label, Labels

STARTER_NAME = "DocGemma starter pack"
STARTER_DATE = "2026-11-15"
"""When its content was written. The labels it tells of may be newer."""

MARK = "not reviewed by a clinician"

Sentence = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]


class Medicine(Frozen):
    """What the pack says about one medicine, in our own words.

    An empty list or sentence means that nothing was written down, which says nothing about the medicine.
    """

    ingredient: Name = Field(description="As the drug dictionary spells it; parts of a combination joined by +")
    brands: tuple[Name, ...] = Field(max_length=4)
    drug_class: Sentence = Field(alias="class")
    boxed_warning: tuple[Sentence, ...] = Field(max_length=3)
    contraindications: tuple[Sentence, ...] = Field(min_length=1, max_length=6)
    warnings: tuple[Sentence, ...] = Field(min_length=2, max_length=6)
    interactions: tuple[Sentence, ...] = Field(min_length=1, max_length=5)
    renal: Annotated[str, StringConstraints(max_length=200)]
    pregnancy: Annotated[str, StringConstraints(max_length=200)]
    basis: Sentence

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.ingredient.split("+"))

    def sections(self) -> Mapping[str, tuple[str, ...]]:
        """What was written, under the names that the reader of labels knows."""
        written = {
            "boxed_warning": self.boxed_warning,
            "contraindications": self.contraindications,
            "warnings": self.warnings,
            "interactions": self.interactions,
            "renal": (self.renal,) if self.renal else (),
            "pregnancy": (self.pregnancy,) if self.pregnancy else (),
        }
        return MappingProxyType({name: texts for name, texts in written.items() if texts})


class StarterPack:
    """The pack as a source of labels, none of which is full: it can say that something is known, never that nothing is.

    A combination product is answered with one label for each entry that it contains, the whole product first.
    """

    name = STARTER_NAME

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        """Entries for this ingredient, brand or product; None when the pack has none of its ingredients."""
        asked = ingredients(drug)
        entries = _contained(asked)
        if not entries:
            return None
        covered = {part for entry in entries for part in entry.parts}
        missing = [part for part in asked if part not in covered]
        found = tuple(_label(entry, missing) for entry in entries)
        return Labels(found, STARTER_NAME, "pack", data_date=STARTER_DATE, demonstration=True, total=len(found))


@cache
def medicines() -> Mapping[tuple[str, ...], Medicine]:
    """Every entry by its ingredients, in the order that the dictionary gives them. Read on the first question."""
    found: dict[tuple[str, ...], Medicine] = {}
    folder = files("docgemma.sources.starter").joinpath("medicines")
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.endswith(".jsonl"):
            for entry in read(path.read_text(encoding="utf-8").splitlines(), path.name):
                if entry.parts in found:
                    raise ValueError(f"{path.name}: {entry.ingredient} has an entry already. Keep one of them.")
                found[entry.parts] = entry
    return MappingProxyType(found)


def read(lines: Iterable[str], file: str) -> list[Medicine]:
    """The medicines of one file. A line of another shape is our own fault: it says where, and nothing loads."""
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(Medicine.model_validate_json(line))
        except ValidationError as error:
            place = ".".join(str(step) for step in error.errors()[0]["loc"]) or "the line"
            raise ValueError(f"{file}, line {number}: {place}: {error.errors()[0]['msg']}.") from error
    return found


def _contained(asked: tuple[str, ...]) -> list[Medicine]:
    """Entries that are part of this product. One inside a larger one is left out: the combination is the medicine."""
    wanted = set(asked)
    inside = [entry for entry in medicines().values() if wanted.issuperset(entry.parts)]
    inside.sort(key=lambda entry: (-len(entry.parts), asked.index(entry.parts[0])))
    return [entry for entry in inside if not any(set(entry.parts) < set(other.parts) for other in inside)]


def _label(entry: Medicine, missing: list[str]) -> Label:
    """An entry as a label. The title says which other ingredients of the asked product nothing is known about."""
    unknown = f"; no entry for {' or '.join(missing)}" if missing else ""
    return Label(
        title=f"{entry.ingredient} (starter pack, demonstration{unknown})",
        sections=entry.sections(),
        effective=STARTER_DATE,
        brands=entry.brands,
        generics=(entry.ingredient,),
        substances=entry.parts,
        full=False,
    )
