"""What `doctor` says about the knowledge base: whose entries it holds, how they are found, and what is not whole."""

from __future__ import annotations

import asyncio
from pathlib import Path

from docgemma.config import Finding, Settings
from docgemma.errors import DocGemmaError
from docgemma.fetch.door import Door
from docgemma.knowledge.base import Info, KnowledgeBase
from docgemma.wiring.knowledge import open_knowledge

AREA = "knowledge base"
OWN = "docgemma kb ingest FILES… brings in your own"


async def knowledge(settings: Settings, door: Door) -> list[Finding]:
    """Looks, and makes nothing: a base that nobody asked yet has no file."""
    if settings.database_url is None and not await asyncio.to_thread(Path(settings.knowledge_address).exists):
        return [Finding(AREA, "ok", "Demonstration entries, stored with the first question.", OWN)]
    try:
        async with open_knowledge(settings, door) as base:
            info = await base.info()
            return [_entries(info), _found(info), *await _damaged(base)]
    except DocGemmaError as error:
        return [Finding(AREA, "broken", str(error), "docgemma kb index builds the index again from the entries")]


def _entries(info: Info) -> Finding:
    roles = len({role for role, _ in info.by_role})
    told = f"{info.entries:,} entries for {roles} roles"
    if info.demonstration:
        return Finding(AREA, "ok", f"{told}: demonstration, not reviewed by a clinician.", OWN)
    return Finding(AREA, "ok" if info.entries else "missing", f"{told}.", "" if info.entries else OWN)


def _found(info: Info) -> Finding:
    if info.index is None:
        return Finding(AREA, "missing", "There is no index.", "docgemma kb index")
    if info.index.generation != info.generation:
        return Finding(AREA, "missing", "The index is behind the entries.", "docgemma kb index")
    if info.embedder and not info.index.embedder:
        return Finding(AREA, "missing", "The index has words only, though an embedder is there.", "docgemma kb index")
    how = "words and meaning" if info.index.embedder else "words; with a sentence embedder also by meaning"
    return Finding(AREA, "ok", f"Found by {how}.")


async def _damaged(base: KnowledgeBase) -> list[Finding]:
    damaged = await base.library.damaged()
    if not damaged:
        return []
    text = f"{len(damaged):,} entries are not what was stored, and are not shown."
    return [Finding(AREA, "broken", text, "docgemma kb ingest FILES… stores them again")]
