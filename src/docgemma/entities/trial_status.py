"""The states of a clinical trial: the register's words, and what people say for them.

Decisions where people and register differ: "recruiting", "open" and "enrolling" mean trials that anybody may ask to
join. "Active" and "ongoing" mean all that run at present, recruiting or not; what has not begun is not running.
"Closed" and "no longer recruiting" mean all that anybody could join once and cannot now. A denial is never read as
what it denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from rapidfuzz import fuzz, process

from docgemma.entities.tables import rows
from docgemma.entities.words import word_set

TrialStatus = Literal[
    "RECRUITING",
    "NOT_YET_RECRUITING",
    "ACTIVE_NOT_RECRUITING",
    "ENROLLING_BY_INVITATION",
    "COMPLETED",
    "SUSPENDED",
    "TERMINATED",
    "WITHDRAWN",
    "AVAILABLE",
    "NO_LONGER_AVAILABLE",
    "TEMPORARILY_NOT_AVAILABLE",
    "APPROVED_FOR_MARKETING",
    "WITHHELD",
    "UNKNOWN",
]
STATUSES: tuple[TrialStatus, ...] = get_args(TrialStatus)
_BY_NAME: dict[str, TrialStatus] = {status: status for status in STATUSES}
_EVERY = word_set("any all every each whatever either none status statuses null")
_DENIALS = word_set("not no never longer yet")
_WORD = re.compile(r"[^\W\d_]{1,40}(?:['’-][^\W\d_]{1,40}){0,4}")
_LEAST_LETTERS = 6
_ALIKE = 90


@dataclass(frozen=True, slots=True)
class Read:
    """The statuses that words stand for; none: all are meant. `known` is False where they name none of ours."""

    statuses: tuple[TrialStatus, ...] = ()
    known: bool = True


def statuses_of(words: str) -> Read:
    """One status or several, in the register's spelling or in people's."""
    exact = [_BY_NAME.get(part.strip().replace(" ", "_")) for part in re.split(r"[|,;]", words)]
    if all(exact):
        return Read(_in_order(status for status in exact if status))
    low = _WORD.findall(words.lower().replace("’", "'").replace("_", " "))
    if _EVERY.issuperset(low):
        return Read(known=not words.strip() or bool(low))
    same, phrases = _table()
    vocabulary = _vocabulary()
    left = [same.get(word, word) for word in map(_spelled, low) if word in vocabulary]
    found: list[TrialStatus] = []
    while left:
        count = next((count for count in range(len(left), 0, -1) if " ".join(left[:count]) in phrases), 0)
        if not count and left[0] in _DENIALS:
            return Read(known=False)
        found += phrases.get(" ".join(left[:count]), ())
        left = left[count or 1 :]
    return Read(_in_order(found), bool(found))


def told_status(text: str) -> str:
    """The one status that a text names, in plain words; empty where it names none, or what one word does not say."""
    found = statuses_of(text).statuses
    names = ["active", *(status.replace("_", " ").lower() for status in found[:1])]
    return next((name for name in names if found and statuses_of(name).statuses == found), "")


def status_value(written: str) -> str:
    """A status as it is kept: in plain words where one of ours is named, else as it was written."""
    return told_status(written) or " ".join(written.lower().split())


def is_status_word(word: str) -> bool:
    """Whether a word is said of the state of a trial."""
    return word in _vocabulary()


def _spelled(word: str) -> str:
    """The word, or the one of ours that it is a slip of."""
    vocabulary = _vocabulary()
    if word in vocabulary or len(word) < _LEAST_LETTERS:
        return word
    near = process.extractOne(word, vocabulary, scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return near[0] if near else word


@cache
def _vocabulary() -> tuple[str, ...]:
    """Every word of the table, in its order."""
    same, phrases = _table()
    return tuple(dict.fromkeys([*same, *(word for phrase in phrases for word in phrase.split())]))


@cache
def _table() -> tuple[dict[str, str], dict[str, tuple[TrialStatus, ...]]]:
    """Words that mean the same as another; phrases and what they stand for."""
    listed = {row[0]: row[1] for row in rows("docgemma.entities", "trial_statuses.tsv")}
    same = {said: meant for said, meant in listed.items() if meant.islower()}
    return same, {
        said: tuple(_BY_NAME[name] for name in meant.split()) for said, meant in listed.items() if said not in same
    }


def _in_order(found: Iterable[TrialStatus]) -> tuple[TrialStatus, ...]:
    told = set(found)
    return tuple(status for status in STATUSES if status in told)
