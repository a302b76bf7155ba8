"""Take the request apart, or ask what it takes to do so. What the model decides here is used as it is."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.agent.aliases import UPDATE, old_name
from docgemma.agent.answer.check import check
from docgemma.agent.answer.evidence import Evidence
from docgemma.agent.asking import Live, Variables, decide
from docgemma.agent.record import Clarification
from docgemma.agent.schemas import MOST_PARTS, QUERY_LIMIT, DecomposedIntent, Subtask
from docgemma.agent.state import Part, State, patient_context, step, today_of
from docgemma.agent.understanding.needs import Need
from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.sentences import SentenceStream
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 512
LABEL = "Taking the request apart"
MODEL_ASKS = "The model asks: "
"""A question of its own is marked: no code knows whether it has to be asked."""


async def decompose_request(state: State, runtime: Live) -> State:
    """The parts in their order; entries come last, for a card ends the turn."""
    own = {
        "history": state.get("history", ()),
        "image": "no" if state.get("image") is None else "yes",
        "reasoning": state.get("thought", ""),
    }
    answer, by = await decide(state, runtime, "decompose_request", DecomposedIntent, MAX_TOKENS, **own)
    question = _question(state, answer)
    if question:
        asked = Clarification(reason="model_question", question=MODEL_ASKS + question)
        return {"clarification": asked, "timeline": step("decompose_request", LABEL, "the model asks the user", by=by)}
    parts = _parts(answer, state["needs"] if by == "code" else ())
    many = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
    return {"parts": parts, "timeline": step("decompose_request", LABEL, many, by=by)}


def rule(variables: Variables) -> DecomposedIntent:
    """Without a model: one part for each look-up or entry that the words ask for; an image alone is looked at."""
    needs: Sequence[Need] = variables["needs"] or (
        [Need("analyze_medical_image")] if variables["image"] == "yes" else []
    )
    parts = {_as_subtask(need): None for need in needs}
    return DecomposedIntent(requires_clarification=False, subtasks=tuple(parts)[:MOST_PARTS])


def _as_subtask(need: Need) -> Subtask:
    """A search for a person and that person's chart are one part: both are the record."""
    name = old_name(need.tool)
    label = "Patient Record" if name == "get_patient_record" else REGISTRY[need.tool].label
    return Subtask(intent=label, requires_tool=name, context=(need.subject or "")[:QUERY_LIMIT])


def _parts(answer: DecomposedIntent, needs: Sequence[Need]) -> tuple[Part, ...]:
    """As the graph works on them, entries last. `needs`: those that the rule made its parts of."""
    meant = {_as_subtask(need): need for need in needs}  # of a search and a chart the chart is what the part is for
    parts = [
        Part(one.intent, query=one.context, need=meant.get(one), hint=one.requires_tool) for one in answer.subtasks
    ]
    return tuple(sorted(parts, key=lambda part: part.hint == UPDATE))


def _question(state: State, answer: DecomposedIntent) -> str:
    """The model's question as far as it may be shown: checked like any sentence of an answer; empty when it asks none.

    A rule asks nothing here: what is missing for a call is found out, and asked for by name, when it is made.
    """
    said = " ".join((answer.clarification_question or "").split())
    if not answer.requires_clarification or not said:
        return ""
    evidence = Evidence.of(
        (),
        user=(state["message"], state["request"], *state.get("earlier", ())),
        chart=(patient_context(state),),
        names=(),
        today=today_of(state),
        drugs_in=lambda text: tuple(mention.value for mention in drugs_in(text)),
    )
    stream = SentenceStream()
    sentences = [*stream.feed(said), *stream.flush()]
    return "".join(check(sentence, evidence).text for sentence in sentences).strip()
