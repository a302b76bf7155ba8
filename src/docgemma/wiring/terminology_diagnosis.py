"""What `doctor` says about the terminology: which one is asked, what it holds, and what is not there."""

from __future__ import annotations

import asyncio
from importlib.resources import files
from pathlib import Path

from docgemma.config import Finding, Settings
from docgemma.errors import DocGemmaError
from docgemma.terminology.contract import About
from docgemma.wiring.terminology import back_end, built_index, shipped_index

AREA = "terminology"
BUILD = "docgemma terms build makes the full one from open vocabularies, or with --rrf from your UMLS"


async def terminology(settings: Settings) -> list[Finding]:
    """Looks, and makes nothing: shipped terms that nobody used yet have no index. No public service is asked."""
    return [*_uts(settings), await asyncio.to_thread(_index, settings), _snomed(), *_elsewhere(settings)]


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


def _elsewhere(settings: Settings) -> list[Finding]:
    unpinned = [name for name, each in settings.terminology_server.items() if each.pin is None]
    if unpinned:
        text = f"The server for {', '.join(unpinned)} is not pinned, so it is not asked."
        return [Finding(AREA, "missing", text, f"Set terminology_server.{unpinned[0]}.pin")]
    return [
        Finding(AREA, "ok", f"{name} is asked of {each.url}.") for name, each in settings.terminology_server.items()
    ]
