"""Write the answer from the entries. The model explains, code keeps what they carry; else they are quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from docgemma.entities.cutting import shortened
from docgemma.entities.instructions import without_instructions
from docgemma.entities.printable import printable
from docgemma.knowledge.consult.answering import BREAK, current, nothing, quoted
from docgemma.knowledge.consult.asking import Live, ask
from docgemma.knowledge.consult.grounding import carried, cited, leaned_on
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.consult.prompts import render
from docgemma.knowledge.consult.quoting import source_list, word_for_word
from docgemma.knowledge.consult.schemas import LONGEST_EXPLANATION, Composed
from docgemma.knowledge.consult.showing import set_apart
from docgemma.knowledge.consult.state import State, step
from docgemma.knowledge.consult.suggesting import suggested
from docgemma.knowledge.consult.warned import warnings_left_out
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.safety.wording import kept
from docgemma.knowledge.search.found import Found
from docgemma.llm.contract import Prompt

MAX_TOKENS = 900
LABEL = "Writing the answer"
MOST_ENTRIES, LONGEST_ENTRY, LONGEST_TOGETHER = 5, 1_500, 5_000
MOST_WARNINGS = 1_500
"""Characters of warnings behind a model's text. Where there are more, the entry itself is the better answer."""


async def compose(state: State, runtime: Runtime[Live]) -> State:
    """An entry in another language is never put into other words: nobody could check the translation."""
    live, language = runtime.context, state["language"]
    found, notices = await current(live, state)
    if not found:
        detail = "nothing in the base answers this"
        return await nothing(live, state) | {"notices": notices, "timeline": step("compose", LABEL, detail)}
    if live.services.llm is None or found[0].entry.language != language:
        notices += [phrase("no_model", language)] if live.services.llm is None else []
        return await _as_they_are(live, state, found, "the entries word for word", notices)
    told = _told(found)
    reply = await ask(live, _prompt(state, told), Composed, rule, max_tokens=MAX_TOKENS)
    notices += reply.notices(language)
    if reply.by == "code":
        return await _as_they_are(live, state, found, "the entries word for word", notices)
    return await _explained(live, state, found, found[: len(told)], reply.answer, notices)


def rule(variables: Mapping[str, Any]) -> Composed:
    """Without a model: the best entry as it stands. Questions to ask next come from the base."""
    text = word_for_word(variables["found"], variables["language"])
    return Composed(explanation=shortened(text, LONGEST_EXPLANATION - 1), suggestion_questions=["", "", ""])


def _told(found: Sequence[Found]) -> list[Found]:
    """What the model is given: the first entries, cut to what a prompt can hold."""
    told: list[Found] = []
    room = LONGEST_TOGETHER
    for each in found[:MOST_ENTRIES]:
        text = set_apart(shortened(each.entry.answer, LONGEST_ENTRY))
        if told and len(text) > room:
            break  # the numbers of the entries are their places: none is skipped
        question = set_apart(each.entry.question)
        told.append(replace(each, entry=each.entry.model_copy(update={"question": question, "answer": text})))
        room -= len(text)
    return told


def _prompt(state: State, told: Sequence[Found]) -> Prompt:
    return render(
        "compose",
        persona=state["role"].persona,
        query=state["query"],
        context_summary=state.get("context_summary", ""),
        language=state["language"],
        found=told,
    )


async def _explained(
    live: Live, state: State, found: Sequence[Found], shown: Sequence[Found], answer: Composed, notices: list[str]
) -> State:
    """Sentence by sentence against the entries. What is too little of them is not shown at all."""
    language, entries, query = state["language"], [each.entry for each in shown], state["query"]
    numbered, _ = cited(without_instructions(printable(answer.explanation)), len(entries))
    checked = kept(numbered, entries, audience=state["role"].audience, language=language, question=query)
    if not carried(checked.text, entries, query, language):
        notices = [*notices, phrase("withheld_all", language)]
        return await _as_they_are(live, state, found, "the model's text was withheld", notices)
    text = _with_sources(checked.text, entries, language)
    if text is None:
        notices = [*notices, phrase("warnings_first", language)]
        return await _as_they_are(live, state, found, "the entries word for word, for their warnings", notices)
    live.services.emit(text)
    return {
        "explain": text,
        "word_for_word": False,
        "found": tuple(shown),
        "suggestion_questions": await suggested(live.services.knowledge, state, shown, answer.suggestion_questions),
        "timeline": step(
            "compose", LABEL, f"{checked.dropped} sentence(s) withheld" if checked.dropped else "", "model"
        ),
        "notices": [*notices, phrase("withheld_some", language)] if checked.dropped else notices,
    }


def _with_sources(explanation: str, entries: Sequence[Entry], language: Language) -> str | None:
    """The text, every warning that it left out, and what its numbers stand for. None where it left out too much."""
    text, _ = cited(explanation, len(entries))
    used = [(number, entries[number - 1]) for number in leaned_on(text, entries, language)]
    left_out = dict.fromkeys(warning for _, entry in used for warning in warnings_left_out(text, entry, language))
    if sum(map(len, left_out)) > MOST_WARNINGS:
        return None
    further = ["\n".join((phrase("also_in_entry", language), *map(set_apart, left_out)))] if left_out else []
    return BREAK.join((set_apart(text), *further, source_list(used, language)))


async def _as_they_are(live: Live, state: State, found: Sequence[Found], detail: str, notices: list[str]) -> State:
    return await quoted(live, state, found) | {"timeline": step("compose", LABEL, detail), "notices": notices}
