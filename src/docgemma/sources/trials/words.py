"""Exact forms of what narrows a search for trials: a phase, a place, an age, a sex.

Numbers with their units, and the names and groups of tables. Which words of a sentence those are the reader tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from docgemma.entities.tables import rows
from docgemma.entities.words import word_set
from docgemma.sources.trials.contract import Phase, Sex

_EARLY = re.compile(r"\bearly\b|\b0\b|\bzero\b")
_PHASE = re.compile(r"(?<![a-z0-9])(?:iv|i{1,3}|[1-4]|one|two|three|four)(?=[ab]?(?![a-z0-9]))")
_NO_PHASE = re.compile(r"\s*(?:n/?a|not\sapplicable|without\sphase|no\sphase)\s*", re.IGNORECASE)
_VALUES: dict[str, Phase] = {
    **dict.fromkeys(("1", "i", "one"), "PHASE1"),
    **dict.fromkeys(("2", "ii", "two"), "PHASE2"),
    **dict.fromkeys(("3", "iii", "three"), "PHASE3"),
    **dict.fromkeys(("4", "iv", "four"), "PHASE4"),
}
WORDS: dict[str, str] = {
    "EARLY_PHASE1": "Early Phase 1",
    **{f"PHASE{number}": f"Phase {number}" for number in range(1, 5)},
}


def phases_of(words: str) -> tuple[Phase, ...]:
    """The phases that these words name; empty when they name none."""
    if _NO_PHASE.fullmatch(words):
        return ("NA",)
    low = re.sub(r"phases?|ph(?=[\s._-]?\d)|_", " ", words.lower())
    if _EARLY.search(low):
        return ("EARLY_PHASE1",)
    return tuple(sorted({_VALUES[number] for number in _PHASE.findall(low)}))


def phase_in_words(phases: tuple[str, ...]) -> str:
    """ "Phase 2/Phase 3"; empty for trials that have none, as those of devices and of behaviour."""
    return "/".join(WORDS.get(phase, phase.replace("_", " ").capitalize()) for phase in phases if phase != "NA")


_LED = word_set("in near at around from across throughout the")
_BEHIND = word_set("only area region please")
_EITHER = re.compile(r"\s*(?:[,/]|(?:,\s*)?(?<!\w)(?:or|and)(?!\w))\s*", re.IGNORECASE)
_OR = re.compile(r"\s+or\s+|\s*/\s*", re.IGNORECASE)


def place_of(words: str) -> str:
    """A place, or several joined by "or"; one that is not on the list as it was written; empty for "near me"."""
    bare = _bare(words)
    parts = [_bare(part) for part in _EITHER.split(bare) if part.strip()]
    known = [_listed().get(part.lower()) for part in parts]
    if bare.lower() in _listed() or not all(known):
        return " or ".join(_named(part) for part in _OR.split(bare) if _named(part))
    (first, sort), *others = [each for each in known if each] or [("", "")]
    if len(others) == 1 and "," in bare and others[0][1] == "area" and sort != "area":
        return f"{first} {others[0][0]}"
    return " or ".join(name for name, _ in [(first, sort), *others] if name)


def is_here(words: str) -> bool:
    """Whether it is a place that only the one who asks knows."""
    return _listed().get(" ".join(words.lower().split()), ("", ""))[1] == "here"


def _named(written: str) -> str:
    return _listed().get(_bare(written).lower(), (_bare(written), ""))[0]


def _bare(words: str) -> str:
    """Without the words that lead to a place and follow one."""
    written = words.replace("’", "'").strip(" .,;?!").split()
    if " ".join(written).lower() in _listed():
        return " ".join(written)
    while len(written) > 1 and written[0].lower() in _LED:
        written = written[1:]
    while len(written) > 1 and written[-1].lower().strip(",") in _BEHIND:
        written = written[:-1]
    return " ".join(written).strip(" ,")


@cache
def _listed() -> dict[str, tuple[str, str]]:
    return {said: (register, sort) for said, register, sort in rows("docgemma.sources.trials", "places.tsv")[1:]}


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
