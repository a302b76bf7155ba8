"""What an image was said not to show: a sentence that says it does must not pass.

A small model asked "is there a pneumothorax?" likes to say yes. Where its own findings, made before, say that none is
seen, the findings hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from docgemma.entities.words import word_set

_DENIAL = re.compile(
    r"\b(?:no|without|absence\s+of|negative\s+for|free\s+of)\s+(?P<what>[^.;:\n]{2,160})", re.IGNORECASE
)
_END = re.compile(
    r"\b(?:is|are|was|were|seen|visible|identified|noted|detected|demonstrated|present|apparent|found|but|however|"
    r"although|except|besides|other\s+than)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r",|/|\band\b|\bor\b|\bnor\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_VAGUE = word_set(
    "abnormality abnormalities acute additional change changes chest clear definite disease evidence finding findings "
    "focal further image large left line lung lungs more normal obvious other process radiograph right side sign signs "
    "small specific suspicious view"
)
_UNSURE = re.compile(
    r"\b(?:no|not|none|never|without|absen(?:t|ce)|negative|exclude[ds]?|rules?\s+out|ruled\s+out|cannot|unlikely|if|whether|"
    r"could|may|might|would|should|risk|consider|n['’]t)\b|n['’]t\b|\?",
    re.IGNORECASE,
)


def denied(texts: Iterable[str]) -> frozenset[str]:
    """The things that the findings say are not there, by their own word, and nowhere that they are."""
    whole = "\n".join(texts)
    absent: set[str] = set()
    for match in _DENIAL.finditer(whole):
        told = _END.split(match["what"], maxsplit=1)[0]
        for part in _BETWEEN.split(told):
            named = [word.casefold() for word in _WORD.findall(part)]
            absent |= {word for word in named[-1:] if word not in _VAGUE}
    there = {
        _bare(word.casefold())
        for line in re.split(r"[.;\n]", whole)
        if not _UNSURE.search(line)
        for word in _WORD.findall(line)
    }
    return frozenset(_bare(word) for word in absent) - there


def says_seen(sentence: str, absent: frozenset[str]) -> bool:
    """Whether the sentence states as seen what the findings deny."""
    if not absent or _UNSURE.search(sentence):
        return False
    return any(_bare(word.casefold()) in absent for word in _WORD.findall(sentence))


def _bare(word: str) -> str:
    return word.removesuffix("s")
