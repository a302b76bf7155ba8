"""Which drugs of a part are taken, and which are only named because the patient may not have them.

Each clause speaks for itself: "on simvastatin, penicillin allergic, is clarithromycin ok?" asks about two drugs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import phrases as say
from docgemma.entities.grammar.parts import Part
from docgemma.entities.model import Mention
from docgemma.entities.words import replaced

_CLAUSE = re.compile(r"(?:(?!\s(?:but|and\s(?:on|takes|taking))\s)[^,;()]){1,1500}")
_ALLERGIC = re.compile(
    r"(?:\W|(?<!\w)(?:she|he|pt|patient|is|s|known|severe|severely|to|and|has|with|a|an|but|reported|documented|truly)(?!\w)){0,30}"
    r"(?:allerg(?:ic|y|ies)|anaphyla\w{2,5}|intoleran(?:t|ce))(?:\W|(?:to|and|too|also)(?!\w)){0,9}",
    re.IGNORECASE,
)
""" "Penicillin allergic" without the name: nothing else is said of the drug."""

_SAID_ALLERGIC = re.compile(
    r"[\s-](?:allerg(?:y|ies)|allergic(?!\sreactions?(?!\w))|anaphylaxis|hypersensitivity|intoleran(?:t|ce))(?!\w)",
    re.IGNORECASE,
)
"""Right after a name: "in penicillin allergy", "a penicillin allergic patient"."""

_ALLERGIC_TO = re.compile(
    r"(?<!\w)(?:allerg(?:y|ies|ic)|anaphylaxis|hypersensitiv(?:e|ity)|intoleran(?:t|ce))\s(?:to|with)\s(?:the\s|an?\s)?$",
    re.IGNORECASE,
)
_BACK = 30

_LONGEST = 1500
"""What goes on for longer is pasted text."""


def asked_about(part: Part, drugs: Sequence[Mention]) -> list[Mention]:
    """Without what the patient is only said to be allergic to, where other drugs are named beside it."""
    kept: list[Mention] = []
    for clause in _CLAUSE.finditer(part.text, 0, _LONGEST):
        here = _within(drugs, part.start + clause.start(), part.start + clause.end())
        if not _ALLERGIC.fullmatch(_beside(clause, here, part.start)):
            kept += [drug for drug in here if not _is_allergen(part, drug)]
    return kept or [drug for drug in drugs if not _is_allergen(part, drug)] or list(drugs)


def _is_allergen(part: Part, drug: Mention) -> bool:
    start, end = drug.start - part.start, drug.end - part.start
    before = _ALLERGIC_TO.search(part.text[max(0, start - _BACK) : start])
    return bool(before or _SAID_ALLERGIC.match(part.text, end))


def taken(text: str, drugs: Sequence[Mention], offset: int) -> list[Mention]:
    """The drugs of this text that are taken: each clause for itself, and a bare name goes on with the clause before."""
    kept: list[Mention] = []
    refused = False
    for clause in _CLAUSE.finditer(text):
        here = _within(drugs, offset + clause.start(), offset + clause.end())
        if not here or _beside(clause, here, offset).strip():
            refused = bool(say.NOT_TAKEN.search(clause.group()))
        kept += [] if refused else here
    return kept


def _within(drugs: Sequence[Mention], start: int, end: int) -> list[Mention]:
    return [drug for drug in drugs if start <= drug.start < end]


def _beside(clause: re.Match[str], drugs: Sequence[Mention], offset: int) -> str:
    """The clause without these names."""
    first = offset + clause.start()
    return replaced(clause.group(), [(drug.start - first, drug.end - first, "") for drug in drugs])
