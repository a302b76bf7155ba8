"""Every figure of a sentence of either language in one form: "twice a day" is "2 lần mỗi ngày".

Figures are compared and never computed with, so a reading that is too fine only means that a sentence is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docgemma.entities.amounts.quantities import NUMBER, number, plain, quantities

Figure = tuple[str, str]
"""Value and unit; the unit is empty for a bare number."""

_ENGLISH = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_VIETNAMESE = ("hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín", "mười")
_WORDS = {
    **{word: str(value) for value, word in enumerate(_ENGLISH, 2)},
    **{word: str(value) for value, word in enumerate(_VIETNAMESE, 2)},
    "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90",
    "hundred": "100", "thousand": "1000", "half": "0.5", "nửa": "0.5", "rưỡi": "0.5", "quarter": "0.25", "double": "x2",
    "doubled": "x2", "doubling": "x2", "triple": "x3", "tư": "4", "mươi": "10", "trăm": "100", "nghìn": "1000",
    "gấp đôi": "x2", "gấp ba": "x3",
}  # fmt: skip
_ONE = ("one", "a", "an", "một", "mỗi", "each", "every", "per", "1")
_UNITS = {
    "tablet": "tablet tablets tab tabs pill pills viên",
    "capsule": "capsule capsules",
    "sachet": "sachet sachets gói",
    "ampoule": "ampoule ampoules vial vials ống lọ",
    "drop": "drop drops giọt",
    "spoon": "spoon spoons spoonful spoonfuls teaspoon teaspoons tablespoon tablespoons muỗng thìa",
    "puff": "puff puffs nhát",
    "unit": "unit units đơn_vị",
    "injection": "injection injections mũi",
    "dose": "dose doses liều",
    "glass": "glass glasses cup cups ly cốc",
    "time": "time times lần",
    "minute": "minute minutes min mins phút",
    "hour": "hour hours hr hrs giờ tiếng",
    "day": "day days ngày",
    "week": "week weeks tuần",
    "month": "month months tháng",
    "year": "year years tuổi",
    "degree": "degree degrees độ",
    "%": "percent phần_trăm",
}
_UNIT_OF = {spelling.replace("_", " "): unit for unit, spellings in _UNITS.items() for spelling in spellings.split()}
_SPELLED = "|".join(sorted((*map(re.escape, _WORDS), *_ONE), key=len, reverse=True))
_UNIT = "|".join(sorted(map(re.escape, _UNIT_OF), key=len, reverse=True))
_COUNTED = re.compile(rf"(?<![\w.,])(?P<n>{NUMBER}|{_SPELLED})(?:\s|-|–)*(?P<unit>{_UNIT})(?!\w)", re.IGNORECASE)
_ALSO_WORDS = frozenset(("năm", "ba", "tư", "chín", "sáu"))
"""Numbers that are everyday words as well ("year", "father", "ripe"): numbers only with a unit."""

_TIMES = frozenset(("minute", "hour", "day", "week", "month", "year"))
_NO_COUNT = frozenset(("a", "an", "mỗi", "each", "every", "per"))
_SPELLED_ALONE = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, {*_WORDS} - _ALSO_WORDS), key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)
_TYPE = re.compile(r"\b(?:type|types|típ|tuýp)[\s-]*(?P<n>\d)\b", re.IGNORECASE)
_DIGITS = re.compile(rf"(?<![\d.,])(?:(?<![^\W\d])|(?<=\b[x×])){NUMBER}")
_OFTEN = (
    (re.compile(r"\bonce\b(?=\s+(?:a|per|daily|each|every|weekly))", re.IGNORECASE), ("1", "time")),
    (re.compile(r"\btwice\b", re.IGNORECASE), ("2", "time")),
    (re.compile(r"\bthrice\b", re.IGNORECASE), ("3", "time")),
)
_PERIOD = re.compile(
    r"(?:\b(?:daily|(?:a|per|each|every)\s+day)\b|(?:mỗi|một|hằng|hàng|/)\s*ngày|ngày(?=\s+\S+\s+lần))(?P<day>)"
    r"|(?:\b(?:weekly|(?:a|per|each|every)\s+week)\b|(?:mỗi|một|hằng|hàng|/)\s*tuần)(?P<week>)"
    r"|(?:\b(?:hourly|(?:per|each|every)\s+hour)\b)(?P<hour>)",
    re.IGNORECASE,
)
_EVERY = re.compile(
    rf"(?:\bevery|\beach|mỗi|cách)\s+(?P<n>{NUMBER}|{_SPELLED})\s*(?P<unit>{_UNIT})(?!\w)", re.IGNORECASE
)
DOSED = frozenset(
    ("mg", "ml", "iu", "unit", "tablet", "capsule", "drop", "spoon", "puff", "injection", "dose", "sachet", "ampoule")
)
"""Units in which medicines are taken."""


def figures(text: str) -> frozenset[Figure]:
    """All figures of a text; a bare number only where the same value has no unit. The same words give the same ones."""
    found = frozenset(_found(" ".join(plain(text).split())))
    counted = {value for value, unit in found if unit}
    return frozenset((value, unit) for value, unit in found if unit or value not in counted)


def covers(there: frozenset[Figure], here: frozenset[Figure]) -> bool:
    """Whether every figure of `here` is among those `there`; a bare number may stand there with its unit."""
    values = {value for value, _ in there}
    return all((value, unit) in there if unit else value in values for value, unit in here)


def _found(text: str) -> Iterator[Figure]:
    counted: list[int] = []
    for quantity in quantities(text):
        counted.append(quantity.start)
        yield from ((f"{value:f}", unit) for value, unit in quantity.forms)
    for match in _COUNTED.finditer(text):
        counted.append(match.start("n"))
        if match["n"].lower() not in _NO_COUNT or _UNIT_OF[match["unit"].lower()] not in _TIMES:
            yield _value(match["n"]), _UNIT_OF[match["unit"].lower()]
    for match in _TYPE.finditer(text):
        counted.append(match.start("n"))
        yield match["n"], "type"
    for match in _EVERY.finditer(text):
        yield _value(match["n"]), f"every {_UNIT_OF[match['unit'].lower()]}"
    for often, figure in _OFTEN:
        if often.search(text):
            yield figure
    for match in _PERIOD.finditer(text):
        yield "1", f"per {next(name for name, group in match.groupdict().items() if group is not None)}"
    yield from _bare(text, counted)


def _bare(text: str, counted: Sequence[int]) -> Iterator[Figure]:
    """Numbers without a unit. `counted`: where those begin that have one."""
    for match in (*_SPELLED_ALONE.finditer(text), *_DIGITS.finditer(text)):
        if match.start() not in counted:
            yield _value(match[0]), ""


def _value(written: str) -> str:
    low = written.lower()
    if low in _WORDS:
        return _WORDS[low]
    return "1" if low in _ONE else f"{number(low):f}"
