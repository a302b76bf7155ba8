"""How the register is asked. Its search language is Essie, and no word of a user's may be an operator of it.

Operators are capitals without quotes: "ALL" alone gives back every trial there is, and it is also how a leukaemia is
written. Phase, age and sex are asked for in `filter.advanced`: parameters like `filter.phase` do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from docgemma.entities.words import word_set
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.record import FIELDS
from docgemma.sources.trials.contract import PAGE_SIZE, Sought

Params = tuple[tuple[str, str], ...]

SORT = "@relevance|LastUpdatePostDate:desc"
_OPERATORS = word_set("AND OR NOT AREA SEARCH RANGE MISSING ALL COVERAGE EXPANSION TILT DISTANCE MIN MAX CONST")
_NO_WORD = re.compile(r"[^\w\s'’.-]+|_+")
_MARK_ALONE = re.compile(r"(?<!\w)['’.-]+|['’.-]+(?!\w)")
_LEUKAEMIA = re.compile(r"(?<!\w)ALL(?!\w)")
_EITHER = re.compile(r"\s+(?:and/or|or)\s+|\s*/\s*or\s*/\s*", re.IGNORECASE)
_MOST = 4
_LONGEST = 200
_MONTHLY = 2.0
"""Below this age, in years, months are counted."""


def params_of(sought: Sought) -> Params:
    """The question for the first page; every other page repeats it with a token. Raises SourceError."""
    asked = [
        ("query.cond", _terms(_spelled_out(sought.condition))),
        ("query.intr", _terms(sought.intervention)),
        ("query.locn", _terms(sought.place)),
    ]
    if not any(text for _, text in asked[:2]):
        raise SourceError("invalid_args", "A search for trials needs a condition or a treatment. Name one.")
    return (
        *((name, text) for name, text in asked if text),
        *((("filter.overallStatus", "|".join(sought.statuses)),) if sought.statuses else ()),
        *((("filter.advanced", advanced),) if (advanced := _advanced(sought)) else ()),
        ("countTotal", "true"),
        ("pageSize", str(PAGE_SIZE)),
        ("sort", SORT),
        *of_one(),
    )


def of_one() -> Params:
    """What is asked about each trial, also where only one is."""
    return ("fields", "|".join(FIELDS)), ("format", "json")


def term(words: str) -> str:
    """Words that can only be searched for: no marks, and no operator in capitals."""
    bare = _MARK_ALONE.sub(" ", _NO_WORD.sub(" ", words[:_LONGEST]))
    return " ".join(word.lower() if word.upper() in _OPERATORS else word for word in bare.split())


def _terms(words: str) -> str:
    """ "GBM or DIPG": the one or the other. The operator between them is ours."""
    parts = [text for part in _EITHER.split(words) if (text := term(part))]
    if not 2 <= len(parts) <= _MOST:
        return term(words)
    return " OR ".join(f"({part})" for part in parts)


def _spelled_out(condition: str) -> str:
    """ "ALL" is a leukaemia, unless everything is in capitals and it stands with a plural of its own."""
    letters = [letter for letter in condition if letter.isalpha()]
    shouted = condition.strip() != "ALL" and all(letter.isupper() for letter in letters) and len(letters) > len("B ALL")
    return condition if shouted else _LEUKAEMIA.sub("acute lymphoblastic leukemia", condition)


def _advanced(sought: Sought) -> str:
    """Made of numbers and of the register's own words alone. A trial without a limit is for every age."""
    parts: list[str] = []
    if sought.phases:
        parts.append(_any(f"AREA[Phase]{phase}" for phase in sought.phases))
    if sought.age_years is not None:
        oldest = sought.age_to if sought.age_to is not None else sought.age_years
        parts.append(f"(AREA[MinimumAge]RANGE[MIN, {_age(oldest)}] OR AREA[MinimumAge]MISSING)")
        if sought.age_years > 0:
            parts.append(f"(AREA[MaximumAge]RANGE[{_age(sought.age_years)}, MAX] OR AREA[MaximumAge]MISSING)")
    if sought.sex is not None:
        parts.append(_any(("AREA[Sex]ALL", f"AREA[Sex]{sought.sex.upper()}", "AREA[Sex]MISSING")))
    return " AND ".join(parts)


def _any(options: Iterable[str]) -> str:
    listed = list(options)
    return f"({' OR '.join(listed)})" if len(listed) > 1 else listed[0]


def _age(years: float) -> str:
    """In whole years, as limits are registered; in months or days for the very young."""
    if years >= _MONTHLY:
        return f"{int(years)} years"
    months = int(years * 12 + 1e-6)
    return f"{months} months" if months else f"{int(years * 365.25 + 1e-6)} days"
