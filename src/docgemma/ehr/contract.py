"""What the rest of the program may ask of a health record. Most may read; writing is the orders' business alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from docgemma.clinical import ErrorType
from docgemma.errors import Unavailable

Resource = dict[str, Any]
"""Raw FHIR. Decimals are `Decimal`, so that a number reads as it was recorded."""

Params = Sequence[tuple[str, str]]
"""Search parameters in order; a name may come twice."""

VITAL = ("AllergyIntolerance", "MedicationRequest", "MedicationStatement", "Condition")
"""What is read first and never cut: an allergy that was not read must never look like one that is not there."""

CHART = (
    *VITAL,
    "Observation",
    "DiagnosticReport",
    "DocumentReference",
    "ClinicalImpression",
    "Encounter",
    "Immunization",
    "Procedure",
    "CarePlan",
)


class EhrError(Unavailable):
    """The record system gave no usable answer. The sentence carries no patient data."""

    def __init__(self, error_type: ErrorType, message: str) -> None:
        super().__init__(message)
        self.error_type: ErrorType = error_type


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found. Not complete: there is more than was read, or a page was missing."""

    resources: tuple[Resource, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Gap:
    """A kind of resource that was not, or not completely, read. Its absence says nothing."""

    kind: str
    reason: ErrorType


@dataclass(frozen=True, slots=True)
class Record:
    """One patient's resources by kind. Each was checked to be about this patient, or to be what such a one refers to.

    `strangers` counts resources of somebody else that the server sent and that were left out.
    """

    patient: Resource
    resources: Mapping[str, tuple[Resource, ...]] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    strangers: int = 0

    def of(self, kind: str) -> tuple[Resource, ...]:
        return self.resources.get(kind, ())

    def missing(self, *kinds: str) -> tuple[Gap, ...]:
        """The gaps among these kinds."""
        return tuple(gap for gap in self.gaps if gap.kind in kinds)


class Ehr(Protocol):
    """A FHIR R4 server, near or far. Everything it cannot do ends in an EhrError."""

    async def read(self, kind: str, id_: str) -> Resource | None:
        """One resource; None when there is none, or none any more."""
        ...

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        """Follows pages up to `most` resources."""
        ...

    async def record(self, patient_id: str, kinds: Sequence[str] = CHART) -> Record | None:
        """Everything of these kinds about one patient; None when there is no such patient."""
        ...

    async def folds_names(self) -> bool:
        """Whether the server's own name search ignores accents and word order, so that one query is enough."""
        ...


class Refused(EhrError):
    """The record system answered, and wrote nothing of it. `status` is its HTTP status."""

    def __init__(self, status: int, error_type: ErrorType, message: str) -> None:
        super().__init__(error_type, message)
        self.status = status


class OutcomeUnknown(EhrError):
    """A write was sent and no usable answer came: it may have happened or not. Only a look tells."""


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a transaction. With an id in the resource it replaces that one, and needs `if_match`; without, it is
    created unless something answers to `if_none_exist`. `full_url` is what other entries refer to it by.
    """

    resource: Resource
    full_url: str = ""
    if_none_exist: str = ""
    if_match: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an entry of a transaction lies now. Not `created`: it was there before, or it was replaced."""

    kind: str
    id: str
    version: str
    created: bool


class Writer(Protocol):
    """The writing side of a FHIR R4 server. Nothing here is ever sent twice."""

    async def transact(self, changes: Sequence[Change]) -> tuple[Placed, ...]:
        """All of it or nothing. Refused: nothing was written. OutcomeUnknown: only a look tells."""
        ...

    async def identified(self, kind: str, system: str, value: str) -> tuple[Resource, ...]:
        """Everything that carries this identifier, as it is now. EhrError when that cannot be told for certain."""
        ...

    async def read(self, kind: str, id_: str) -> Resource | None: ...
