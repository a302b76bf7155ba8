"""Criteria in groups, in the order of the input: what one worker takes, and what one transaction keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from docgemma.grounding.contract import Criterion
from docgemma.grounding.reading.contract import Problem
from docgemma.grounding.runs.keys import batch_id_of


@dataclass(slots=True)
class Group:
    """Criteria of one protocol that follow each other, with the broken lines between them."""

    position: int
    entries: list[Criterion | Problem] = field(default_factory=list)

    @property
    def criteria(self) -> list[Criterion]:
        return [each for each in self.entries if isinstance(each, Criterion)]

    @property
    def batch_id(self) -> str:
        """Of the whole group, whether all of it is still to be grounded or only a part."""
        return batch_id_of(self.criteria)


def groups(entries: Iterator[Criterion | Problem], size: int, *, limit: int | None = None) -> Iterator[Group]:
    """Groups of at most `size` criteria. A file of nothing but broken lines must not become one group either."""
    taken = 0
    group = Group(0)
    for position, entry in enumerate(entries):
        found = isinstance(entry, Criterion)
        if found and limit is not None and taken >= limit:
            break
        taken += found
        if group.entries and (len(group.entries) >= size or _another(group, entry)):
            yield group
            group = Group(position)
        group.entries.append(entry)
    if group.entries:
        yield group


def _another(group: Group, entry: Criterion | Problem) -> bool:
    """Whether a criterion of another protocol begins here: a batch is of one protocol."""
    before = next((each for each in reversed(group.entries) if isinstance(each, Criterion)), None)
    return isinstance(entry, Criterion) and before is not None and before.protocol_id != entry.protocol_id
