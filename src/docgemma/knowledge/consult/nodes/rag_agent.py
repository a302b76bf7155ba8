"""Decide what comes next: another query, a search, or the answer. Code decides; a model may say what it would do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.knowledge.consult.asking import Live, ask
from docgemma.knowledge.consult.leaning import needs_context
from docgemma.knowledge.consult.prompts import render
from docgemma.knowledge.consult.schemas import RagDecision
from docgemma.knowledge.consult.state import MAX_RETRIEVALS, RagState, State, asked_before, sought, step

MAX_TOKENS = 128
LABEL = "Deciding the next step"
_WORDS = {
    "create_retrieval_query": "make a better search query",
    "retrieve_kb": "search the knowledge base",
    "compose_answer": "write the answer",
}


async def rag_agent(state: State, runtime: Runtime[Live]) -> State:
    """At most two searches; an entry that fits ends the search at once."""
    prompt = render(
        "rag_agent",
        query=state["query"],
        retrieval_query=sought(state),
        context_summary=state.get("context_summary", ""),
        rag_state=state["rag_state"],
        attempts=state["retrieve_attempts"],
        questions=state.get("selected_questions", ()),
        leans=needs_context(state["query"], asked_before(state), state["language"]),
    )
    decided = rule(prompt.variables)
    detail, notices = f"{_WORDS[decided.action]}: {decided.reason}", list[str]()
    if not runtime.context.services.shortcuts:
        reply = await ask(runtime.context, prompt, RagDecision, rule, max_tokens=MAX_TOKENS)
        notices = reply.notices(state["language"])
        if reply.by == "model":
            detail += f" (the model proposed: {_WORDS[reply.answer.action]})"
    again = decided.action == "create_retrieval_query"
    return {
        "action": decided.action,
        "rag_state": _state_of(state, decided),
        "create_retrieval_query_reason": decided.reason if again else state.get("create_retrieval_query_reason", ""),
        "timeline": step("rag_agent", LABEL, detail),
        "notices": notices,
    }


def rule(variables: Mapping[str, Any]) -> RagDecision:
    """By what was found and how often it was tried; a question that leans on the conversation gets a query first."""
    if variables["questions"]:
        return RagDecision(action="compose_answer", reason="entries that fit were found")
    attempts = variables["attempts"]
    if attempts >= MAX_RETRIEVALS:
        return RagDecision(action="compose_answer", reason=f"{MAX_RETRIEVALS} searches found nothing that fits")
    if attempts:
        return RagDecision(action="create_retrieval_query", reason="the first search found nothing that fits")
    if variables["leans"]:
        return RagDecision(action="create_retrieval_query", reason="the question leans on what was said before")
    return RagDecision(action="retrieve_kb", reason="the question stands alone")


def _state_of(state: State, decided: RagDecision) -> RagState:
    match decided.action:
        case "create_retrieval_query":
            return "create_retrieval_query"
        case "compose_answer":
            return "composing"
        case _:
            return state["rag_state"]
