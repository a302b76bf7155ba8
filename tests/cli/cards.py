"""Orders for tests of the command line: one to render, with what a test cares about filled in, and a home with some."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from docgemma.cli.main import run
from docgemma.clinical import Purpose, acting
from docgemma.config import load_settings
from docgemma.orders import drafting
from docgemma.orders.model import Card, Check, Decision, Draft, Note, Prescription, Receipt, Row, card_id, digest
from docgemma.wiring.app import App, open_app
from tests.support.charts import put_demo_charts

T = TypeVar("T")

NOW = datetime(2026, 3, 1, 13, 8, tzinfo=UTC)
BANNER = "Ann Lee, born 1950-02-03, female, MRN …1234, FICTIONAL"

STOP = Check(name="Allergies", outcome="hard_stop", detail="Recorded allergy: penicillin", basis="chart entry a1")
WARNING = Check(name="Duplicates", outcome="warning", detail="Takes ampicillin already", basis="chart entry m1")
UNCHECKED = Check(name="Dose limit", outcome="not_checked", detail="No rule for this medicine", basis="")
PASSED = Check(name="Pregnancy", outcome="passed", detail="Does not apply", basis="birth date and sex")

DRAFT = Prescription(
    patient_id="p1",
    medication="amoxicillin",
    ingredients=("amoxicillin",),
    dose="500 mg",
    frequency="three times daily",
)


def card(**fields: Any) -> Card:
    given: dict[str, Any] = {
        "draft": DRAFT,
        "banner": BANNER,
        "text": f"Prescription for {BANNER}\nMedication: amoxicillin\nDose: 500 mg",
        "checks": (PASSED, WARNING, UNCHECKED, STOP),
        "version": "v1",
        "created_at": "2026-03-01T13:00:00+00:00",
        "expires_at": "2026-03-01T14:00:00+00:00",
        "proposed_by": "nina",
        "via": "turn",
        "session_id": "s1",
    }
    return Card.model_validate(given | fields)


def row(of: Card | None = None, **fields: Any) -> Row:
    shown = of or card()
    hash_ = digest(shown)
    given: dict[str, Any] = {
        "id": card_id(hash_),
        "hash": hash_,
        "state": "proposed",
        "card": shown,
        "decision": None,
        "decided_at": "",
        "holder": "",
        "held_until": "",
        "attempts": 0,
        "resource_kind": "",
        "resource_id": "",
        "resource_version": "",
        "receipt": None,
        "noted": False,
        "updated_at": "2026-03-01T13:00:00+00:00",
    }
    return Row(**(given | fields))


def receipt(**fields: Any) -> Receipt:
    given: dict[str, Any] = {"order_id": "k3v9tq2m8x", "status": "written", "text": "Written.", "kind": "prescription"}
    return Receipt.model_validate(given | fields)


JOHN = "abc-123"
"""A fictional patient with an allergy to sulfonamide antibiotics."""


def within(work: Callable[[App], Awaitable[T]], who: str = "nina") -> T:
    """Something done with the app of this home, as the commands would find it afterwards."""

    settings = load_settings()
    settings.home.mkdir(exist_ok=True)
    if not settings.charts_file.exists():
        put_demo_charts(settings.home)

    async def opened() -> T:
        async with open_app(settings) as app:
            with acting(Purpose(who=who, why="turn")):
                return await work(app)

    return asyncio.run(opened())


def note(text: str = "Seen at night, sleeps well.", patient: str = JOHN) -> Note:
    made = drafting.note(patient, "progress note", text)
    assert isinstance(made, Note)
    return made


def prescription(name: str, dose: str, frequency: str, patient: str = JOHN) -> Prescription:
    made = drafting.prescription(patient, name, dose, frequency)
    assert isinstance(made, Prescription)
    return made


def proposed(draft: Draft) -> str:
    """The id of a card that waits."""
    return within(lambda app: app.orders.propose(draft)).id


def left_unknown(draft: Draft) -> str:
    """An order whose writing was cut off after a person had approved it: nobody knows what came of it."""

    async def leave(app: App) -> str:
        row = await app.orders.propose(draft)
        await app.orders.ledger.decide(row.id, "approved", Decision(who="nina", may_prescribe=True))
        await app.orders.ledger.claim(row.id, "gone", 0)
        await app.orders.ledger.settle(row.id, "gone", "unknown")
        return row.id

    return within(leave)


def chart(kind: str, capsys: pytest.CaptureFixture[str], patient: str = JOHN) -> list[dict[str, Any]]:
    """What the chart holds of this kind that DocGemma wrote."""
    capsys.readouterr()
    assert run(["ehr", "export", "--patient", patient, "--kind", kind]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    ours = {"urn:docgemma:order"}
    return [one for one in found if ours & {each.get("system") for each in one.get("identifier", ())}]
