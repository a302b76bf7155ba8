"""One consultation from start to end."""

from __future__ import annotations

from typing import cast

from docgemma.clinical import holding
from docgemma.knowledge.consult.answering import response
from docgemma.knowledge.consult.asking import Live
from docgemma.knowledge.consult.contract import Asked, Consultation, Services
from docgemma.knowledge.consult.state import State
from docgemma.llm.contract import Usage, usage


async def consult(asked: Asked, services: Services) -> Consultation:
    """Always an answer: out of the base, that it has none, or that it cannot be read. Nothing of it is written down."""
    from docgemma.knowledge.consult.graph import build  # LangGraph takes a second to import: only who consults pays

    start: State = {
        "input": asked.text,
        "role": asked.role,
        "language": asked.language,
        "conversation_history": asked.conversation,
        "timeline": [],
        "notices": [],
    }
    turn = usage.get(None)
    with holding(usage, turn if turn is not None else Usage()):
        end = cast(State, await build().ainvoke(start, context=Live(services, services.deadline_s)))
    return _told(asked, end)


def _told(asked: Asked, end: State) -> Consultation:
    return Consultation(
        response=response(end),
        role=asked.role.id,
        language=asked.language,
        direct=end.get("answering") == "direct_response",
        word_for_word=end.get("word_for_word", True),
        found=end.get("found", ()),
        suggestions=end.get("suggestion_questions", ()),
        urgent=end.get("urgent", ""),
        notices=tuple(dict.fromkeys(end.get("notices", []))),
        timeline=tuple(end.get("timeline", [])),
        demuc=end.get("demuc", ""),
        chu_de_con=end.get("chu_de_con", ""),
        classification_confidence=end.get("classification_confidence"),
        retrieval_query=end.get("retrieval_query", ""),
        retrieval_query_reason=end.get("retrieval_query_reason", ""),
        context_summary=end.get("context_summary", ""),
        selected_ids=end.get("selected_ids", ()),
    )
