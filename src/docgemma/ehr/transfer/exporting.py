"""What the embedded store holds: who is in it, and everything, one kind or one patient's chart as NDJSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from docgemma.ehr import fhir_json
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import Stored
from docgemma.ehr.embedded.storage.reading import Reading
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.ehr.patients.person import person_of
from docgemma.errors import UnknownId

_PAGE = 500

Write = Callable[[str, str], None]
"""Takes the kind and the line, without its end."""


class _Lost(Exception):
    """Writing failed. Carries the reason out of the transaction, where an OSError means trouble with the store."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error


async def export(
    store: FhirStore, write: Write, *, patient: str | None = None, kinds: Sequence[str] = ()
) -> dict[str, int]:
    """How many of each kind were written. All of it is from one moment, whatever is written meanwhile."""

    def work(unit: Reading) -> Counter[str]:
        done: Counter[str] = Counter()
        for stored in _chart(unit, patient, kinds) if patient is not None else _all(unit, kinds):
            try:
                write(stored.kind, stored.body)
            except OSError as error:
                raise _Lost(error) from error
            done[stored.kind] += 1
        return done

    try:
        return dict(await store.run(work, write=False))
    except _Lost as lost:
        raise lost.error from None


def _all(unit: Reading, kinds: Sequence[str]) -> Iterator[Stored]:
    for kind in unit.counts():
        if kinds and kind not in kinds:
            continue
        after = ""
        while page := unit.of_kind(kind, after=after, limit=_PAGE):
            yield from page
            after = page[-1].id


def _chart(unit: Reading, patient: str, kinds: Sequence[str]) -> Iterator[Stored]:
    if not unit.exists("Patient", patient):
        raise UnknownId("There is no patient with this id in the embedded store. `docgemma ehr list` shows who is.")
    chart = unit.of_patient(patient)
    yield from (each for each in (*chart, *unit.referred(patient, chart)) if not kinds or each.kind in kinds)


@dataclass(frozen=True, slots=True)
class Listed:
    """One patient. Of the record number only the end is shown; `fictional` is what the record says of itself."""

    id: str
    name: str
    born: str
    sex: str
    mrn_tail: str
    resources: int
    fictional: bool


async def patients(store: FhirStore, *, only: str | None = None) -> list[Listed]:
    """Everybody, in the order of their ids; or the one who has this id, if there is one."""

    def work(unit: Reading) -> list[Listed]:
        found = _everybody(unit) if only is None else _one(unit, only)
        return [_listed(patient, unit.chart_size(patient["id"])) for patient in found]

    return await store.run(work, write=False)


def _one(unit: Reading, id_: str) -> Iterator[Resource]:
    stored = unit.read("Patient", id_)
    if stored is not None and not stored.deleted:
        yield fhir_json.loads(stored.body)


def _everybody(unit: Reading) -> Iterator[Resource]:
    after = ""
    while page := unit.of_kind("Patient", after=after, limit=_PAGE):
        yield from (fhir_json.loads(each.body) for each in page)
        after = page[-1].id


def _listed(patient: Resource, resources: int) -> Listed:
    person = person_of(patient)
    return Listed(
        id=person.id,
        name=person.name,
        born=person.birth_date or "",
        sex=person.sex or "",
        mrn_tail=person.mrn_tail or "",
        resources=resources,
        fictional=person.fictional,
    )
