"""What `docgemma ehr` does to charts, as the audit log holds it. Ids that nobody confirmed are left out if in doubt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docgemma.cli import services
from docgemma.cli.options import person
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.audit.entries import Access, Outcome
    from docgemma.audit.log import AuditLog
    from docgemma.config import Settings
    from docgemma.ehr.embedded.rest.access import Access as Served
    from docgemma.ehr.embedded.storage.store import FhirStore

_TOGETHER = 500
"""Patients named in one row of the audit log."""


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts with the log in front of them: what cannot be written down does not happen."""

    settings: Settings
    store: FhirStore
    log: AuditLog

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Writing]:
        """For what a command writes itself: one row before it begins, then rows of what was written."""
        from docgemma.audit.entries import Access

        # The patients are not known yet. A log that takes no row stops the command here.
        await self.log.append(Access("write", "asked"))
        writing = Writing(self.log)
        try:
            yield writing
        finally:
            await writing.end()  # an import that ends early has written the files before


def audited(why: str) -> Callable[[Settings], AbstractAsyncContextManager[Charts]]:
    """Opens the embedded store for this purpose."""

    @asynccontextmanager
    async def opened(settings: Settings) -> AsyncIterator[Charts]:
        if settings.fhir_url is not None:
            raise BadInput(
                "DOCGEMMA_FHIR_URL is set: charts are on that server, and `docgemma ehr` works on the embedded store "
                "only. Unset it for this command, or use the server's own tools."
            )
        from docgemma.clinical import Purpose, acting
        from docgemma.ehr.embedded.storage.store import FhirStore

        async with services.audit_log(settings) as log, FhirStore(settings.charts_file) as charts:
            with acting(Purpose(who=person(), why=why)):
                yield Charts(settings, charts, log)

    return opened


class Writing:
    """Rows of what was written, for many patients at once."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log
        self._patients: dict[str, None] = {}
        self._entries = 0

    async def wrote(self, patients: Collection[str], entries: int) -> None:
        self._patients |= dict.fromkeys(sorted(patients))
        self._entries += entries
        if len(self._patients) >= _TOGETHER:
            await self.end()

    async def end(self) -> None:
        """Write down what is not yet. The first row counts the entries, also those that are in nobody's chart."""
        from docgemma.audit.entries import Access, known_id

        if not self._entries:
            return
        named = list(batches([known_id(one) for one in self._patients])) or [()]
        counts = [self._entries, *(0 for _ in named[1:])]
        self._patients, self._entries = {}, 0
        rows = (Access("write", "written", patients=some, count=n) for some, n in zip(named, counts, strict=True))
        await self._log.append(*rows)


def batches(ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(ids), _TOGETHER):
        yield tuple(ids[start : start + _TOGETHER])


def noted(access: Served) -> Access:
    """Other programs put anything into the place of an id: until the store knows it, it may be a name or a date."""
    from docgemma.audit.entries import Access, asked_id, known_id

    known = access.stage == "shown" or access.patients
    id_ = access.id and (known_id if known else asked_id)(access.id)
    whose = (*map(known_id, access.patients), *filter(None, map(asked_id, access.named)))
    patients = tuple(dict.fromkeys(whose))
    shown: Outcome = "written" if access.interaction == "write" else "found" if access.count else "none"
    outcomes: dict[str, Outcome] = {"asked": "asked", "failed": "failed", "absent": "none", "shown": shown}
    return Access(access.interaction, outcomes[access.stage], access.kind, id_, patients, access.count)
