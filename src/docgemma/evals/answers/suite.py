"""The suite `answers`: each case through the whole graph with findings of its own, and what was written is scored.

Which look-ups are made is decided by rule and their results come from the case, so that nothing is measured here but
the writing: what a model makes of what it was given, alone and after the product's checks.

Beside `standard` every way is scored on what the model wrote, before any sentence was checked: what the checks catch is
no merit of the model. Its measure is therefore `raw`, which differs from it in one thing alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any

from docgemma.agent.nodes.synthesize import MAX_TOKENS, TEMPERATURE
from docgemma.agent.prompts import render
from docgemma.agent.record import TurnRecord
from docgemma.agent.rules import RULES
from docgemma.agent.schemas import IntentClassification
from docgemma.agent.session import Sessions
from docgemma.agent.vision.schemas import MOST_FINDINGS, ImageFindings
from docgemma.clinical import Frozen, ToolResult
from docgemma.config import Settings
from docgemma.evals.answers.cases import Answer, Case, harmful, score, words_of
from docgemma.evals.casefiles import table
from docgemma.evals.clinic import Play, unavailable
from docgemma.evals.conversation import Stage, Take, converse, of_record, open_apart, running
from docgemma.evals.statistics import mean
from docgemma.evals.suite import Asked, Bench, CaseRecord, Outcome, Suite, Variant, abouts
from docgemma.llm.contract import LanguageModel, Message, Prompt, T, current_usage
from docgemma.llm.rules import RulesModel
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import ToolName
from docgemma.tools.results import PatientChart

_TEMPLATE = """Write the answer in exactly this form and fill in every section:

## Summary
## Key findings
## Risks and contraindications
## Recommendations
## Sources"""
_THINK = "SYSTEM INSTRUCTION: think silently if needed."
_STEPS = "Think through the findings step by step first, then answer."


def without_context(prompt: Prompt) -> Prompt:
    return _again(prompt, task_summary="")


def without_history(prompt: Prompt) -> Prompt:
    return _again(prompt, earlier=())


def with_template(prompt: Prompt) -> Prompt:
    return _and_then(prompt, _TEMPLATE)


def with_thinking(prompt: Prompt) -> Prompt:
    """MedGemma's own trigger at the start, and at the end what makes any model think aloud."""
    first, *rest = prompt.messages
    return _and_then(replace(prompt, messages=(Message(first.role, f"{_THINK}\n\n{first.text}"), *rest)), _STEPS)


def with_raw_errors(prompt: Prompt) -> Prompt:
    """What a failed call gave back, where the product puts a plain sentence."""
    raw = table("answers/raw_errors.toml")
    failed = [
        {"label": label, "text": f"Error: {raw.get(result.error_type or '', raw['any'])}"}
        for label, result in prompt.variables["found"]
        if result.status in ("unavailable", "not_found", "invalid")
    ]
    labels = {one["label"] for one in failed}
    told = [one for one in prompt.variables["results"] if one["label"] not in labels]
    return _again(prompt, results=[*told, *failed], errors=[])


VARIED: Mapping[str, Callable[[Prompt], Prompt]] = {
    vary.__name__: vary for vary in (without_context, without_history, with_template, with_thinking, with_raw_errors)
}


class Way(Frozen):
    """How one configuration asks: what stands under `asks` in `suites.toml`.

    `checked`: scored on what the user is shown; else on what the model wrote.
    """

    temperature: float = TEMPERATURE
    tokens: int = MAX_TOKENS
    vary: str = ""
    checked: bool = False


@cache
def ways() -> Mapping[str, Way]:
    """Every named way of asking."""
    return {one.name: Way(**one.asks) for one in abouts()["answers"].configurations}


def _again(prompt: Prompt, **changed: Any) -> Prompt:
    """The same question rendered anew with other values."""
    variables = dict(prompt.variables) | changed
    return render(prompt.name, history=variables["earlier"], **variables)


def _and_then(prompt: Prompt, text: str) -> Prompt:
    *first, last = prompt.messages
    return replace(prompt, messages=(*first, Message(last.role, f"{last.text}\n\n{text}")))


# ----------
# Between the agent and its model: look-ups are chosen by rule, so that every model writes from the same findings.


SYNTHESIS = "synthesize"


class Writer:
    """The model of an eval of answers: it writes, in one of the ways; everything else is fixed by the case."""

    def __init__(self, model: LanguageModel, way: Way) -> None:
        self._model = model
        self._way = way
        self._rules = RulesModel(RULES)

    @property
    def name(self) -> str:
        return self._model.name

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        answer = await self._rules.decide(prompt, schema, max_tokens=max_tokens)
        case = running.get().case
        given = _given(case, answer) if isinstance(case, Case) else None
        return answer if given is None else schema.model_validate(given)

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        """What comes is kept as it comes, before the agent reads it."""
        if prompt.name == SYNTHESIS:
            vary = VARIED.get(self._way.vary)
            prompt, temperature, max_tokens = vary(prompt) if vary else prompt, self._way.temperature, self._way.tokens
        take, spent = running.get(), current_usage()
        take.raw, take.prompt, before = "", prompt, spent.completion_tokens
        async for piece in self._model.write(prompt, temperature=temperature, max_tokens=max_tokens):
            take.raw += piece
            yield piece
        take.cut = spent.completion_tokens - before >= max_tokens


def _given(case: Case, answer: object) -> dict[str, object] | None:
    """What the case says in the place of a model: the context of the task, and what is seen in the image."""
    if isinstance(answer, IntentClassification) and case.context:
        return answer.model_dump() | {"task_summary": case.context}
    seen = case.image
    if isinstance(answer, ImageFindings) and seen is not None and seen.findings:
        return {
            "image_type": seen.image_type,
            "findings": [finding[:160] for finding in seen.findings[:MOST_FINDINGS]],
            "impression": seen.impression[:300],
            "confidence": seen.confidence,
        }
    return None


_SIZE = "256 × 256"
"""Of the picture that stands for every image: code tells it, so it may be said."""


class Answers(Suite[Case]):
    """Facts told, nothing beside them, gaps admitted, nothing of the machinery shown."""

    name = "answers"
    case = Case

    def takes(self, case: Case, configuration: str) -> bool:
        """Raw errors say something where one was met, history where there is one."""
        return {"raw_errors": case.failing, "no_history": bool(case.before)}.get(configuration, True)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[Case]]:
        way, stage, chosen = ways()[variant.configuration], Stage(), self.configured(settings, variant)
        async with open_apart(chosen, variant, tools=stage.handlers(), around=lambda model: Writer(model, way)) as app:
            yield Bench(app.model_name, partial(run_case, app.sessions, stage, way))

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """Words an answer has, and how often the checks had to act."""
        counted = [record.counts for record in records if record.counts]
        return {
            "words": round(mean([one["words"] for one in counted]), 1),
            "empty": sum(one["words"] == 0 for one in counted),
            "answers_with_marked_sentences": sum(one["marked"] > 0 for one in counted),
            "answers_with_withheld_sentences": sum(one["withheld"] > 0 for one in counted),
        }


async def run_case(sessions: Sessions, stage: Stage, way: Way, case: Case) -> Outcome:
    """What is held against the case: what the user was shown, or what the model wrote."""
    take, images = Take(findings_of(case), case), (len(case.before),) if case.image else ()
    record = (await converse(sessions, stage, take, case, images=images))[-1]
    shown = record.response if way.checked or take.prompt is None else take.raw
    beside = "\n".join(record.notices) if way.checked else ""
    answer = Answer(shown, _read(case, take, record), take.cut and not way.checked, beside)
    return of_record(
        record,
        score(case, answer),
        alarms=harmful(case, answer),
        counts={
            "words": len(shown.split()),
            "marked": shown.count("[not from the sources]"),
            "withheld": sum("withheld" in step.detail for step in record.timeline),
        },
        asked=_asked(take),
    )


def findings_of(case: Case) -> Play:
    """The findings of the case: by drug or patient where they name one, else in their order, the last again and again.

    A tool that the case knows nothing of is not set up: it can neither help nor mislead.
    """
    asked: dict[ToolName, int] = {}

    async def play(name: ToolName, arguments: Arguments) -> ToolResult:
        if name not in case.findings:
            return unavailable(name, "not_configured", "The {label} is not set up on this system.")
        results = case.results(name)
        place = asked[name] = asked.get(name, -1) + 1
        wanted = {str(value).casefold() for value in arguments.model_dump(exclude_none=True).values()}
        about = [result for result in results if _subject(result) in wanted]
        return about[0] if about else results[min(place, len(results) - 1)]

    return play


def _subject(result: ToolResult) -> str:
    return str(getattr(result, "drug", "") or getattr(result, "patient_id", "")).casefold()


def _read(case: Case, take: Take, record: TurnRecord) -> str:
    """Everything that the writer was given or could have been: findings, the patient, the user's own words."""
    given = [_all_of(call.result) for call in take.calls]
    banner = record.patient.banner if record.patient else ""
    seen = [_all_of(case.image), _SIZE] if case.image else []
    return words_of([*given, *seen, banner, *case.before, case.say, case.context, case.patient or ""])


def _all_of(result: ToolResult) -> str:
    quoted = [part for source in result.sources for part in (source.title, source.date, source.quote) if part]
    sections = result.sections if isinstance(result, PatientChart) else ()
    entries = [entry for section in sections for entry in (section.title, *section.entries)]
    told = [result.text(), result.message, *result.warnings, *result.not_checked, *result.suggestions]
    return words_of([*told, *quoted, *entries, result.data_date or ""])


def _asked(take: Take) -> tuple[Asked, ...]:
    if take.prompt is None:
        return ()
    text = "\n\n".join(f"{message.role}: {message.text}" for message in take.prompt.messages)
    return (Asked(prompt=take.prompt.name, text=text, answer=take.raw),)
