"""A model that answers anything valid: it ends, searches twice at most, and shows nothing that it may not."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgemma.knowledge.consult.contract import Consultation
from docgemma.knowledge.consult.schemas import Composed, Decided, RagDecision, RetrievalQuery, Selection, TopicChoice
from docgemma.knowledge.consult.state import MAX_RETRIEVALS
from docgemma.llm.contract import Prompt, T
from tests.knowledge.consult.library import ENTRIES, NURSE, PATIENT, Library, Model, ask, path, turns

WORDS = st.sampled_from(
    ["gums", "bleed", "warfarin", "500 mg", "children", "[1]", "[9]", "nurse", "\n", "nướu", "</s>"]
)
TEXT = st.lists(WORDS, max_size=12).map(" ".join)
QUESTIONS = st.sampled_from(
    ["Why do gums bleed?", "What about children?", "Hello", "Who won?", "Còn trẻ em thì sao?", "my gums", ""]
)


class Whims(Model):
    """Draws every answer."""

    def __init__(self, data: st.DataObject) -> None:
        super().__init__()
        self.data = data

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        self.prompts.append(prompt)
        return schema.model_validate(self.drawn(schema))

    def drawn(self, schema: type[Any]) -> dict[str, Any]:
        draw = self.data.draw
        level = draw(st.sampled_from(["high", "medium", "low"]))
        if issubclass(schema, TopicChoice):
            options = get_args(schema.model_fields["topic"].annotation)
            return {"topic": draw(st.sampled_from(options)), "confidence": level, "reason": "so"}
        if issubclass(schema, Selection):
            numbers = get_args(get_args(schema.model_fields["numbers"].annotation)[0])
            return {"numbers": draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=10))}
        if schema is RetrievalQuery:
            return {"retrieval_query": draw(TEXT)[:300] or "gums", "confidence": level, "reason": "so"}
        if schema is Composed:
            return {"explanation": draw(TEXT), "suggestion_questions": [draw(TEXT)[:160] for _ in range(3)]}
        action = draw(st.sampled_from(get_args(schema.model_fields["action"].annotation)))
        assert schema in (Decided, RagDecision)
        return {"action": action} | ({"context_summary": draw(TEXT)} if schema is Decided else {"reason": "so"})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    data=st.data(),
    question=QUESTIONS,
    role=st.sampled_from([PATIENT, NURSE]),
    language=st.sampled_from(["en", "vi"]),
    talked=st.booleans(),
    shortcuts=st.booleans(),
)
def test_whatever_a_model_says(data: st.DataObject, **asked: Any) -> None:
    library = Library()
    before = turns("Why do my gums bleed?", "Plaque.") if asked["talked"] else ()
    answer = asyncio.run(
        ask(
            asked["question"],
            llm=Whims(data),
            library=library,
            role=asked["role"],
            language=asked["language"],
            conversation=before,
            shortcuts=asked["shortcuts"],
        )
    )
    holds(answer, library, asked["role"].id)


def holds(answer: Consultation, library: Library, role: str) -> None:
    assert answer.response.strip()
    assert path(answer).count("retrieve") <= MAX_RETRIEVALS
    assert {scope.roles for _, scope in library.searches} <= {(role,)}
    own = {each.id for each in ENTRIES if each.role == role}
    assert set(answer.selected_ids) <= own
    assert {each.entry.id for each in answer.found} <= set(answer.selected_ids)
    assert all(each.fits for each in answer.found)
    assert len(answer.suggestions) <= 3
