"""A consultation as a turn of a session: which messages are one, what they may look back on, and their record."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from docgemma.agent.answer.notices import DEMONSTRATION, number_sources
from docgemma.agent.curated import as_sources
from docgemma.agent.record import Clarification, ConsultPart, Tokens, TurnRecord
from docgemma.clinical import Confidence, ToolResult
from docgemma.errors import Unavailable
from docgemma.knowledge.consult.contract import Asked, Consultation, Event, Services
from docgemma.knowledge.consult.running import consult
from docgemma.knowledge.contract import Knowledge
from docgemma.knowledge.entry import Language
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.roles import Role
from docgemma.knowledge.safety.language import detect
from docgemma.llm.contract import LanguageModel, Message, Usage
from docgemma.store.rows import Session, Turn

GRAPH = "consult"
LANGUAGES: tuple[Language, ...] = ("en", "vi")
LOOKED_THROUGH = 30
"""Turns of the session in which earlier words of the same role are looked for."""

_FEW_WORDS = 4
NOTES: dict[str, dict[Language, str]] = {
    "demonstration": {"en": DEMONSTRATION, "vi": "Dữ liệu minh họa, chưa được bác sĩ thẩm định."},
    "clinic": {
        "en": "Answered from the knowledge base alone: no chart was read, and nothing was prepared.",
        "vi": "Tin nhắn tiếng Việt chỉ được trả lời từ kho kiến thức: không hồ sơ nào được đọc, không có gì được kê "
        "hay ghi lại. Hãy hỏi về hồ sơ, đơn thuốc và tương tác thuốc bằng tiếng Anh.",
    },
    "general": {
        "en": "General information. It does not replace what your own doctor, dentist or nurse tells you.",
        "vi": "Thông tin chung, không thay thế lời khuyên của bác sĩ, nha sĩ hoặc điều dưỡng đang chăm sóc bạn.",
    },
}


@dataclass(frozen=True, slots=True)
class Consulting:
    """What a consultation works with. `llm` is the bare model: what it fails at, the consultation mends itself.

    `role` is whose entries answer a Vietnamese question that names no role.
    """

    knowledge: Knowledge
    llm: LanguageModel | None = None
    role: str = "general_practitioner"
    deadline_s: float = 60.0
    shortcuts: bool = True

    async def talk(
        self, text: str, role: str | None, language: Language | None, session: Session | None
    ) -> Talk | None:
        """The consultation that this message is; None for everything that the clinical graph answers.

        That graph is English: a Vietnamese message is looked up here, and never becomes an entry in a chart.
        """
        spoken = language or detect(text)
        if role is None and (spoken != "vi" or _answers(text, session)):
            return None
        reader = await self.knowledge.role(self.role if role is None else role)
        return Talk(self, reader, spoken, named=role is not None)


@dataclass(frozen=True, slots=True)
class Talk:
    """One message to one role. Without a language of its own ("HbA1c?") it is in that of the conversation."""

    by: Consulting
    role: Role
    language: Language | None
    named: bool = True
    """Whether the role was asked for; else a clinician's message came here for its language."""

    async def record(
        self,
        text: str,
        turns: Sequence[Turn],
        stamp: dict[str, Any],
        spent: Usage,
        emit: Callable[[Event], None],
    ) -> TurnRecord:
        """The turn's record. Of earlier turns only those of this role are looked back on."""
        language = self.language or last_language(turns, self.role.id) or await self._likelier(text)
        asked = Asked(text, self.role, language, conversation(turns, self.role.id))
        services = Services(self.by.knowledge, self.by.llm, self.by.deadline_s, self.by.shortcuts, emit)
        started = time.perf_counter()
        answer = await consult(asked, services)
        record = consult_record(answer, self.role, spent, stamp, (time.perf_counter() - started) * 1000)
        if self.named:
            return record
        return record.model_copy(update={"notices": (NOTES["clinic"][language], *record.notices)})

    async def _likelier(self, text: str) -> Language:
        """Words that may be of either language ("tut duong") are of the one that has an entry for them."""
        best = {"en": 0.0, "vi": 0.0}
        with suppress(Unavailable):
            for spoken in LANGUAGES:
                found = (await self.by.knowledge.search(text, Scope((self.role.id,), spoken), limit=1)).found
                best[spoken] = found[0].relevance if found else 0.0
        return "vi" if best["vi"] > best["en"] else "en"


def conversation(turns: Sequence[Turn], role: str) -> tuple[Message, ...]:
    """What this role asked and was told before. Words of another role, and of a chart, stay where they were said."""
    said = ((turn.query, str((turn.record or {}).get("response", ""))) for turn in _of(turns, role))
    return tuple(
        message for query, answer in said for message in (Message("user", query), Message("assistant", answer))
    )


def last_language(turns: Sequence[Turn], role: str) -> Language | None:
    """In which language this role was answered last."""
    spoken = [((turn.record or {}).get("consult") or {}).get("language") for turn in _of(turns, role)]
    return spoken[-1] if spoken else None


def _of(turns: Sequence[Turn], role: str) -> list[Turn]:
    told = [(turn, (turn.record or {}).get("consult") or {}) for turn in turns if is_consult(turn)]
    return [turn for turn, consult in told if consult.get("role") == role]


def is_consult(turn: Turn) -> bool:
    return (turn.record or {}).get("graph") == GRAPH


def consult_record(
    answer: Consultation, role: Role, usage: Usage, stamp: dict[str, Any], duration_ms: float
) -> TurnRecord:
    """From the end of a consultation to the public record."""
    entries = [found.entry for found in answer.found]
    notes = [NOTES["demonstration"][answer.language]] if any(entry.demonstration for entry in entries) else []
    if role.audience == "patient" and not answer.direct:
        notes.append(NOTES["general"][answer.language])
    return TurnRecord(
        **stamp,
        intent="DIRECT",
        outcome="answer",
        response=answer.response,
        confidence=_confidence(answer),
        notices=tuple(dict.fromkeys([*answer.notices, *notes, *usage.notices])),
        suggestions=answer.suggestions,
        consult=ConsultPart(**{name: getattr(answer, name) for name in ConsultPart.model_fields}),
        sources=number_sources([ToolResult(status="found", sources=as_sources(entries))]),
        timeline=answer.timeline,
        llm_calls=usage.calls,
        tokens=Tokens(prompt=usage.prompt_tokens, completion=usage.completion_tokens),
        duration_ms=round(duration_ms, 1),
    )


def _confidence(answer: Consultation) -> Confidence:
    """Reviewed words quoted are sure; what nobody reviewed, or a model retold, less; nothing found, not at all."""
    if answer.direct:
        return "high"
    if not answer.found:
        return "low"
    reviewed = all(found.entry.reviewed and not found.entry.demonstration for found in answer.found)
    return "high" if reviewed and answer.word_for_word else "medium"


def _answers(text: str, session: Session | None) -> bool:
    """Whether a few words may be the answer to an open question: a Vietnamese name is no Vietnamese question."""
    if session is None or not session.pending:
        return False
    pending = Clarification.model_validate(session.pending)
    said = " ".join(text.casefold().split())
    return len(said.split()) <= _FEW_WORDS or any(said in option.label.casefold() for option in pending.options)
