"""Which sources of drug labels are asked, and in which order: live services, what they said before, packs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import SplitResult, urlsplit

from docgemma.config import Settings
from docgemma.drugs.checks import DrugChecks
from docgemma.errors import BadInput
from docgemma.fetch.address import is_this_machine
from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.sources.cache import Cache
from docgemma.sources.chain import Chain
from docgemma.sources.contract import LabelSource
from docgemma.sources.dailymed.client import BASE_URL as DAILYMED
from docgemma.sources.dailymed.client import DailyMed
from docgemma.sources.openfda.client import BASE_URL as OPENFDA
from docgemma.sources.openfda.client import OpenFda
from docgemma.sources.pack.reader import open_packs
from docgemma.sources.rxnorm.client import BASE_URL as RXNAV
from docgemma.sources.rxnorm.client import RxNorm
from docgemma.sources.starter import StarterPack
from docgemma.sources.web import Web
from docgemma.tools.drugs import Drugs


@asynccontextmanager
async def open_drugs(settings: Settings, door: Door) -> AsyncIterator[Drugs]:
    """The two drug checks over the sources that the settings allow."""
    async with AsyncExitStack() as stack:
        live: tuple[LabelSource, ...] = ()
        names: RxNorm | None = None
        if settings.sources != "pack":
            cache = Cache(settings.cache_file) if settings.sources == "auto" else None
            if cache is not None:
                stack.push_async_callback(cache.close)
            web = Web(Outside(door), cache, mode=settings.sources)
            live, names = live_sources(settings, web)
        packs: tuple[LabelSource, ...] = ()
        if settings.sources != "live":
            built = open_packs(settings.packs_folder)
            for pack in built:
                stack.push_async_callback(pack.close)
            packs = (*built, StarterPack())
        yield Drugs(DrugChecks(Chain(live, packs), names), deadline_s=settings.tool_deadline_s)


def live_sources(settings: Settings, web: Web) -> tuple[tuple[LabelSource, ...], RxNorm]:
    """openFDA first, DailyMed second, RxNorm for names; each at its public address or at the operator's own."""
    key = settings.openfda_api_key
    labels: tuple[LabelSource, ...] = (
        OpenFda(web, service_address(settings, "openfda_url", OPENFDA), key.get_secret_value() if key else None),
        DailyMed(web, service_address(settings, "dailymed_url", DAILYMED)),
    )
    return labels, RxNorm(web, service_address(settings, "rxnav_url", RXNAV))


def service_address(settings: Settings, name: str, public: str) -> str:
    """Where a public service is asked: its own address, or the operator's, which must be one that can be trusted."""
    given: str | None = getattr(settings, name)
    if given is None:
        return public
    parts = urlsplit(given)
    if not _is_base(parts):
        raise BadInput(
            f"DOCGEMMA_{name.upper()} should be the address of a service alone, with nothing before an @ or behind a ? "
            "or #, and a port up to 65535. A key for openFDA goes into DOCGEMMA_OPENFDA_API_KEY."
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
