"""Answer without the model: the best entries, word for word. This node asks nobody who could fail it twice."""

from __future__ import annotations

from langgraph.runtime import Runtime

from docgemma.errors import Unavailable
from docgemma.knowledge.consult.answering import closed, current, quoted, small_talk
from docgemma.knowledge.consult.asking import Live
from docgemma.knowledge.consult.chat import is_chat
from docgemma.knowledge.consult.leaning import needs_context, with_context
from docgemma.knowledge.consult.looking import OTHER, look
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.consult.state import MAX_RETRIEVALS, State, asked_before, step
from docgemma.knowledge.search.found import Found

LABEL = "Answering without the model"
MOST = 5


async def fallback(state: State, runtime: Runtime[Live]) -> State:
    """What was found so far, or what a search by code finds; that the base is closed only when it is."""
    live = runtime.context
    if state.get("base_closed"):
        return closed(live, state) | {"timeline": step("fallback", LABEL, "the knowledge base cannot be read")}
    if is_chat(state["query"]) and not state["urgent"] and not state["retrieve_attempts"]:
        spoken = small_talk(live, state) | {"timeline": step("fallback", LABEL, "small talk, answered directly")}
        return spoken | {"answering": "direct_response"}
    try:
        searched = await _searched(live, state)
        merged: State = {**state, **searched}
        found, told = await current(live, merged)
        answered = await quoted(live, merged, found)
    except Unavailable as failure:
        return closed(live, state, failure) | {"timeline": step("fallback", LABEL, "the knowledge base cannot be read")}
    notices = [
        *told,
        *searched.get("notices", []),
        phrase("model_lost" if found else "model_lost_nothing", state["language"]),
    ]
    detail = "the entries word for word" if found else "nothing in the base answers this"
    return {**searched, **answered, "notices": notices, "timeline": step("fallback", LABEL, detail)}


async def _searched(live: Live, state: State) -> State:
    """The selection there is; else one by rule from the candidates; else from a search that nothing narrows."""
    if state.get("selected_ids"):
        return {}
    found, notices = state.get("retrieved_candidates", ()), list[str]()
    attempts, query = state["retrieve_attempts"], state.get("retrieval_query", "")
    if not any(each.fits for each in found) and attempts < MAX_RETRIEVALS:
        attempts, query = attempts + 1, _query(state)
        found, notices = await _look(live, state, query)
    chosen = [each for each in found if each.fits][:MOST]
    return {
        "retrieved_candidates": found,
        "retrieve_attempts": attempts,
        "retrieval_query": query,
        "selected_ids": tuple(each.entry.id for each in chosen),
        "selected_questions": tuple(each.entry.question for each in chosen),
        "notices": notices,
    }


async def _look(live: Live, state: State, query: str) -> tuple[tuple[Found, ...], list[str]]:
    knowledge, role, language = live.services.knowledge, state["role"].id, state["language"]
    looked = await look(knowledge, query, role, language)
    if looked.fits:
        return looked.found, list(looked.notices)
    other = await look(knowledge, query, role, OTHER[language])
    if other.fits:
        return other.found, [*other.notices, phrase("other_language", language)]
    return looked.found, list(looked.notices)


def _query(state: State) -> str:
    """The one that was made, unless it was already searched for in vain."""
    if state.get("retrieval_query") and not state["retrieve_attempts"]:
        return state["retrieval_query"]
    earlier, language = asked_before(state), state["language"]
    leans = needs_context(state["query"], earlier, language) and not state["retrieve_attempts"]
    return with_context(state["query"], earlier, language) if leans else state["query"]
