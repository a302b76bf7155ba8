"""Doses: amount, unit, range. `value` is the standard wording; forms that safe-prescribing lists ban stay as written.

A banned form ("10U", "5.0 mg", "µg", "1/2 tab") must reach the order check as it is, so that it can be asked about.
Equality is by meaning: `dose_key` sees through spelling.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from docgemma.entities.amounts.numbers import DIGITS, NUMBER, SLASHED, has_decimal_comma, read_number, written
from docgemma.entities.amounts.units import (
    COUNTED,
    COUNTED_UNIT,
    MASS_UNIT,
    UNIT,
    canonical_unit,
    is_error_prone,
    named,
    scaled,
)
from docgemma.entities.model import Mention


@dataclass(frozen=True, slots=True)
class Dose:
    """An amount of medicine. Several `amounts` are the parts of a combination: 875/125 mg."""

    amounts: tuple[Decimal, ...]
    unit: str
    most: Decimal | None = None
    """The upper end of a range."""
    each: Dose | None = None
    """The strength of one piece or the concentration, when the dose is a number of tablets or a volume."""

    def render(self) -> str:
        """The standard wording. `parse_dose` reads it back as the same dose."""
        if self.each is not None:
            return f"{self._alone()}{' ' if self.unit == 'x' else ' of '}{self.each.render()}"
        return self._alone()

    def _alone(self) -> str:
        number = self.amounts[0]
        top = self.most or number
        if self.unit in COUNTED and len(self.amounts) == 1 and self.most is None and number % 1 == Decimal("0.5"):
            return f"{written(number - number % 1)} and a half {self.unit}" if number > 1 else f"half a {self._one()}"
        digits = "/".join(written(part) for part in self.amounts) + (f"-{written(self.most)}" if self.most else "")
        return f"{digits}%" if self.unit == "%" else f"{digits} {named(self.unit, top)}"

    def _one(self) -> str:
        return named(self.unit, Decimal(1))

    def total(self) -> Dose | None:
        """The whole amount: two tablets of 5 mg are 10 mg. None when it cannot be worked out."""
        if self.each is None:
            return self
        if self.most is not None or len(self.each.amounts) > 1 or self.each.unit == "%":
            return None
        number, unit = self.amounts[0], self.each.unit
        if volume := _VOLUME.search(unit):
            number, unit = number / Decimal(volume["n"] or 1), unit[: volume.start()]
        return Dose((number * self.each.amounts[0],), unit)


_VOLUME = re.compile(r"/(?P<n>\d{1,4}(?:\.\d{1,3})?)? ?mL$")
_LEFT = r"(?=[\d.½¼¾otfsenhaq])(?<![\w./^–−-])(?<!\d,)"
_RIGHT = r"(?![\w/%])(?!\s{0,2}/\s{0,2}[a-z])"
_GAP = r"[\s-]{0,2}"
_RANGE = r"\s{0,2}(?:[-–]|to(?!\w)|or(?!\w))\s{0,2}"
_OF = r"[\s-]{0,2}(?:(?:of|x|×|@|,|\(|[-–])\s{0,2})?(?:each\s{1,2})?"
_SIMPLE = rf"(?P<low>{NUMBER})(?:{_RANGE}(?P<high>{NUMBER}))?{_GAP}(?P<unit>{UNIT})"
_COMBINATION = rf"(?P<parts>{DIGITS}(?:\s?/\s?{DIGITS}){{1,2}}){_GAP}(?P<unit>{MASS_UNIT}|%)"
_UNIT_TWICE = (
    rf"(?P<low>{DIGITS}){_GAP}(?P<first>{MASS_UNIT})\s?(?P<joint>[/–-])\s?(?P<high>{DIGITS}){_GAP}(?P<unit>{MASS_UNIT})"
)
_CONCENTRATION = (
    rf"(?P<low>{DIGITS}){_GAP}(?P<unit>{MASS_UNIT}|units?)\s?/\s?(?P<volume>{DIGITS})?\s?(?:ml|millilitres?)"
)
_COUNT = rf"(?P<low>{NUMBER})(?:{_RANGE}(?P<high>{NUMBER}))?{_GAP}(?P<unit>{COUNTED_UNIT})"
_TIMES = rf"(?P<low>\d{{1,2}}|{SLASHED})\s?(?P<unit>[x×])\s?"
_TIMES_AFTER = r"(?P<unit>[x×])\s?(?P<low>[2-9])(?!\s{0,2}(?:[/\d]|per|an?\s|times|night|refill|[dwyh]|mo|mth))"
_SPLIT = rf"(?<!patient\s)(?<!pt\s)(?<!mrn\s)(?<!bed\s)(?<!room\s)\d{{1,3}}\s\d{{3}}{_GAP}{UNIT}"
"""Either one number with a gap or a count and a strength: never read, always asked about."""

_RATIO = rf"1\s?:\s?\d[\d,]{{2,6}}{_OF}{DIGITS}{_GAP}{MASS_UNIT}"
"""A strength such as 1:1000 with an amount: ratios are misread, so it is asked about too."""

_MILLILITRES = rf"(?P<low>{DIGITS})\s?(?P<unit>mls?)"
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE) for shape in (_CONCENTRATION, _UNIT_TWICE, _COMBINATION, _SIMPLE, _COUNT)
)


def _bare(shape: str) -> str:
    """Without its names, so that it can stand twice in one expression."""
    return re.sub(r"\?P<\w{1,9}>", "?:", shape)


_STRENGTH = rf"(?:{_bare(_UNIT_TWICE)}|{_bare(_COMBINATION)}|{DIGITS}{_GAP}(?:{MASS_UNIT}|%))(?![\w/])"
_COMPOUNDS = (
    rf"(?P<strength>{_bare(_CONCENTRATION)}){_OF}(?P<count>{_bare(_MILLILITRES)})",
    rf"(?P<count>{_bare(_MILLILITRES)}){_OF}(?P<strength>{_bare(_CONCENTRATION)})",
    rf"(?P<count>{_bare(_COUNT)})(?:\.\s)?{_OF}(?P<strength>{_STRENGTH})",
    rf"(?P<strength>{_STRENGTH}){_OF}(?P<count>{_bare(_COUNT)})",
    rf"(?P<count>{_bare(_TIMES)})(?P<strength>{_STRENGTH})",
    rf"(?P<strength>{_STRENGTH})\s?(?P<count>{_bare(_TIMES_AFTER)})",
)
_COMPOUND = tuple(re.compile(shape, re.IGNORECASE) for shape in _COMPOUNDS)
_COUNTS = tuple(re.compile(shape, re.IGNORECASE) for shape in (_MILLILITRES, _TIMES, _TIMES_AFTER, _COUNT))
DOSE = re.compile(
    rf"{_LEFT}(?:{_SPLIT}|{_RATIO}|{'|'.join(map(_bare, (*_COMPOUNDS, _UNIT_TWICE, _COMBINATION, _SIMPLE)))}){_RIGHT}",
    re.IGNORECASE,
)
_SAID = r"[\s:=~]{1,3}(?:(?:is|was|of|at|now|about|to|came\sback)\s{1,2}){0,2}$"
_MEASURED = re.compile(
    r"(?<!\w)(?:creatinine|creat|cr|bili(?:rubin)?|urea|bun|glucose|sugars?|bm|hb|hgb|crp|lactate|e?gfr|crcl|clearance"
    rf"|output|loss|volume){_SAID}",
    re.IGNORECASE,
)
_MEASURED_PERCENT = re.compile(
    r"(?<!\w)(?:(?:hb)?a1c|spo2|sao2|o2|sats?|saturations?|(?:lv)?ef|fio2|ha?ematocrit|hct|pcv|risk|fraction|rate)"
    + _SAID,
    re.IGNORECASE,
)
_LOOK_BACK = 40


def find_doses(text: str) -> tuple[Mention, ...]:
    """Amounts with a unit of medicine. Laboratory values ("180 mg/dL", "HbA1c 9%") are none."""
    found: list[Mention] = []
    for match in DOSE.finditer(text):
        lead = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        measured = _MEASURED_PERCENT if match.group().endswith(("%", "percent")) else _MEASURED
        if not measured.search(lead):
            found.append(Mention(match.group(), match.start(), match.end(), _value(match.group())))
    return tuple(found)


def parse_dose(text: str) -> Dose | None:
    """The likely reading of a text that is one dose. What must be asked first is for `traps.check_amounts` to say."""
    plain = " ".join(text.split())
    if not DOSE.fullmatch(plain):
        return None
    for shape in _COMPOUND:
        if match := shape.fullmatch(plain):
            return _compound(match["count"], match["strength"])
    return _simple(plain)


def dose_key(text: str) -> tuple[Decimal | str, ...] | None:
    """Amounts and unit, for comparing two spellings of one dose. A range or an unclear number has none."""
    dose = parse_dose(text)
    total = dose.total() if dose and not has_unclear_number(text) else None
    if total is None or total.most is not None:
        return None
    parts = [scaled(amount, total.unit) for amount in total.amounts]
    return (*(amount for amount, _ in parts), parts[0][1])


def has_unclear_number(text: str) -> bool:
    """A decimal comma, which may be a thousands separator of somebody else."""
    return any(has_decimal_comma(number) for number in re.findall(r"\d[\d,.]{0,12}\d", text))


def _compound(count: str, strength: str) -> Dose | None:
    each = _simple(strength)
    for shape in _COUNTS:
        if each and (match := shape.fullmatch(count)):
            number, high = read_number(match["low"]), match.groupdict().get("high")
            unit = "x" if match["unit"] in "x×" else canonical_unit(match["unit"])
            return Dose((number,), unit, read_number(high) if high else None, each) if number is not None else None
    return None


def _simple(text: str) -> Dose | None:
    for shape in _SHAPES:
        match = shape.fullmatch(text.strip())
        if match and (dose := _from_groups(match.groupdict())):
            return dose
    return None


def _from_groups(groups: dict[str, str | None]) -> Dose | None:
    unit = canonical_unit(groups["unit"] or "")
    if "volume" in groups:
        per = read_number(groups["volume"] or "1")
        unit += "/mL" if per in {None, 1} else f"/{written(per or Decimal(1))} mL"
    if parts := groups.get("parts"):
        return Dose(tuple(Decimal(read_number(part) or 0) for part in re.split(r"\s?/\s?", parts)), unit)
    low, high = read_number(groups["low"] or ""), read_number(groups.get("high") or "")
    if low is None:
        return None
    if first := groups.get("first"):
        if canonical_unit(first) != unit:
            return None
        return Dose((low, high or low), unit) if groups["joint"] == "/" else Dose((low,), unit, high)
    return Dose((low,), unit, high)


def _value(text: str) -> str:
    """Canonical, but with the number as it was typed and a banned unit as it was typed."""
    plain = " ".join(text.split())
    match = _SHAPES[3].fullmatch(plain)
    dose = parse_dose(plain)
    if match is None or dose is None:
        banned = any(is_error_prone(part) for part in re.findall(r"[^\W\d_]{1,3}", plain))
        return plain if banned or dose is None else dose.render()
    if not re.search(r"\d", plain) or re.search("[½¼¾]", plain):
        return dose.render()
    number = plain[: match.start("unit")].rstrip(" -")
    unit = match["unit"]
    if not is_error_prone(unit):
        unit = named(dose.unit, dose.most or dose.amounts[0])
    return f"{number}{unit}" if unit == "%" else f"{number} {unit}"
