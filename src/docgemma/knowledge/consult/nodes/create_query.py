"""Make a search query that can be understood without the conversation. What the user asked about stays in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.knowledge.consult.asking import Live, ask
from docgemma.knowledge.consult.leaning import needs_context, with_context
from docgemma.knowledge.consult.meaning import strays
from docgemma.knowledge.consult.prompts import render
from docgemma.knowledge.consult.schemas import RetrievalQuery
from docgemma.knowledge.consult.state import (
    LONGEST_RETRIEVAL_QUERY,
    State,
    asked_before,
    said_before,
    sought,
    step,
)

MAX_TOKENS = 256
LABEL = "Making a search query"


async def create_query(state: State, runtime: Runtime[Live]) -> State:
    """The model's query while it asks the same as the user, else the rule's. The topic is looked for anew."""
    prompt = render(
        "create_query",
        query=state["query"],
        context_summary=state.get("context_summary", ""),
        conversation=state["formatted_conversation_history"],
        reason=state["create_retrieval_query_reason"],
        tried=sought(state) if state["retrieve_attempts"] else "",
        language=state["language"],
        earlier=asked_before(state),
    )
    reply = await ask(runtime.context, prompt, RetrievalQuery, rule, max_tokens=MAX_TOKENS)
    made, by, detail = reply.answer, reply.by, state["create_retrieval_query_reason"]
    if by == "model" and (why := strays(made.retrieval_query, state["query"], said_before(state), state["language"])):
        made, by, detail = rule(prompt.variables), "code", f"{detail}; the model's query was not used: {why}"
    return {
        "original_query": state["query"],
        "retrieval_query": " ".join(made.retrieval_query.split()),
        "retrieval_query_confidence": made.confidence,
        "retrieval_query_reason": made.reason,
        "demuc": "",
        "chu_de_con": "",
        "classification_confidence": None,
        "timeline": step("create_query", LABEL, detail, by),
        "notices": reply.notices(state["language"]),
    }


def rule(variables: Mapping[str, Any]) -> RetrievalQuery:
    """Without a model: with the words of the question before where it leans on it, else as the user asked it.

    The second time only the topic no longer narrows. Leaving words out would make more fit than does.
    """
    query, earlier, language = str(variables["query"]), variables["earlier"], variables["language"]
    if needs_context(query, earlier, language) and not variables["tried"]:
        made, reason = with_context(query, earlier, language), "the question with the words of the one before"
    else:
        made, reason = query, "the question as it was asked, in all topics"
    return RetrievalQuery(retrieval_query=made[:LONGEST_RETRIEVAL_QUERY], confidence="medium", reason=reason)
