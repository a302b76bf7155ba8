"""The whole desk for one test: a session, the ledger, the checks, and a record system behind a wire that can be cut."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote
from zlib import crc32

import httpx2
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docgemma.agent.record import TurnRecord
from docgemma.agent.rules import RULES
from docgemma.agent.session import Question, Sessions
from docgemma.agent.state import Services
from docgemma.audit.log import AuditLog
from docgemma.config import Settings
from docgemma.ehr.audited import AuditedEhr
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.embedded.rest.app import FhirApp
from docgemma.ehr.embedded.storage.store import FhirStore
from docgemma.fetch.door import Door
from docgemma.llm.contract import LanguageModel
from docgemma.llm.guard import GuardedModel
from docgemma.llm.rules import RulesModel
from docgemma.orders.checks import OrderChecks
from docgemma.orders.desk import Orders
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.model import Decision, Row
from docgemma.orders.resources import KINDS, ORDER_SYSTEM
from docgemma.store.sessions import Store, open_store
from docgemma.toolbox import Toolbox
from docgemma.tools.charts import Charts
from docgemma.tools.drugs import Drugs
from docgemma.tools.handlers import ClinicalTools
from docgemma.tools.orders import Entries
from docgemma.tools.registry import EXTRAS, READS, REGISTRY, RESULT_TYPES, TOOLS
from docgemma.tools.server import build_server
from docgemma.wiring.orders import build_orders
from docgemma.wiring.records import Records
from docgemma.wiring.sources import open_drugs

ATTACKS = Path(__file__).parents[1] / "fixtures" / "attacks"
BASE = "http://localhost/fhir"
WRITES = {name for name, tool in REGISTRY.items() if tool.writes}
YES = Decision(who="dr-lee", may_prescribe=True, acknowledged=True)
OVERRIDE = YES.model_copy(update={"override": "Tolerated under supervision last year"})

Resource = dict[str, Any]
Trouble = Literal["lost before", "lost after", "503 before", "503 after", "nonsense after", "late"]


def rows(name: str) -> list[dict[str, Any]]:
    """A table of attacks, by line feeds alone: one row holds a line separator."""
    with (ATTACKS / name).open(encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


@dataclass(frozen=True)
class Sent:
    """One request as it arrived."""

    method: str
    path: str
    query: str
    body: bytes

    @property
    def writes(self) -> bool:
        """A transaction, and not a search by a form."""
        return self.method == "POST" and "_search" not in self.path

    @property
    def looks(self) -> bool:
        """A search by the identifier of an order."""
        return not self.writes and ORDER_SYSTEM in unquote(f"{self.query} {self.body.decode()}")


class Wire:
    """Between the program and its record system. `trouble` says what happens to a request; `change`, to what it holds."""

    def __init__(self, server: ASGIApp) -> None:
        self._server = server
        self.sent: list[Sent] = []
        self.trouble: Callable[[Sent], Trouble | None] = lambda _: None
        self.change: Callable[[Sent], bytes] = lambda sent: sent.body
        self.instead: Callable[[Sent], bytes | None] = lambda _: None
        """A success that the server knows nothing of."""
        self.waits: Callable[[Sent], Awaitable[None]] | None = None

    @property
    def writes(self) -> list[Sent]:
        return [one for one in self.sent if one.writes]

    def once(self, trouble: Trouble, of: Callable[[Sent], bool] = lambda sent: sent.writes) -> None:
        """This happens to the first such request, and to no other."""
        self.times(1, trouble, of)

    def times(self, count: int, trouble: Trouble, of: Callable[[Sent], bool] = lambda sent: sent.writes) -> None:
        left = [count]

        def strikes(sent: Sent) -> Trouble | None:
            if not of(sent) or not left[0]:
                return None
            left[0] -= 1
            return trouble

        self.trouble = strikes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        path = scope["path"].partition("/fhir")[2]
        sent = Sent(scope["method"], path, scope["query_string"].decode(), body)
        self.sent.append(sent)
        if self.waits is not None:
            await self.waits(sent)
        trouble, made_up = self.trouble(sent), self.instead(sent)
        if made_up is not None:
            await _say(send, 200, made_up)
            return
        if trouble == "lost before":
            raise httpx2.ReadError("the network is gone")
        if trouble != "503 before":
            await self._server(scope, _giving(self.change(sent)), send if trouble is None else _nowhere)
        if trouble == "lost after":
            raise httpx2.ReadError("the network is gone")
        if trouble == "late":
            raise httpx2.ReadTimeout("too late")
        if trouble is not None:
            status, content = (200, b"<html>Welcome") if trouble == "nonsense after" else (503, b"busy")
            await _say(send, status, content)


def _giving(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _say(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/fhir+json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _nowhere(_: Message) -> None:
    """The answer that nobody gets."""


@dataclass(frozen=True)
class Desk:
    """What a test works with. `server` is asked past the wire: what it says is what the chart holds."""

    sessions: Sessions
    orders: Orders
    store: Store
    services: Services
    records: Records
    drugs: Drugs
    wire: Wire
    server: httpx2.AsyncClient

    async def ask(self, text: str, session: str | None = None, **more: Any) -> TurnRecord:
        return await self.sessions.ask(Question(text, session_id=session, owner="dr-lee", **more))

    async def card(self, text: str, session: str | None = None, **more: Any) -> TurnRecord:
        """A turn that must end in a card."""
        record = await self.ask(text, session, **more)
        assert record.outcome == "approval", (text, record.outcome, record.response)
        assert record.approval is not None
        return record

    async def entries(self) -> list[Resource]:
        """Everything in the charts that an order made."""
        found = [each for kind in KINDS.values() for each in await self.everything(kind)]
        return [each for each in found if any(one.get("system") == ORDER_SYSTEM for one in each.get("identifier", ()))]

    async def everything(self, kind: str) -> list[Resource]:
        reply = await self.server.get(f"{BASE}/{kind}?_count=1000")
        assert reply.status_code == 200, reply.text
        return [entry["resource"] for entry in reply.json().get("entry", ())]

    async def rows(self) -> tuple[Row, ...]:
        return await self.orders.listed(limit=1000)

    async def put(self, *resources: Resource) -> None:
        """Somebody else writes to the record system."""
        for one in resources:
            reply = await self.server.put(f"{BASE}/{one['resourceType']}/{one['id']}", json=one)
            assert reply.status_code in (200, 201), reply.text

    async def turns(self, session: str) -> list[dict[str, Any]]:
        return [turn.record or {} for turn in await self.store.turns(session)]

    def later(self, passed: timedelta) -> Sessions:
        """The same desk after this time."""
        return self.at(lambda: datetime.now(UTC) + passed)

    def at(self, clock: Callable[[], datetime]) -> Sessions:
        orders = Orders(
            Ledger(self.store.database, self.records.log, clock=clock),
            self.records.ehr,
            self.records.writer,
            OrderChecks(self.drugs.checks),
            software="DocGemma test",
            clock=clock,
        )
        return Sessions(self.store, self.services, orders)


@asynccontextmanager
async def desk(
    home: Path,
    model: LanguageModel | None = None,
    *,
    people: Sequence[Resource] = (),
    server: ASGIApp | None = None,
    charts_file: Path | None = None,
    **given: Any,
) -> AsyncIterator[Desk]:
    """As the program is wired, over the embedded record system in this home, or over this `server`."""
    settings, rules = Settings(home=home, sources="pack", **given), RulesModel(RULES)
    async with (
        open_store(settings.store_address) as store,
        FhirStore(charts_file or settings.charts_file) as charts,
        Door() as outside,
        open_drugs(settings, outside) as drugs,
    ):
        behind = server or FhirApp(charts)
        wire = Wire(behind)
        async with (
            Door.in_process(wire) as door,
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=behind)) as http,
        ):
            client, log = FhirClient(door, BASE, allow_http=True, page_size=1000), AuditLog(store.database)
            records = Records(AuditedEhr(client, log), client, log)
            orders = build_orders(settings, store, records, drugs, "DocGemma test")
            looking = Charts(records.ehr)
            tools = build_server(ClinicalTools(charts=looking, drugs=drugs, entries=Entries(orders)).handlers())
            async with Toolbox({tool.name: tools for tool in TOOLS}, RESULT_TYPES, reads=READS, extras=EXTRAS) as box:
                guarded = rules if model is None else GuardedModel(model, rules)
                services = Services(guarded, box, charts=looking)
                sessions = Sessions(store, services, orders)
                opened = Desk(sessions, orders, store, services, records, drugs, wire, http)
                await opened.put(*people)
                yield opened


def days_ago(days: int) -> str:
    return (date.today() - timedelta(days=days)).isoformat()


def person(id_: str, given: str, family: str, *, sex: str = "male", age: int = 45) -> Resource:
    born = f"{date.today().year - age}-01-01"
    number = {"type": {"coding": [{"code": "MR"}]}, "system": "urn:test:mrn", "value": f"9{crc32(id_.encode())}"}
    return {
        "resourceType": "Patient",
        "id": id_,
        "active": True,
        "identifier": [number],
        "name": [{"use": "official", "given": [given], "family": family}],
        "gender": sex,
        "birthDate": born,
    }


def no_allergies(who: str) -> Resource:
    return allergy(who, "No known allergy")


def allergy(who: str, text: str, id_: str = "a1", **more: Any) -> Resource:
    known = {"No known allergy": {"coding": [{"system": "http://snomed.info/sct", "code": "716186003"}]}}.get(text, {})
    return {
        "resourceType": "AllergyIntolerance",
        "id": f"{who}-{id_}",
        "clinicalStatus": {
            "coding": [
                {"system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical", "code": "active"}
            ]
        },
        "verificationStatus": {
            "coding": [
                {"system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-verification", "code": "confirmed"}
            ]
        },
        "patient": {"reference": f"Patient/{who}"},
        "code": {**known, "text": text},
        **more,
    }


def medicine(who: str, text: str, id_: str = "m1") -> Resource:
    return {
        "resourceType": "MedicationRequest",
        "id": f"{who}-{id_}",
        "status": "active",
        "intent": "order",
        "subject": {"reference": f"Patient/{who}"},
        "medicationCodeableConcept": {"text": text},
        "authoredOn": days_ago(30),
    }


def measured(who: str, loinc: str, name: str, value: float, unit: str, *, days: int = 3) -> Resource:
    return {
        "resourceType": "Observation",
        "id": f"{who}-{loinc}",
        "status": "final",
        "code": {"coding": [{"system": "http://loinc.org", "code": loinc}], "text": name},
        "subject": {"reference": f"Patient/{who}"},
        "effectiveDateTime": days_ago(days),
        "valueQuantity": {
            "value": value,
            "unit": unit,
            "system": "http://unitsofmeasure.org",
            "code": unit,
        },
    }


def creatinine(who: str, value: float) -> Resource:
    return measured(who, "2160-0", "Creatinine", value, "mg/dL")


def weight(who: str, value: float) -> Resource:
    return measured(who, "29463-7", "Body weight", value, "kg")


ANN, BEN = "ann-101", "ben-202"


def adults() -> list[Resource]:
    """Two people without anything that an ordinary order would be stopped by."""
    found = [person(ANN, "Ann", "Leeway", sex="female", age=58), person(BEN, "Ben", "Ashdown", age=47)]
    for who in (ANN, BEN):
        found += [no_allergies(who), creatinine(who, 0.9), weight(who, 72)]
    return found
