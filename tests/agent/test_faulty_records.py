"""The whole agent on a record system that fails: the turn ends in plain words and shows nobody else.

A list of allergies is shown whole or said not to have been read, and nothing is shown that the audit log did not take.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question
from docgemma.audit.log import AuditLog
from docgemma.config import Settings
from docgemma.ehr.contract import CHART
from docgemma.errors import Unavailable
from docgemma.llm.contract import LanguageModel
from docgemma.store.postgres import PostgresDatabase
from docgemma.store.sqlite import SqliteDatabase
from docgemma.wiring.app import open_app
from tests.support.http import serving
from tests.support.scripted_fhir import Answer, Asked, Fault, ScriptedFhir, bundle, outcome
from tests.support.turns import Stage
from tests.support.ward import ALLERGENS, ANN, CANARY, DATABASE, NAME, Reassuring, entry, hers, theirs, ward

ALLERGY = "AllergyIntolerance"
HERS, THEIRS = hers(), theirs()
EVERYBODY = [*HERS, *THEIRS]
HERS_BUT_ALLERGIES = [one for one in HERS if one["resourceType"] != ALLERGY]
THEIR_ALLERGIES = [one for one in THEIRS if one["resourceType"] == ALLERGY]
TURN_S = 30.0
"""The longest a turn may take; most of these take hundredths of a second."""

PINNED = ("any allergies?", "Check the chart", "what meds is she on?")
UNPINNED = (f"Find patient {NAME} and check the chart", f"what meds is {NAME} on?", f"any allergies for {ANN}?")
QUESTIONS = [*((text, ANN) for text in PINNED), *((text, None) for text in UNPINNED)]
SERVER_WORDS = ("Traceback", "<html", "http://", "JSON", "OperationOutcome", "Exception", "Bundle", "resourceType")
NONE_CLAIMED = ("no allergy entry is recorded", "no known", "no allergies", "list is empty", "allergies: none")


def everywhere(answer: Answer) -> Fault:
    """All but the server's description of itself, which is read before any patient is."""
    return lambda asked: None if asked.path == "metadata" else answer


def on(kind: str, answer: Answer | Callable[[Asked], Answer]) -> Fault:
    def fault(asked: Asked) -> Answer | None:
        if asked.path not in (kind, f"Patient/{ANN}/{kind}"):
            return None
        return answer(asked) if callable(answer) else answer

    return fault


def second_page(answer: Answer) -> Fault:
    return lambda asked: answer if "_start" in asked.params else None


def heedless(asked: Asked) -> Answer | None:
    """A server that drops its parameters: everybody's entries, whoever was asked for."""
    if asked.path.endswith("$everything"):
        return Answer(body=bundle(EVERYBODY))
    return (
        Answer(body=bundle(one for one in EVERYBODY if one["resourceType"] == asked.path))
        if asked.path in CHART
        else None
    )


HTML = Answer(200, b"<html><body>Sign in</body></html>", {"content-type": "text/html"})
TRUNCATED = Answer(200, json.dumps(bundle(HERS)).encode()[:700])
REDIRECT = Answer(302, b"", {"location": "http://elsewhere.test/fhir"})
HALF = Answer(body={**bundle([HERS[1]]), "total": len(ALLERGENS)})
SLOW = Answer(200, HERS[0], delay_s=60)


@dataclass(frozen=True)
class Case:
    """A server and its fault. Not `readable`: no chart at all. `whole`: all allergies, in a way around the fault."""

    fault: Fault
    readable: bool = True
    everything: bool = True
    whole: bool = False
    page: int = 1000
    client: dict[str, Any] = field(default_factory=dict)


CASES = {
    "500 for ever": Case(everywhere(outcome(500, "exception", CANARY)), readable=False),
    "502 in HTML": Case(everywhere(Answer(502, b"<html>")), readable=False),
    "busy for ever": Case(everywhere(Answer(429, b"", {"retry-after": "3600"})), readable=False),
    "401 for ever": Case(everywhere(outcome(401, "login")), readable=False),
    "403 for ever": Case(everywhere(outcome(403, "forbidden")), readable=False),
    "404 of a web server": Case(everywhere(Answer(404, b"<html>")), readable=False),
    "HTML": Case(everywhere(HTML), readable=False),
    "truncated JSON": Case(everywhere(TRUNCATED), readable=False),
    "redirect": Case(everywhere(REDIRECT), readable=False),
    "nothing": Case(everywhere(Answer(200, b"")), readable=False),
    "a remark": Case(everywhere(Answer(200, outcome(200, "not-supported").body)), readable=False),
    "somebody else, always": Case(everywhere(Answer(body=THEIRS[0])), readable=False),
    "everybody, always": Case(everywhere(Answer(body=bundle(EVERYBODY))), readable=False),
    "slow": Case(everywhere(SLOW), readable=False, client={"deadline_s": 0.05}),
    "ignores its parameters": Case(heedless),
    "ignores its parameters, kind by kind": Case(heedless, everything=False),
    "everything fails": Case(on("$everything", outcome(500, "exception")), whole=True),
    "everything is somebody else's": Case(on("$everything", Answer(body=bundle(THEIRS)))),
    "everything without allergies": Case(on("$everything", Answer(body=bundle(HERS_BUT_ALLERGIES))), whole=True),
    "everything with others": Case(on("$everything", Answer(body=bundle(EVERYBODY))), whole=True),
    "500 on the second page": Case(second_page(outcome(500, "exception")), page=2),
    "truncated second page": Case(second_page(TRUNCATED), page=2),
    "redirect on the second page": Case(second_page(REDIRECT), page=2),
    "allergies: 500": Case(on(ALLERGY, outcome(500, "exception", CANARY)), everything=False),
    "allergies: 403": Case(on(ALLERGY, outcome(403, "forbidden")), everything=False),
    "allergies: no such kind": Case(on(ALLERGY, outcome(404, "not-supported")), everything=False),
    "allergies: HTML": Case(on(ALLERGY, HTML), everything=False),
    "allergies: half a page": Case(on(ALLERGY, HALF), everything=False),
    "allergies: empty, of three": Case(on(ALLERGY, Answer(body={**bundle([]), "total": 3})), everything=False),
    "allergies: somebody else's": Case(on(ALLERGY, Answer(body=bundle(THEIR_ALLERGIES))), everything=False),
    "allergies: redirect": Case(on(ALLERGY, REDIRECT), everything=False),
    "allergies: slow": Case(on(ALLERGY, SLOW), everything=False, client={"deadline_s": 0.1}),
    "no description": Case(on("metadata", outcome(500, "exception")), whole=True),
}  # fmt: skip


async def ask(on_ward: Stage, text: str, patient: str | None) -> TurnRecord:
    async with asyncio.timeout(TURN_S):
        return await on_ward.ask(text, patient_id=patient)


def assert_sound(record: TurnRecord) -> None:
    """Plain words, typed statuses, within limits, and of nobody else."""
    told = record.model_dump_json(exclude={"query"})
    assert record.response.strip()
    assert CANARY not in told
    assert not [word for word in SERVER_WORDS if word in told]
    assert len(record.tool_calls) <= 4
    for call in record.tool_calls:
        assert call.attempts <= 3
        assert (call.status == "unavailable") <= (call.error_type is not None)


def assert_none_denied(record: TurnRecord) -> None:
    told = record.model_dump_json(exclude={"query"}).casefold()
    assert not [claim for claim in NONE_CLAIMED if claim in told], record.response


def assert_allergies_told(record: TurnRecord) -> None:
    """All of them, or that they were not read; never that there are none."""
    assert_none_denied(record)
    told = record.model_dump_json(exclude={"query"})
    if any((call.tool, call.status) == ("get_patient_chart", "found") for call in record.tool_calls):
        assert all(what in told for what in ALLERGENS) or "Allergies could not be read" in told, record.response
    else:
        assert not any(what in told for what in ALLERGENS)


async def assert_audited(on_ward: Stage, record: TurnRecord) -> None:
    """Each attempt has left a row, and a failed one says so."""
    rows = await AuditLog(on_ward.store.database).entries(session=record.session_id)
    mine = [row for row in rows if row.turn_id == record.turn_id]
    assert len(mine) >= sum(call.attempts for call in record.tool_calls)
    if any(call.status == "unavailable" for call in record.tool_calls):
        assert "failed" in {row.outcome for row in mine}


@asynccontextmanager
async def faulty_ward(home: Path, case: Case, model: LanguageModel | None = None) -> AsyncIterator[Stage]:
    server = ScriptedFhir(EVERYBODY, case.fault, everything=case.everything, page=case.page)
    async with ward(home, server, model, **case.client) as opened:
        yield opened


@pytest.mark.parametrize("name", CASES)
async def test_a_fault_is_told_and_hides_no_allergy(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    async with faulty_ward(tmp_path, case) as on_ward:
        for text, patient in QUESTIONS:
            record = await ask(on_ward, text, patient)
            assert_sound(record)
            assert_allergies_told(record)
            await assert_audited(on_ward, record)
            if case.whole:
                assert all(what in record.response for what in ALLERGENS), f"{text}: {record.response}"


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.readable])
async def test_no_model_can_say_that_there_are_no_allergies(name: str, tmp_path: Path) -> None:
    """It claims it in four ways. Where nothing at all is read, no model is asked to write."""
    async with faulty_ward(tmp_path, CASES[name], Reassuring()) as on_ward:
        for text, patient in (QUESTIONS[0], QUESTIONS[4]):
            record = await ask(on_ward, text, patient)
            assert_sound(record)
            assert_none_denied(record)
            await assert_audited(on_ward, record)


DENIALS = (
    "She takes no medications.", "Medications: none.", "There are no active problems.", "Problem list: none.",
    "She denies allergies.", "Her allergy history is unremarkable.", "She has never had an allergic reaction.",
)  # fmt: skip


@pytest.mark.parametrize("denial", DENIALS)
async def test_no_model_can_deny_what_the_chart_lists(denial: str, tmp_path: Path) -> None:
    async with ward(tmp_path, ScriptedFhir(EVERYBODY), Reassuring(denial)) as on_ward:
        record = await ask(on_ward, "Check the chart", ANN)
    assert denial not in record.response


async def test_allergies_on_the_last_page_of_ten_megabytes_are_shown(tmp_path: Path) -> None:
    notes = [entry("DocumentReference", f"n{at:04}", ANN, f"note {at} " + "words " * 330) for at in range(5_000)]
    assert sum(len(json.dumps(one)) for one in notes) > 10_000_000
    server = ScriptedFhir([HERS[0], *THEIRS, *notes, *HERS[1:]])
    async with ward(tmp_path, server, deadline_s=60) as on_ward:
        record = await ask(on_ward, "Check the chart", ANN)
    assert_sound(record)
    assert all(what in record.response for what in ALLERGENS)
    assert "Left out:" in record.response
    assert len(record.response) < 20_000


async def test_a_drug_that_is_named_only_by_a_dead_reference_is_told(tmp_path: Path) -> None:
    dangling = entry("MedicationRequest", "dangling", ANN, "")
    del dangling["medicationCodeableConcept"], dangling["code"]
    dangling["medicationReference"] = {"reference": "Medication/gone"}
    async with ward(tmp_path, ScriptedFhir([*HERS, dangling])) as on_ward:
        record = await ask(on_ward, f"what meds is {NAME} on?", None)
    assert_sound(record)
    assert_allergies_told(record)
    assert "her MedicationRequest" in record.response
    assert any("Names of medications" in notice for notice in record.notices), record.notices


async def test_over_sockets_and_settings_a_broken_connection_is_a_plain_word(tmp_path: Path) -> None:
    cut = Answer(body=bundle(HERS), cut_at=300)
    async with serving(ScriptedFhir(EVERYBODY, on("$everything", cut), on(ALLERGY, cut))) as origin:
        settings = Settings(home=tmp_path, model="rules", sources="pack", fhir_url=f"{origin}/fhir")
        async with open_app(settings) as app:
            record = await app.sessions.ask(Question("any allergies?", patient_id=ANN))
    assert_sound(record)
    assert_allergies_told(record)
    assert "Allergies could not be read" in record.response


BREAKING = {
    "a row that was changed": "UPDATE audit SET who = 'nobody' WHERE position = (SELECT MAX(position) FROM audit)",
    "a row that was removed": "DELETE FROM audit WHERE position = (SELECT MAX(position) FROM audit)",
    "no log at all": "ALTER TABLE audit RENAME TO something_else",
    "no end of the chain": "DELETE FROM audit_head",
}


@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "reassuring model"])
@pytest.mark.parametrize("name", BREAKING)
async def test_without_a_sound_audit_log_no_chart_is_opened(name: str, by_model: bool, tmp_path: Path) -> None:
    async with ward(tmp_path, ScriptedFhir(EVERYBODY), Reassuring() if by_model else None) as on_ward:
        assert "Besicillin" in (await ask(on_ward, PINNED[0], ANN)).model_dump_json()
        with sqlite3.connect(tmp_path / DATABASE) as other:
            other.execute(BREAKING[name])
        for text, patient in QUESTIONS:
            record = await ask(on_ward, text, patient)
            assert_sound(record)
            assert_nothing_read(record)
            assert {(call.status, call.error_type) for call in record.tool_calls} == {
                ("unavailable", "service_unavailable")
            }
            assert "audit log" in record.response


def assert_nothing_read(record: TurnRecord) -> None:
    told = record.model_dump_json()
    assert not [what for what in (*ALLERGENS, "her Condition", "born 1961") if what in told]


async def test_a_log_that_another_program_holds_stops_the_chart(tmp_path: Path) -> None:
    """Locked between the question and the reading: the turn cannot even be recorded, and shows nothing."""
    holder = sqlite3.connect(tmp_path / DATABASE, isolation_level=None)

    def lock(asked: Asked) -> None:
        if not holder.in_transaction:
            holder.execute("BEGIN IMMEDIATE")

    server = ScriptedFhir(EVERYBODY, lock)
    database = SqliteDatabase(tmp_path / DATABASE, busy_seconds=0.05)
    async with ward(tmp_path, server, database=database) as on_ward:
        with pytest.raises(Unavailable, match="kept busy by another program"):
            await ask(on_ward, UNPINNED[2], None)
        assert "audit log" in on_ward.streamed
        assert not [what for what in ALLERGENS if what in on_ward.streamed]
        server.faults.clear()
        holder.execute("ROLLBACK")
        assert "Besicillin" in (await ask(on_ward, UNPINNED[2], None)).response
    holder.close()


@pytest.mark.postgres
async def test_a_log_on_a_server_that_goes_away_stops_the_chart(
    postgres_server: str, postgres_url: str, tmp_path: Path
) -> None:
    name = urlsplit(postgres_url).path.removeprefix("/")

    def hang_up(asked: Asked) -> None:
        with psycopg.connect(postgres_server, autocommit=True) as admin:
            admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))

    server = ScriptedFhir(EVERYBODY, hang_up)
    async with ward(tmp_path, server, database=PostgresDatabase(postgres_url)) as on_ward:
        with pytest.raises(Unavailable, match="cannot be reached"):
            await ask(on_ward, UNPINNED[2], None)
        assert "audit log" in on_ward.streamed
        assert not [what for what in ALLERGENS if what in on_ward.streamed]
