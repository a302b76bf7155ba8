"""What the consult, the agent and the commands ask of the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.index.contract import Scope
from docgemma.knowledge.roles import Role
from docgemma.knowledge.search.found import Findings


@dataclass(frozen=True, slots=True)
class Topic:
    """One branch of a role's tree: DEMUC, with its CHU_DE_CON and how many entries each has."""

    name: str
    entries: int
    subtopics: tuple[tuple[str, int], ...] = ()


class Knowledge(Protocol):
    """Curated entries, for reading. What is wrong with store or index is raised as Unavailable."""

    async def search(self, question: str, scope: Scope, *, limit: int = 10) -> Findings: ...

    async def entries(self, ids: Sequence[str]) -> Mapping[str, Entry]:
        """The current text of these; an id that is withdrawn or unknown is left out."""
        ...

    async def topics(self, role: str, language: Language) -> tuple[Topic, ...]: ...

    async def roles(self) -> tuple[Role, ...]: ...

    async def role(self, role: str) -> Role:
        """UnknownId, naming those that there are."""
        ...
