"""What `doctor` says about labels, articles and trials: which services answer, which packs are there, how old."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from docgemma.config import Finding, Settings
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.sources.contract import LabelSource, SourceError
from docgemma.sources.literature import contract as literature
from docgemma.sources.starter import MARK, STARTER_DATE, medicines
from docgemma.sources.trials import contract as trials
from docgemma.sources.web import Web
from docgemma.wiring.pack_diagnosis import label_pack, search_packs
from docgemma.wiring.sources import live_literature, live_registers, live_sources

PATIENCE_S = 4.0
COMMON = "acetaminophen"
"""A drug that every source of labels has."""

KNOWN = "hypertension"
"""What every source of articles and trials has plenty of."""

ARTICLES = literature.Sought(concepts=((KNOWN,),))
TRIALS = trials.Sought(condition=KNOWN)
OFFLINE = "Without internet, DOCGEMMA_SOURCES=pack saves the waiting"


async def drug_sources(settings: Settings, door: Door) -> list[Finding]:
    """Live services are asked, each once and briefly: nobody waits here for one that is down."""
    findings = [] if settings.sources == "pack" else await _live(settings, door)
    if settings.sources == "live":
        return findings
    return [*findings, await label_pack(settings), _starter()]


async def _live(settings: Settings, door: Door) -> list[Finding]:
    try:
        services, _ = live_sources(settings, Web(Outside(door), mode="live"))
    except BadInput as error:
        return [Finding("drug labels", "broken", str(error))]
    return list(await asyncio.gather(*(_asked(service) for service in services)))


async def search_sources(settings: Settings, door: Door) -> list[Finding]:
    """What articles and trials are searched in: services, each asked for something that it surely has, and packs."""
    findings = [] if settings.sources == "pack" else await _live_searches(settings, door)
    return findings if settings.sources == "live" else [*findings, *await search_packs(settings)]


async def _live_searches(settings: Settings, door: Door) -> list[Finding]:
    web = Web(Outside(door), mode="live")
    try:
        libraries, registers = live_literature(settings, web), live_registers(settings, web)
    except BadInput as error:
        return [Finding("literature and trials", "broken", str(error))]
    return list(
        await asyncio.gather(
            *(_searched("literature", one.name, one.search(ARTICLES, ends_at=_soon())) for one in libraries),
            *(_searched("trials", one.name, one.search(TRIALS, ends_at=_soon())) for one in registers),
        )
    )


async def _searched(area: str, name: str, search: Awaitable[object | None]) -> Finding:
    try:
        found = await search
    except SourceError as error:
        return Finding(area, "missing", str(error), OFFLINE)
    if found is None:
        return Finding(area, "broken", f"{name} answers, but finds nothing on {KNOWN}.")
    return Finding(area, "ok", f"{name} answers.")


async def _asked(service: LabelSource) -> Finding:
    try:
        found = await service.labels(COMMON, ends_at=_soon())
    except SourceError as error:
        return Finding("drug labels", "missing", str(error), OFFLINE)
    if found is None:
        return Finding("drug labels", "broken", f"{service.name} answers, but has no label of {COMMON}.")
    return Finding("drug labels", "ok", f"{service.name} answers.")


def _starter() -> Finding:
    return Finding("starter pack", "ok", f"{len(medicines())} medicines of {STARTER_DATE}, for demonstration: {MARK}.")


def _soon() -> float:
    return asyncio.get_running_loop().time() + PATIENCE_S
