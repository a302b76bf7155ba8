"""The whole agent on a record system that fails: the turn ends in plain words and shows nobody else.

A list of allergies is shown whole or said not to have been read, and nothing is shown that the audit log did not take.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.audit.entries import Entry
from docgemma.audit.log import AuditLog
from docgemma.ehr.contract import CHART
from tests.support.scripted_fhir import Answer, Asked, Fault, ScriptedFhir, bundle, outcome
from tests.support.turns import Stage
from tests.support.ward import ALLERGENS, ANN, CANARY, NAME, Reassuring, entry, hers, theirs, ward

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
NONE_CLAIMED = ("no allergy entry is recorded", "no known", "no allergies", "list is empty")


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
    return Answer(body=bundle(one for one in EVERYBODY if one["resourceType"] == asked.path)) if asked.path in CHART else None


HTML = Answer(200, b"<html><body>Sign in</body></html>", {"content-type": "text/html"})
TRUNCATED = Answer(200, json.dumps(bundle(HERS)).encode()[:700])
REDIRECT = Answer(302, b"", {"location": "http://elsewhere.test/fhir"})
HALF = Answer(body={**bundle([HERS[1]]), "total": len(ALLERGENS)})
SLOW = Answer(200, HERS[0], delay_s=60)


@dataclass(frozen=True)
class Case:
    """A server and its fault. `whole`: all allergies can still be read, in a way around the fault."""

    fault: Fault
    everything: bool = True
    whole: bool = False
    page: int = 1000
    client: dict[str, Any] = field(default_factory=dict)


CASES = {
    "500 for ever": Case(everywhere(outcome(500, "exception", CANARY))),
    "502 in HTML": Case(everywhere(Answer(502, b"<html>"))),
    "busy for ever": Case(everywhere(Answer(429, b"", {"retry-after": "3600"}))),
    "401 for ever": Case(everywhere(outcome(401, "login"))),
    "403 for ever": Case(everywhere(outcome(403, "forbidden"))),
    "404 of a web server": Case(everywhere(Answer(404, b"<html>"))),
    "HTML": Case(everywhere(HTML)),
    "truncated JSON": Case(everywhere(TRUNCATED)),
    "redirect": Case(everywhere(REDIRECT)),
    "nothing": Case(everywhere(Answer(200, b""))),
    "a remark": Case(everywhere(Answer(200, outcome(200, "not-supported").body))),
    "somebody else, always": Case(everywhere(Answer(body=THEIRS[0]))),
    "everybody, always": Case(everywhere(Answer(body=bundle(EVERYBODY)))),
    "slow": Case(everywhere(SLOW), client={"deadline_s": 0.2}),
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
    "allergies: slow": Case(on(ALLERGY, SLOW), everything=False, client={"deadline_s": 0.4}),
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


def assert_allergies_told(record: TurnRecord, *, by_model: bool) -> None:
    """All of them, or that they were not read; never that there are none."""
    told = record.model_dump_json(exclude={"query"}).casefold()
    assert not [claim for claim in NONE_CLAIMED if claim in told], record.response
    read = [call for call in record.tool_calls if (call.tool, call.status) == ("get_patient_chart", "found")]
    listed = all(what.casefold() in told for what in ALLERGENS)
    gap = "allergies could not be read" in told or "allergies, medications and problems were not read" in told
    if read and not by_model:
        assert listed or gap, record.response
    if not read:
        assert not any(what.casefold() in told for what in ALLERGENS)


async def rows_of(on_ward: Stage, record: TurnRecord) -> list[Entry]:
    log = AuditLog(on_ward.store.database)
    return [row for row in await log.entries(session=record.session_id) if row.turn_id == record.turn_id]


@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "reassuring model"])
@pytest.mark.parametrize("name", CASES)
async def test_a_fault_is_told_and_hides_no_allergy(name: str, by_model: bool, tmp_path: Path) -> None:
    case = CASES[name]
    server = ScriptedFhir(EVERYBODY, case.fault, everything=case.everything, page=case.page)
    async with ward(tmp_path, server, Reassuring() if by_model else None, **case.client) as on_ward:
        for text, patient in QUESTIONS:
            record = await ask(on_ward, text, patient)
            assert_sound(record)
            assert_allergies_told(record, by_model=by_model)
            rows = await rows_of(on_ward, record)
            tried = sum(call.attempts for call in record.tool_calls)
            assert len(rows) >= tried, f"{text}: {tried} attempts, {len(rows)} rows in the audit log"
            if any(call.status == "unavailable" for call in record.tool_calls):
                assert "failed" in {row.outcome for row in rows}
            if case.whole and not by_model:
                assert all(what in record.response for what in ALLERGENS), f"{text}: {record.response}"
