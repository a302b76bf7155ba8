"""What the parts of the embedded server hand each other: rows, index entries, queries, and how a request fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from docgemma.errors import DocGemmaError

IssueCode = Literal[
    "invalid", "structure", "required", "value", "invariant", "not-found", "deleted", "conflict", "duplicate",
    "not-supported", "too-costly", "processing", "exception", "security", "login", "code-invalid", "business-rule",
]  # fmt: skip


CARRIERS = frozenset({"Bundle", "Parameters", "OperationOutcome", "CapabilityStatement", "Subscription"})
"""Kinds that carry other things, or speak about a server: no part of a chart. They are not stored."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong with a request. `where` is a FHIRPath such as `Patient.gender`; no value is repeated."""

    code: IssueCode
    text: str
    where: str = ""


class FhirFault(DocGemmaError):
    """A request that is answered with an OperationOutcome instead of a resource."""

    def __init__(self, status: int, issues: Sequence[Issue]) -> None:
        super().__init__(issues[0].text)
        self.status = status
        self.issues = tuple(issues)


@dataclass(frozen=True, slots=True)
class Stored:
    """One version of a resource as it lies in the file. `body` is its JSON text, meta included; empty when deleted.

    `patient` is the id of the one it is about, if any. `refs` name what it refers to outside that patient's chart, as
    `Practitioner/x`.
    """

    kind: str
    id: str
    version: int
    updated: str
    deleted: bool
    body: str
    patient: str = ""
    refs: tuple[str, ...] = ()

    @property
    def etag(self) -> str:
        return f'W/"{self.version}"'


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One value under which a resource is found without a patient: a folded word of a name, an identifier, a date."""

    param: str
    value: str


@dataclass(frozen=True, slots=True)
class Narrow:
    """A condition that the index can answer. `prefix`: any value that starts so. Several values: any of them."""

    param: str
    values: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """What a write did: `created` a resource, `updated` the one it `replaced`, or left it because nothing differed."""

    how: Literal["created", "updated", "unchanged", "existing"]
    stored: Stored
    replaced: Stored | None = None
