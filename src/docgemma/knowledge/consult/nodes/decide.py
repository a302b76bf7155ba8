"""Decide whether the knowledge base is needed. Only for small talk it is not, and code has the last word on that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from docgemma.entities.cutting import shortened
from docgemma.knowledge.consult.answering import small_talk
from docgemma.knowledge.consult.asking import Live, Reply, ask
from docgemma.knowledge.consult.chat import is_chat, may_be_chat
from docgemma.knowledge.consult.leaning import needs_context
from docgemma.knowledge.consult.prompts import render
from docgemma.knowledge.consult.schemas import Decided
from docgemma.knowledge.consult.state import LONGEST_SUMMARY, Answering, State, asked_before, step

MAX_TOKENS = 256
LABEL = "Deciding whether to look it up"
LOOK_UP, DIRECT = "needs the knowledge base", "small talk, answered directly"


async def decide(state: State, runtime: Runtime[Live]) -> State:
    """A model never answers a medical question here: what it calls small talk must read like small talk to code."""
    live, query = runtime.context, state["query"]
    prompt = render(
        "decide",
        query=query,
        conversation=state["formatted_conversation_history"],
        language=state["language"],
        earlier=asked_before(state),
    )
    sure = is_chat(query) or not may_be_chat(query)
    if live.services.shortcuts and sure:
        reply: Reply[Decided] = Reply(rule(prompt.variables), "code")
    else:
        reply = await ask(live, prompt, Decided, rule, max_tokens=MAX_TOKENS)
    action = _decided(state, reply.answer.action)
    detail = DIRECT if action == "direct_response" else LOOK_UP
    overruled = reply.by == "model" and action != reply.answer.action
    update: State = {
        "answering": action,
        "context_summary": " ".join(reply.answer.context_summary.split()),
        "timeline": step("decide", LABEL, f"{detail} (the model was overruled)" if overruled else detail, reply.by),
        "notices": reply.notices(state["language"]),
    }
    return update | small_talk(live, state) if action == "direct_response" else update


def rule(variables: Mapping[str, Any]) -> Decided:
    """Without a model: small talk is known by its words, and the context is the question before."""
    query, earlier = str(variables["query"]), variables["earlier"]
    leans = needs_context(query, earlier, variables["language"])
    return Decided(
        action="direct_response" if is_chat(query) else "retrieve_kb",
        context_summary=shortened(earlier[-1], LONGEST_SUMMARY) if leans else "",
    )


def _decided(state: State, said: Answering) -> Answering:
    """What is nothing but small talk is not searched for, and what may be more is."""
    if state["urgent"] or not may_be_chat(state["query"]):
        return "retrieve_kb"
    return "direct_response" if is_chat(state["query"]) else said
