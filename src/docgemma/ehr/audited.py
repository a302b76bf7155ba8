"""The record system with the audit log in front of it: what was read is written down before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Protocol, TypeVar

from docgemma.audit.entries import UNNAMED, Access, Outcome, asked_id, known_id
from docgemma.audit.log import AuditError
from docgemma.clinical import purpose
from docgemma.ehr.contract import CHART, VITAL, Ehr, EhrError, Hits, Params, Record, Resource
from docgemma.errors import DocGemmaError

T = TypeVar("T")

_ABOUT = ("subject", "patient", "beneficiary")
"""The elements in which R4 resources say whom they are about; in searches, what they are found by."""

_REFERENCE = re.compile(r"(?:[^#?]*/)?([A-Z][A-Za-z]{1,63})/([^/#?]+)(?:/_history/[^/]+)?")


class NotAudited(EhrError):
    """The audit log did not take the access, so nothing was handed out."""


class Log(Protocol):
    """What is needed of the audit log."""

    async def append(self, *accesses: Access) -> None: ...


class AuditedEhr:
    """An `Ehr` around another one. An attempt that failed is written down too; without the log there is no chart."""

    def __init__(self, ehr: Ehr, log: Log) -> None:
        self._ehr = ehr
        self._log = log

    async def read(self, kind: str, id_: str) -> Resource | None:
        asked = Access("read", "failed", kind, asked_id(id_), _asked(kind, [("_id", id_)]))
        found = await self._attempt(asked, partial(self._ehr.read, kind, id_))
        if found is None:
            await self._note(replace(asked, outcome="none"))
            return None
        named = replace(asked, resource_id=known_id(found.get("id")), patients=_patients([found]))
        await self._note(replace(named, outcome="found", count=1))
        return found

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        asked = Access("search", "failed", kind, patients=_asked(kind, params))
        hits = await self._attempt(asked, partial(self._ehr.search, kind, params, most=most))
        outcome: Outcome = "partial" if not hits.complete else "found" if hits.resources else "none"
        patients = _patients(hits.resources) or asked.patients
        await self._note(replace(asked, outcome=outcome, patients=patients, count=len(hits.resources)))
        return hits

    async def record(self, patient_id: str, kinds: Sequence[str] = CHART) -> Record | None:
        named = "" if tuple(kinds) == CHART else ",".join(kinds)
        asked = Access("chart", "failed", named, patients=_asked("Patient", [("_id", patient_id)]))
        if set(kinds) <= set(VITAL):
            asked = replace(asked, action="summary")
        record = await self._attempt(asked, partial(self._ehr.record, patient_id, kinds))
        if record is None:
            await self._note(replace(asked, outcome="none"))
            return None
        read = [record.patient, *chain.from_iterable(record.resources.values())]
        outcome: Outcome = "partial" if record.gaps else "found"
        await self._note(replace(asked, outcome=outcome, patients=_patients(read), count=len(read)))
        return record

    async def folds_names(self) -> bool:
        """Tells something of the server and nothing of anybody: not an access."""
        return await self._ehr.folds_names()

    async def _attempt(self, asked: Access, ask: Callable[[], Awaitable[T]]) -> T:
        purpose.get()  # a read without a purpose ends here, before anything is asked for
        try:
            return await ask()
        except DocGemmaError:
            await self._note(asked)
            raise

    async def _note(self, access: Access) -> None:
        try:
            await self._log.append(access)
        except AuditError as error:
            raise NotAudited("service_unavailable", str(error)) from error


def _asked(kind: str, params: Params) -> tuple[str, ...]:
    """The patients a request itself names. Names, dates and numbers it looks for are not among them."""
    by = ("_id",) if kind == "Patient" else _ABOUT
    values = (value for name, given in params if name.split(":")[0] in by for value in given.split(","))
    ids = (asked_id(value.rpartition("/")[2]) for value in values)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_))


def _patients(resources: Iterable[Resource]) -> tuple[str, ...]:
    """Everybody these resources are about, each once, in the order of their coming."""
    return tuple(dict.fromkeys(chain.from_iterable(_people(resource) for resource in resources)))


def _people(resource: Resource) -> Iterator[str]:
    if resource.get("resourceType") == "Patient":
        yield known_id(resource.get("id"))
    for element in _ABOUT:
        about = resource.get(element)
        if about is not None:
            reference = about.get("reference") if isinstance(about, dict) else None
            named = _REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
            if named is None:
                yield UNNAMED
            elif named[1] == "Patient":
                yield known_id(named[2])
