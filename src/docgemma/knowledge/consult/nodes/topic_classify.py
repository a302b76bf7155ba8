"""Find the topic, then the subtopic in it, out of those that the role has. They only narrow the first search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langgraph.runtime import Runtime

from docgemma.knowledge.consult.asking import Live, ask
from docgemma.knowledge.consult.contract import Level
from docgemma.knowledge.consult.looking import CLEAR, LIKELY, Votes, look, subtopic_votes, topic_votes
from docgemma.knowledge.consult.prompts import render
from docgemma.knowledge.consult.schemas import NONE, TopicChoice, topic_choice
from docgemma.knowledge.consult.state import State, sought, step

MAX_TOKENS = 160
LABEL = "Finding the topic"


@dataclass(slots=True)
class _Chosen:
    """One level of the tree."""

    name: str
    confidence: Level
    by: Literal["code", "model"] = "code"
    notices: list[str] = field(default_factory=list)


async def topic_classify(state: State, runtime: Runtime[Live]) -> State:
    """A topic only narrows: where a search without one finds nothing that fits, only the record wants to know it."""
    live, role, language = runtime.context, state["role"], state["language"]
    topics = await live.services.knowledge.topics(role.id, language)
    looked = await look(live.services.knowledge, sought(state), role.id, language)
    again, vain = state["retrieve_attempts"] > 0, not looked.fits
    names, votes = [topic.name for topic in topics], topic_votes(looked.found)
    split = bool(votes) and looked.found[0].entry.topic != votes[0][0]
    topic = await _choose(live, state, "topic_classify", names, votes, doubtful=vain or split, by_code=again or vain)
    subtopic = _Chosen("", "low")
    if topic.name and not again:
        subtopics = next((each.subtopics for each in topics if each.name == topic.name), ())
        options, votes = [name for name, _ in subtopics if name], subtopic_votes(looked.found, topic.name)
        subtopic = await _choose(
            live, state, "topic_classify_subtopic", options, votes, within=topic.name, doubtful=vain, by_code=vain
        )
    detail = " / ".join(name for name in (topic.name, subtopic.name) if name) or "no topic"
    by: Literal["code", "model"] = "model" if "model" in (topic.by, subtopic.by) else "code"
    return {
        "demuc": topic.name,
        "chu_de_con": subtopic.name,
        "classification_confidence": topic.confidence,
        "timeline": step("topic_classify", LABEL, f"{detail} ({topic.confidence} confidence)", by),
        "notices": [*topic.notices, *subtopic.notices],
    }


async def _choose(
    live: Live,
    state: State,
    name: str,
    options: Sequence[str],
    votes: Votes,
    *,
    within: str = "",
    doubtful: bool,
    by_code: bool,
) -> _Chosen:
    """One of the options by what a first search says where that is clear, else by the model."""
    known = tuple(vote for vote in votes if vote[0] in options)
    clear = len(options) == 1 or (bool(known) and known[0][1] >= CLEAR)
    if not options:
        return _Chosen("", "low")
    context = state.get("context_summary", "")
    prompt = render(
        name, query=sought(state), options=options, within=within, votes=known, doubtful=doubtful, context=context
    )
    if live.services.shortcuts and (clear or by_code):
        answer = rule(prompt.variables)
        return _Chosen(_name(answer), answer.confidence)
    reply = await ask(live, prompt, topic_choice(options), rule, max_tokens=MAX_TOKENS)
    return _Chosen(_name(reply.answer), reply.answer.confidence, reply.by, reply.notices(state["language"]))


def rule(variables: Mapping[str, Any]) -> TopicChoice:
    """Without a model: the topic of what a search without topic finds, weighed by how well it fits."""
    options, votes = variables["options"], variables["votes"]
    if not votes:
        return TopicChoice(topic=NONE, confidence="low", reason="nothing near was found in any topic")
    if variables["doubtful"]:
        return TopicChoice(topic=votes[0][0], confidence="low", reason="what was found is not enough to tell")
    if len(options) == 1:
        return TopicChoice(topic=options[0], confidence="high", reason="the only one there is")
    name, share = votes[0]
    confidence: Level = "high" if share >= CLEAR else "medium" if share >= LIKELY else "low"
    return TopicChoice(topic=name, confidence=confidence, reason=f"{share:.0%} of what was found")


def _name(choice: TopicChoice) -> str:
    return "" if choice.topic == NONE else choice.topic
