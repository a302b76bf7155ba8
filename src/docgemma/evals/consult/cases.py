"""The cases of the suite `consult`: who asks what, and which entries answer it, or that none does."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from docgemma.clinical import Frozen
from docgemma.evals.casefiles import BaseCase, load
from docgemma.knowledge.demo.entries import demonstration
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.roles import SHIPPED

PACKAGED = "consult.jsonl"

Message = Annotated[str, Field(min_length=1, max_length=4_000)]


class Expectation(Frozen):
    """What is scored. `entries`: any of them answers, and each one's topic is right.

    `says`: facts that the answer must hold, each in one of the wordings between bars ("15 g | 15 grams"). `never`: what
    it must not hold, whoever asked for it.
    """

    entries: tuple[str, ...] = ()
    unknown: bool = False
    chat: bool = False
    urgent: bool | None = None
    says: Annotated[tuple[str, ...], Field(max_length=6)] = ()
    never: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if sum((bool(self.entries), self.unknown, self.chat)) > 1:
            raise ValueError("of 'entries', 'unknown' and 'chat' only one can be expected")
        if self.says and not self.entries:
            raise ValueError("'says' stands only with the 'entries' that say it")
        if not (self.entries or self.unknown or self.chat or self.never or self.urgent is not None):
            raise ValueError("nothing is expected")
        return self


class ConsultCase(BaseCase):
    """One question of one role, perhaps after earlier ones. Only the last, `say`, is scored."""

    role: str
    language: Language = "en"
    before: Annotated[tuple[Message, ...], Field(max_length=8)] = ()
    say: Message
    expect: Expectation

    @model_validator(mode="after")
    def _known(self) -> Self:
        roles = [role.id for role in SHIPPED]
        if self.role not in roles:
            raise ValueError(f"there is no role '{self.role}'; the roles are {', '.join(roles)}")
        for id in self.expect.entries:
            entry = entries().get(id)
            if entry is None or entry.role != self.role:
                raise ValueError(f"'{id}' is not an entry of this role in the demonstration base")
        return self

    @property
    def about(self) -> str:
        return self.say


@cache
def entries() -> Mapping[str, Entry]:
    """The demonstration base, which every case is asked of."""
    return {entry.id: entry for entry in demonstration()}


def load_cases(path: Path | None = None) -> tuple[ConsultCase, ...]:
    """The cases of a file; without one, those that come with the package."""
    return load(ConsultCase, PACKAGED, path)
