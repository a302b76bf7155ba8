"""What a trial is about: a condition, and the treatment that is studied beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.tables import rows
from docgemma.entities.words import word_set
from docgemma.reader.labels import SpanType
from docgemma.sources.literature.naming import is_known
from docgemma.sources.literature.people import without_people
from docgemma.sources.reading import NARROWING, Part
from docgemma.sources.trials.whom import is_of_people, is_sex

_EDGES = word_set("a an any the of in on at for with who has have trial trials study studies patients people or and")
_ARTICLES = word_set("a an")
"""At the end they are none: "haemophilia A"."""

_BEHIND = word_set("for in against")
"""What stands between a treatment and the condition it is for."""

_BEFORE = word_set("with using by")
_TOPICS: tuple[SpanType, ...] = ("condition", "topic")
_WORD = re.compile(r"[\w'’.-]+")


@dataclass(frozen=True, slots=True)
class Subject:
    """`whom`: a group of people that stood beside the condition."""

    condition: str = ""
    intervention: str = ""
    whom: str = ""


def subject_of(parts: Sequence[Part]) -> Subject:
    """The marked condition; where none is marked, what is left of the words without what else is marked in them."""
    marked = [text for part in parts for text in part.runs(*_TOPICS)]
    rest = [part.without(*NARROWING, *(_TOPICS if marked else ())) for part in parts]
    phrase, whom = _without_people(without_people(" ".join(dict.fromkeys(marked or rest))))
    drugs = [text for part in parts for text in part.of("drug")]
    drugs += [found.group() for text in rest if marked for found in _treatments().finditer(text)]
    if drugs:
        return Subject(phrase, without_people(" ".join(dict.fromkeys(drugs))), whom)
    return Subject(*(_apart(phrase) or (phrase, "")), whom)


def _without_people(phrase: str) -> tuple[str, str]:
    """The phrase without words at its edges that name nothing, and the groups that went with them.

    "Women with asthma", "asthma in children"; "male breast cancer" is a name.
    """
    words, whom = phrase.strip(" ,.;:?!-–").split(), []
    while words and (
        words[-1].lower() in _EDGES - _ARTICLES or is_of_people(words[-1]) or _is_apart(words[-1], words[-2:-1])
    ):
        whom.append(words.pop())
    while words and (words[0].lower() in _EDGES or (_is_apart(words[0], words[1:2]))):
        whom.append(words.pop(0))
    return " ".join(words), " ".join(word for word in whom if word.lower() not in _EDGES)


def _is_apart(word: str, beside: Sequence[str]) -> bool:
    """Whether people stand by themselves: nothing, or a word that leads on, is beside them."""
    return (is_of_people(word) or is_sex(word)) and all(other.lower() in _EDGES for other in beside)


def _apart(phrase: str) -> tuple[str, str] | None:
    """ "Pembrolizumab in melanoma", "AML with magrolimab"; "methotrexate toxicity" is one thing."""
    places = [(drug.start, drug.end) for drug in drugs_in(phrase)]
    places = sorted([*places, *(found.span() for found in _treatments().finditer(phrase))])
    if not places or "-" in (phrase[places[-1][1] : places[-1][1] + 1], phrase[: places[0][0]][-1:]):
        return None
    start, end = places[0][0], max(place[1] for place in places)
    before, behind = _WORD.findall(phrase[:start]), _WORD.findall(phrase[end:])
    if not before and not behind:
        return "", phrase
    if not before:
        linked = behind[0].lower() in _BEHIND
        condition = " ".join(behind[linked:])
        return (condition, _spoken(phrase, places)) if condition and (linked or is_known(condition)) else None
    linked = before[-1].lower() in _BEFORE
    condition = " ".join(before[:-1] if linked else before)
    fits = condition and not behind and (linked or is_known(condition))
    return (condition, _spoken(phrase, places)) if fits else None


def _spoken(phrase: str, places: Sequence[tuple[int, int]]) -> str:
    return " ".join(dict.fromkeys(phrase[start:end] for start, end in places))


@cache
def _treatments() -> re.Pattern[str]:
    """Every treatment of the table, longest first."""
    listed = sorted((line for (line,) in rows("docgemma.sources.trials", "treatments.txt")), key=len, reverse=True)
    words = "|".join(r"[\s-]?".join(map(re.escape, re.split(r"[\s-]", line))) + "s?" for line in listed)
    return re.compile(rf"(?<![\w-])(?:{words.replace('therapys?', 'therap(?:y|ies)')})(?![\w-])", re.IGNORECASE)
