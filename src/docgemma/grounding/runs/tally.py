"""What a run has done so far, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.grounding.contract import Grounded


@dataclass(slots=True)
class Tally:
    """Criteria by how they ended, and the entities of those that were grounded."""

    now: int = 0
    before: int = 0
    failed: int = 0
    broken: int = 0
    without_entities: int = 0
    entities: int = 0
    expert_review: int = 0
    by_person: int = 0

    @property
    def done(self) -> int:
        """Criteria that have a result."""
        return self.now + self.before

    @property
    def criteria(self) -> int:
        return self.done + self.failed

    def grounded(self, line: Grounded, *, before: bool) -> None:
        """A line with a result; `before`: an earlier run had made it."""
        self.before += before
        self.now += not before
        self.without_entities += not line.entities
        self.entities += len(line.entities)
        self.expert_review += sum(each.status == "expert_review" for each in line.entities)
        self.by_person += sum(each.grounding_method == "person" for each in line.entities)
