"""What stands behind every answer of this server, for the line at the foot of each page.

Looked up once, when the server starts, from settings and files alone: nothing is asked over a network, and nothing is
built. What cannot be read is said to be unread.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from docgemma.config import Settings
from docgemma.errors import Unavailable
from docgemma.fetch.address import is_this_machine
from docgemma.knowledge.base import KnowledgeBase
from docgemma.knowledge.demo.entries import demonstration
from docgemma.sources.pack.manifest import places
from docgemma.sources.starter import STARTER_DATE
from docgemma.wiring.app import App
from docgemma.wiring.terminology import back_end, built_index

RULES = "rules"

What = Literal["model", "labels", "charts", "terms", "knowledge", "store", "tools"]


@dataclass(frozen=True, slots=True)
class Reach:
    """Something on another machine that may be asked, and where."""

    what: What
    where: str


@dataclass(frozen=True, slots=True)
class Data:
    """One body of data: which it is, of which day, how many entries. An unknown day or count is empty."""

    what: Literal["pack", "starter", "live", "unread"] | Literal["uts", "built", "shipped"] | Literal["own", "demo"]
    date: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Mode:
    """`model` is empty where rules answer. `charts` is the host of the record system, empty for the one inside."""

    model: str
    charts: str
    reaches: tuple[Reach, ...]
    labels: Data
    terms: Data
    knowledge: Data

    @property
    def offline(self) -> bool:
        """Nothing that is asked here leaves this machine."""
        return not self.reaches

    @property
    def demonstration(self) -> bool:
        """Some of what answers rest on was reviewed by nobody."""
        return self.labels.what == "starter" or self.knowledge.what == "demo"


async def mode_of(app: App) -> Mode:
    settings = app.settings
    labels, terms = await asyncio.gather(asyncio.to_thread(_labels, settings), asyncio.to_thread(_terms, settings))
    return Mode(
        model="" if app.model_name == RULES else app.model_name,
        charts=_host(settings.fhir_url),
        reaches=reaches(settings),
        labels=labels,
        terms=terms,
        knowledge=await _knowledge(settings, app.knowledge),
    )


def reaches(settings: Settings) -> tuple[Reach, ...]:
    """Every other machine that the settings let this one ask."""
    asks = back_end(settings) == "uts"
    database = settings.database_url.get_secret_value() if settings.database_url else None
    servers = (*settings.tool_servers.values(), *settings.terminology_server.values())
    found = [
        *([] if settings.sources == "pack" else [Reach("labels", "openFDA, DailyMed, RxNorm")]),
        *_elsewhere("model", settings.model_url),
        *_elsewhere("charts", settings.fhir_url),
        *([Reach("terms", _host(settings.uts_url) or "UMLS UTS")] if asks else []),
        *_elsewhere("knowledge", settings.qdrant_url),
        *_elsewhere("store", database),
        *(reach for server in servers for reach in _elsewhere("tools", server.url)),
    ]
    return tuple(dict.fromkeys(found))


def _elsewhere(what: What, url: str | None) -> list[Reach]:
    host = _host(url)
    return [Reach(what, host)] if host and not is_this_machine(host) else []


def _host(url: str | None) -> str:
    """The host alone: an address may carry a name and a password."""
    try:
        return (urlsplit(url).hostname or "") if url else ""
    except ValueError:
        return ""


def _labels(settings: Settings) -> Data:
    if settings.sources == "live":
        return Data("live")
    try:
        built = places(settings.packs_folder, "openfda")
    except Unavailable:
        return Data("unread")
    return Data("pack", built[0].date) if built else Data("starter", STARTER_DATE)


def _terms(settings: Settings) -> Data:
    if back_end(settings) == "uts":
        return Data("uts")
    built = built_index(settings)
    return Data("shipped") if built is None else Data("built", _day(built))


def _day(path: Path) -> str:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
    except OSError:
        return ""


async def _knowledge(settings: Settings, base: KnowledgeBase) -> Data:
    """A base that nobody asked yet has no file, and will hold the demonstration entries."""
    if settings.database_url is None and not await asyncio.to_thread(Path(settings.knowledge_address).exists):
        return Data("demo")
    try:
        await base.library.open()
        if await base.library.generation() == 0:
            return Data("demo")
        count = sum((await base.library.counts()).values())
        shipped = [entry.id for entry in await asyncio.to_thread(demonstration)]
        kept = await base.library.entries(shipped)
    except Unavailable:
        return Data("unread")
    return Data("demo" if any(entry.demonstration for entry in kept.values()) else "own", count=count)
