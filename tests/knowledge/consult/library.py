"""A small knowledge base in memory, and models for it: one that answers well, one that fails where it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from langgraph.runtime import Runtime

from docgemma.errors import Unavailable
from docgemma.knowledge.consult.asking import Live
from docgemma.knowledge.consult.contract import Asked, Consultation, Event, Services
from docgemma.knowledge.consult.meaning import content
from docgemma.knowledge.consult.running import consult
from docgemma.knowledge.consult.schemas import Composed, Decided, RagDecision, RetrievalQuery, Selection, TopicChoice
from docgemma.knowledge.consult.state import State
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.roles import SHIPPED, Role, unknown_role
from docgemma.knowledge.search.found import Findings, Found
from docgemma.llm.contract import LanguageModel, Message, Prompt, T, current_usage
from docgemma.llm.parse import parse_object

ROLES = {role.id: role for role in SHIPPED}
PATIENT, NURSE = ROLES["patient_dental"], ROLES["nurse"]
SAYS_CLOSED = "The index cannot be read. Build it again."


def entry(id: str, question: str, answer: str, **more: Any) -> Entry:
    fields = {
        "role": PATIENT.id,
        "topic": "Gums",
        "subtopic": "Bleeding",
        "language": "en",
        "source": "Dental handbook",
    }
    return Entry.model_validate({"id": id, "question": question, "answer": answer, **fields, **more})


ENTRIES = (
    entry(
        "gums-bleed",
        "Why do my gums bleed when I brush?",
        "Gums bleed mostly because plaque inflames them. Brush gently twice a day. "
        "See a dentist urgently if the bleeding does not stop after 20 minutes.",
        reviewed="2025-03-01",
    ),
    entry(
        "gums-children",
        "Why do the gums of children bleed?",
        "In children gums bleed when teeth come through or plaque stays on them. Help your child to brush.",
    ),
    entry(
        "gums-pregnant",
        "Why do gums bleed in pregnancy?",
        "Hormones make gums swell and bleed in pregnancy. Clean between the teeth every day.",
        subtopic="Pregnancy",
    ),
    entry(
        "gums-floss",
        "Do gums bleed from floss?",
        "Gums may bleed when you begin to floss. It stops after a week. Go on gently.",
    ),
    entry(
        "gums-shrink",
        "Why do gums shrink?",
        "Gums shrink when they are brushed too hard or inflamed for long.",
        subtopic="Receding",
    ),
    entry(
        "fillings-last",
        "How long do fillings last?",
        "Most fillings last 5 to 15 years. A dentist looks at them at each visit.",
        topic="Treatments",
        subtopic="Fillings",
    ),
    entry(
        "ibuprofen-toothache",
        "Can I take ibuprofen for toothache?",
        "Ibuprofen eases toothache in many adults. Do not take it with warfarin without asking a pharmacist.",
        topic="Treatments",
        subtopic="Pain",
    ),
    entry(
        "nuou-chay-mau",
        "Vì sao nướu chảy máu khi chải răng?",
        "Nướu chảy máu chủ yếu do mảng bám làm viêm nướu. Hãy chải răng nhẹ nhàng ngày hai lần.",
        language="vi",
        topic="Nướu răng",
        subtopic="Chảy máu",
    ),
    entry(
        "tram-rang",
        "Miếng trám răng dùng được bao lâu?",
        "Phần lớn miếng trám dùng được từ 5 đến 15 năm.",
        language="vi",
        topic="Điều trị",
        subtopic="Trám răng",
    ),
    entry(
        "whitening",
        "Does whitening with peroxide harm enamel?",
        "Peroxide whitening by a dentist does not harm enamel.",
        topic="Treatments",
        subtopic="Whitening",
    ),
    entry(
        "nurse-gums",
        "Why do my gums bleed when I brush?",
        "For nurses: record bleeding on probing before you brush the gums of a patient.",
        role=NURSE.id,
        topic="Mouth care",
        subtopic="",
    ),
)


@dataclass
class Library:
    """Finds by shared words. `closed` names the method that fails, as an index that is gone would."""

    held: Sequence[Entry] = ENTRIES
    closed: frozenset[str] = frozenset()
    withdrawn: frozenset[str] = frozenset()
    searches: list[tuple[str, Scope]] = field(default_factory=list)

    async def search(self, question: str, scope: Scope, *, limit: int = 10) -> Findings:
        self._open("search")
        self.searches.append((question, scope))
        found = [self._found(question, each) for each in self.held if _within(each, scope)]
        near = sorted((each for each in found if each.relevance > 0), key=lambda each: -each.relevance)
        return Findings(tuple(near[:limit]))

    async def entries(self, ids: Sequence[str]) -> Mapping[str, Entry]:
        self._open("entries")
        return {each.id: each for each in self.held if each.id in ids and each.id not in self.withdrawn}

    async def topics(self, role: str, language: Language) -> tuple[Topic, ...]:
        self._open("topics")
        own = [each for each in self.held if (each.role, each.language) == (role, language)]
        names = dict.fromkeys(each.topic for each in own)
        return tuple(Topic(name, 1, _subtopics(own, name)) for name in names)

    async def roles(self) -> tuple[Role, ...]:
        return SHIPPED

    async def role(self, role: str) -> Role:
        if role not in ROLES:
            raise unknown_role(role, tuple(ROLES))
        return ROLES[role]

    def _open(self, method: str) -> None:
        if method in self.closed:
            raise Unavailable(SAYS_CLOSED)

    def _found(self, question: str, each: Entry) -> Found:
        asked = set(content(question, each.language))
        share = len(asked & set(content(f"{each.question} {each.answer}", each.language))) / max(1, len(asked))
        return Found(each, round(share, 3), share >= 0.6)


def _within(each: Entry, scope: Scope) -> bool:
    mine = each.role in scope.roles and each.language == scope.language
    return mine and scope.topic in ("", each.topic) and scope.subtopic in ("", each.subtopic)


def _subtopics(own: Sequence[Entry], topic: str) -> tuple[tuple[str, int], ...]:
    return tuple((name, 1) for name in dict.fromkeys(each.subtopic for each in own if each.topic == topic) if name)


GOOD_TEXT = "Gums bleed mostly because plaque inflames them [1]. Brush gently twice a day [1]."


class Model:
    """Answers well within any schema it is given. `faults`: what it does instead at a prompt, by the prompt's name."""

    name = "double"

    def __init__(self, faults: Mapping[str, object] | None = None, **says: Any) -> None:
        self.faults = dict(faults or {})
        self.says = says
        self.prompts: list[Prompt] = []

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        self.prompts.append(prompt)
        current_usage().calls += 1
        fault = self.faults.get(prompt.name)
        if isinstance(fault, BaseException):
            raise fault
        if fault is NEVER:
            await asyncio.Event().wait()
        if isinstance(fault, str):
            return parse_object(fault, schema)
        return schema.model_validate(self.says.get(prompt.name) or self.answer(prompt, schema))

    def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> Any:
        raise AssertionError("The consult never asks for free text.")

    def answer(self, prompt: Prompt, schema: type[Any]) -> dict[str, Any]:
        if schema is Decided:
            return {"action": "retrieve_kb", "context_summary": "Asked why gums bleed."}
        if schema is RagDecision:
            return {"action": "compose_answer", "reason": "enough is known"}
        if schema is RetrievalQuery:
            made = f"{prompt.variables['query']} Why do gums bleed?"
            return {"retrieval_query": made, "confidence": "high", "reason": "the subject was put in"}
        if issubclass(schema, TopicChoice):
            options = get_args(schema.model_fields["topic"].annotation)
            return {"topic": options[0], "confidence": "high", "reason": "it fits"}
        if issubclass(schema, Selection):
            return {"numbers": [1]}
        assert schema is Composed
        return {"explanation": GOOD_TEXT, "suggestion_questions": ["Why do gums shrink?", "Who won?", "How long?"]}

    @property
    def asked(self) -> list[str]:
        return [prompt.name for prompt in self.prompts]


NEVER = object()
"""A fault: no answer, ever."""


@dataclass
class Heard:
    """What was told while a consultation ran."""

    events: list[Event] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(event for event in self.events if isinstance(event, str))


def turns(*texts: str) -> tuple[Message, ...]:
    """A conversation, the user first."""
    return tuple(Message("assistant" if place % 2 else "user", text) for place, text in enumerate(texts))


async def ask(
    text: str,
    *,
    library: Library | None = None,
    llm: LanguageModel | None = None,
    role: Role = PATIENT,
    language: Language = "en",
    conversation: tuple[Message, ...] = (),
    shortcuts: bool = True,
    deadline_s: float = 60.0,
    heard: Heard | None = None,
) -> Consultation:
    emit = heard.events.append if heard else (lambda _: None)
    services = Services(library or Library(), llm, deadline_s, shortcuts, emit)
    return await consult(Asked(text, role, language, conversation), services)


def path(consultation: Consultation) -> list[str]:
    return [step.step for step in consultation.timeline]


def runtime(
    library: Library | None = None, llm: LanguageModel | None = None, *, shortcuts: bool = True
) -> Runtime[Live]:
    """For a node alone."""
    return Runtime(context=Live(Services(library or Library(), llm, shortcuts=shortcuts), 60.0))


def state(query: str, **more: Any) -> State:
    """As ingest_query leaves it."""
    start: dict[str, Any] = {
        "input": query,
        "query": query,
        "role": PATIENT,
        "language": "en",
        "conversation_history": (),
        "formatted_conversation_history": "",
        "urgent": "",
        "retrieve_attempts": 0,
        "rag_state": "init",
        **more,
    }
    return start  # type: ignore[return-value]
