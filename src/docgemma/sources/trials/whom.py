"""For whom a trial is sought: the age and the sex of a person, or of a group, in the few words that say so.

Exact forms only: numbers with their units, and groups of a table. Which words of a sentence those are the reader tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from docgemma.entities.tables import rows
from docgemma.entities.words import word_set
from docgemma.sources.trials.contract import Sex

_NUMBER = re.compile(
    r"(?<![\w.])(?P<n>\d{1,3}(?:\.\d+)?)"
    r"(?:[\s-]?(?P<unit>y(?:ea)?rs?|yo?|mo(?:nth)?s?|m(?=[\s-]?old)|w(?:ee)?ks?|d(?:ay)?s?)(?![a-z]))?"
)
_UNITS = {"y": 1.0, "m": 1 / 12, "w": 7 / 365.25, "d": 1 / 365.25}
_OVER = re.compile(r"\b(?:over|above|older|from|least|plus)\b|>|\d\s?\+")
_UNDER = re.compile(r"\b(?:under|below|younger|less|up\sto)\b|<")
_OLDEST = 120.0
_DAY = 1 / 365.25
"""Under five is not five."""

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_FEMALE = word_set("f female w woman women lady ladies girl feminine mother")
_MALE = word_set("m male man men gentleman gentlemen boy masculine")
_SHORT_SEX = re.compile(r"\d\s?(?:yo|y/o)?\s?(?P<sex>[mf])\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Age:
    """In years. A person has one; a group is told from here up to `to`."""

    years: float
    to: float | None = None


def age_of(words: str) -> Age | None:
    """The age that these words tell; a number is years. None when they tell none, or several."""
    low = words.lower().replace("years of age", "years")
    told = [*_NUMBER.finditer(low)]
    ages = [float(match["n"]) * _UNITS[(match["unit"] or told[-1]["unit"] or "y")[0]] for match in told]
    if not ages or max(ages) > _OLDEST or low.lstrip().startswith("-"):
        return None if ages else _group(low)
    if len(ages) == 2 and ages[0] < ages[1]:
        return Age(ages[0], ages[1])
    if len(set(ages)) > 1:
        return None
    if _UNDER.search(low):
        return Age(0.0, ages[0] - _DAY)
    return Age(ages[0], _OLDEST) if _OVER.search(low) else Age(ages[0])


def sex_of(words: str) -> Sex | None:
    """The sex that these words tell. None when they tell none, or both."""
    said = {word.removesuffix("s") if len(word) > 4 else word for word in _WORD.findall(words.lower())}
    short = _SHORT_SEX.search(words)
    said |= {short["sex"].lower()} if short else set()
    female, male = not said.isdisjoint(_FEMALE), not said.isdisjoint(_MALE)
    return None if female == male else "female" if female else "male"


def is_of_people(word: str) -> bool:
    """Whether a word is a group by age."""
    return word.lower().removesuffix("s") in _groups()


def is_sex(word: str) -> bool:
    """Whether a word is one for women or men, and no mere letter."""
    return len(word) > 1 and sex_of(word) is not None


def _group(low: str) -> Age | None:
    found = [_groups().get(word, _groups().get(word.removesuffix("s"))) for word in _WORD.findall(low)]
    return next((age for age in found if age), None)


@cache
def _groups() -> dict[str, Age]:
    return {word: Age(float(low), float(high)) for word, low, high in rows("docgemma.sources.trials", "groups.tsv")}
