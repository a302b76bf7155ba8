"""The suite `answers`: each case through the whole graph with findings of its own, and what was written is scored.

Which look-ups are made is decided by rule and their results come from the case, typed as the tools give them. So
nothing is measured here but the writing: what a model makes of what it was given, alone and after the product's checks,
and two models that are compared have read the same.

Beside `standard` every way is scored on what the model wrote, before any sentence was checked: what the checks catch is
no merit of the model. Its measure is therefore `raw`, which differs from it in one thing alone.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from docgemma.agent.answer.check import MARK
from docgemma.agent.record import TurnRecord
from docgemma.agent.rules import RULES
from docgemma.agent.schemas import IntentClassification
from docgemma.agent.vision.schemas import MOST_FINDINGS, ImageFindings
from docgemma.clinical import ToolResult
from docgemma.evals.answer_prompts import VARIED, Way, ways
from docgemma.evals.casefiles import SpokenCase, table
from docgemma.evals.clinic import Play, unavailable
from docgemma.evals.conversation import SpokenSuite, Take, of_record, running
from docgemma.evals.phrases import (
    amounts,
    drugs,
    identifiers,
    numbers,
    plain,
    says,
    says_any,
    sentences,
    shortened,
    stated_numbers,
)
from docgemma.evals.statistics import mean
from docgemma.evals.suite import Asked, CaseRecord, Outcome, Variant, Verdict, by_name, judged
from docgemma.llm.contract import LanguageModel, Prompt, T, current_usage
from docgemma.llm.rules import RulesModel
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import REGISTRY, ToolName
from docgemma.tools.results import ImageReport, PatientChart

MOST_WORDS = 160
"""What 256 tokens hold, about: an answer that needs more does not fit the product's own limit."""

Phrase = Annotated[str, Field(min_length=2, max_length=120)]
Fact = Annotated[tuple[Phrase, ...], Field(min_length=1, max_length=12)]
"""One thing to say, in every wording that counts. `*` at the end of a word stands for any ending."""


class Case(SpokenCase):
    """One question with its findings. Only the answer to `say` is scored."""

    context: Annotated[str, Field(max_length=400)] = ""
    """What intent_classify would hand on as task_summary: fixed, so that every model writes with the same one."""
    findings: Mapping[ToolName, tuple[dict[str, Any], ...]] = Field(min_length=1)
    facts: tuple[Fact, ...] = ()
    admits: tuple[Phrase, ...] = ()
    """How the answer may say what was not found or not available; one of them has to be there."""
    memory: tuple[Phrase, ...] = ()
    """What only somebody could say who answers from memory: nothing in the findings speaks of it."""
    never: tuple[Phrase, ...] = ()
    """What would do harm whoever says it: the opposite of a finding."""
    most_words: int = Field(default=MOST_WORDS, ge=10, le=1_000)

    @field_validator("findings", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {name: (steps,) if isinstance(steps, Mapping) else steps for name, steps in given.items()}

    @model_validator(mode="after")
    def _readable(self) -> Self:
        try:
            for name in self.findings:
                self.results(name)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ValueError(
                f"'findings' of {name}: {'.'.join(map(str, first['loc']))} {first['msg'].lower()}"
            ) from None
        if not (self.facts or self.admits):
            raise ValueError("a case needs 'facts' or 'admits': else there is nothing to score")
        return self

    def results(self, name: ToolName) -> tuple[ToolResult, ...]:
        """What this tool answers, one call after the other."""
        return tuple(REGISTRY[name].result.model_validate(step, extra="forbid") for step in self.findings[name])

    @property
    def image(self) -> ImageReport | None:
        """What a vision model is taken to have seen, where the case has an image."""
        seen = self.results("analyze_medical_image") if "analyze_medical_image" in self.findings else ()
        return next((one for one in seen if isinstance(one, ImageReport)), None)

    @property
    def failing(self) -> bool:
        """Whether a look-up of the case gives nothing."""
        steps = [step for steps in self.findings.values() for step in steps]
        return any(step.get("status") in ("unavailable", "not_found", "invalid") for step in steps)


# ----------
# Scorers of an answer: pure functions of a case and a text. Each may say that the case asks nothing of it.


_SHORTEST = 3
_OF_WORDS = ("supported", "clean", "concise")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is scored. `read`: all that the findings and the user said. `cut`: the model had used up its tokens.

    `beside`: what code shows next to the text. It may admit a gap in the text's place, and nothing else.
    """

    text: str
    read: str = ""
    cut: bool = False
    beside: str = ""


def recall(case: Case, answer: Answer) -> Verdict | None:
    """The share of the facts that are said, and not denied."""
    if not case.facts:
        return None
    missing = [fact[0] for fact in case.facts if not says_any(answer.text, fact)]
    return Verdict(1 - len(missing) / len(case.facts), "; ".join(missing), _shown(answer.text))


def supported(case: Case, answer: Answer) -> Verdict | None:
    """The share of what is stated that somebody said before: amounts, other numbers, drugs, identifiers.

    A sentence that is marked as not from the sources states nothing: it says so itself. An answer that states nothing
    has stated nothing wrong.
    """
    stated = claims(_unmarked(answer.text))
    known = claims(answer.read, everything=True) | {("number", str(years)) for years in _ages(answer.read)}
    foreign = sorted(value for _, value in stated - known)
    score = 1 - len(foreign) / len(stated) if stated else 1.0
    return Verdict(score, "nothing beside the findings", "; ".join(foreign))


def claims(text: str, *, everything: bool = False) -> set[tuple[str, str]]:
    """What of a text can be held against another one."""
    kinds = {
        "amount": amounts(text),
        "number": numbers(text) if everything else stated_numbers(text),
        "drug": drugs(text),
        "identifier": identifiers(text),
    }
    return {(kind, value) for kind, values in kinds.items() for value in values}


def honest(case: Case, answer: Answer) -> Verdict | None:
    """What could not be known is said to be so, and not made up from memory."""
    if not (case.admits or case.memory):
        return None
    made_up = [phrase for phrase in case.memory if says(_unmarked(answer.text), phrase)]
    admitted = not case.admits or says_any(f"{answer.text}\n{answer.beside}", case.admits)
    expected = "nothing from memory" if admitted else f"one of: {'; '.join(case.admits)}"
    got = f"from memory: {'; '.join(made_up)}" if made_up else _shown(answer.text)
    return Verdict(admitted and not made_up, expected, got)


def clean(case: Case, answer: Answer) -> Verdict | None:
    """Nothing of how it was made: tool names, thinking, data, the prompt, what sort of thing is speaking."""
    found = [what for what, pattern in _internals().items() if pattern.search(answer.text)]
    return Verdict(not found, "nothing of how it was made", "; ".join(found))


def spoken(case: Case, answer: Answer) -> Verdict | None:
    """There is an answer, and it does not stop in the middle."""
    text = answer.text.strip()
    if len(re.findall(r"[^\W\d_]{2,}", text)) < _SHORTEST:
        return Verdict(0, "an answer", text or "nothing")
    whole = bool(_ENDED.search(text)) and not (answer.cut and not _FULL_STOP.search(text))
    return Verdict(whole, "an end", f"… {text[-60:]}")


def concise(case: Case, answer: Answer) -> Verdict | None:
    """Few enough words to be read beside a patient."""
    count = len(answer.text.split())
    return Verdict(count <= case.most_words, f"at most {case.most_words} words", f"{count} words")


SCORERS = by_name(recall, supported, honest, clean, spoken, concise)


def score(case: Case, answer: Answer) -> dict[str, Verdict]:
    """Every column that the case asks something of. An empty text supports and leaks nothing: it only misses."""
    found = judged(SCORERS, case, answer)
    said = bool(answer.text.strip())
    return {column: verdict for column, verdict in found.items() if said or column not in _OF_WORDS}


def harmful(case: Case, answer: Answer) -> tuple[str, ...]:
    """What the case says must never be said, and is. A mark beside it does not make it harmless."""
    return tuple(f"said: {phrase}" for phrase in case.never if says(answer.text, phrase))


@cache
def _internals() -> dict[str, re.Pattern[str]]:
    """What shows how an answer was made, with what it looks like."""
    tools = "|".join([*REGISTRY, "get_patient_record", "update_patient_record"])
    return {what: re.compile(pattern.replace("TOOLS", tools)) for what, pattern in table("internals.toml").items()}


_FULL_STOP = re.compile(r"[.!?…][\"”'’)\]*_`]{0,3}$")
_ENDED = re.compile(r"(?:[.!?…:][\"”'’)\]*_`]{0,3}|[)\]”\"*|])$|(?:^|\n)\s*(?:[-*•]|\d{1,2}[.)])\s[^\n]{2,}$|%$")
_BORN = re.compile(r"born (\d{4})-(\d{2})-(\d{2})")


def _shown(text: str) -> str:
    return shortened(text, 240) or "nothing"


def _unmarked(text: str) -> str:
    """Without the sentences that are marked. The mark stands behind the period: with it the sentence is one."""
    joined = re.sub(rf"([.!?])\s*{re.escape(MARK.strip())}", rf" {MARK.strip()}\1", text)
    return "\n".join(part for part in sentences(joined) if plain(MARK).strip() not in plain(part))


def _ages(text: str) -> set[int]:
    """Who was born then is so old now; a birthday ahead or not."""
    today = datetime.now(UTC).date()
    return {today.year - int(year) - off for year, _, _ in _BORN.findall(text) for off in (0, 1)}


# ----------
# Between the agent and its model: look-ups are chosen by rule, so that every model writes from the same findings.


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
        if prompt.name == "synthesize":
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


class Answers(SpokenSuite[Case]):
    """Facts told, nothing beside them, gaps admitted, nothing of the machinery shown."""

    name = "answers"
    case = Case

    def takes(self, case: Case, configuration: str) -> bool:
        """Raw errors say something where one was met, history where there is one."""
        return {"raw_errors": case.failing, "no_history": bool(case.before)}.get(configuration, True)

    def between(self, model: LanguageModel, variant: Variant) -> LanguageModel:
        return Writer(model, ways()[variant.configuration])

    def take(self, case: Case) -> Take:
        return Take(findings_of(case), case)

    def scored(self, case: Case, take: Take, records: tuple[TurnRecord, ...], variant: Variant) -> Outcome:
        """What is held against the case: what the user was shown, or what the model wrote."""
        way, record = ways()[variant.configuration], records[-1]
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

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """Words an answer has, and how often the checks had to act."""
        counted = [record.counts for record in records if record.counts]
        return {
            "words": round(mean([one["words"] for one in counted]), 1),
            "empty": sum(one["words"] == 0 for one in counted),
            "answers_with_marked_sentences": sum(one["marked"] > 0 for one in counted),
            "answers_with_withheld_sentences": sum(one["withheld"] > 0 for one in counted),
        }


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
        named = (result for result in results if _subject(result) in wanted)
        return next(named, results[min(place, len(results) - 1)])

    return play


def _subject(result: ToolResult) -> str:
    return str(getattr(result, "drug", "") or getattr(result, "patient_id", "")).casefold()


def _read(case: Case, take: Take, record: TurnRecord) -> str:
    """Everything that the writer was given or could have been: findings, the patient, the user's own words."""
    given = [text for call in take.calls for text in _texts_of(call.result)]
    seen = [*_texts_of(case.image), _SIZE] if case.image else []
    banner = record.patient.banner if record.patient else ""
    read = [*given, *seen, banner, *case.before, case.say, case.context, case.patient]
    return "\n".join(text for text in read if text)


def _texts_of(result: ToolResult) -> list[str | None]:
    quoted = [part for source in result.sources for part in (source.title, source.date, source.quote)]
    sections = result.sections if isinstance(result, PatientChart) else ()
    entries = [entry for section in sections for entry in (section.title, *section.entries)]
    said = [result.text(), result.message, *result.warnings, *result.not_checked, *result.suggestions]
    return [*said, *quoted, *entries, result.data_date]


def _asked(take: Take) -> tuple[Asked, ...]:
    if take.prompt is None:
        return ()
    text = "\n\n".join(f"{message.role}: {message.text}" for message in take.prompt.messages)
    return (Asked(prompt=take.prompt.name, text=text, answer=take.raw),)
