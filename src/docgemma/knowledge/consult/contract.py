"""What goes into a consultation and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from docgemma.clinical import TimelineStep
from docgemma.knowledge.contract import Knowledge
from docgemma.knowledge.entry import Language
from docgemma.knowledge.roles import Role
from docgemma.knowledge.search.found import Found
from docgemma.llm.contract import LanguageModel, Message

Level = Literal["high", "medium", "low"]
Event = TimelineStep | str
"""What a consultation tells while it runs: a step that ended, or a piece of the answer that may be shown."""


def unheard(_: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`conversation`: earlier messages of the same session **and the same role**, oldest first. Never a chart."""

    text: str
    role: Role
    language: Language
    conversation: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Services:
    """`llm` is asked as it is: what it fails at is the consultation's to mend. None: no model is configured.

    `deadline_s` is for all model calls of one consultation together.
    """

    knowledge: Knowledge
    llm: LanguageModel | None = None
    deadline_s: float = 60.0
    shortcuts: bool = True
    emit: Callable[[Event], None] = unheard


@dataclass(frozen=True, slots=True)
class Consultation:
    """The answer, and how it came about. Field names follow the record's `consult` object."""

    response: str
    role: str
    language: Language
    direct: bool = False
    word_for_word: bool = True
    found: tuple[Found, ...] = ()
    suggestions: tuple[str, ...] = ()
    urgent: str = ""
    notices: tuple[str, ...] = ()
    timeline: tuple[TimelineStep, ...] = ()
    demuc: str = ""
    chu_de_con: str = ""
    classification_confidence: Level | None = None
    retrieval_query: str = ""
    retrieval_query_reason: str = ""
    context_summary: str = ""
    selected_ids: tuple[str, ...] = field(default=())
