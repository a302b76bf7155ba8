"""How likely a candidate is what the term means: a number that can be believed, not a score.

The weights are a logistic regression over the training parts of BC5CDR and NCBI disease, with and without a type given;
mentions whose identifier no source has were left out. `python -m bench.linking` prints how well the numbers hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from docgemma.terminology.contract import EntityType
from docgemma.terminology.search.evidence import Found, Way

_BASE = 1.74
_WORTH = 0.39
_WAY: dict[Way, float] = {"same": 0.0, "key": -1.54, "squeezed": -1.54, "bag": -0.47, "soft": -1.47}
_LEAD = 0.75
_PREFERRED = 0.65
_WEAK = -0.38
_OTHER_TYPE = -3.66
_PARAPHRASED = 1.14
_DEFINED = 0.61
_SHORT = -0.73
_SOFT_DRUG = -1.06

_SHORT_LENGTH = 4
_MOST_UNSURE = 0.65
"""A short form with neither a type nor a definition beside it: an expert looks."""
_MOST_CLINICAL = 0.9
"""The same when clinicians use it in one sense."""
_MOST = 0.99
_LOOSE = 0.5
"""A name with a telling word more or less than the term."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What speaks for and against a candidate. `lead` is the distance in rank to the best of the others."""

    found: Found
    lead: float
    kind: EntityType
    other_type: bool
    preferred: bool
    weak: bool
    type_given: bool
    term: str


def trusted(doubt: Doubt) -> float:
    """Between 0 and 1."""
    found = doubt.found
    evidence = _BASE + _WORTH * max(-5.0, math.log(max(found.worth, 1e-6))) + _WAY[found.way]
    evidence += _LEAD * max(-6.0, min(doubt.lead, 2.0))
    evidence += _PREFERRED * doubt.preferred + _WEAK * doubt.weak + _OTHER_TYPE * doubt.other_type
    evidence += _PARAPHRASED * (found.how in ("apart", "phrase")) + _DEFINED * (found.how == "defined")
    evidence += _SHORT * (len(found.text) <= _SHORT_LENGTH)
    evidence += _SOFT_DRUG * (found.way == "soft" and doubt.kind == "Medication")
    return min(1 / (1 + math.exp(-evidence)), _ceiling(doubt))


def _ceiling(doubt: Doubt) -> float:
    """Short forms mean many things: what they stand for must be said somewhere. A loose fit is never sure."""
    if doubt.found.way == "soft" and (doubt.found.fit < _LOOSE or _symbol(doubt.term)):
        return _MOST_UNSURE
    if len(doubt.term) > _SHORT_LENGTH or doubt.type_given or doubt.found.how == "defined":
        return _MOST
    return _MOST_CLINICAL if doubt.found.how == "clinical" else _MOST_UNSURE


def _symbol(term: str) -> bool:
    """A short form: one that is almost the same is another."""
    return len(term) <= _SHORT_LENGTH + 1 and not term.islower()
