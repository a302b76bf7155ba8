"""What flows through the grounding of one batch, and the live things beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from typing_extensions import TypedDict

from docgemma.grounding.contract import Criterion, Entity, Method, Quantity, Window
from docgemma.grounding.searching import Searches
from docgemma.llm.contract import LanguageModel
from docgemma.llm.rules import Rule
from docgemma.terminology.contract import Candidate, EntityType

MAX_ROUNDS = 3
"""A round is one search and one look at what it found; the extraction belongs to the first."""
THRESHOLD = 0.7

By = Literal["code", "model"]
Step = dict[str, Any]
"""One line of the history: what was done, by whom, with which terms, and how many candidates there were."""


class Attributed(Protocol):
    """What stands around an entity: said to be absent, compared with a value, bound to a time; and any doubt of it."""

    @property
    def negated(self) -> bool: ...
    @property
    def quantity(self) -> Quantity | None: ...
    @property
    def window(self) -> Window | None: ...
    @property
    def doubt(self) -> str: ...


Attribute = Callable[[str, Sequence[tuple[int, int, EntityType]]], Sequence[Attributed]]


@dataclass(frozen=True, slots=True)
class Services:
    """`llm` is None, or named `rules`, where code alone grounds. With `hints` a model sees what the dictionary found.

    `rules` and `attributes` are this package's own unless others are given.
    """

    llm: LanguageModel | None
    terminology: Searches
    threshold: float = THRESHOLD
    concurrency: int = 4
    hints: bool = True
    max_results: int = 5
    rules: Mapping[str, Rule] | None = None
    attributes: Attribute | None = None

    @property
    def model(self) -> LanguageModel | None:
        return None if self.llm is None or self.llm.name == "rules" else self.llm


@dataclass(frozen=True, slots=True)
class Found:
    """One entity on its way: where it stands, what it may be, and what was chosen.

    `own` are the candidates of the criterion's own words, where another term was searched too. A `doubt` sends the
    entity to an expert whatever its confidence.
    """

    text: str
    start: int
    end: int
    entity_type: EntityType
    term: str
    candidates: tuple[Candidate, ...] = ()
    own: tuple[Candidate, ...] | None = None
    chosen: Candidate | None = None
    model_confidence: float | None = None
    method: Method = "rules"
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """One criterion after the first node. With an error nothing of it counts."""

    found: tuple[Found, ...] = ()
    history: tuple[Step, ...] = ()
    error: str | None = None


class State(TypedDict, total=False):
    """The names of the specification. Lists go by the place of the criterion in the batch: ids may repeat."""

    batch_id: str
    protocol_id: str
    criteria_ids: tuple[str, ...]
    criteria_texts: tuple[Criterion, ...]
    raw_entities: tuple[Read, ...]
    grounded_entities: tuple[tuple[Entity, ...], ...]
    entity_ids: tuple[str, ...]
    error: str | None
    iteration_history: tuple[tuple[Step, ...], ...]


@dataclass(slots=True)
class History:
    """The steps of one criterion, as they happen."""

    steps: list[Step] = field(default_factory=list)

    def note(self, round: int, action: str, by: By, **rest: Any) -> None:
        self.steps.append({"round": round, "action": action, "by": by, **rest})
