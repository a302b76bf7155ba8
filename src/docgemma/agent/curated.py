"""What the knowledge base says to a clinician's question, beside or instead of what a model knows by heart."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from docgemma.clinical import Source, ToolResult
from docgemma.entities.cutting import shortened
from docgemma.entities.instructions import instructions_in, without_instructions
from docgemma.errors import DocGemmaError
from docgemma.knowledge.contract import Knowledge
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.search.found import Found
from docgemma.knowledge.search.searching import WORDS

log = logging.getLogger(__name__)

LABEL = "Knowledge Base"
MOST = 2
"""Entries that one answer rests on."""

QUOTE = 600
_AS_NEAR, _SURE, _SURE_BY_WORDS = 0.03, 0.75, 0.88
"""Stricter than a consultation, whose reader sees nothing but entries: here an entry stands beside look-ups."""


class CuratedAnswer(ToolResult):
    """Entries that fit a question, word for word. `text` is what a model and the user read of them."""

    entries: tuple[Entry, ...] = ()

    def text(self) -> str:
        return "\n\n".join(f"{entry.question}\n{entry.answer}" for entry in self.entries)


class Curated:
    """The entries for professionals, all roles of them together. Never those that were written for patients."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    async def on(self, question: str) -> CuratedAnswer | None:
        """What fits; None where nothing does. A base that cannot be read is told as such."""
        try:
            roles = await self._knowledge.roles()
            scope = Scope(tuple(role.id for role in roles if role.audience == "professional"), "en")
            findings = await self._knowledge.search(question, scope, limit=MOST * 2)
        except DocGemmaError as error:
            log.warning("the knowledge base was not read: %s", type(error).__name__)
            return CuratedAnswer(status="unavailable", error_type="service_unavailable", message=str(error))
        sure = _SURE_BY_WORDS if findings.by == WORDS else _SURE
        return answer_from(_as_near([found for found in findings.fitting[:MOST] if found.relevance >= sure]))


def _as_near(fitting: Sequence[Found]) -> list[Entry]:
    """The best, and the next only where it fits as well: who asks what something is does not ask what else there is."""
    return [found.entry for found in fitting if found.relevance >= fitting[0].relevance - _AS_NEAR]


def answer_from(entries: Sequence[Entry]) -> CuratedAnswer | None:
    flagged = sum(len(instructions_in(text)) for entry in entries for text in (entry.question, entry.answer))
    entries = [clean for entry in entries if (clean := _for_readers(entry)).question and clean.answer]
    if not entries:
        return None
    return CuratedAnswer(
        status="found",
        entries=tuple(entries),
        data_date=max(entry.reviewed for entry in entries) or None,
        demonstration=any(entry.demonstration for entry in entries),
        sources=as_sources(entries),
        flagged=flagged,
    )


def _for_readers(entry: Entry) -> Entry:
    """Without passages that talk to a program: they are meant for no reader."""
    texts = {"question": entry.question, "answer": entry.answer, "source": entry.source}
    return entry.model_copy(update={name: without_instructions(text).strip() for name, text in texts.items()})


def as_sources(entries: Sequence[Entry]) -> tuple[Source, ...]:
    """Where each entry comes from, with its words."""
    return tuple(
        Source(
            kind="knowledge",
            title=f"{entry.question} ({entry.source})",
            url=entry.url or None,
            date=entry.reviewed or None,
            quote=shortened(entry.answer, QUOTE),
        )
        for entry in entries
    )
