"""The FHIR R4 client. The embedded store, Medplum, HAPI or any other server is behind the same door."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docgemma.ehr.client.address import Base, is_id, typed
from docgemma.ehr.client.asking import Budget
from docgemma.ehr.client.auth import Auth
from docgemma.ehr.client.capabilities import Capabilities, Described
from docgemma.ehr.client.exchange import Exchange, read_one
from docgemma.ehr.client.outcomes import body_of
from docgemma.ehr.client.records import RecordReader
from docgemma.ehr.client.searching import Searches
from docgemma.ehr.client.tokens import Tokens
from docgemma.ehr.client.writing import identified, transact
from docgemma.ehr.contract import CHART, Change, Hits, Params, Placed, Record, Resource
from docgemma.fetch.door import Door

_DEADLINE_S = 8.0
_DESCRIPTION_S = 2.5
_PAGE = 1_000
_MOST_BYTES = 64_000_000
_MOST_PAGE_BYTES = 16_000_000


class FhirClient:
    """Implements `Ehr` and `Writer` of `ehr.contract`. Every call ends within `deadline_s`: a result or an EhrError."""

    def __init__(
        self,
        door: Door,
        base_url: str,
        *,
        auth: Auth | None = None,
        deadline_s: float = _DEADLINE_S,
        page_size: int = _PAGE,
        most_bytes: int = _MOST_BYTES,
        most_page_bytes: int = _MOST_PAGE_BYTES,
        allow_http: bool = False,
    ) -> None:
        base = Base(base_url, allow_http=allow_http)
        tokens = None if auth is None else Tokens(door, base, auth, allow_http=allow_http)
        self._exchange = Exchange(door, base, tokens, most_page_bytes)
        self._searches = Searches(self._exchange, page_size)
        self._described = Described()
        self._deadline_s = deadline_s
        self._page_size = page_size
        self._most_bytes = most_bytes

    def __repr__(self) -> str:
        return f"FhirClient({self._exchange.base.url!r})"

    async def read(self, kind: str, id_: str) -> Resource | None:
        return await read_one(self._exchange, typed(kind), id_, self._budget())

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        return await self._searches.search(typed(kind), params, self._budget(), most=most)

    async def record(self, patient_id: str, kinds: Sequence[str] = CHART) -> Record | None:
        if not is_id(patient_id):
            return None
        budget = self._budget()
        described = await self._capabilities(budget)
        reader = RecordReader(self._exchange, patient_id, kinds, page_size=self._page_size)
        return await reader.read(budget, everything=described.everything)

    async def transact(self, changes: Sequence[Change]) -> tuple[Placed, ...]:
        """Sent once. A call that is cancelled may have written: whoever cancels must look."""
        return await transact(self._exchange, changes, self._budget())

    async def identified(self, kind: str, system: str, value: str) -> tuple[Resource, ...]:
        return await identified(self._searches, typed(kind), system, value, self._budget())

    async def folds_names(self) -> bool:
        return (await self.capabilities()).folds_names

    async def capabilities(self) -> Capabilities:
        """What the server says of itself; nothing is known of one that does not, or cannot be reached."""
        return await self._capabilities(self._budget())

    async def _capabilities(self, budget: Budget) -> Capabilities:
        """Within a part of the call's time: a server that is slow to describe itself may still have a chart."""
        limited = Budget.of(min(_DESCRIPTION_S, budget.seconds_left / 3), budget.bytes_left)

        async def statement() -> dict[str, Any]:
            return body_of(await self._exchange.ask(self._exchange.metadata(), limited))

        described = await self._described.get(statement)
        self._exchange.also_known_as(described.address)
        return described

    def _budget(self) -> Budget:
        return Budget.of(self._deadline_s, self._most_bytes)
