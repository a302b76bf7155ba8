"""Which sources are asked for labels, articles and trials, and in which order: live, what they said before, packs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import SplitResult, urlsplit

from docgemma.config import Settings
from docgemma.drugs.checks import DrugChecks
from docgemma.errors import BadInput
from docgemma.fetch.address import is_this_machine
from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.reader.contract import Reader
from docgemma.reader.loading import PACKAGED
from docgemma.sources.cache import Cache
from docgemma.sources.contract import LabelSource
from docgemma.sources.ctgov.client import BASE_URL as CTGOV
from docgemma.sources.ctgov.client import ClinicalTrialsGov
from docgemma.sources.dailymed.client import BASE_URL as DAILYMED
from docgemma.sources.dailymed.client import DailyMed
from docgemma.sources.europepmc.client import BASE_URL as EUROPEPMC
from docgemma.sources.europepmc.client import EuropePmc
from docgemma.sources.literature.contract import LiteratureSource
from docgemma.sources.literature.library import Library
from docgemma.sources.openfda.client import BASE_URL as OPENFDA
from docgemma.sources.openfda.client import OpenFda
from docgemma.sources.pack.reader import open_literature_packs, open_packs, open_trial_packs
from docgemma.sources.pubmed.client import BASE_URL as PUBMED
from docgemma.sources.pubmed.client import PubMed
from docgemma.sources.row import Chain, Row
from docgemma.sources.rxnorm.client import BASE_URL as RXNAV
from docgemma.sources.rxnorm.client import RxNorm
from docgemma.sources.starter import StarterPack
from docgemma.sources.trials.contract import TrialSource
from docgemma.sources.web import Web
from docgemma.tools.drugs import Drugs
from docgemma.tools.literature import Literature
from docgemma.tools.trials import Trials


class _Closing(Protocol):
    async def close(self) -> None: ...


P = TypeVar("P", bound=_Closing)


@dataclass(frozen=True, slots=True)
class Sources:
    """What the look-ups work with."""

    drugs: Drugs
    literature: Literature
    trials: Trials


@asynccontextmanager
async def open_sources(settings: Settings, door: Door, reader: Reader = PACKAGED) -> AsyncIterator[Sources]:
    """The look-ups over the sources that the settings allow: one way out, one cache and one reader for all of them."""
    async with AsyncExitStack() as stack:
        web = _web(settings, door, stack)
        yield Sources(
            _drugs(settings, web, stack),
            _literature(settings, web, reader, stack),
            _trials(settings, web, reader, stack),
        )


def _web(settings: Settings, door: Door, stack: AsyncExitStack) -> Web | None:
    """The public services; None where nobody may be asked."""
    if settings.sources == "pack":
        return None
    cache = Cache(settings.cache_file) if settings.sources == "auto" else None
    if cache is not None:
        stack.push_async_callback(cache.close)
    return Web(Outside(door), cache, mode=settings.sources)


def _drugs(settings: Settings, web: Web | None, stack: AsyncExitStack) -> Drugs:
    live, names = live_sources(settings, web) if web is not None else ((), None)
    packs: tuple[LabelSource, ...] = ()
    if settings.sources != "live":
        packs = (*_kept_open(open_packs(settings.packs_folder), stack), StarterPack())
    return Drugs(DrugChecks(Chain(live, packs), names), deadline_s=settings.tool_deadline_s)


def _literature(settings: Settings, web: Web | None, reader: Reader, stack: AsyncExitStack) -> Literature:
    packs = _kept_open(open_literature_packs(settings.packs_folder), stack) if settings.sources != "live" else ()
    row = Row(live_literature(settings, web), packs, mode=settings.sources)
    return Literature(Library(row), reader, deadline_s=settings.tool_deadline_s)


def _trials(settings: Settings, web: Web | None, reader: Reader, stack: AsyncExitStack) -> Trials:
    packs = _kept_open(open_trial_packs(settings.packs_folder), stack) if settings.sources != "live" else ()
    row = Row(live_registers(settings, web), packs, mode=settings.sources)
    return Trials(row, reader, deadline_s=settings.tool_deadline_s)


def _kept_open(packs: tuple[P, ...], stack: AsyncExitStack) -> tuple[P, ...]:
    """Closed when the look-ups are."""
    for pack in packs:
        stack.push_async_callback(pack.close)
    return packs


def live_sources(settings: Settings, web: Web) -> tuple[tuple[LabelSource, ...], RxNorm]:
    """openFDA first, DailyMed second, RxNorm for names; each at its public address or at the operator's own."""
    key = settings.openfda_api_key
    labels: tuple[LabelSource, ...] = (
        OpenFda(web, service_address(settings, "openfda_url", OPENFDA), key.get_secret_value() if key else None),
        DailyMed(web, service_address(settings, "dailymed_url", DAILYMED)),
    )
    return labels, RxNorm(web, service_address(settings, "rxnav_url", RXNAV))


def live_literature(settings: Settings, web: Web | None) -> tuple[LiteratureSource, ...]:
    """Europe PMC first, PubMed second."""
    if web is None:
        return ()
    key = settings.ncbi_api_key
    return (
        EuropePmc(web, service_address(settings, "europepmc_url", EUROPEPMC)),
        PubMed(web, service_address(settings, "pubmed_url", PUBMED), key.get_secret_value() if key else None),
    )


def live_registers(settings: Settings, web: Web | None) -> tuple[TrialSource, ...]:
    return () if web is None else (ClinicalTrialsGov(web, service_address(settings, "ctgov_url", CTGOV)),)


def service_address(settings: Settings, name: str, public: str) -> str:
    """Where a public service is asked: its own address, or the operator's, which must be one that can be trusted."""
    given: str | None = getattr(settings, name)
    if given is None:
        return public
    parts = urlsplit(given)
    if not _is_base(parts):
        raise BadInput(
            f"DOCGEMMA_{name.upper()} should be the address of a service alone, with nothing before an @ or behind a ? "
            "or #, and a port up to 65535. A key for openFDA goes into DOCGEMMA_OPENFDA_API_KEY, one for PubMed into "
            "DOCGEMMA_NCBI_API_KEY."
        )
    if parts.scheme == "http" and not settings.allow_http_sources and not is_this_machine(parts.hostname or ""):
        raise BadInput(
            f"DOCGEMMA_{name.upper()} is plain http to another machine: use https, or set "
            "DOCGEMMA_ALLOW_HTTP_SOURCES=true on a network you trust."
        )
    return given


def _is_base(parts: SplitResult) -> bool:
    """Whether a path can be put behind it. A password in it would not be sent, and could be shown."""
    try:
        _ = parts.port
    except ValueError:
        return False
    written = parts.geturl()
    return (
        parts.username is None and not (parts.query or parts.fragment) and written.isprintable() and " " not in written
    )
