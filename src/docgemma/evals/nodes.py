"""The suite `nodes`: one question to the model at a time, as the product asks it or in a way that was once measured.

No graph, no tool and no rule stands around the model here: what it gets wrong shows, also what code would catch.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator

from docgemma.agent.schemas import Quality
from docgemma.agent.state import AttachedImage, State, ToolRun
from docgemma.agent.understanding.needs import needs
from docgemma.agent.understanding.reading import read
from docgemma.clinical import Frozen, Patient, ToolResult
from docgemma.config import Settings
from docgemma.errors import BadInput, ModelError, ModelUnreachable
from docgemma.evals.casefiles import BaseCase
from docgemma.evals.clinic import people
from docgemma.evals.conversation import open_apart
from docgemma.evals.meaning import agrees
from docgemma.evals.questions import Asker, Reply, Way, ways
from docgemma.evals.statistics import mean
from docgemma.evals.suite import RULES, Bench, CaseRecord, Difference, Outcome, Suite, Variant, metered
from docgemma.llm.contract import LanguageModel
from docgemma.reader.loading import PACKAGED as READER
from docgemma.tools.registry import REGISTRY, RESULT_TYPES, TOOL_NAMES, ToolName

Kind = Literal["intent", "selection", "step", "arguments", "result", "retry", "plan", "sufficiency", "deferral"]
"""What is asked: the nodes of the product, and what the product never asks a model (plan, sufficiency, deferral)."""

CHOICES: dict[Kind, tuple[str, ...]] = {
    "intent": ("DIRECT", "TOOL_NEEDED"),
    "selection": TOOL_NAMES,
    "step": (*TOOL_NAMES, "none"),
    "result": get_args(Quality),
    "retry": ("retry_same", "retry_different_args"),
    "sufficiency": ("sufficient", "insufficient"),
    "deferral": ("retry_same", "retry_different_args", "ask_user", "skip_and_continue"),
}
"""What may be answered, and so what a case may expect. A plan and arguments are no choice out of few."""

FEWEST_RESULTS: dict[Kind, int] = {"step": 1, "result": 1, "retry": 1, "deferral": 1, "sufficiency": 1}
Value = str | tuple[str, ...] | None


class Came(Frozen):
    """One look-up of the turn and what came back, as the tool's own typed result."""

    tool: ToolName
    args: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    result: dict[str, Any]

    @model_validator(mode="after")
    def _typed(self) -> Self:
        known = RESULT_TYPES[self.tool].model_fields
        if unknown := [name for name in self.result if name not in known]:
            raise ValueError(f"a result of {self.tool} has no '{unknown[0]}'")
        if unknown := [name for name in self.args if name not in REGISTRY[self.tool].call.model_fields]:
            raise ValueError(f"{self.tool} has no argument '{unknown[0]}'")
        try:
            self.typed()
        except ValidationError as error:
            place = ".".join(map(str, error.errors(include_url=False)[0]["loc"]))
            raise ValueError(f"this is no result of {self.tool}: '{place}' does not fit") from None
        return self

    def typed(self) -> ToolResult:
        return RESULT_TYPES[self.tool].model_validate(self.result)

    def run(self, attempts: int) -> ToolRun:
        """As the state of a turn keeps it."""
        args = {name: list(value) if isinstance(value, tuple) else value for name, value in self.args.items()}
        return ToolRun(self.tool, args, self.typed(), attempts=attempts)


class Case(BaseCase):
    """One question. `expect` is right; `acceptable` would be, too.

    `arguments`: what the tool is to be told; null for what nobody said, which must be left blank. `tries`: how often
    the failed look-up was tried already. `raw`: the error as a library words it, for the question that shows it so.
    """

    kind: Kind
    say: Annotated[str, Field(min_length=1, max_length=4_000)]
    patient: str | None = None
    image: bool = False
    tool: ToolName | None = None
    expect: str | None = None
    acceptable: tuple[str, ...] = ()
    arguments: dict[str, Value] = Field(default_factory=dict)
    plan: tuple[ToolName, ...] = ()
    results: tuple[Came, ...] = ()
    tries: Annotated[int, Field(ge=1, le=9)] = 1
    raw: str = ""
    probe: bool = Field(default=False, description="One of the few that are also asked tool by tool")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.patient is not None and self.patient not in {person.id for person in people()}:
            raise ValueError(f"there is no patient '{self.patient}' in the clinic")
        if len(self.results) < FEWEST_RESULTS.get(self.kind, 0):
            raise ValueError(f"a case of kind {self.kind} needs 'results'")
        if self.kind == "plan" and not self.plan:
            raise ValueError("a case of kind plan needs a 'plan'")
        if self.kind == "arguments" and not (self.tool and self.arguments):
            raise ValueError("a case of kind arguments needs a 'tool' and its 'arguments'")
        self._expectable()
        return self

    def _expectable(self) -> None:
        choices = CHOICES.get(self.kind, ())
        for name in (*([self.expect] if choices or self.expect else []), *self.acceptable):
            if name not in choices:
                raise ValueError(f"a case of kind {self.kind} cannot expect '{name}'")
        tool = self.expect if self.kind == "selection" else self.tool
        known = REGISTRY[tool].args.model_fields if tool else {}
        if unknown := [name for name in self.arguments if name not in known]:
            raise ValueError(f"{tool or 'no tool'} has no argument '{unknown[0]}' that a model fills in")


# ----------
# The moment of a turn that a case stands for, as the graph's own state: so that the product's own prompts fit it.


def state_of(case: Case) -> State:
    """What input_assembly and the look-ups of the case have left in the state. Nobody looks at an image here."""
    person = next((person for person in people() if person.id == case.patient), None)
    patient = Patient(id=person.id, banner=person.match().banner()) if person else None
    entities = replace(read(READER, case.say, on_screen=patient is not None), has_image=case.image)
    return {
        "message": case.say,
        "request": case.say,
        "task_summary": case.say,
        "entities": entities,
        "needs": needs(entities, has_image=case.image, patient_known=patient is not None),
        "runs": tuple(came.run(case.tries) for came in case.results),
        "pinned": patient,
        "image": AttachedImage(id="case") if case.image else None,
        "steps": len(case.results),
        "retries": case.tries - 1,
        "total_retries": case.tries - 1,
    }


# ----------
# Scorers of a reply: pure functions of a case and what came back.


_BLANKS = frozenset({"", "-", "none", "null", "n/a", "unknown", "unspecified", "not specified", "not stated"})
_BY_FIELD = {
    "drug_name": "drug_names",
    "drug_names": "drug_names",
    "medication_name": "drug_names",
    "patient_id": "patient_ids",
    "name": "person_names",
}
_BY_EXPECTED = {"sufficient": "enough", "ask_user": "asked", "skip_and_continue": "skipped"}
_WITH_ALTERNATIVES = frozenset({"selection", "step", "result", "plan"})

Scores = dict[str, float]


def score(case: Case, reply: Reply) -> Scores:
    """Every metric that the case says something about."""
    if case.kind == "arguments":
        return arguments(case.arguments, reply.arguments or {})
    found: Scores = {"right": float(_right(case, reply))}
    if case.kind in _WITH_ALTERNATIVES:
        found["acceptable"] = float(_acceptable(case, reply))
    if case.kind == "intent" and case.tool:
        found["suggested"] = float(reply.suggested == case.tool)
    if case.expect in _BY_EXPECTED:
        found[_BY_EXPECTED[case.expect]] = found["right"]
    if case.arguments and reply.arguments is not None:
        given = reply.arguments if reply.choice == case.expect else {}
        found = arguments(case.arguments, given) | found
    return found


def arguments(expected: Mapping[str, Value], given: Mapping[str, Any]) -> Scores:
    """`right`: all of it. `arguments`: the share of the values that were said. `unsaid`: the rest was left blank."""
    hits = {name: meets(name, value, given.get(name)) for name, value in expected.items()}
    said = {name: hits[name] for name, value in expected.items() if value is not None}
    found: Scores = {"right": float(all(hits.values()))}
    if said:
        found["arguments"] = mean([*said.values()])
    if len(said) < len(expected):
        found["unsaid"] = float(all(hit for name, hit in hits.items() if name not in said))
    return found | {_BY_FIELD[name]: float(hit) for name, hit in said.items() if name in _BY_FIELD}


def meets(name: str, expected: Value, got: object) -> bool:
    """Whether one value means what is expected; what nobody said must be blank."""
    if expected is None:
        return got is None or (isinstance(got, str) and got.strip().casefold() in _BLANKS)
    return agrees(name, expected, got)


def counts(case: Case, reply: Reply) -> dict[str, float]:
    """Numbers that tell how a way of asking goes wrong."""
    found: dict[str, float] = {}
    if case.kind == "plan":
        found = {"steps_planned": len(reply.steps), "steps_needed": len(case.plan)}
    if reply.approved is not None:
        found["approved"] = len(reply.approved)
    if case.kind in ("selection", "step"):
        known = (case.expect or "", *case.acceptable)
        found["unasked_write"] = float(_writes(reply.choice) and not any(map(_writes, known)))
    return found


def differences(case: Case, reply: Reply) -> tuple[Difference, ...]:
    """What was not exactly right, in words. An answer that only took a second try is no difference."""
    if case.kind == "arguments":
        given = reply.arguments or {}
        return tuple(
            Difference(column=name, expected=_words(value), got=_words(given.get(name)))
            for name, value in case.arguments.items()
            if not meets(name, value, given.get(name))
        )
    if _right(case, reply):
        return ()
    expected = f"{case.expect} (or {', '.join(case.acceptable)})" if case.acceptable else str(case.expect)
    got = reply.choice if reply.approved is None else ", ".join(reply.approved) or "none of them"
    if case.kind == "plan":
        expected, got = ", ".join(case.plan), ", ".join(reply.steps)
    return (Difference(column="right", expected=expected, got=got),)


def _right(case: Case, reply: Reply) -> bool:
    """A plan in this order and no other. Of tools asked about one by one, only the right one was called suitable."""
    if case.kind == "plan":
        return reply.steps == case.plan
    return reply.choice == case.expect if reply.approved is None else reply.approved == (case.expect,)


def _acceptable(case: Case, reply: Reply) -> bool:
    """Right, or one that would serve, too: the same tools in another order, the right one among those approved."""
    if case.kind == "plan":
        return sorted(reply.steps) == sorted(case.plan)
    return reply.choice in (case.expect, *case.acceptable) if reply.approved is None else case.expect in reply.approved


def _writes(name: str) -> bool:
    return name in REGISTRY and REGISTRY[name].writes


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        return " + ".join(map(str, value))
    return str(value) if value not in (None, "") else "nothing"


class Nodes(Suite[Case]):
    """What a model can do by itself, one decision at a time: the tables of the specification, for any model."""

    name = "nodes"
    case = Case

    def takes(self, case: Case, configuration: str) -> bool:
        return ways()[configuration].takes(case)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[Case]]:
        way = ways()[variant.configuration]
        async with self.model(settings, variant) as model:
            if model.name == RULES and not way.as_product:
                raise BadInput(
                    f"'{way.name}' asks in another way than the product does, and no rule answers that: "
                    "name a model with --model-url, or leave this configuration out."
                )
            yield Bench(model.name, partial(run_case, model, way))

    @asynccontextmanager
    async def model(self, settings: Settings, variant: Variant) -> AsyncIterator[LanguageModel]:
        """The configured back end as it is: no rule takes its place when it fails."""
        async with open_apart(settings, variant) as app:
            yield app.model

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """What was asked, what the specification found, and how this way of asking goes wrong."""
        way = self.configuration(records[0].variant)
        found: dict[str, Any] = {"asked": way.means} | ({"specification": way.finding} if way.finding else {})
        for name, words in _MEANS.items():
            values = [record.counts[name] for record in records if name in record.counts]
            if values:
                found[words] = round(mean(values), 2)
        writes = [record.counts["unasked_write"] for record in records if "unasked_write" in record.counts]
        return found | ({"write tools chosen where no entry was asked for": int(sum(writes))} if writes else {})


_MEANS = {
    "approved": "tools called suitable, of ten",
    "steps_planned": "steps planned, mean",
    "steps_needed": "steps needed, mean",
}


async def run_case(model: LanguageModel, way: Way, case: Case) -> Outcome:
    """Ask, and score what came back. No usable answer is a miss of everything, with the reason in words."""
    asker = Asker(model, temperature=way.temperature)
    reply, failure = Reply(arguments={} if way.question == "selected_with_arguments" else None), None
    with metered() as meter:
        try:
            reply = await way.ask(asker, case, state_of(case))
        except ModelError as error:
            failure = error
    scores = score(case, reply)
    missed = differences(case, reply)
    if failure is not None:
        scores = dict.fromkeys(scores, 0.0)
        missed = (Difference(column="right", expected="an answer that fits", got=str(failure)),)
    away = isinstance(failure, ModelUnreachable)
    if meter.spent.calls and not away:
        scores["valid"] = float(failure is None and asker.again == 0)
    return Outcome(
        scores=scores,
        differences=missed,
        error=str(failure) if away else None,
        counts={} if failure else counts(case, reply),
        asked=tuple(asker.asked),
        **meter.costs(),
    )
