"""The labels of one drug, cleaned and ranked, and how far what was read can be relied on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from docgemma.clinical import ErrorType, Origin
from docgemma.drugs.labels.bounds import bounded
from docgemma.drugs.labels.ranking import ranked
from docgemma.drugs.labels.wording import SECTIONS
from docgemma.drugs.model import Drug
from docgemma.entities.instructions import instructions_in, without_instructions
from docgemma.sources.contract import Label
from docgemma.sources.row import Chain, Outcome
from docgemma.sources.starter import STARTER_NAME

MOST_LABELS = 3
"""Labels of one drug that are read: the best ones. More repeat each other; of the rest only the box is."""

BOX = "boxed_warning"


@dataclass(frozen=True, slots=True)
class Read:
    """What was read for one drug. No labels: `error_type` says why, or a full source has none of it."""

    labels: tuple[Label, ...] = ()
    source: str = ""
    origin: Origin | None = None
    data_date: str | None = None
    demonstration: bool = False
    flagged: tuple[str, ...] = ()
    error_type: ErrorType | None = None
    failure: str = ""

    @property
    def full(self) -> bool:
        """Whole labels, so that what they do not name is not named."""
        return bool(self.labels) and all(label.full for label in self.labels)

    @property
    def live(self) -> bool:
        return self.origin == "live"

    @property
    def reason(self) -> ErrorType:
        """The same in one word."""
        if self.labels:
            return self.error_type or "not_configured"
        return self.error_type or "drug_not_in_database"

    def why(self, name: str) -> str:
        """Why nothing can be ruled out with this; what kept the label from being read is told once, for all drugs."""
        if self.labels:
            return f"only the demonstration entry of {name} was read"
        return f"no label of {name} was read" if self.failure else f"no label of {name} was found"


class Reader:
    """Reads through the chain of sources."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    async def read(self, drug: Drug, *, ends_at: float) -> Read:
        """A single drug by its ingredient; a combination by its name, else by its parts."""
        if len(drug.ingredients) == 1:
            return await self._labels(drug.ingredients[0], drug, ends_at)
        whole = await self._labels(drug.name, drug, ends_at)
        if whole.full:
            return whole
        parts = [await self._labels(part, Drug(part, (part,)), ends_at) for part in drug.ingredients]
        return _together(parts) if all(part.labels for part in parts) else whole if whole.labels else _worst(parts)

    async def _labels(self, asked: str, drug: Drug, ends_at: float) -> Read:
        def fits(label: Label) -> bool:
            return bool(ranked((label,), drug.ingredients, drug.name))

        outcome = await self._chain.labels(asked, ends_at=ends_at, fits=fits)
        return await asyncio.to_thread(_kept, outcome, drug)


def _kept(outcome: Outcome, drug: Drug) -> Read:
    found = outcome.labels
    labels = ranked(found.labels, drug.ingredients, drug.name) if found else ()
    if found is None or not labels:
        return _nothing(outcome)
    boxes = (_box_of(label) for label in labels[MOST_LABELS:] if BOX in label.sections)
    cleaned = [_cleaned(bounded(label)) for label in (*labels[:MOST_LABELS], *boxes)]
    return Read(
        labels=tuple(label for label, _ in cleaned),
        source=found.source,
        origin=found.origin,
        data_date=found.data_date,
        demonstration=found.demonstration,
        flagged=tuple(dict.fromkeys(passage for _, passages in cleaned for passage in passages)),
        error_type=outcome.failures[0].error_type if outcome.failures else None,
        failure=_sentence(outcome) if found.demonstration else "",
    )


def _nothing(outcome: Outcome) -> Read:
    """A source that failed may have had a label; the starter pack is too small for its silence to mean anything."""
    if outcome.failures:
        return Read(error_type=outcome.failures[0].error_type, failure=_sentence(outcome))
    if all(name == STARTER_NAME for name in outcome.asked):
        return Read(error_type="not_configured", failure="it is not in the demonstration pack")
    return Read()


def _sentence(outcome: Outcome) -> str:
    """The first failure, fit to stand inside a sentence."""
    return str(outcome.failures[0]).rstrip(".") if outcome.failures else ""


def _cleaned(label: Label) -> tuple[Label, tuple[str, ...]]:
    """Only the sections that are read, without what reads like an order to a program: a label speaks to people."""
    flagged: list[str] = []
    sections: dict[str, tuple[str, ...]] = {}
    for name, texts in label.sections.items():
        if name.removesuffix("_table") not in SECTIONS:
            continue
        found = [passage for text in texts for passage in instructions_in(text)]
        flagged += found
        sections[name] = tuple(without_instructions(text) for text in texts) if found else texts
    return replace(label, sections=_present(sections)), tuple(flagged)


def _box_of(label: Label) -> Label:
    return replace(label, sections={BOX: label.sections[BOX]})


def _present(sections: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: kept for name, texts in sections.items() if (kept := tuple(text for text in texts if text.strip()))}


def _together(parts: Sequence[Read]) -> Read:
    """A combination read by its parts: as old as the oldest, as reliable as the least reliable."""
    first = parts[0]
    return Read(
        labels=tuple(label for part in parts for label in part.labels),
        source=", ".join(dict.fromkeys(part.source for part in parts)),
        origin=first.origin,
        data_date=min((part.data_date for part in parts if part.data_date), default=None),
        demonstration=any(part.demonstration for part in parts),
        flagged=tuple(passage for part in parts for passage in part.flagged),
        error_type=next((part.error_type for part in parts if part.error_type), None),
        failure=next((part.failure for part in parts if part.failure), ""),
    )


def _worst(parts: Sequence[Read]) -> Read:
    return next((part for part in parts if part.error_type), next(part for part in parts if not part.labels))
