"""Code decides the next step; a model's proposal stands in the timeline and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.knowledge.consult.nodes.rag_agent import rag_agent
from docgemma.knowledge.consult.schemas import RagDecision
from tests.knowledge.consult.library import Model, runtime, state, turns

BEFORE = turns("Why do my gums bleed?", "Plaque.")
ROWS: list[tuple[str, str, dict[str, Any], str]] = [
    ("stands alone", "How long do fillings last?", {}, "retrieve_kb"),
    ("stands alone in a conversation", "How long do fillings last?", {"conversation_history": BEFORE}, "retrieve_kb"),
    ("leans", "What about children?", {"conversation_history": BEFORE}, "create_retrieval_query"),
    ("nothing fits", "Fillings?", {"retrieve_attempts": 1}, "create_retrieval_query"),
    ("found", "Fillings?", {"retrieve_attempts": 1, "selected_questions": ("x",)}, "compose_answer"),
    ("twice in vain", "Fillings?", {"retrieve_attempts": 2}, "compose_answer"),
]


@pytest.mark.parametrize("proposal", ["create_retrieval_query", "retrieve_kb", "compose_answer"])
@pytest.mark.parametrize(("query", "more", "action"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
async def test_the_next_step(query: str, more: dict[str, Any], action: str, proposal: str) -> None:
    assert (await rag_agent(state(query, **more), runtime()))["action"] == action
    model = Model(rag_agent=RagDecision(action=proposal, reason="so").model_dump())  # type: ignore[arg-type]
    update = await rag_agent(state(query, **more), runtime(llm=model, shortcuts=False))
    assert update["action"] == action
    assert "the model proposed" in update["timeline"][0].detail


async def test_with_shortcuts_no_model_is_asked() -> None:
    model = Model()
    await rag_agent(state("How long do fillings last?"), runtime(llm=model))
    assert model.asked == []
