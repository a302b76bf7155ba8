"""Choose among the candidates. One that does not fit is never chosen; one that comes near, only by a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from docgemma.knowledge.consult.asking import Live, ask
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.consult.prompts import render
from docgemma.knowledge.consult.schemas import Selection, selection
from docgemma.knowledge.consult.state import FEW, MOST_SELECTED, State, sought, step
from docgemma.knowledge.search.found import Found

MAX_TOKENS = 64
LABEL = "Choosing the entries"
MOST_BY_RULE, MOST_NEAR = 5, 6


async def filter(state: State, runtime: Runtime[Live]) -> State:
    """A few pass as they are; of many the model names the numbers of those that help."""
    live, found = runtime.context, state["retrieved_candidates"]
    fitting = [each for each in found if each.fits]
    near = [each for each in found if each.near][:MOST_NEAR]
    if not fitting and near and live.services.llm is not None:
        return await _second_opinion(state, live, near)
    offered = fitting if live.services.shortcuts else list(found)
    if not fitting or len(offered) <= FEW:
        return _selected(fitting, "all that fit" if fitting else "none fits")
    prompt = render("filter", query=sought(state), candidates=offered, or_none=False)
    reply = await ask(live, prompt, selection(len(offered)), rule, max_tokens=MAX_TOKENS)
    chosen = _fitting(offered, reply.answer.numbers)
    if not chosen:
        return _selected(_fitting(offered, rule(prompt.variables).numbers), "what the model chose does not fit")
    update = _selected(chosen, f"{len(chosen)} of {len(offered)}", reply.by)
    return update | {"notices": reply.notices(state["language"])}


async def _second_opinion(state: State, live: Live, near: Sequence[Found]) -> State:
    """By their words these may answer or not: the model may say that some do, and the answer says who said so."""
    prompt = render("filter", query=sought(state), candidates=near, or_none=True)
    reply = await ask(live, prompt, selection(len(near), or_none=True), rule, max_tokens=MAX_TOKENS)
    chosen = [each for number, each in enumerate(near, 1) if number in reply.answer.numbers and reply.by == "model"]
    if not chosen or 0 in reply.answer.numbers:
        return _selected((), "none fits", reply.by) | {"notices": reply.notices(state["language"])}
    return _selected(chosen, f"{len(chosen)} of {len(near)} that come near", "model") | {
        "notices": [phrase("by_model", state["language"])]
    }


def rule(variables: Mapping[str, Any]) -> Selection:
    """Without a model: those that fit, best first."""
    candidates: Sequence[Found] = variables["candidates"]
    numbers = [number for number, each in enumerate(candidates, 1) if each.fits]
    return Selection(numbers=numbers[:MOST_BY_RULE] or [0 if variables["or_none"] else 1])


def _fitting(offered: Sequence[Found], numbers: Sequence[int]) -> list[Found]:
    """In the order of the search, however they were named."""
    return [each for number, each in enumerate(offered, 1) if number in set(numbers) and each.fits]


def _selected(chosen: Sequence[Found], detail: str, by: str = "code") -> State:
    kept = chosen[:MOST_SELECTED]
    return {
        "selected_ids": tuple(each.entry.id for each in kept),
        "selected_questions": tuple(each.entry.question for each in kept),
        "rag_state": "filtered",
        "timeline": step("filter", LABEL, detail, "model" if by == "model" else "code"),
    }
