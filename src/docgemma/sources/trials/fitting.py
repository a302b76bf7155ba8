"""Whether a trial can be what is sought, by what its record says itself.

A register's filter may be read otherwise than it was meant, and a kept reply or a pack has none. What the record does
not tell excludes nothing.
"""

from __future__ import annotations

import re
import unicodedata

from docgemma.sources.trials.contract import Site, Sought, Study

_AGE = re.compile(r"(?P<n>\d{1,4}(?:\.\d+)?)\s?(?P<unit>year|month|week|day|hour|minute)s?", re.IGNORECASE)
_DAY = 1 / 365.25
_IN_YEARS = {
    "year": 1.0,
    "month": 1 / 12,
    "week": 7 * _DAY,
    "day": _DAY,
    "hour": _DAY / 24,
    "minute": _DAY / 1440,
}
_ROUNDING = 1e-6
_NO_WORD = re.compile(r"[\W_]+")


def years_of(registered: str) -> float | None:
    """ "6 Months" in years; None for what is no age."""
    found = _AGE.fullmatch(registered.strip())
    return float(found["n"]) * _IN_YEARS[found["unit"].lower()] if found else None


def fits(study: Study, sought: Sought) -> bool:
    """Whether nothing in the record speaks against it: status, phase, age and sex."""
    return (
        (not sought.statuses or not study.status or study.status in sought.statuses)
        and (not sought.phases or not study.phases or not set(sought.phases).isdisjoint(study.phases))
        and fits_age(study, sought)
        and fits_sex(study, sought)
    )


def fits_age(study: Study, sought: Sought) -> bool:
    """A person's age inside the limits; of a group, some of it. "Up to 17 years" ends on the eighteenth birthday."""
    if sought.age_years is None:
        return True
    oldest = sought.age_to if sought.age_to is not None else sought.age_years
    least, most = years_of(study.minimum_age), years_of(study.maximum_age)
    if least is not None and oldest + _ROUNDING < least:
        return False
    return most is None or sought.age_years + _ROUNDING < most + _unit(study.maximum_age)


def fits_sex(study: Study, sought: Sought) -> bool:
    return sought.sex is None or study.sex not in ("FEMALE", "MALE") or study.sex == sought.sex.upper()


def sites_at(study: Study, place: str) -> tuple[Site, ...]:
    """The sites of a trial at a place, or at one of several: every word of its name stands in the site's address."""
    wanted = [words for each in place.split(" or ") if (words := set(_words(each)))]
    return tuple(site for site in study.sites if any(words <= set(_words(site.address)) for words in wanted))


def _words(text: str) -> list[str]:
    """Without accents: people leave them out, registers do not agree on them."""
    folded = unicodedata.normalize("NFKD", text.casefold().replace("đ", "d"))
    letters = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return [word for word in _NO_WORD.split(letters) if word]


def _unit(registered: str) -> float:
    found = _AGE.fullmatch(registered.strip())
    return _IN_YEARS[found["unit"].lower()] if found else 0.0
