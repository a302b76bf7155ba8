"""What `doctor` says of chart entries: whether they can be written, and whether any was left half-way."""

from __future__ import annotations

from docgemma.audit.log import AuditLog
from docgemma.config import Finding, Settings
from docgemma.errors import DocGemmaError
from docgemma.fetch.door import Door
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.model import UNFINISHED, State
from docgemma.store.sessions import Store
from docgemma.wiring.records import remote_ehr

AREA = "chart entries"
WAITING: tuple[State, ...] = ("proposed",)
_MANY = 1_000


async def entries(settings: Settings, door: Door, store: Store) -> list[Finding]:
    """The ledger first: without it nothing is prepared. Then what the record system offers."""
    ledger = Ledger(store.database, AuditLog(store.database))
    try:
        damaged = await ledger.damaged()
        left = await ledger.listed(states=UNFINISHED, limit=_MANY)
        waiting = await ledger.listed(states=WAITING, limit=_MANY)
    except DocGemmaError as error:
        return [Finding(AREA, "broken", f"The ledger cannot be read. {error}", "Restore a backup of the session store")]
    if damaged:
        text = f"{len(damaged)} rows of the ledger are damaged ({', '.join(damaged[:3])}); they are not acted on."
        return [Finding(AREA, "broken", text, "Restore a backup of the session store")]
    said = f"Prepared, approved by a person and written to the chart; {len(waiting)} wait for a decision."
    found = [Finding(AREA, "ok", said)]
    if left:
        text = f"{len(left)} approved entries are not known to be in the chart yet."
        found.append(Finding(AREA, "broken", text, "docgemma orders reconcile"))
    return [*found, *await _server(settings, door)]


async def _server(settings: Settings, door: Door) -> list[Finding]:
    """A server that does not say that it takes transactions may take them all the same: worth a word, no refusal."""
    if settings.fhir_url is None:
        return []
    try:
        known = await remote_ehr(settings, door).capabilities()
    except DocGemmaError:
        return []  # already told of as the health record
    if not known.known or known.transactions:
        return []
    text = "The record system does not say that it takes transactions: approved entries may be refused."
    return [Finding(AREA, "off", text, "Ask its operator for transactions and conditional create")]
