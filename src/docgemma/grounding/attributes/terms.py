"""The comparisons of a text: number, unit and comparator together, two numbers as a range, whatever they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from docgemma.grounding.attributes.comparators import after, before, range_before, turned
from docgemma.grounding.attributes.numbers import NUMBER, value_of
from docgemma.grounding.attributes.units import TIME, limit_at, unit_at
from docgemma.grounding.contract import Comparator, Quantity

_GOES_ON = re.compile(r"[a-z]|-[a-z]|\.\d|(?:st|nd|rd|th)(?![a-z])|\s?:\s?\d")
_RANGE = re.compile(r"\s{0,2}(?:-|to|through|~|till|until)\s{0,2}(?:the\s{1,2})?(?:age\s{1,2}of\s{1,2})?")
_AND = re.compile(r"\s{0,2}(?:and|-|to|&)\s{0,2}")
_BOTH = re.compile(r"\s{0,2}(?:,\s{0,2})?(?:(?:and|but|to|-|,|&)(?:\s{1,2}(?:also|is|are|must\s{1,2}be))?)?\s{0,2}")
_OR = re.compile(r"\s{0,2}(?:or|,|/|,\s{0,2}or|and|,\s{0,2}and)\s{0,2}")
_PLUS_MINUS = re.compile(r"\s{0,2}(?:±|\+\s?/\s?-)\s{0,2}")
_ORDINAL = re.compile(
    r"(?<![a-z])(?:grades?|class(?:es)?|stages?|types?|phases?|cohorts?|parts?|arms?|cycles?|visits?|versions?|v\.?|groups?|"
    r"tables?|figures?|sections?|steps?|tiers?|categor(?:y|ies)|days?|weeks?|months?|protocols?|criteri(?:on|a)|no\.?|"
    r"appendix|chromosome|exons?|codons?|factors?|generation|version|edition|bi-?rads|category)(?:\s{1,2}of)?\s{0,2}[:(]?\s{0,2}$"
)
"""Before a number they make it a name: grade 2, type 2, day 1."""

_GLUED = re.compile(r"\s{0,2}$")
_LOOK_BACK = 30


@dataclass(frozen=True, slots=True)
class Term:
    """`start` and `end` take in the comparator's words; `number` is where the digits begin."""

    start: int
    number: int
    end: int
    value: str
    comparator: Comparator | None = None
    upper: str | None = None
    unit: str = ""
    age: bool = False
    opens: bool = False
    """The sign stands behind the number, and what is compared comes after it."""
    lead: bool = False
    """ "between" or "from" stands before it."""
    bare_end: int = 0
    """Where number and unit end, without a comparison behind them."""
    ordinal: bool = False
    """It numbers something: grade, day."""

    @property
    def is_time(self) -> bool:
        return self.unit in TIME

    def quantity(self) -> Quantity:
        return Quantity(comparator=self.comparator or "=", value=self.value, upper=self.upper, unit=self.unit)


def terms(text: str, raw: str) -> list[Term]:
    """In order, not overlapping. `text` is folded, `raw` as written; both are equally long."""
    single = [term for found in NUMBER.finditer(text) if (term := _single(text, raw, found)) is not None]
    joined: list[Term] = []
    for term in single:
        if joined and term.number < joined[-1].end:
            continue
        made = _joined(text, joined[-1], term) if joined else None
        if made is not None:
            joined[-1] = made
        else:
            if joined:
                joined[-1] = _with_unit(text, joined[-1], term)
            joined.append(term if not joined else _apart(joined[-1], term))
    return sorted([*joined, *_limits(text, joined)], key=lambda term: term.start)


def _single(text: str, raw: str, found: re.Match[str]) -> Term | None:
    unit = unit_at(text, raw, found.end())
    bare_end = unit.end if unit else found.end()
    if unit is None and _GOES_ON.match(text, found.end()):
        return None
    said = before(text, found.start())
    opening = None if said else range_before(text, found.start())
    behind = after(text, bare_end)
    if behind and unit is None:
        unit = unit_at(text, raw, behind[1])
        behind = (behind[0], unit.end if unit else behind[1])
    flipped = None if said or behind else turned(text, bare_end)
    if found["word"] and not (said or behind or unit or opening is not None):
        return None
    comparator = said[0] if said else behind[0] if behind else flipped[0] if flipped else None
    start = said[1] if said else opening if opening is not None else found.start()
    return Term(
        start=start,
        number=found.start(),
        end=behind[1] if behind else flipped[1] if flipped else bare_end,
        value=value_of(found),
        comparator=comparator,
        unit=unit.name if unit else "",
        age=bool(unit and unit.age),
        opens=bool(flipped),
        lead=opening is not None,
        bare_end=bare_end,
        ordinal=any(_ORDINAL.search(text[max(0, at - _LOOK_BACK) : at]) for at in {start, found.start()}),
    )


def _apart(last: Term, term: Term) -> Term:
    """A comparator's words never reach back over the term before."""
    return term if term.start >= last.end else replace(term, start=max(last.end, min(term.number, last.end)))


def _with_unit(text: str, one: Term, two: Term) -> Term:
    """ "< 18 or > 75 years": both are years."""
    shared = not one.unit and two.unit and one.comparator and two.comparator and one.end == one.bare_end
    return replace(one, unit=two.unit, age=two.age) if shared and _OR.fullmatch(text[one.end : two.start]) else one


def _joined(text: str, one: Term, two: Term) -> Term | None:
    """Two terms as one range, or None."""
    joint = text[one.end : min(two.start, two.number)] if two.start >= one.end else text[one.end : two.number]
    unit = two.unit or one.unit
    if one.unit and two.unit and one.unit != two.unit:
        return None
    if one.upper is not None:
        return _ranged(one, two, unit) if _OR.fullmatch(joint) and _counting_on(one, two) else None
    if _PLUS_MINUS.fullmatch(joint):
        return _spread(one, two, unit)
    plain = one.comparator in (None, "=") and two.comparator is None and not one.opens
    if plain and (_RANGE.fullmatch(joint) or (one.lead and _AND.fullmatch(joint))) and _rises(one, two):
        return _ranged(one, two, unit)
    until = _RANGE.fullmatch(joint) or (not joint.strip() and text.startswith("up to", two.start))
    if until and one.comparator in (None, "=") and two.comparator in ("<", "<=") and _rises(one, two):
        return _ranged(one, two, unit)
    if plain and _OR.fullmatch(joint) and _follows(one, two):
        return _ranged(one, two, unit)
    sides = (one.comparator, two.comparator)
    if not one.opens and _BOTH.fullmatch(joint):
        if sides[0] in (">", ">=") and sides[1] in ("<", "<=") and _rises(one, two):
            return _ranged(one, two, unit)
        if sides[0] in ("<", "<=") and sides[1] in (">", ">=") and _rises(two, one):
            return replace(_ranged(one, two, unit), value=two.value, upper=one.value)
    return None


def _ranged(one: Term, two: Term, unit: str) -> Term:
    return replace(
        one,
        end=two.end,
        bare_end=two.bare_end,
        comparator="between",
        upper=two.value,
        unit=unit,
        age=one.age or two.age,
        opens=False,
    )


def _counting_on(one: Term, two: Term) -> bool:
    """ "0, 1 or 2": a third number goes on where the two before stopped."""
    return one.upper is not None and two.comparator is None and _next(one.upper, two.value) and not one.lead


def _follows(one: Term, two: Term) -> bool:
    return _next(one.upper or one.value, two.value) and one.unit in ("", two.unit)


def _next(low: str, high: str) -> bool:
    return low.isdigit() and high.isdigit() and len(low) <= 2 and int(high) == int(low) + 1


def _rises(one: Term, two: Term) -> bool:
    low, high = decimal(one.value), decimal(two.value)
    return low is not None and high is not None and low < high


def _spread(one: Term, two: Term, unit: str) -> Term | None:
    middle, width = decimal(one.value), decimal(two.value)
    if middle is None or width is None:
        return None
    made = _ranged(one, two, unit)
    return replace(made, value=str(middle - width), upper=str(middle + width))


def decimal(value: str) -> Decimal | None:
    try:
        return Decimal(value)
    except InvalidOperation:
        return None


def _limits(text: str, known: list[Term]) -> Iterator[Term]:
    """ "≤ ULN" has no number: it is once the limit."""
    for found in re.finditer(
        r"(?<![a-z])(?:the\s{1,2}|institutional\s{1,2}|normal\s{1,2}){0,2}(?:[ul]ln|(?:upper|lower)\s{1,2}limit)", text
    ):
        said = before(text, found.start())
        unit = limit_at(text, found.start())
        if said and unit and not any(term.start < unit.end and said[1] < term.end for term in known):
            yield Term(said[1], found.start(), unit.end, "1", said[0], unit=unit.name, bare_end=unit.end)
