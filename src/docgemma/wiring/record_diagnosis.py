"""What `doctor` says of the record system and of the log of its reads."""

from __future__ import annotations

from docgemma.audit.log import AuditLog
from docgemma.config import Finding, Settings
from docgemma.errors import DocGemmaError
from docgemma.fetch.door import Door
from docgemma.store.sessions import Store
from docgemma.wiring.records import remote_ehr

AREA = "health record"
NOBODY = (("_id", "docgemma-doctor"),)
"""Asks for a patient that does not exist: proves address, access and search without reading anybody's chart."""


async def records(settings: Settings, door: Door, store: Store) -> list[Finding]:
    """The configured server or the embedded store, then the audit log: without it neither is read."""
    found = await _server(settings, door) if settings.fhir_url else await _embedded(settings)
    return [found, await _audit(store)]


async def _server(settings: Settings, door: Door) -> Finding:
    try:
        client = remote_ehr(settings, door)
        await client.search("Patient", NOBODY, most=1)
        known = await client.capabilities()
    except DocGemmaError as error:
        return Finding(AREA, "broken", str(error), "Check DOCGEMMA_FHIR_URL and the client's credentials and scopes")
    whole = "whole charts in one request" if known.everything else "charts kind by kind"
    return Finding(AREA, "ok", f"{settings.fhir_url} answers: {whole}.")


async def _embedded(settings: Settings) -> Finding:
    from docgemma.ehr.demo.loading import present
    from docgemma.ehr.embedded.storage.store import FhirStore

    path = settings.charts_file
    mend = "docgemma ehr import FOLDER, or set DOCGEMMA_FHIR_URL to read a server of yours"
    if not path.exists():
        text = "Embedded, and still empty: fictional patients come with the first look into a chart."
        return Finding(AREA, "ok", text, mend)
    try:
        async with FhirStore(path) as charts:
            patients = (await charts.run(lambda unit: unit.counts(), write=False)).get("Patient", 0)
            fictional = await present(charts)
    except DocGemmaError as error:
        return Finding(AREA, "broken", str(error), "Restore a backup of it, or move it away and import again")
    text = f"Embedded: {patients} patients, {fictional} of them fictional, in {path}."
    return Finding(AREA, "ok", text, mend if patients == fictional else "")


async def _audit(store: Store) -> Finding:
    try:
        verdict = await AuditLog(store.database).verify()
    except DocGemmaError as error:
        return Finding("audit log", "broken", str(error), "Check DOCGEMMA_HOME or DOCGEMMA_DATABASE_URL")
    if not verdict.ok:
        return Finding("audit log", "broken", f"{verdict.problem} No chart is read.", "docgemma audit verify")
    return Finding("audit log", "ok", f"{verdict.rows} chart accesses, an unbroken chain.")
