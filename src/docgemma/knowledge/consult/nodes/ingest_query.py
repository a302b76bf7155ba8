"""Read the question: tidy it, look for signs of an emergency, and cut the conversation to what a prompt may hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from langgraph.runtime import Runtime

from docgemma.entities.cutting import shortened
from docgemma.entities.printable import printable
from docgemma.knowledge.consult.answering import BREAK
from docgemma.knowledge.consult.asking import Live
from docgemma.knowledge.consult.state import LONGEST_QUERY, State, step
from docgemma.knowledge.safety.red_flags import urgent
from docgemma.llm.contract import Message

LABEL = "Reading the question"
LAST_MESSAGES, LONGEST_MESSAGE = 6, 400
_LONGEST_READ = 20_000


async def ingest_query(state: State, runtime: Runtime[Live]) -> State:
    """A patient's emergency is found by rule and told before anything else can go wrong."""
    read = _tidy(state["input"])
    notice = urgent(read, state["language"]) if state["role"].audience == "patient" else ""
    if notice:
        runtime.context.services.emit(notice + BREAK)
    last = tuple(m for m in state.get("conversation_history", ()) if m.role != "system")[-LAST_MESSAGES:]
    cut = tuple(Message(message.role, shortened(_tidy(message.text), LONGEST_MESSAGE)) for message in last)
    return {
        "query": read[:LONGEST_QUERY],
        "urgent": notice,
        "conversation_history": cut,
        "formatted_conversation_history": _formatted(cut),
        "retrieve_attempts": 0,
        "rag_state": "init",
        "timeline": step("ingest_query", LABEL, "signs of an emergency: the notice comes first" if notice else ""),
    }


def _tidy(text: str) -> str:
    """On one line, without what hides; letters and their marks put together, as every table here has them."""
    return unicodedata.normalize("NFC", " ".join(printable(text[:_LONGEST_READ]).split()))


def _formatted(messages: Sequence[Message]) -> str:
    """One line a message: nothing in it can begin a line of its own."""
    return "\n".join(f"{'Asked' if message.role == 'user' else 'Answered'}: {message.text}" for message in messages)
