"""What `doctor` says about drug labels: which services answer, which packs are there, and how old they are."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime

from docgemma.config import Finding, Settings
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.sources.contract import LabelSource, SourceError
from docgemma.sources.pack.reader import open_packs
from docgemma.sources.starter import MARK, STARTER_DATE, medicines
from docgemma.sources.web import Web
from docgemma.wiring.sources import live_sources

PATIENCE_S = 4.0
COMMON = "acetaminophen"
"""A drug that every source of labels has."""

OLD_DAYS = 180
BUILD = "docgemma pack build openfda --from FILES… makes a full one from a bulk download"


async def drug_sources(settings: Settings, door: Door) -> list[Finding]:
    """Live services are asked, each once and briefly: nobody waits here for one that is down."""
    findings = [] if settings.sources == "pack" else await _live(settings, door)
    if settings.sources == "live":
        return findings
    return [*findings, await _packs(settings), _starter()]


async def _live(settings: Settings, door: Door) -> list[Finding]:
    try:
        services, _ = live_sources(settings, Web(Outside(door), mode="live"))
    except BadInput as error:
        return [Finding("drug labels", "broken", str(error))]
    return list(await asyncio.gather(*(_asked(service) for service in services)))


async def _asked(service: LabelSource) -> Finding:
    try:
        found = await service.labels(COMMON, ends_at=asyncio.get_running_loop().time() + PATIENCE_S)
    except SourceError as error:
        mend = "Without internet, DOCGEMMA_SOURCES=pack saves the waiting"
        return Finding("drug labels", "missing", str(error), mend)
    if found is None:
        return Finding("drug labels", "broken", f"{service.name} answers, but has no label of {COMMON}.")
    return Finding("drug labels", "ok", f"{service.name} answers.")


async def _packs(settings: Settings) -> Finding:
    packs = open_packs(settings.packs_folder)
    if not packs:
        return Finding("label pack", "off", f"No pack in {settings.packs_folder}.", BUILD)
    pack = packs[0]
    try:
        found = await pack.labels(COMMON, ends_at=asyncio.get_running_loop().time() + PATIENCE_S)
    except SourceError as error:
        return Finding("label pack", "broken", str(error), "docgemma pack verify")
    finally:
        await pack.close()
    days = _days_since(found.data_date if found else None)
    if days is not None and days > OLD_DAYS:
        return Finding("label pack", "missing", f"The {pack.name} is {days} days old.", BUILD)
    return Finding("label pack", "ok", f"The {pack.name} can be read.")


def _starter() -> Finding:
    return Finding("starter pack", "ok", f"{len(medicines())} medicines of {STARTER_DATE}, for demonstration: {MARK}.")


def _days_since(day: str | None) -> int | None:
    try:
        return None if day is None else (datetime.now(UTC).date() - date.fromisoformat(day)).days
    except ValueError:
        return None
