"""For whom a trial is sought: the age and the sex of a person, or of a group, as people write them.

Only words that can mean nothing else count: "5-year survival", "over 50%" and "18F-FDG" are no ages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docgemma.sources.trials.contract import Sex

_UNIT = r"(?P<unit>y(?:ea)?rs?|y|mo(?:nth)?s?|w(?:ee)?ks?|d(?:ay)?s?)"
_IN_YEARS = {"y": 1.0, "m": 1 / 12, "w": 7 / 365.25, "d": 1 / 365.25}
_OLDEST = 120.0
_DAY = 1 / 365.25
"""Under five is not five."""

_NO_AMOUNT = (
    r"(?!\s?(?:%|percent|mg|g|kg|ml|mmol|mm|cm|points?|days?|weeks?|months?|times"
    r"|patients|people|participants|sites|trials|centres|centers))(?![\d.,/-]*\d)"
)
_OVER = r"(?:over|above|older\sthan|aged?\s(?:over|above)|at\sleast|from)[\s-](?:the\sage\sof\s)?"
_UNDER = r"(?:under|below|younger\sthan|less\sthan|aged?\s(?:under|below)|up\sto)[\s-](?:the\sage\sof\s)?"
_OLD = r"(?:\sof\sage|\sold)"


@dataclass(frozen=True, slots=True)
class Age:
    """In years. A person has one; a group is told from here up to `to`."""

    years: float
    to: float | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a text tells, and which of its words tell it."""

    age: Age | None = None
    sex: Sex | None = None
    spans: tuple[tuple[int, int], ...] = ()


def _rule(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,/-])(?:{body})(?![\w%]|-onset|-type)", re.IGNORECASE)


_EXACT = (
    _rule(rf"(?P<n>\d{{1,3}})[\s-]?{_UNIT}[\s-]?olds?"),
    _rule(r"(?P<n>\d{1,3})\s?(?:y[./]?o\.?|yo|y/o)(?:\s?[mf])?"),
    _rule(rf"(?:aged?|age\sof)\s(?P<n>\d{{1,3}})(?:\s?{_UNIT})?(?!\s?(?:to|-|–|and)\s?\d)"),
    re.compile(r"(?<![\w.,/-])(?P<n>\d{1,3})\s?[MF](?=\s(?:with|w/|who|has)(?!\w)|[,.;?!]|\s*$)"),
)
_SPAN = (
    _rule(
        rf"(?:aged?|ages|between\sthe\sages\sof)\s(?P<n>\d{{1,3}})\s?(?:to|-|–|and)\s?(?P<m>\d{{1,3}})(?:\s?{_UNIT})?"
        r"(?:[\s-]olds?|\sof\sage)?"
    ),
    _rule(rf"(?P<n>\d{{1,3}})\s?(?:to|-|–|and)\s?(?P<m>\d{{1,3}})[\s-]{_UNIT}(?:[\s-]olds?|\sof\sage)"),
)
_FROM = (
    _rule(rf"{_OVER}(?P<n>[4-9]\d|18|21)s?{_NO_AMOUNT}(?:\s?{_UNIT}{_OLD}?)?"),
    _rule(rf"(?P<n>\d{{2}})\s?{_UNIT}?\s?(?:and|or)\s(?:older|over|above)"),
)
_UNTIL = (
    _rule(rf"{_UNDER}(?P<n>\d{{1,2}})s(?!\w)"),
    _rule(rf"{_UNDER}(?P<n>1[0-8]|21|5|6){_NO_AMOUNT}(?:\s?{_UNIT}{_OLD}?)?"),
    _rule(rf"{_UNDER}(?P<n>\d{{1,2}})\s?{_UNIT}{_OLD}"),
)
_GROUPS: tuple[tuple[re.Pattern[str], Age], ...] = (
    (_rule(r"newborns?|neonat(?:es?|al)|prematures?|preterm\s(?:infants|babies)"), Age(0.0, 28 / 365.25)),
    (_rule(r"infants?|bab(?:y|ies)"), Age(0.0, 1.0)),
    (_rule(r"toddlers?"), Age(1.0, 3.0)),
    (_rule(r"adolescents?|teen(?:ager)?s?|teenaged?"), Age(12.0, 17.0)),
    (_rule(r"child(?:ren)?|kids?|p(?:a)?ediatrics?|boys?|girls?"), Age(0.0, 17.0)),
    (
        _rule(r"elderly|geriatric|old(?:er)?\s(?:adults?|people|patients|persons|folks?)|seniors|pensioners"),
        Age(65.0, _OLDEST),
    ),
    (_rule(r"(?<!older\s)(?<!old\s)adults?"), Age(18.0, _OLDEST)),
)
_OF_OTHERS = re.compile(r"(?:childhood|child[\s-]pugh|with(?:out)?\schildren|no\schildren)", re.IGNORECASE)
_AGED = r"(?:\d{1,3}\s?(?:yo|y/o)\s?|(?<!\d)\d{1,3}\s?(?=[MF](?:\s(?:with|w/|who|has)(?!\w)|[,.;?!]|\s*$)))"
_SEXES: tuple[tuple[re.Pattern[str], Sex], ...] = (
    (_rule(rf"wom[ae]n|females?|lad(?:y|ies)|girls?|{_AGED}F"), "female"),
    (_rule(rf"m[ae]n|males?|gentlem[ae]n|boys?|{_AGED}M"), "male"),
)
_AMONG_MEN = re.compile(r"\bmen\swho\shave\ssex\swith\smen\b", re.IGNORECASE)


def told_of(text: str) -> Told:
    """Age and sex in a text. Both sexes named, or two ages that differ, say nothing of one person."""
    found = list(_ages(text))
    ages = {age for age, _ in found}
    age = ages.pop() if len(ages) == 1 else None
    sexes = {sex: rule for rule, sex in _SEXES if rule.search(_AMONG_MEN.sub(" men ", text))}
    sex = next(iter(sexes)) if len(sexes) == 1 else None
    spans = [span for _, span in found]
    spans += [match.span() for rule, _ in _SEXES for match in rule.finditer(text)]
    return Told(age, sex, tuple(sorted(spans)))


def age_of(words: str) -> Age | None:
    """An age as an argument gives it: a number is years. None when it is none."""
    number = re.fullmatch(rf"\s*(?P<n>\d{{1,3}}(?:\.\d+)?)\s?{_UNIT}?{_OLD}?\s*", words, re.IGNORECASE)
    if number is not None:
        return _person(number)
    found = {age for age, _ in _ages(words)}
    return found.pop() if len(found) == 1 else None


def sex_of(words: str) -> Sex | None:
    """A sex as an argument gives it. None when it is none, or both."""
    low = words.strip().lower()
    if low in ("f", "female", "w", "feminine"):
        return "female"
    return "male" if low in ("m", "male", "masculine") else told_of(words).sex


def _ages(text: str) -> Iterator[tuple[Age, tuple[int, int]]]:
    """A person's own age before a range, and either before a word for a group: "a 7 year old boy" is seven."""
    ranges = [(age, match.span()) for rule in _SPAN for match in rule.finditer(text) if (age := _between(match))]
    ranges += [(Age(_years(match), _OLDEST), match.span()) for rule in _FROM for match in rule.finditer(text)]
    ranges += [(Age(0.0, _years(match) - _DAY), match.span()) for rule in _UNTIL for match in rule.finditer(text)]
    told = [(age, match.span()) for rule in _EXACT for match in rule.finditer(text) if (age := _person(match))]
    exact = [
        (age, (start, end)) for age, (start, end) in told if not any(a < end and start < b for _, (a, b) in ranges)
    ]
    others = [match.span() for match in _OF_OTHERS.finditer(text)]
    groups = [
        (age, match.span())
        for rule, age in _GROUPS
        for match in rule.finditer(text)
        if not any(start <= match.start() < end for start, end in others)
    ]
    yield from exact or ranges or groups


def _person(match: re.Match[str]) -> Age | None:
    years = _years(match)
    return Age(years) if 0 <= years <= _OLDEST else None


def _between(match: re.Match[str]) -> Age | None:
    low, high = _years(match), _years(match, "m")
    return Age(low, high) if low < high <= _OLDEST else None


def _years(match: re.Match[str], number: str = "n") -> float:
    unit = (match.groupdict().get("unit") or "y").lower()
    return float(match[number]) * _IN_YEARS[unit[0]]
