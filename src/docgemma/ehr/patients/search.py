"""Finding patients by what a clinician says of them, on servers that can do less than that needs.

The server only has to return everybody who may fit; who does is decided here, by the same rules for every server.
"""

from __future__ import annotations

from collections.abc import Iterable

from docgemma.ehr.contract import Ehr, EhrError, Params
from docgemma.ehr.patients.identifiers import identifier_queries
from docgemma.ehr.patients.names import Reading
from docgemma.ehr.patients.queries import born_queries, exact_queries, near_queries
from docgemma.ehr.patients.wanted import Candidate, Search, Wanted, ranked

_MOST_REQUESTS, _MOST_RESOURCES, _MOST_A_REQUEST = 8, 500, 200


async def find(ehr: Ehr, name: str, *, birth_date: str | None = None, identifier: str | None = None) -> Search:
    """Patients who answer to all that is given: exact ones, else near ones, each with what differs.

    Raises BadInput when nothing can be searched by, and EhrError when the server gives no usable answer.
    """
    wanted = Wanted.of(name, birth_date, identifier)
    inquiry = _Inquiry(ehr, wanted)
    for number in identifier_queries(wanted.numbers):
        await inquiry.ask(number)
        if inquiry.found:
            break
    if wanted.birth_date and (len(wanted.birth_date) == 10 or not wanted.asked) and not inquiry.exact:
        await inquiry.first_accepted(born_queries(wanted.birth_date))
    if wanted.asked and not (inquiry.exact and inquiry.complete):
        await _by_name(inquiry, wanted.asked[0], folds=await ehr.folds_names())
    return inquiry.result()


async def _by_name(inquiry: _Inquiry, reading: Reading, *, folds: bool) -> None:
    """Whatever was asked before, these queries alone find everybody who has all the words of the name."""
    inquiry.complete = True
    await inquiry.each(exact_queries(reading, folds=folds))
    enough = inquiry.exact or (inquiry.found and len(reading.words) == 1)
    if not enough:
        await inquiry.each(near_queries(reading, folds=folds))


class _Inquiry:
    """One bounded series of queries. Each patient is judged once, however often a server returns them."""

    def __init__(self, ehr: Ehr, wanted: Wanted) -> None:
        self._ehr = ehr
        self._wanted = wanted
        self._judged: dict[str, Candidate | None] = {}
        self._requests = self._answers = 0
        self._refusal: EhrError | None = None
        self.complete = True

    @property
    def found(self) -> bool:
        return any(self._judged.values())

    @property
    def exact(self) -> bool:
        return any(one is not None and one.match.exact for one in self._judged.values())

    async def ask(self, params: Params) -> bool:
        """Whether the server took the query. One that it refuses as such is not the end: another may do."""
        most = min(_MOST_A_REQUEST, _MOST_RESOURCES - len(self._judged))
        if self._requests >= _MOST_REQUESTS or most <= 0:
            self.complete = False
            return True
        self._requests += 1
        try:
            hits = await self._ehr.search("Patient", params, most=most)
        except EhrError as refusal:
            if refusal.error_type != "invalid_args":
                raise
            self._refusal = refusal
            return False
        self._answers += 1
        self.complete = self.complete and hits.complete
        for patient in hits.resources:
            id_ = str(patient.get("id", ""))
            if id_ not in self._judged:
                self._judged[id_] = self._wanted.judge(patient)
        return True

    async def first_accepted(self, queries: Iterable[Params]) -> None:
        """Ask in another way as long as the server refuses."""
        for params in queries:
            if await self.ask(params):
                return

    async def each(self, queries: Iterable[Params]) -> None:
        for params in queries:
            self.complete = await self.ask(params) and self.complete

    def result(self) -> Search:
        if not self._answers and self._refusal is not None:
            raise self._refusal
        return ranked((one for one in self._judged.values() if one is not None), complete=self.complete)
