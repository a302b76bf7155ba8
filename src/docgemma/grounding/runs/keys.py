"""What a result is kept under: everything that it is made from, so that nothing is grounded twice or wrongly reused.

Decisions of experts are not in it. They are put into the stored result when a line is written, so that a decision
changes every line that it concerns at once and costs no second grounding.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma import __version__
from docgemma.grounding.contract import Criterion


@dataclass(frozen=True, slots=True)
class Basis:
    """What all results of a run have in common. `fresh` names a run that was told to start anew."""

    terminology: str
    model: str
    prompts: str
    threshold: float
    fresh: str = ""
    program: str = __version__

    def key(self, content: str) -> str:
        """The key of a result for a criterion of this content."""
        parts = (content, self.terminology, self.model, self.prompts, repr(self.threshold), self.fresh, self.program)
        return digest(parts)


def content_of(criterion: Criterion) -> str:
    """A digest of what is grounded. The ids are not part of it: the same words in two protocols are grounded once."""
    return digest((criterion.text, criterion.type, criterion.context))


def batch_id_of(criteria: Sequence[Criterion]) -> str:
    """From the content and the ids alone, so that a run that was resumed names its batches as one that was not."""
    parts = [part for each in criteria for part in (each.protocol_id, each.criterion_id, content_of(each))]
    return f"b-{digest(parts)[:16]}"


def digest(parts: Sequence[str]) -> str:
    """JSON keeps the parts apart: no two different lists are the same text."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()
