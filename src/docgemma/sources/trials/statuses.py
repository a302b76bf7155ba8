"""How people say in which state a trial should be, as the register's own words.

Decisions where people and register differ: "recruiting", "open" and "enrolling" mean trials that anybody may ask to
join. "Active" and "ongoing" mean all that run at present, recruiting or not; what has not begun is not running.
"Closed" and "no longer recruiting" mean all that anybody could join once and cannot now. A denial is never read as
what it denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from docgemma.entities.words import word_set
from docgemma.sources.trials.contract import STATUSES, TrialStatus
from docgemma.sources.trials.tables import rows

_SAME = {
    **dict.fromkeys(
        word_set(
            "open opened enrolling enroling enroll enrol enrollment enrolment recruit recruits recruitment accruing "
            "accrual accepting taking joinable"
        ),
        "recruiting",
    ),
    **dict.fromkeys(word_set("start starts starting begin begins begun beginning opening"), "started"),
    **dict.fromkeys(word_set("complete finish finished concluded done"), "completed"),
    **dict.fromkeys(word_set("ongoing running underway current live"), "active"),
    **dict.fromkeys(word_set("aren't isn't haven't hasn't arent isnt havent hasnt non"), "not"),
}
_FILLING = word_set(
    "trial trials study studies only currently presently actively still now status that which are is has have been the "
    "or and but to for on new patient patients people participant participants volunteers please be just right at "
    "present moment clinical one ones either also already any more anymore"
)
_APART = re.compile(r"\bon[\s-]going\b|\bunder\sway\b|\bin\sprogress\b")
_CERTAIN = word_set("recruiting enrolling invitation expanded compassionate")
"""Said of nothing but trials: "open-angle glaucoma" and "active tuberculosis" are diseases."""

_EVERY = re.compile(
    r"\W*(?:any|all|every|each|whatever|either|no\sfilter|not\sspecified|none|n/?a|null)?\W*(?:status(?:es)?)?\W*"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’]t)?|\d+")
_LEAST_LETTERS = 6
_ALIKE = 0.82


@dataclass(frozen=True, slots=True)
class Read:
    """The statuses that words stand for; none: all are meant. `known` is False where a word is none of ours."""

    statuses: tuple[TrialStatus, ...] = ()
    known: bool = True


def statuses_of(words: str) -> Read:
    """A status as an argument gives it: one or several, in the register's spelling or in people's."""
    text = " ".join(re.sub(r"[_|;,]+", " ", words).split())
    if _EVERY.fullmatch(text.lower()):
        return Read()
    exact = _exact(words)
    if exact:
        return Read(exact)
    found = [statuses for _, statuses in _phrases(map(_corrected, _words(text)))]
    known = bool(found) and all(found)
    return Read(_in_order(status for each in found for status in each if known), known)


def statuses_in(question: str) -> tuple[TrialStatus, ...]:
    """What the parts of a question say of the state of trials; empty where none does.

    In a part that says something else too, only words that are said of nothing but trials count.
    """
    told: list[TrialStatus] = []
    for part in question.split(";"):
        found = [*_phrases(_words(part))]
        whole = all(statuses for _, statuses in found)
        told += [status for words, each in found if whole or not _CERTAIN.isdisjoint(words) for status in each]
    return _in_order(told)


def meant(argument: str | None, question: str) -> Read:
    """The argument's statuses, unless the question itself denies them or says more exactly what is sought.

    Who fills in the argument from "no longer recruiting" may write "recruiting".
    """
    told = statuses_in(question)
    if argument is None or not argument.strip():
        return Read(told)
    given = statuses_of(argument)
    if not given.known:
        return Read(told, known=False)
    sought, said = set(given.statuses), set(told)
    denied = "RECRUITING" in sought - said
    return Read(told) if said and sought and (said < sought or denied) else given


def _exact(words: str) -> tuple[TrialStatus, ...]:
    """The register's own words, alone or joined; "available" in small letters is said of any trial."""
    parts = [re.sub(r"[\s_-]+", "_", part.strip()) for part in re.split(r"[|,;]", words) if part.strip()]
    by_name: Mapping[str, TrialStatus] = {status: status for status in STATUSES}
    found = [by_name.get(part if part.isupper() else "") for part in parts]
    return _in_order(status for status in found if status) if parts and all(found) else ()


def _words(text: str) -> list[str]:
    low = _APART.sub("active", text.lower().replace("’", "'"))
    return [word for word in _WORD.findall(low) if word not in _FILLING]


def _phrases(words: Iterable[str]) -> Iterator[tuple[list[str], tuple[TrialStatus, ...]]]:
    """The words as phrases of the table, the longest first; a word that begins none is left without statuses."""
    written = [*words]
    table = _table()
    place = 0
    while place < len(written):
        for count in range(min(_longest(), len(written) - place), 0, -1):
            phrase = " ".join(_SAME.get(word, word) for word in written[place : place + count])
            if phrase in table or count == 1:
                yield written[place : place + count], table.get(phrase, ())
                place += count
                break


@cache
def _table() -> dict[str, tuple[TrialStatus, ...]]:
    by_name: Mapping[str, TrialStatus] = {status: status for status in STATUSES}
    return {row["said"]: tuple(by_name[name] for name in row["statuses"].split()) for row in rows("statuses.tsv")}


@cache
def _longest() -> int:
    return max(len(phrase.split()) for phrase in _table())


@cache
def _spelled() -> tuple[str, ...]:
    words = {*_SAME, *_FILLING, *(word for phrase in _table() for word in phrase.split())}
    return tuple(sorted(word for word in words if len(word) >= _LEAST_LETTERS))


def _corrected(word: str) -> str:
    if len(word) < _LEAST_LETTERS or word in _spelled():
        return word
    return next(iter(get_close_matches(word, _spelled(), n=1, cutoff=_ALIKE)), word)


def _in_order(found: Iterable[TrialStatus]) -> tuple[TrialStatus, ...]:
    told = set(found)
    return tuple(status for status in STATUSES if status in told)
