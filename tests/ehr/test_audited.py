"""Nothing of a chart is seen before it is in the audit log, and nothing without it."""

from __future__ import annotations

import contextvars
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from docgemma.audit.entries import Access, Entry
from docgemma.audit.log import AuditError, AuditLog
from docgemma.clinical import Purpose, acting
from docgemma.ehr.audited import AuditedEhr, NotAudited
from docgemma.ehr.contract import CHART, VITAL, Ehr, EhrError, Gap, Hits, Params, Record, Resource
from docgemma.store.sessions import Store, open_store

ANN: Resource = {"resourceType": "Patient", "id": "p1", "name": [{"family": "Lee"}], "birthDate": "1950-03-12"}
BEN: Resource = {"resourceType": "Patient", "id": "p2", "name": [{"family": "Garcia"}]}
ALLERGY: Resource = {"resourceType": "AllergyIntolerance", "id": "a1", "patient": {"reference": "Patient/p1"}}
DOWN = EhrError("timeout", "The record system did not answer in time.")


class Server:
    """A record system with one answer, or one failure, for everything. Counts how often it was asked."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.asked = 0

    def _give(self) -> Any:
        self.asked += 1
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    async def read(self, kind: str, id_: str) -> Resource | None:
        found: Resource | None = self._give()
        return found

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        found: Hits = self._give()
        return found

    async def record(self, patient_id: str, kinds: Sequence[str] = CHART) -> Record | None:
        found: Record | None = self._give()
        return found

    async def folds_names(self) -> bool:
        return True


class Refusing:
    """An audit log that cannot be written."""

    async def append(self, *accesses: Access) -> None:
        raise AuditError("The audit log cannot be written, so no chart is opened.")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


@pytest.fixture
def log(store: Store) -> AuditLog:
    return AuditLog(store.database)


@pytest.fixture(autouse=True)
def _reader() -> Iterator[None]:
    with acting(Purpose(who="dr.lee", why="turn", session_id="s1", turn_id="t1")):
        yield


async def last(log: AuditLog) -> Entry:
    return (await log.entries())[-1]


def test_it_is_an_ehr_like_any_other(log: AuditLog) -> None:
    ehr: Ehr = AuditedEhr(Server(None), log)
    assert isinstance(ehr, AuditedEhr)


READS = [
    ("Patient", "p1", ANN, "found", "p1", ("p1",), 1),
    ("AllergyIntolerance", "a1", ALLERGY, "found", "a1", ("p1",), 1),
    ("Practitioner", "d1", {"resourceType": "Practitioner", "id": "d1"}, "found", "d1", (), 1),
    ("Patient", "p9", None, "none", "p9", ("p9",), 0),
    ("Patient", "Garcia", None, "none", "", (), 0),
    ("Patient", "1950-03-12", None, "none", "", (), 0),
    ("Condition", "c1", {"resourceType": "Condition", "id": "Ann Lee"}, "found", "?", (), 1),
]


@pytest.mark.parametrize(("kind", "id_", "answer", "outcome", "resource_id", "patients", "count"), READS)
async def test_a_read_is_noted(
    log: AuditLog,
    kind: str,
    id_: str,
    answer: Resource | None,
    outcome: str,
    resource_id: str,
    patients: tuple[str, ...],
    count: int,
) -> None:
    assert await AuditedEhr(Server(answer), log).read(kind, id_) == answer
    entry = await last(log)
    assert (entry.action, entry.kind, entry.who, entry.turn_id) == ("read", kind, "dr.lee", "t1")
    assert (entry.outcome, entry.resource_id, entry.patients, entry.count) == (outcome, resource_id, patients, count)


SEARCHES = [
    ("Patient", [("name", "Garcia")], Hits((ANN, BEN)), "found", ("p1", "p2"), 2),
    ("Patient", [("name", "Garcia"), ("birthdate", "1950-03-12")], Hits(), "none", (), 0),
    ("Patient", [("identifier", "urn:mrn|4711")], Hits((BEN,), complete=False), "partial", ("p2",), 1),
    ("Patient", [("_id", "p1,p7")], Hits(), "none", ("p1", "p7"), 0),
    ("Observation", [("patient", "Patient/p7")], Hits(), "none", ("p7",), 0),
    ("Observation", [("subject:Patient", "p7")], Hits((), complete=False), "partial", ("p7",), 0),
    ("AllergyIntolerance", [("patient", "p7")], Hits((ALLERGY,)), "found", ("p1",), 1),
]


@pytest.mark.parametrize(("kind", "params", "hits", "outcome", "patients", "count"), SEARCHES)
async def test_a_search_is_noted_with_whom_it_found(
    log: AuditLog, kind: str, params: Params, hits: Hits, outcome: str, patients: tuple[str, ...], count: int
) -> None:
    assert await AuditedEhr(Server(hits), log).search(kind, params) == hits
    entry = await last(log)
    assert (entry.action, entry.kind) == ("search", kind)
    assert (entry.outcome, entry.patients, entry.count) == (outcome, patients, count)


REFERENCES = [
    ({"reference": "Patient/p5"}, ("p5",)),
    ({"reference": "https://fhir.example/r4/Patient/p5"}, ("p5",)),
    ({"reference": "Patient/p5/_history/3"}, ("p5",)),
    ({"reference": "Group/g1"}, ()),
    ({"reference": "urn:uuid:0b0c"}, ("?",)),
    ({"reference": "#p"}, ("?",)),
    ({"reference": "Patient/Ann Lee"}, ("?",)),
    ({"display": "Ann Lee"}, ("?",)),
    ("Patient/p5", ("?",)),
    ({"reference": 5}, ("?",)),
]


@pytest.mark.parametrize(("subject", "patients"), REFERENCES)
async def test_whom_a_resource_is_about(log: AuditLog, subject: object, patients: tuple[str, ...]) -> None:
    condition: Resource = {"resourceType": "Condition", "id": "c1", "subject": subject}
    await AuditedEhr(Server(Hits((condition, condition))), log).search("Condition", [])
    assert (await last(log)).patients == patients


RECORDS = [
    (CHART, Record(ANN, {"AllergyIntolerance": (ALLERGY,)}), "chart", "", "found", ("p1",), 2),
    (VITAL, Record(ANN), "summary", ",".join(VITAL), "found", ("p1",), 1),
    (CHART, Record(ANN, gaps=(Gap("Condition", "timeout"),)), "chart", "", "partial", ("p1",), 1),
    (("Observation",), None, "chart", "Observation", "none", ("p1",), 0),
]


@pytest.mark.parametrize(("kinds", "answer", "action", "kind", "outcome", "patients", "count"), RECORDS)
async def test_a_chart_is_noted(
    log: AuditLog,
    kinds: tuple[str, ...],
    answer: Record | None,
    action: str,
    kind: str,
    outcome: str,
    patients: tuple[str, ...],
    count: int,
) -> None:
    assert await AuditedEhr(Server(answer), log).record("p1", kinds) is answer
    entry = await last(log)
    assert (entry.action, entry.kind, entry.outcome, entry.patients) == (action, kind, outcome, patients)
    assert entry.count == count


async def test_an_attempt_that_failed_is_noted(log: AuditLog) -> None:
    ehr = AuditedEhr(Server(DOWN), log)
    for attempt in (ehr.read("Patient", "p1"), ehr.record("p1"), ehr.search("Patient", [("_id", "p1")])):
        with pytest.raises(EhrError, match="did not answer in time"):
            await attempt
    assert [(entry.action, entry.outcome, entry.patients) for entry in await log.entries()] == [
        ("read", "failed", ("p1",)),
        ("chart", "failed", ("p1",)),
        ("search", "failed", ("p1",)),
    ]


@pytest.mark.parametrize("answer", [ANN, None, DOWN])
async def test_without_the_log_nothing_is_handed_out(answer: Any) -> None:
    with pytest.raises(NotAudited, match="cannot be written, so no chart is opened") as refused:
        await AuditedEhr(Server(answer), Refusing()).read("Patient", "p1")
    assert refused.value.error_type == "service_unavailable"


async def test_a_log_that_was_tampered_with_stops_every_read(log: AuditLog, store: Store) -> None:
    ehr = AuditedEhr(Server(ANN), log)
    await ehr.read("Patient", "p1")
    await store.database.run(lambda cursor: cursor.execute("UPDATE audit SET who = '\"somebody\"'"))
    for attempt in (ehr.read("Patient", "p1"), AuditedEhr(Server(Record(ANN)), log).record("p1")):
        with pytest.raises(NotAudited, match="docgemma audit verify"):
            await attempt


async def test_without_a_purpose_the_record_system_is_not_even_asked(log: AuditLog) -> None:
    server = Server(ANN)
    with pytest.raises(LookupError):
        contextvars.Context().run(AuditedEhr(server, log).read("Patient", "p1").send, None)
    assert server.asked == 0


async def test_no_name_date_or_value_gets_into_the_database(log: AuditLog, tmp_path: Path) -> None:
    canary = "Zyxwv"
    named: Resource = {**ANN, "name": [{"family": canary}], "birthDate": "1931-07-04"}
    ehr = AuditedEhr(Server(Hits((named,))), log)
    for params in ([("name", canary)], [("birthdate", "1931-07-04")], [("_id", canary)], [("_id", "1931-07-04")]):
        await ehr.search("Patient", params)
        await AuditedEhr(Server(None), log).record(params[0][1])
        await AuditedEhr(Server(None), log).read("Patient", params[0][1])
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"p1" in stored
    assert canary.encode() not in stored
    assert b"1931-07-04" not in stored


async def test_what_a_server_can_do_is_not_an_access(log: AuditLog) -> None:
    assert await AuditedEhr(Server(None), log).folds_names()
    assert await log.entries() == ()
