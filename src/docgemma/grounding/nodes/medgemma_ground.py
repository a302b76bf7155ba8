"""Find the entities of each criterion and choose their concepts: extract, search, then evaluate or refine.

The model names words, search terms and numbers. Places, candidates, the number of rounds and what counts are code's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.runtime import Runtime

from docgemma.entities.instructions import instructions_in
from docgemma.errors import ModelOutputInvalid, ModelUnreachable
from docgemma.grounding.asking import Live, by_rule, decide
from docgemma.grounding.choosing import choose, unsettled
from docgemma.grounding.contract import Criterion, Method
from docgemma.grounding.locating import locate
from docgemma.grounding.lookup import already_linked, by_place, look_up
from docgemma.grounding.router import searches_again
from docgemma.grounding.schemas import LONGEST_ENTITY, MOST_ENTITIES, Evaluation, Extraction, evaluation
from docgemma.grounding.searching import TerminologyFailed
from docgemma.grounding.state import MAX_ROUNDS, By, Found, History, Read, State
from docgemma.terminology.contract import Linked

EXTRACT_TOKENS, EVALUATE_TOKENS = 1_024, 768

UNREADABLE = "The model's answer could not be read."
MISSED = "The model named no entity that stands in this criterion; code found this one."
SPEAKS_TO_A_PROGRAM = "The criterion contains words that address a program, so no model was asked."


async def medgemma_ground(state: State, runtime: Runtime[Live]) -> State:
    """Every criterion on its own: one that fails takes no other with it. Only if all fail, the batch has failed."""
    live = runtime.context
    gate = asyncio.Semaphore(max(1, live.services.concurrency))

    async def one(criterion: Criterion) -> Read:
        async with gate:
            return await _ground(criterion, live)

    read = tuple(await asyncio.gather(*map(one, state["criteria_texts"])))
    failed = next((each.error for each in read if each.error), None)
    return {
        "raw_entities": read,
        "iteration_history": tuple(each.history for each in read),
        "error": failed if all(each.error for each in read) else None,
    }


@dataclass(slots=True)
class _Task:
    """One criterion on its way. `mentions` are what the dictionary finds in it, looked up once."""

    criterion: Criterion
    live: Live
    history: History = field(default_factory=History)
    mentions: tuple[Linked, ...] | None = None

    @property
    def by(self) -> By:
        return "code" if self.live.services.model is None else "model"

    async def linked(self) -> tuple[Linked, ...]:
        if self.mentions is None:
            services = self.live.services
            self.mentions = await services.terminology.link(self.criterion.text, max_results=services.max_results)
            self.history.note(1, "link", "code", mentions=len(self.mentions))
        return self.mentions


async def _ground(criterion: Criterion, live: Live) -> Read:
    task = _Task(criterion, live)
    try:
        found = await _found(task)
    except (TerminologyFailed, ModelUnreachable) as failure:
        return Read(history=tuple(task.history.steps), error=str(failure))
    return Read(tuple(found), tuple(task.history.steps))


async def _found(task: _Task) -> list[Found]:
    criterion = task.criterion
    if task.by == "model" and instructions_in(f"{criterion.context}\n{criterion.text}"):
        return await _for_an_expert(task, SPEAKS_TO_A_PROGRAM)
    try:
        entities = await _extract(task)
        if not entities and task.by == "model":
            return await _for_an_expert(task, MISSED)
    except ModelOutputInvalid:
        task.history.note(1, "extract", "model", unreadable=True)
        return await _for_an_expert(task, UNREADABLE)
    return await _rounds(task, entities)


async def _extract(task: _Task) -> list[Found]:
    services, criterion = task.live.services, task.criterion
    mentions = await task.linked() if services.hints or task.by == "code" else ()
    variables = _variables(criterion, mentions)
    answer = await decide(task.live, "agentic_extract", variables, Extraction, max_tokens=EXTRACT_TOKENS)
    return _located(task, answer, "rules" if task.by == "code" else "agentic_model", task.by)


def _variables(criterion: Criterion, mentions: Sequence[Linked]) -> dict[str, Any]:
    return {
        "text": criterion.text,
        "criterion_type": criterion.type,
        "context": criterion.context,
        "mentions": mentions,
    }


def _located(task: _Task, answer: Extraction, method: Method, by: By) -> list[Found]:
    """The entities that stand in the text, each place and type once, in the order of the text."""
    text = task.criterion.text
    spans = locate(text, [(each.text, each.span_start, each.span_end) for each in answer.entities])
    found: dict[tuple[int, int, str], Found] = {}
    dropped: list[str] = []
    for each, span in zip(answer.entities, spans, strict=True):
        if span is None:
            dropped.append(each.text[:LONGEST_ENTITY])
            continue
        start, end = span
        entity = Found(text[start:end], start, end, each.entity_type, each.search_term.strip(), method=method)
        found.setdefault((start, end, each.entity_type), entity)
    rest: dict[str, Any] = {"dropped": dropped} if dropped else {}
    if by == "model" and len(answer.entities) >= MOST_ENTITIES:
        rest["full"] = True
    task.history.note(1, "extract", by, entities=len(found), **rest)
    return [found[key] for key in sorted(found)]


async def _rounds(task: _Task, entities: Sequence[Found]) -> list[Found]:
    """Search and evaluate until everything is settled, nothing new is asked for, or the rounds are used up."""
    settled = list(entities)
    open_places = list(range(len(entities)))
    searched: set[tuple[int, str]] = set()
    for round in range(1, MAX_ROUNDS + 1):
        for place, each in zip(
            open_places, await _searched(task, round, [settled[place] for place in open_places]), strict=True
        ):
            settled[place] = each
            searched.add((place, each.term.casefold()))
        shown = [settled[place] for place in open_places]
        answer = await _evaluated(task, round, shown)
        if answer is None:
            return [replace(each, chosen=None, model_confidence=None, doubt=UNREADABLE) for each in settled]
        chosen = choose(shown, answer, by_model=task.by == "model")
        for index, each in chosen.settled.items():
            settled[open_places[index]] = each
        terms = {open_places[index]: term for index, term in chosen.terms.items()}
        terms = {place: term for place, term in terms.items() if (place, term.casefold()) not in searched}
        _note(task, round, answer, len(chosen.settled), terms, chosen.stray)
        done = {open_places[index] for index in chosen.settled}
        open_places = [place for place in open_places if place not in done]
        if not searches_again(round, answer.action_type, len(terms)):
            break
        for place, term in terms.items():
            settled[place] = replace(settled[place], term=term)
    for place in open_places:
        settled[place] = unsettled(settled[place], by_model=task.by == "model")
    return settled


async def _searched(task: _Task, round: int, entities: Sequence[Found]) -> list[Found]:
    """With rules, what linking has already looked up is not searched a second time."""
    known = by_place(task.mentions or ()) if task.by == "code" else {}
    found: list[Found] = []
    spared = 0
    for each in entities:
        if (candidates := already_linked(each, known)) is not None:
            found.append(replace(each, candidates=candidates))
            spared += 1
        else:
            found.append(await look_up(each, task.criterion, task.live.services, own=each.method == "agentic_model"))
    if entities:
        terms, counts = [each.term for each in found], [len(each.candidates) for each in found]
        shortcut: dict[str, Any] = {"shortcut": "linked", "spared": spared} if spared else {}
        task.history.note(round, "search", "code", terms=terms, candidates=counts, **shortcut)
    return found


async def _evaluated(task: _Task, round: int, shown: Sequence[Found]) -> Evaluation | None:
    """None when the model's answer cannot be read. Nothing is asked where there is nothing to choose or to try."""
    most, refine = max((len(each.candidates) for each in shown), default=0), round < MAX_ROUNDS
    if not shown or (not most and (task.by == "code" or not refine)):
        return Evaluation(action_type="evaluate")
    variables: dict[str, Any] = {
        "text": task.criterion.text,
        "entities": shown,
        "round": round,
        "rounds": MAX_ROUNDS,
        "refine": refine,
    }
    schema: type[Evaluation] = Evaluation
    if task.by == "model":
        schema = evaluation(len(shown), most, refine=refine)
    try:
        return await decide(task.live, "agentic_evaluate", variables, schema, max_tokens=EVALUATE_TOKENS)
    except ModelOutputInvalid:
        task.history.note(round, "evaluate", "model", unreadable=True)
        return None


def _note(task: _Task, round: int, answer: Evaluation, chosen: int, terms: dict[int, str], stray: int) -> None:
    rest: dict[str, Any] = {"terms": list(terms.values())} if answer.action_type == "refine" else {}
    if stray:
        rest["stray"] = stray
    task.history.note(round, answer.action_type, task.by, selected=chosen, **rest)


async def _for_an_expert(task: _Task, doubt: str) -> list[Found]:
    """What code finds, with its candidates and without a choice: an expert decides, and starts from something."""
    mentions = await task.linked()
    answer = by_rule(task.live, "agentic_extract", _variables(task.criterion, mentions), Extraction)
    found = _located(task, answer, "rules", "code")
    known = by_place(mentions)
    listed: list[Found] = []
    for each in found:
        candidates = already_linked(each, known)
        if candidates is None:
            looked = await look_up(each, task.criterion, task.live.services, own=False)
            candidates = looked.candidates
        listed.append(replace(each, candidates=candidates, doubt=doubt))
    return listed
