"""What is found: this role alone, this language first, narrowed only while the topic is sure."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.knowledge.consult.nodes.retrieve import retrieve
from docgemma.knowledge.consult.state import MOST_CANDIDATES
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.search.found import Findings
from tests.knowledge.consult.library import PATIENT, Library, entry, runtime, state

TOPIC = {"demuc": "Gums", "chu_de_con": "Bleeding", "classification_confidence": "high"}
OWN = (PATIENT.id,)
NARROW = [Scope(OWN, "en", "Gums", "Bleeding"), Scope(OWN, "en", "Gums")]
WIDE = [Scope(OWN, "en")]


@pytest.mark.parametrize(
    ("more", "scopes"),
    [
        (TOPIC, NARROW),
        (TOPIC | {"chu_de_con": ""}, NARROW[1:]),
        (TOPIC | {"classification_confidence": "low"}, WIDE),
        (TOPIC | {"retrieve_attempts": 1}, WIDE),
        ({}, WIDE),
    ],
    ids=["topic and subtopic", "topic", "doubtful", "second search", "no topic"],
)
async def test_where_it_is_searched(more: dict[str, Any], scopes: list[Scope]) -> None:
    library = Library()
    await retrieve(state("Why do gums bleed?", **more), runtime(library))
    assert [scope for _, scope in library.searches] == scopes


async def test_each_entry_once_and_no_more_than_a_screenful() -> None:
    held = [entry(f"g{n:02}", "Why do gums bleed?", "Plaque.", subtopic=("A", "B")[n % 2]) for n in range(40)]
    given = state("Why do gums bleed?", **TOPIC | {"chu_de_con": "A"})
    found = (await retrieve(given, runtime(Library(held))))["retrieved_candidates"]
    assert len(found) == len({each.entry.id for each in found}) <= MOST_CANDIDATES


async def test_the_other_language_is_used_last_and_said() -> None:
    asked = state("whitening peroxide enamel", language="vi", retrieve_attempts=1)
    update = await retrieve(asked, runtime())
    assert [each.entry.id for each in update["retrieved_candidates"] if each.fits] == ["whitening"]
    assert "tiếng Anh" in update["notices"][0]
    first = await retrieve(asked | {"retrieve_attempts": 0}, runtime())
    assert not first["retrieved_candidates"]


async def test_an_index_that_gives_another_roles_entries_is_not_believed() -> None:
    class Leaky(Library):
        async def search(self, question: str, scope: Scope, *, limit: int = 10) -> Findings:
            return await super().search(question, Scope(("patient_dental", "nurse"), "en"), limit=50)

    found = (await retrieve(state("Why do my gums bleed when I brush?"), runtime(Leaky())))["retrieved_candidates"]
    assert {each.entry.role for each in found} == {PATIENT.id}
