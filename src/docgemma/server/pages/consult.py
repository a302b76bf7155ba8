"""What the consult page offers before the first question: for whom it answers, about what, and questions to begin with.

All of it is read from the knowledge base; nothing is offered that it has no entry for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from docgemma.accounts.model import Identity
from docgemma.entities.instructions import instructions_in
from docgemma.errors import Conflict, Unavailable
from docgemma.knowledge.base import KnowledgeBase
from docgemma.knowledge.consult.suggesting import asks
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.roles import Role, unknown_role
from docgemma.server.pages.language import Lang

_EXAMPLES = 6
_LOOKED_AT = 200
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class RoleView:
    """One choice of the list, by its name in the reader's language."""

    id: str
    name: str
    for_patients: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """The page of one role. `unreviewed`: entries that it answers from were read by no clinician."""

    roles: tuple[RoleView, ...]
    role: RoleView
    topics: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    entries: int = 0
    unreviewed: bool = False


def open_to(who: Identity, roles: Iterable[Role]) -> tuple[Role, ...]:
    """A patient is answered from what was written for patients, and from nothing else."""
    return tuple(role for role in roles if who.role != "patient" or role.audience == "patient")


async def offer(knowledge: KnowledgeBase, who: Identity, wanted: str, usual: str, lang: Lang) -> Offer:
    """The page of the role that was asked for, else of the usual one where this person may use it. UnknownId."""
    roles = open_to(who, await knowledge.roles())
    ids = tuple(role.id for role in roles)
    if not roles or (wanted and wanted not in ids):
        raise unknown_role(wanted, ids)
    chosen = wanted or (usual if usual in ids else ids[0])
    views = tuple(_view(role, lang) for role in roles)
    view = next(each for each in views if each.id == chosen)
    topics = await knowledge.topics(chosen, lang)
    entries = await _some(knowledge, chosen, lang)
    return Offer(
        roles=views,
        role=view,
        topics=tuple(topic.name for topic in topics),
        examples=examples(entries),
        entries=sum(topic.entries for topic in topics),
        unreviewed=any(entry.demonstration or not entry.reviewed for entry in entries),
    )


def examples(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Questions of the entries themselves, of as many topics as there are before a second one of any."""
    by_topic: dict[str, list[str]] = {}
    for entry in entries:
        question = " ".join(entry.question.split())
        if len(question) <= _LONGEST and asks(question) and not instructions_in(question):
            by_topic.setdefault(entry.topic, []).append(question)
    longest = max(map(len, by_topic.values()), default=0)
    ordered = [
        questions[place] for place in range(longest) for questions in by_topic.values() if place < len(questions)
    ]
    return tuple(dict.fromkeys(ordered))[:_EXAMPLES]


async def _some(knowledge: KnowledgeBase, role: str, lang: Lang) -> tuple[Entry, ...]:
    with suppress(Unavailable, Conflict):  # the page stands without them
        async for batch in knowledge.library.each_current(batch=_LOOKED_AT, role=role, language=lang):
            return batch
    return ()


def _view(role: Role, lang: Lang) -> RoleView:
    return RoleView(role.id, role.name_vi if lang == "vi" else role.name_en, role.audience == "patient")
