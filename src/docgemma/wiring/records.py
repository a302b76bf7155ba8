"""Which record system is read and written: the one the settings name, else the embedded one; always audited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from docgemma.audit.log import AuditLog
from docgemma.config import Settings
from docgemma.ehr.audited import AuditedEhr
from docgemma.ehr.client.auth import Auth, ClientSecret, PrivateKey
from docgemma.ehr.client.client import FhirClient
from docgemma.ehr.contract import CHART, Change, Ehr, Hits, Params, Placed, Record, Resource, Writer
from docgemma.errors import BadInput, DocGemmaError
from docgemma.fetch.door import Door
from docgemma.orders.checks import OrderChecks
from docgemma.orders.desk import Orders
from docgemma.orders.ledger.ledger import Ledger
from docgemma.store.sessions import Store
from docgemma.tools.drugs import Drugs

IN_PROCESS = "http://embedded.invalid/fhir"
"""Never resolved: the door it is asked through leads to an application in this process."""


@dataclass(frozen=True, slots=True)
class Records:
    """One record system from its two sides. What is written is audited by the ledger, in its own transaction."""

    ehr: Ehr
    writer: Writer
    log: AuditLog


@asynccontextmanager
async def open_records(settings: Settings, door: Door, store: Store) -> AsyncIterator[Records]:
    """Every chart read goes through here: what is not written to the audit log is not read."""
    log = AuditLog(store.database)
    if settings.fhir_url is not None:
        remote = remote_ehr(settings, door)
        yield Records(AuditedEhr(remote, log), remote, log)
        return
    async with AsyncExitStack() as stack:
        embedded = EmbeddedEhr(settings.charts_file, stack)
        yield Records(AuditedEhr(embedded, log), embedded, log)


def remote_ehr(settings: Settings, door: Door) -> FhirClient:
    """The configured server. A client id needs a secret or a key, and neither does anything without it."""
    assert settings.fhir_url is not None
    return FhirClient(
        door,
        settings.fhir_url,
        auth=_auth(settings),
        deadline_s=settings.tool_deadline_s * 0.8,
        allow_http=settings.allow_http_fhir,
    )


def _auth(settings: Settings) -> Auth | None:
    client_id, secret, key = settings.fhir_client_id, settings.fhir_client_secret, settings.fhir_client_key
    if client_id is None:
        if secret or key:
            raise BadInput("A FHIR client secret or key needs a client id: set DOCGEMMA_FHIR_CLIENT_ID.")
        return None
    if secret is not None and key is not None:
        raise BadInput("Set DOCGEMMA_FHIR_CLIENT_SECRET or DOCGEMMA_FHIR_CLIENT_KEY, not both.")
    if secret is not None:
        return ClientSecret(client_id, secret.get_secret_value(), settings.fhir_scopes)
    if key is not None:
        return PrivateKey(client_id, _read_key(key), settings.fhir_client_key_id, settings.fhir_scopes)
    raise BadInput("DOCGEMMA_FHIR_CLIENT_ID needs DOCGEMMA_FHIR_CLIENT_SECRET or DOCGEMMA_FHIR_CLIENT_KEY beside it.")


def _read_key(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadInput(f"The FHIR client key {path} cannot be read. It should be a PEM or JWK file.") from None


class EmbeddedEhr:
    """The embedded server behind the same client as any other, opened at the first look into a chart.

    A question about a drug pays nothing for it. A new store gets the fictional patients, so that there is somebody to
    look up; one that has ever held anything is left as it is.
    """

    def __init__(self, path: Path, stack: AsyncExitStack) -> None:
        self._path = path
        self._stack = stack
        self._opening = asyncio.Lock()
        self._client: FhirClient | None = None

    async def read(self, kind: str, id_: str) -> Resource | None:
        return await (await self._open()).read(kind, id_)

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        return await (await self._open()).search(kind, params, most=most)

    async def record(self, patient_id: str, kinds: Sequence[str] = CHART) -> Record | None:
        return await (await self._open()).record(patient_id, kinds)

    async def folds_names(self) -> bool:
        return await (await self._open()).folds_names()

    async def transact(self, changes: Sequence[Change]) -> tuple[Placed, ...]:
        return await (await self._open()).transact(changes)

    async def identified(self, kind: str, system: str, value: str) -> tuple[Resource, ...]:
        return await (await self._open()).identified(kind, system, value)

    async def _open(self) -> FhirClient:
        async with self._opening:
            if self._client is None:
                # Slow to import: a question that looks into no chart does not pay for it.
                from docgemma.ehr.demo.loading import load_if_empty
                from docgemma.ehr.embedded.rest.app import FhirApp
                from docgemma.ehr.embedded.storage.store import FhirStore

                store = await self._stack.enter_async_context(FhirStore(self._path))
                await load_if_empty(store)
                door = await self._stack.enter_async_context(Door.in_process(FhirApp(store)))
                self._client = FhirClient(door, IN_PROCESS, allow_http=True, page_size=1000)
            return self._client


def build_orders(settings: Settings, store: Store, records: Records, drugs: Drugs, software: str) -> Orders:
    """The orders desk over the ledger, the record system and the drug sources.

    `software` names program, model and prompts, as they are stamped on every entry.
    """

    async def about(session_id: str) -> str | None:
        try:
            patient = (await store.get_session(session_id)).patient
        except DocGemmaError:
            return None
        return patient.id if patient is not None and patient.confirmed else None

    return Orders(
        Ledger(store.database, records.log),
        records.ehr,
        records.writer,
        OrderChecks(drugs.checks),
        software=software,
        minutes=settings.card_minutes,
        about=about,
    )
