"""What `doctor` says about the terminology: which one is asked, what it holds, and what is not there."""

from __future__ import annotations

import asyncio
from importlib.resources import files
from pathlib import Path
from typing import get_args

from docgemma.config import Finding, Settings, ToolServer
from docgemma.errors import BadInput, DocGemmaError
from docgemma.terminology.contract import About
from docgemma.terminology.server import ToolName
from docgemma.toolbox import Remote
from docgemma.toolbox.pins import declarations
from docgemma.toolbox.remote import Wire, connect
from docgemma.wiring.terminology import back_end, built_index, shipped_index

AREA = "terminology"
TOOLS: tuple[ToolName, ...] = get_args(ToolName)
_DEADLINE_S = 10.0
BUILD = "docgemma terms build makes the full one from open vocabularies, or with --rrf from your UMLS"


async def terminology(settings: Settings) -> list[Finding]:
    """Looks, and makes nothing: shipped terms that nobody used yet have no index. UTS is not asked."""
    return [*_uts(settings), await asyncio.to_thread(_index, settings), _snomed(), *await _elsewhere(settings)]


def _uts(settings: Settings) -> list[Finding]:
    key = settings.umls_api_key is not None
    if back_end(settings) == "uts":
        if key:
            return [Finding(AREA, "ok", "Concepts are looked up in UTS, with the key that is set.")]
        return [Finding(AREA, "broken", "UTS is chosen, but there is no key.", "Set DOCGEMMA_UMLS_API_KEY")]
    if key:
        return [Finding(AREA, "off", "A key for UTS is set, but the setting `terms` says embedded.")]
    return []


def _index(settings: Settings) -> Finding:
    built = built_index(settings)
    path = built or shipped_index(settings)
    if not path.is_file():
        if built is not None:
            return Finding(AREA, "broken", f"There is no index at {path}.", "Correct DOCGEMMA_TERMS_INDEX")
        return Finding(AREA, "ok", "The shipped terms, compiled with the first use.", BUILD)
    try:
        about = _about(path)
    except DocGemmaError as error:
        return Finding(AREA, "broken", str(error), "docgemma terms build")
    told = f"{about.concepts:,} concepts with {about.names:,} names, version {about.version[:12]}."
    if built is None:
        return Finding(AREA, "ok", f"The shipped terms: {told}", BUILD)
    return Finding(AREA, "ok", f"The index {path}: {told}")


def _about(path: Path) -> About:
    from docgemma.terminology.index.opening import open_index

    index = open_index(path)
    try:
        return index.about()
    finally:
        index.close()


def _snomed() -> Finding:
    if files("docgemma.terminology").joinpath("data", "snomed.tsv").is_file():
        return Finding(AREA, "ok", "SNOMED CT codes ship with it; their licence is in terms info.")
    return Finding(AREA, "off", "The file of SNOMED CT codes was removed: shipped terms carry none.")


async def _elsewhere(settings: Settings) -> list[Finding]:
    return [await _other(name, server) for name, server in settings.terminology_server.items()]


async def _other(name: str, server: ToolServer) -> Finding:
    """A server that was not looked at, or that describes itself anew, is not asked: its present pin is told here."""
    setting = f"terminology_server.{name}"
    if name not in TOOLS:
        tools = ", ".join(TOOLS)
        return Finding(AREA, "broken", f"{setting} names no tool of the terminology.", f"The tools are: {tools}")
    try:
        offered = await _pins(server)
    except BadInput as error:
        return Finding(AREA, "broken", str(error), f"Correct {setting}")
    except Exception:  # noqa: BLE001  the border: another server can make the client raise anything
        text = f"The server for {name}, {server.url}, does not answer, or not to the token that is set."
        return Finding(AREA, "broken", text, f"Start the server, or correct {setting}")
    if name not in offered:
        return Finding(AREA, "broken", f"The server {server.url} does not offer {name}.", f"Remove {setting}")
    if server.pin != offered[name]:
        text = f"The server for {name}, {server.url}, is not pinned or its description has changed, so it is not asked."
        return Finding(AREA, "missing", text, f'Read its description, then set {setting}.pin = "{offered[name]}"')
    return Finding(AREA, "ok", f"{name} is asked of {server.url}, whose description is as pinned.")


async def _pins(server: ToolServer) -> dict[str, str]:
    """The present pin of every tool there."""
    token = server.token.get_secret_value() if server.token else None
    remote = Remote(server.url, token=token, allow_http=server.allow_http)
    async with asyncio.timeout(_DEADLINE_S), connect(remote, Wire(), deadline_s=_DEADLINE_S) as client:
        return {name: declared.pin for name, declared in (await declarations(client)).items()}
