"""Ways of asking: the exemplars that a vote compares with, and a message cut down to its way of asking.

What a message is about is replaced by stand-ins, so that "any red flags with amiodarone" and "any red flags with DRUG"
are the same sentence, whatever the drug.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import dropwhile
from typing import Literal

from docgemma.entities.model import Entities
from docgemma.entities.words import Word, replaced, without_quotes, word_set, words
from docgemma.tools.registry import READS, REGISTRY, ToolName

Kind = ToolName | Literal["direct"]
DIRECT: Literal["direct"] = "direct"
DRUG, PATIENT = "DRUG", "PATIENT"

_PERSON = re.compile(
    r"(?<![\w-])(?:(?:this|the|my|that|our)\s(?:patient|pt|lady|gentleman|man|woman|boy|girl)"
    r"|she|he|her|him|his|hers|herself|himself|pt|patient)(?P<owner>['’]s)?(?![\w-])",
    re.IGNORECASE,
)
_POINTING = re.compile(r"(?<![\w-])(?:it|that|this|them|those|both|these)(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Way:
    """One exemplar and what it asks for."""

    kind: Kind
    text: str


@cache
def ways() -> tuple[Way, ...]:
    """Every exemplar of the packaged file."""
    found: list[Way] = []
    kind: Kind = DIRECT
    text = files("docgemma.agent.requests").joinpath("data/exemplars.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            kind = _kind(line.strip("[]"))
        elif line and not line.startswith("#"):
            found.append(Way(kind, line))
    return tuple(found)


def _kind(name: str) -> Kind:
    assert name == DIRECT or name in READS, f"exemplars.txt: [{name}] is no look-up"
    return DIRECT if name == DIRECT else REGISTRY[name].name


def masked(text: str, entities: Entities, *, pointing: bool = False) -> str:
    """The way of asking alone. `pointing`: "it" stands for a drug of an earlier message."""
    drugs = [(drug.start, drug.end, DRUG) for drug in (*entities.drugs, *entities.unlisted_drugs)]
    people = [(who.start, who.end, PATIENT) for who in (*entities.patient_ids, *entities.person_names)]
    plain = replaced(without_quotes(text), sorted([*drugs, *people]))
    plain = _PERSON.sub(lambda match: PATIENT + ("'s" if match["owner"] else ""), plain)
    return _POINTING.sub(DRUG, plain, count=1) if pointing else plain


_SUBJECTS = word_set("i it my our that the they this we you") | {PATIENT.lower(), DRUG.lower()}
_QUESTION_WORDS = word_set(
    "any anybody anyone anything are can could did do does find give has have how is list look looking may might "
    "must need needs safe shall should show tell thoughts want wants was were what what's whats when where which "
    "who who's why will worry would"
)


def tells(sentence: str) -> bool:
    """A masked sentence that states something ("they put PATIENT on DRUG in March") and asks for nothing."""
    found = [word.low for word in words(sentence)]
    first = found[0].removesuffix("'s") if found else ""
    return first in _SUBJECTS and "?" not in found and not _QUESTION_WORDS.intersection(found)


_ASKING = word_set(
    "a about all am an and any anybody anyone anything are as at available be been behind being by can could did "
    "do does for from had has have he her here him his how i i'd i'm if in into is it's let's me my now of on or "
    "our out pls please pt she should so some somebody someone something somewhere than that's the their then "
    "there they to today under up us was we were what what's whats when where which who who's whose why will with "
    "would you your accept accepts adults came candidate case cite centre centres center centers current "
    "currently data developed development dig drug drugs enrol enroll enrolling enrolls enrols enter evidence "
    "exist experimental find finding findings found fresh get give go going good got hospitals investigated "
    "investigation investigational join know known like lately latest left literature look looked looking more "
    "need new newer newest numbers ongoing open option options over paper papers patient patients people pipeline "
    "place point programme program proof proper protocol protocols prove proven publication publications "
    "published pull put qualify read really recent recently recruit recruiting recruits reference references "
    "report reported reporting research result results right run running say says science send show showed shown "
    "sign signing solid source sources strong studied studies study supported supports take takes taking tell "
    "tested testing therapies therapy treatment treatments trial trials tried true try trying volunteers want "
    "work works write written"
)
_OPENING = re.compile(r"(?:is|isn't|was)\s(?:it|this|that)\s(?:true|correct|right|proven)\sthat\s", re.IGNORECASE)
_ENDS_A_TOPIC = word_set("therapies therapy treatment treatments")
_POINTERS = word_set("it this that these those them both")
_LONGEST_TOPIC = 14


def topic(text: str) -> str:
    """What a search that was only voted for is about: the words between those that ask. Empty when unclear.

    It is one span of the user's own words. A topic that points at something said before is no topic.
    """
    opening = _OPENING.match(text)
    start = opening.end() if opening else 0
    tokens = [word for word in words(without_quotes(text)) if word.low[0].isalnum() and word.start >= start]
    first = next((place for place in range(len(tokens)) if not _leads(tokens, place)), len(tokens))
    kept = list(dropwhile(_trails, reversed(tokens[first:])))[::-1]
    if not kept or len(kept) > _LONGEST_TOPIC or any(word.low in _POINTERS for word in kept):
        return ""
    return text[kept[0].start : kept[-1].end]


def _leads(tokens: Sequence[Word], place: int) -> bool:
    """ "Proof that bed rest helps" goes on after "that"; in "has that been studied" it is what is asked about."""
    low = tokens[place].low
    following = tokens[place + 1].low if place + 1 < len(tokens) else ""
    return low in _ASKING or (low == "that" and following not in _ASKING)


def _trails(word: Word) -> bool:
    return word.low == "that" or (word.low in _ASKING and word.low not in _ENDS_A_TOPIC)
