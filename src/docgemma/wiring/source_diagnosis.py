"""What `doctor` says about labels, articles, trials and terms: what answers, which packs are there, and how old."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import get_args

from docgemma.config import Finding, Settings, ToolServer
from docgemma.errors import BadInput, DocGemmaError, Unavailable
from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.sources.contract import LabelSource, SourceError
from docgemma.sources.literature import contract as literature
from docgemma.sources.pack.manifest import CALLED, Kind, build_command, places
from docgemma.sources.pack.reader import open_literature_packs, open_packs, open_trial_packs
from docgemma.sources.pack.verify import age_days
from docgemma.sources.starter import MARK, STARTER_DATE, medicines
from docgemma.sources.trials import contract as trials
from docgemma.sources.web import Web
from docgemma.terminology.contract import About
from docgemma.terminology.server import ToolName
from docgemma.toolbox import Remote
from docgemma.toolbox.pins import declarations
from docgemma.toolbox.remote import Wire, connect
from docgemma.wiring.sources import live_literature, live_registers, live_sources
from docgemma.wiring.terminology import back_end, built_index, shipped_index

PATIENCE_S = 4.0
PACK_PATIENCE_S = 20.0
"""A pack of articles is compared with its checksum before it answers: a second for each gigabyte."""

OLD_DAYS = 180
COMMON = "acetaminophen"
"""A drug that every source of labels has."""

KNOWN = "hypertension"
"""What every source of articles and trials has plenty of."""

ARTICLES = literature.Sought(concepts=((KNOWN,),))
TRIALS = trials.Sought(condition=KNOWN)
OFFLINE = "Without internet, DOCGEMMA_SOURCES=pack saves the waiting"
NAMES: dict[Kind, str] = {"openfda": "label pack", "europepmc": "article pack", "ctgov": "trial pack"}

TERMS = "terminology"
TOOLS: tuple[ToolName, ...] = get_args(ToolName)
_DEADLINE_S = 10.0
BUILD_TERMS = "docgemma terms build makes the full one from open vocabularies, or with --rrf from your UMLS"

Ask = Callable[[float], Awaitable[object]]


async def drug_sources(settings: Settings, door: Door) -> list[Finding]:
    """Live services are asked, each once and briefly: nobody waits here for one that is down."""
    findings = [] if settings.sources == "pack" else await _live(settings, door)
    if settings.sources == "live":
        return findings
    return [*findings, await _label_pack(settings), _starter()]


async def _live(settings: Settings, door: Door) -> list[Finding]:
    try:
        services, _ = live_sources(settings, Web(Outside(door), mode="live"))
    except BadInput as error:
        return [Finding("drug labels", "broken", str(error))]
    return list(await asyncio.gather(*(_labelled(service) for service in services)))


async def search_sources(settings: Settings, door: Door) -> list[Finding]:
    """What articles and trials are searched in: services, each asked for something that it surely has, and packs."""
    findings = [] if settings.sources == "pack" else await _live_searches(settings, door)
    return (
        findings
        if settings.sources == "live"
        else [*findings, await _article_pack(settings), await _trial_pack(settings)]
    )


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


async def _labelled(service: LabelSource) -> Finding:
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


async def _label_pack(settings: Settings) -> Finding:
    packs = open_packs(settings.packs_folder)
    if not packs:
        return _absent(settings, "openfda")
    pack = packs[0]
    return await _opened(settings, "openfda", pack.close, lambda until: pack.labels(COMMON, ends_at=until))


async def _article_pack(settings: Settings) -> Finding:
    packs = open_literature_packs(settings.packs_folder)
    if not packs:
        return _absent(settings, "europepmc")
    pack = packs[0]
    return await _opened(settings, "europepmc", pack.close, lambda until: pack.search(ARTICLES, ends_at=until))


async def _trial_pack(settings: Settings) -> Finding:
    packs = open_trial_packs(settings.packs_folder)
    if not packs:
        return _absent(settings, "ctgov")
    pack = packs[0]
    return await _opened(settings, "ctgov", pack.close, lambda until: pack.search(TRIALS, ends_at=until))


def _absent(settings: Settings, kind: Kind) -> Finding:
    build = f"{build_command(kind)} --from FILES… makes one from a bulk download"
    return Finding(NAMES[kind], "off", f"No pack of {CALLED[kind].many} in {settings.packs_folder}.", build)


async def _opened(settings: Settings, kind: Kind, close: Callable[[], Awaitable[None]], ask: Ask) -> Finding:
    """Whether it has an answer does not matter: it may be a pack of another field."""
    try:
        await ask(asyncio.get_running_loop().time() + PACK_PATIENCE_S)
        place = places(settings.packs_folder, kind)[0]
    except (SourceError, Unavailable) as error:
        return Finding(NAMES[kind], "broken", str(error), "docgemma pack verify")
    finally:
        await close()
    days = age_days(place.date, datetime.now(UTC).date())
    if days is None or days > OLD_DAYS:
        age = "of a day that lies ahead" if days is None else f"{days} days old"
        build = f"{build_command(kind)} --from FILES… makes a newer one from a bulk download"
        return Finding(NAMES[kind], "missing", f"The {place.source} is {age}.", build)
    return Finding(NAMES[kind], "ok", f"The {place.source} can be read.")


async def terminology(settings: Settings) -> list[Finding]:
    """Looks, and makes nothing: shipped terms that nobody used yet have no index. UTS is not asked."""
    others = [await _tool_server(name, server) for name, server in settings.terminology_server.items()]
    return [*_uts_key(settings), await asyncio.to_thread(_index, settings), _snomed(), *others]


def _uts_key(settings: Settings) -> list[Finding]:
    key = settings.umls_api_key is not None
    if back_end(settings) == "uts":
        if key:
            return [Finding(TERMS, "ok", "Concepts are looked up in UTS, with the key that is set.")]
        return [Finding(TERMS, "broken", "UTS is chosen, but there is no key.", "Set DOCGEMMA_UMLS_API_KEY")]
    if key:
        return [Finding(TERMS, "off", "A key for UTS is set, but the setting `terms` says embedded.")]
    return []


def _index(settings: Settings) -> Finding:
    built = built_index(settings)
    path = built or shipped_index(settings)
    if not path.is_file():
        if built is not None:
            return Finding(TERMS, "broken", f"There is no index at {path}.", "Correct DOCGEMMA_TERMS_INDEX")
        return Finding(TERMS, "ok", "The shipped terms, compiled with the first use.", BUILD_TERMS)
    try:
        about = _about(path)
    except DocGemmaError as error:
        return Finding(TERMS, "broken", str(error), "docgemma terms build")
    text = f"{about.concepts:,} concepts with {about.names:,} names, version {about.version[:12]}."
    if built is None:
        return Finding(TERMS, "ok", f"The shipped terms: {text}", BUILD_TERMS)
    return Finding(TERMS, "ok", f"The index {path}: {text}")


def _about(path: Path) -> About:
    from docgemma.terminology.index.opening import open_index

    index = open_index(path)
    try:
        return index.about()
    finally:
        index.close()


def _snomed() -> Finding:
    if files("docgemma.terminology").joinpath("data", "snomed.tsv").is_file():
        return Finding(TERMS, "ok", "SNOMED CT codes ship with it; their licence is in terms info.")
    return Finding(TERMS, "off", "The file of SNOMED CT codes was removed: shipped terms carry none.")


async def _tool_server(name: str, server: ToolServer) -> Finding:
    """A server that was not looked at, or that describes itself anew, is not asked: its present pin is told here."""
    setting = f"terminology_server.{name}"
    if name not in TOOLS:
        tools = ", ".join(TOOLS)
        return Finding(TERMS, "broken", f"{setting} names no tool of the terminology.", f"The tools are: {tools}")
    try:
        offered = await _pins(server)
    except BadInput as error:
        return Finding(TERMS, "broken", str(error), f"Correct {setting}")
    except Exception:  # noqa: BLE001  the border: another server can make the client raise anything
        text = f"The server for {name}, {server.url}, does not answer, or not to the token that is set."
        return Finding(TERMS, "broken", text, f"Start the server, or correct {setting}")
    if name not in offered:
        return Finding(TERMS, "broken", f"The server {server.url} does not offer {name}.", f"Remove {setting}")
    if server.pin != offered[name]:
        text = f"The server for {name}, {server.url}, is not pinned or its description has changed, so it is not asked."
        return Finding(TERMS, "missing", text, f'Read its description, then set {setting}.pin = "{offered[name]}"')
    return Finding(TERMS, "ok", f"{name} is asked of {server.url}, whose description is as pinned.")


async def _pins(server: ToolServer) -> dict[str, str]:
    """The present pin of every tool there."""
    token = server.token.get_secret_value() if server.token else None
    remote = Remote(server.url, token=token, allow_http=server.allow_http)
    async with asyncio.timeout(_DEADLINE_S), connect(remote, Wire(), deadline_s=_DEADLINE_S) as client:
        return {name: declared.pin for name, declared in (await declarations(client)).items()}
