"""What an eval is made of: cases, variants to compare, a way to run one case, scores, and what must never happen."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import Field, TypeAdapter

from docgemma.agent.record import Tokens, TurnRecord
from docgemma.clinical import GRAPHS, Frozen, GraphName, holding
from docgemma.config import Settings
from docgemma.evals.casefiles import BaseCase, Split, load, table
from docgemma.llm.contract import Usage, usage

C = TypeVar("C", bound=BaseCase)
A = TypeVar("A")
B = TypeVar("B")

STANDARD = "standard"
RULES = "rules"
"""What the model is called where none is asked and rules answer."""
ALARM = "what must not happen"
"""What an alarm of a suite is called, if it has no word of its own; the only good number of them is 0."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One column: its name, and what a reader may conclude from it.

    `headline`: it stands in the table; the others are in records and report.
    """

    name: str
    means: str
    headline: bool = True


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to ask, under a name that can be run again. `finding`: what the specification measured with it."""

    name: str
    means: str
    finding: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """What it changes in the settings."""
    asks: Mapping[str, Any] = field(default_factory=dict)
    """How the suite then asks the model."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What one column of a comparison stands for: a graph, asked in one way."""

    graph: GraphName = "routed"
    configuration: str = STANDARD

    @property
    def name(self) -> str:
        """ "triage", "selection_short", or both where both were chosen: "triage+no_shortcuts"."""
        return "+".join(part for part in (self.graph, self.configuration) if part not in ("routed", STANDARD)) or (
            self.graph
        )

    @classmethod
    def named(cls, name: str) -> Variant:
        """The variant behind such a name."""
        parts = name.split("+")
        graph = next((graph for graph in GRAPHS if graph in parts), GRAPHS[0])
        return cls(graph, next((part for part in parts if part not in GRAPHS), STANDARD))


class Difference(Frozen):
    """One column of a missed case, in words."""

    column: str
    expected: str
    got: str


class Asked(Frozen):
    """One question to a model outside of a turn: what was asked, and what came back, for the drill-down."""

    prompt: str
    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A scorer's answer, between 0 and 1, and both sides in words for whoever reads a miss."""

    score: float
    expected: str
    got: str

    @property
    def passed(self) -> bool:
        return self.score == 1


Scorer = Callable[[A, B], Verdict | None]
"""From a case and what came of it; None where the case asks nothing of this column."""


def by_name(*scorers: Scorer[A, B]) -> dict[str, Scorer[A, B]]:
    """Scorers under the names of their columns."""
    return {scorer.__name__: scorer for scorer in scorers}


def judged(scorers: Mapping[str, Scorer[A, B]], case: A, what: B) -> dict[str, Verdict]:
    """Every column that the case asks something of."""
    found = {column: scorer(case, what) for column, scorer in scorers.items()}
    return {column: verdict for column, verdict in found.items() if verdict is not None}


class Outcome(Frozen):
    """One case, run and scored. A score lies between 0 and 1; a metric that the case asks nothing of is absent."""

    scores: dict[str, float] = Field(default_factory=dict)
    differences: tuple[Difference, ...] = ()
    alarms: tuple[str, ...] = Field(default=(), description="What must never happen, and did")
    error: str | None = Field(default=None, description="Why there is no result; everything expected counts as missed")
    rule_instead: bool = Field(default=False, description="The model failed and a rule answered: not its score")
    llm_calls: int = 0
    tokens: Tokens = Tokens()
    duration_ms: float = 0
    counts: dict[str, float] = Field(default_factory=dict, description="Other numbers of the case, for sums and means")
    asked: tuple[Asked, ...] = ()
    record: TurnRecord | None = None


class CaseRecord(Outcome):
    """One line of `--out`: enough to resume, to compare two runs case by case, and to draw the report from."""

    suite: str
    variant: str
    repeat: int = 0
    id: str
    kind: str
    split: Split
    model: str
    say: str = ""
    before: tuple[str, ...] = ()
    patient: str | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        return (self.variant, self.repeat, self.id)

    @property
    def missed(self) -> bool:
        return bool(self.error or self.alarms or self.differences)


@dataclass(slots=True)
class Meter:
    """What one case used outside of a turn."""

    spent: Usage
    began: float

    def costs(self) -> dict[str, Any]:
        """As an outcome keeps it."""
        return {
            "llm_calls": self.spent.calls,
            "tokens": Tokens(prompt=self.spent.prompt_tokens, completion=self.spent.completion_tokens),
            "duration_ms": (time.perf_counter() - self.began) * 1000,
        }


@contextmanager
def metered() -> Iterator[Meter]:
    """Counts the calls to a model that are made within."""
    meter = Meter(Usage(), time.perf_counter())
    with holding(usage, meter.spent):
        yield meter


@dataclass(frozen=True, slots=True)
class Bench(Generic[C]):
    """An opened suite: the model's name, how one case is run, and what else a reader of the numbers must know."""

    model: str
    run: Callable[[C], Awaitable[Outcome]]
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """What a reader of a suite's numbers has to know; of our own suites, what `suites.toml` says."""

    metrics: tuple[Metric, ...]
    configurations: tuple[Configuration, ...] = (Configuration(STANDARD, "as configured"),)
    cases: str = ""
    """The file of cases that comes with the package."""
    alarm: str = ALARM
    whole: tuple[str, ...] = (STANDARD,)
    """The configurations that `eval all` runs: what the card of a model rests on."""
    graphs: bool = False
    """Whether the cases run through a graph that can be chosen."""


@cache
def abouts() -> dict[str, About]:
    """Of every suite of ours, by name."""
    return TypeAdapter(dict[str, About]).validate_python(table("suites.toml"))


class Suite(ABC, Generic[C]):
    """One kind of proof. Opening it builds what is needed once; running a case keeps nothing for the next."""

    name: str
    case: type[C]

    @property
    def about(self) -> About:
        return abouts()[self.name]

    @property
    def title(self) -> str:
        return self.name.capitalize()

    def load(self, path: Path | None = None) -> tuple[C, ...]:
        """The cases of a file; without one, those that come with the package."""
        return load(self.case, self.about.cases, path)

    def configuration(self, name: str) -> Configuration:
        """The one of this name; the first, which is the plain one, for a name that is none of them."""
        return next((one for one in self.about.configurations if one.name == name), self.about.configurations[0])

    def configured(self, settings: Settings, variant: Variant) -> Settings:
        """The settings with what the variant's configuration changes in them."""
        changes = self.configuration(variant.configuration).changes
        return settings.model_copy(update={name: None if value == "" else value for name, value in changes.items()})

    @abstractmethod
    def open(self, settings: Settings, variant: Variant) -> AbstractAsyncContextManager[Bench[C]]:
        """What the cases of one variant run on."""

    def takes(self, case: C, configuration: str) -> bool:
        """Whether this configuration says anything about this case."""
        return True

    def failed(self, case: C, why: str) -> Outcome:
        """A case without a result missed everything that was expected of it, or the shares would flatter."""
        return Outcome(error=why, scores=dict.fromkeys(self.expects(case), 0.0))

    def expects(self, case: C) -> tuple[str, ...]:
        """The metrics that this case is scored by."""
        return tuple(metric.name for metric in self.about.metrics)

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """Numbers of this suite alone, beside the shares that every suite has."""
        return {}


SUITES: dict[str, str] = {
    "turns": "docgemma.evals.turns",
    "nodes": "docgemma.evals.nodes",
    "answers": "docgemma.evals.answers",
    "safety": "docgemma.evals.safety.suite",
    "grounding": "docgemma.evals.grounding",
    "consult": "docgemma.evals.consult",
    "latency": "docgemma.evals.latency",
}
"""The module of each. It is imported when it is asked for: most commands need none of them."""


def suite_of(name: str) -> Suite[Any]:
    """The suite of this name, ready to load its cases."""
    made: Suite[Any] = getattr(import_module(SUITES[name]), name.capitalize())()
    return made
