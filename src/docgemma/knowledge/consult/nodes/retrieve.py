"""Search the base: this role alone, in the language of the question."""

from __future__ import annotations

from langgraph.runtime import Runtime

from docgemma.knowledge.consult.asking import Live
from docgemma.knowledge.consult.looking import OTHER, look
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.consult.state import MAX_RETRIEVALS, State, sought, step

LABEL = "Searching the knowledge base"


async def retrieve(state: State, runtime: Runtime[Live]) -> State:
    """In the topic first, with and without the subtopic. A doubtful topic and a second search do not narrow."""
    knowledge, role, language = runtime.context.services.knowledge, state["role"].id, state["language"]
    attempt = state["retrieve_attempts"] + 1
    narrow = attempt == 1 and bool(state.get("demuc")) and state.get("classification_confidence") != "low"
    topic = state["demuc"] if narrow else ""
    subtopic = state.get("chu_de_con", "") if narrow else ""
    looked = await look(knowledge, sought(state), role, language, topic=topic, subtopic=subtopic)
    notices, where = list(looked.notices), f"in '{topic}'" if topic else "in all topics"
    if not looked.fits and attempt == MAX_RETRIEVALS:
        other = await look(knowledge, sought(state), role, OTHER[language])
        if other.fits:
            looked, where = other, "in the other language"
            notices.append(phrase("other_language", language))
    fitting = sum(each.fits for each in looked.found)
    return {
        "retrieved_candidates": looked.found,
        "retrieve_attempts": attempt,
        "rag_state": "retrieved",
        "timeline": step("retrieve", LABEL, f"search {attempt} {where}: {len(looked.found)} found, {fitting} fit"),
        "notices": notices,
    }
