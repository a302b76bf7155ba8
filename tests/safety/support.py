"""The whole desk for one test: a session, the ledger, the checks, and a record system behind a wire that can be cut."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from starlette.types import ASGIApp

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
from docgemma.llm.rules import GuardedModel, RulesModel
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
from docgemma.wiring.records import Records, build_orders
from docgemma.wiring.sources import open_sources
from tests.safety.people import ANN, Resource
from tests.safety.wire import Wire

ATTACKS = Path(__file__).parents[1] / "fixtures" / "attacks"
BASE = "http://localhost/fhir"
STORE = "docgemma.sqlite"
NOTE = "Save a progress note: Sleeps well again."
WRITES = {name for name, tool in REGISTRY.items() if tool.writes}
YES = Decision(who="dr-lee", may_prescribe=True, acknowledged=True)
OVERRIDE = YES.model_copy(update={"override": "Tolerated under supervision last year"})


def rows(name: str) -> list[dict[str, Any]]:
    """A table of attacks, by line feeds alone: one row holds a line separator."""
    with (ATTACKS / name).open(encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


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
        open_sources(settings, outside) as sources,
    ):
        behind, drugs = server or FhirApp(charts), sources.drugs
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


def asks_to_write(record: TurnRecord) -> str | None:
    """The entry that this turn went on with, short of its card. An offer ("Did you want …?") goes on with none."""
    asked = record.clarification
    if asked is None or asked.pending is None or asked.question.startswith("Did you want me to"):
        return None
    return asked.pending.tool if asked.pending.tool in WRITES else None


def edit(home: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(home / STORE)) as raw, raw:
        assert raw.execute(sql, values).rowcount == 1


def stored(home: Path, id_: str) -> dict[str, str]:
    with closing(sqlite3.connect(home / STORE)) as raw:
        raw.row_factory = sqlite3.Row
        row = raw.execute("SELECT * FROM orders WHERE id = ?", (id_,)).fetchone()
        return {name: str(value) for name, value in dict(row).items()}


async def carded(on: Desk, text: str = NOTE, who: str = ANN) -> tuple[str, str]:
    """A card that waits, and its session."""
    record = await on.card(text, patient_id=who)
    assert record.approval is not None
    return record.approval.id, record.session_id
