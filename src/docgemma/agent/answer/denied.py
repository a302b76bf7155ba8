"""What an image was said not to show: a sentence that says it does must not pass.

A small model asked "is there a pneumothorax?" likes to say yes. Where its own findings, made before, say that none is
seen, the findings hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docgemma.entities.words import word_set

_DENIAL = re.compile(
    r"\b(?:no|without|absence\s+of|negative\s+for|free\s+of)\s+(?:(?:evidence|signs?|suggestion|indication|features)\s+"
    r"(?:of|for)\s+)?(?=(?P<what>[^.;:\n]{2,160}))",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?:is|are|was|were|has|have|seen|visible|identified|noted|detected|demonstrated|present|apparent|found|but|"
    r"however|although|except|besides|other\s+than|there|which|that|no|without|with|of|in|on|at|to|for|from|about|within|"
    r"since|after|than|as|given|needed|required)\b",
    re.IGNORECASE,
)
"""Where the name of what is denied ends: of "no change in the effusion" that is "change", and there is an effusion."""
_LISTED = re.compile(r"(?:.*(?:\bor\b|\bnor\b|/))?[^,/]*?(?=,|/|\band\b|$)", re.IGNORECASE)
"""A list of denials ends with what follows its last "or"; "no fracture, normal alignment" denies one thing."""
_BETWEEN = re.compile(r",|/|\band\b|\bor\b|\bnor\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:other|additional|further|more|another)\b", re.IGNORECASE)
_KIND = re.compile(
    r"\b(?:large|larger|displaced|new|significant|tension|major|gross|massive|severe|worsening|increasing|enlarging|"
    r"progressive|bilateral)\b",
    re.IGNORECASE,
)
"""Denies one kind of a thing alone: "no displaced fracture" leaves a fracture that is not displaced."""
_WORD = re.compile(r"[^\W\d_]{4,}")
_VAGUE = word_set(
    "abnormality abnormalities acute additional change changes chest clear comparison contrast definite disease doubt "
    "evidence finding findings focal further image images imaging increase large left line lung lungs more need normal "
    "obvious other prior process question radiograph right side sign signs small specific suspicious view views"
)
_UNSURE = re.compile(
    r"\b(?:no|not|none|nothing|neither|nor|never|without|lack(?:s|ing)?|(?:free|clear)\s+of|resolved|"
    r"absen(?:t|ce)|negative|exclude[ds]?|rules?\s+out|ruled\s+out|cannot|unlikely|if|whether|"
    r"could|may|might|would|should|risk|consider|n['’]t)\b|n['’]t\b|\?",
    re.IGNORECASE,
)


def denied(texts: Iterable[str]) -> frozenset[str]:
    """The things that the findings say are not there, by their own word, and nowhere that they are.

    Two words are one kind of a thing: that kind alone is denied.
    """
    whole = "\n".join(texts)
    absent = {thing for match in _DENIAL.finditer(whole) for thing in _things(match["what"])}
    there = {
        _bare(word.casefold())
        for line in re.split(r"[.;\n]", whole)
        if not _UNSURE.search(line)
        for word in _WORD.findall(line)
    }
    return frozenset(absent - there)


def _things(what: str) -> Iterator[str]:
    """What a denial names, each by its last word: "rib fracture" is a fracture."""
    told = _END.split(what, maxsplit=1)[0]
    listed = _LISTED.match(told)
    for part in _BETWEEN.split(listed[0] if listed else told):
        named = [word.casefold() for word in _WORD.findall(part)]
        if not named or named[-1] in _VAGUE or _OTHER.search(part):
            continue
        kind, thing = _KIND.search(part), _bare(named[-1])
        yield f"{kind[0].casefold()} {thing}" if kind else thing


def says_seen(sentence: str, absent: frozenset[str]) -> bool:
    """Whether the sentence states as seen what the findings deny."""
    if not absent or _UNSURE.search(sentence):
        return False
    said = {_bare(word) for word in re.findall(r"[^\W\d_]+", sentence.casefold())}
    return any(said.issuperset(thing.split()) for thing in absent)


def _bare(word: str) -> str:
    return word.removesuffix("s")
