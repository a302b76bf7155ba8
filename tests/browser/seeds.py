"""What is in a home before a server is started on it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docgemma.config import Settings
from docgemma.grounding.contract import UNSURE, Criterion, Entity, Grounded
from docgemma.terminology.contract import Candidate
from tests.grounding.runs.jobs import criterion, entity, run_to

Waiting = Mapping[str, tuple[float, Sequence[tuple[str, str]]]]
"""Text of an entity: how sure the program is, and the concepts it may stand for, as CUI and name."""

CRITERIA = (
    "Adults with heart failure, or HF under treatment",
    "No AFib in the last year",
    "Known COPD with home oxygen",
    "Able to read the consent form",
)
WAITING: Waiting = {
    "heart failure": (0.66, (("C9000001", "Heart failure"), ("C9000002", "Congestive heart failure"))),
    "HF": (0.41, (("C9000001", "Heart failure"), ("C9000003", "Haemofiltration"))),
    "AFib": (0.68, (("C9000004", "Atrial fibrillation"), ("C9000005", "Atrial flutter"))),
    "COPD": (0.55, (("C9000006", "Chronic obstructive pulmonary disease"),)),
    "consent form": (0.0, ()),
}


def ground_into(home: Path, criteria: Sequence[str] = CRITERIA, waiting: Waiting = WAITING) -> None:
    """A finished run whose every entity waits for an expert. In a thread: here Playwright's event loop may run."""

    async def ground(entries: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        return [
            Grounded(
                **each.model_dump(exclude={"context"}),
                batch_id=batch_id,
                entities=tuple(_entity(each.text, text, waiting) for text in waiting if text in each.text),
            )
            for each in entries
        ]

    home.mkdir(parents=True, exist_ok=True)
    entries = [criterion(number, text) for number, text in enumerate(criteria)]
    address = Settings(home=home).grounding_address
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(run_to(home / "grounded.jsonl", address, entries, ground=ground))).result()


def _entity(criterion_text: str, text: str, waiting: Waiting) -> Entity:
    sure, concepts = waiting[text]
    start = criterion_text.index(text)
    candidates = tuple(
        Candidate(cui=cui, display=name, ontology="MeSH", confidence=sure, type="Condition") for cui, name in concepts
    )
    chosen = {"umls_cui": concepts[0][0], "preferred_term": concepts[0][1]} if concepts else {}
    reason = UNSURE if concepts else "The terminology has no candidate for this term."
    more = {"grounding_confidence": sure, "reason": reason, "candidates": candidates, **chosen}
    return entity(text, span_start=start, span_end=start + len(text), **more)
