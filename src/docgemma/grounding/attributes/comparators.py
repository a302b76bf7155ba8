"""Comparisons in words and signs, before a number ("at least") and behind it ("or older")."""

from __future__ import annotations

import re

from docgemma.grounding.contract import Comparator

_BIG = (
    r"(?:greater|more|higher|larger|longer|older|heavier|bigger|later)\s{1,3}than|above|over|exceeds?|exceeding|exceeded|"
    r"in\s{1,3}excess\s{1,3}of|beyond|superior\s{1,3}to"
)
_SMALL = r"(?:less|lower|fewer|smaller|shorter|younger|lesser|earlier)\s{1,3}than|below|under|inferior\s{1,3}to"
_EQUAL = r"\s{0,2},?\s{0,2}(?:or|and)\s{1,2}(?:is\s{1,2})?equal(?:s|\s{1,2}to)?,?"
_BARE_BIG = r"(?:greater|more|higher|larger|longer|older|superior)"
_BARE_SMALL = r"(?:less|lower|fewer|smaller|shorter|younger|inferior)"
_NOT = r"(?:not|no|cannot|never)\s{1,3}(?:(?:to|be|been|have|being|any|a)\s{1,3}){0,2}"
_FORMS: tuple[tuple[Comparator, str], ...] = (
    (">=", rf"equal(?:\s{{1,2}}to)?\s{{1,2}}or\s{{1,2}}(?:{_BIG}|{_BARE_BIG})"),
    ("<=", rf"equal(?:\s{{1,2}}to)?\s{{1,2}}or\s{{1,2}}(?:{_SMALL}|{_BARE_SMALL})"),
    ("<", rf"{_NOT}(?:{_BIG}){_EQUAL}"),
    (">", rf"{_NOT}(?:{_SMALL}){_EQUAL}"),
    ("<=", rf"{_NOT}(?:{_BIG}|exceed)"),
    (">=", rf"{_NOT}(?:{_SMALL})"),
    (">=", rf"(?:{_BIG}|{_BARE_BIG}){_EQUAL}"),
    ("<=", rf"(?:{_SMALL}|{_BARE_SMALL}){_EQUAL}"),
    (">=", r"at\s{1,3}or\s{1,3}above|at\s{1,3}(?:the\s{1,2})?(?:very\s{1,2})?least|no\s{1,2}fewer|"
           r"(?:a\s{1,2})?min(?:imum|\.)?(?:\s{1,2}(?!of)[\w-]{1,15}){0,2}(?:\s{1,2}of|\s{0,2}:|\s{1,2}is)?"),
    ("<=", r"at\s{1,3}or\s{1,3}below|at\s{1,3}most|up\s{1,3}to|within|not\s{1,3}to\s{1,3}exceed|"
           r"(?:a\s{1,2})?max(?:imum|\.)?(?:\s{1,2}(?!of)[\w-]{1,15}){0,2}(?:\s{1,2}of|\s{0,2}:|\s{1,2}is)?"),
    (">=", r">\s{0,2}(?:/|or)?\s{0,2}(?:=|equal(?:\s{1,2}to)?)|≥\s?=?|=\s?>|(?<!\S)ge(?=\s)"),
    ("<=", r"<\s{0,2}(?:/|or)?\s{0,2}(?:=|equal(?:\s{1,2}to)?)|≤\s?=?|=\s?<|(?<!\S)le(?=\s)"),
    (">", rf"{_BIG}|>"),
    ("<", rf"{_SMALL}|<"),
    ("=", r"=|equals?(?:\s{1,2}to)?"),
)  # fmt: skip
_FILL = (
    r"(?:\s{1,3}(?:a|an|the|approximately|about|approx\.?|total|score|value|level|dose|age|of|to|daily|or|=))"
    r"{0,5}\s{0,3}"
)
_STEMS = "|".join(f"(?P<f{place}>{form})" for place, (_, form) in enumerate(_FORMS))
BEFORE = re.compile(rf"(?<![a-z])(?:{_STEMS}){_FILL}$")
"""Searched in the text that ends where a number begins."""

_BETWEEN = re.compile(
    r"(?<![a-z])(?:between|from|ranging\s{1,2}from|ranges?\s{1,2}from|in\s{1,2}the\s{1,2}range\s{1,2}of|range\s{0,2}:?|ranging)"
    r"(?:\s{1,2}(?:the\s{1,2})?(?:ages?|values?|levels?)(?:\s{1,2}of)?)?(?:\s{1,2}of)?\s{1,3}$"
)
_AFTER = re.compile(
    r"(?:\s{0,2}\((?:inclusive|included)\))?\s{0,2},?\s{0,2}(?:(?P<up>(?:or|and|&)\s{1,2}(?:more|greater|higher|above|over|older|longer|"
    r"up|upwards?|larger|better|beyond)(?:\s{1,2}than\s{1,2}that)?|(?:at\s{1,2})?minimum|\+(?!\s?/)(?!\d))"
    r"|(?P<down>(?:or|and|&)\s{1,2}(?:less|lower|fewer|below|under|younger|shorter|smaller)|(?:at\s{1,2})?maximum))(?![a-z])"
)
_OPENS = re.compile(r"\s{0,2}(?P<sign>>=|<=|=>|=<|≥|≤|>|<)\s{0,2}(?=[a-z(])")
_TURNED: dict[str, Comparator] = {
    **dict.fromkeys((">=", "=>", "≥"), "<="),
    **dict.fromkeys(("<=", "=<", "≤"), ">="),
    ">": "<",
    "<": ">",
}
_LOOK_BACK = 70


def before(text: str, place: int) -> tuple[Comparator, int] | None:
    """The comparison whose number begins at `place`, and where it begins itself."""
    begin = max(0, place - _LOOK_BACK)
    found = BEFORE.search(text[begin:place])
    if found is None:
        return None
    form = next(at for at in range(len(_FORMS)) if found[f"f{at}"] is not None)
    return _FORMS[form][0], begin + found.start()


def range_before(text: str, place: int) -> int | None:
    """Where "between" or "from" begins, of a range whose first number begins at `place`."""
    begin = max(0, place - _LOOK_BACK)
    found = _BETWEEN.search(text[begin:place])
    return begin + found.start() if found else None


def after(text: str, place: int) -> tuple[Comparator, int] | None:
    """The comparison behind a number that ends at `place`, and where it ends itself."""
    found = _AFTER.match(text, place)
    if found is None:
        return None
    return (">=" if found["up"] else "<="), found.end()


def turned(text: str, place: int) -> tuple[Comparator, int] | None:
    """In "18 ≤ age" the sign stands behind the number: read from the age's side."""
    found = _OPENS.match(text, place)
    return (_TURNED[found["sign"]], found.end()) if found else None
