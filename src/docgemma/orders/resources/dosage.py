"""The dosage instruction: always whole in words, and coded as far as that is exact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from docgemma.ehr.contract import Resource
from docgemma.entities.amounts.doses import Dose, parse_dose
from docgemma.entities.amounts.frequencies import Frequency, parse_frequency
from docgemma.entities.amounts.numbers import written
from docgemma.entities.amounts.units import named
from docgemma.orders.model import Prescription
from docgemma.orders.resources.parts import UCUM
from docgemma.orders.resources.timing import WHEN, length, repeat_of

_CODES = {"mg": "mg", "mcg": "ug", "ng": "ng", "g": "g", "mEq": "meq", "mmol": "mmol", "mL": "mL", "L": "L"}
"""UCUM, for the units that have one meaning. A unit of insulin or heparin has several codes there, and gets none."""

_WEIGHED = {"kg", "m2"}
_FLOWING = {"h", "min"}
_MOST = re.compile(r"maximum (?P<dose>.{1,40}) in 24 hours")
_GIVEN = re.compile(r"dispense (?P<n>\d{1,4})")
_REFILLS = re.compile(r"(?P<n>\d{1,3}|no) refills?")
_SUPPLY = re.compile(r"supply for (?P<n>\d{1,3}) (?P<unit>day|week|month|year)s?")


def dosage_of(draft: Prescription) -> Resource:
    """One instruction. Its text says everything that is said of how the medicine is taken."""
    dose, frequency = parse_dose(draft.dose), parse_frequency(draft.frequency)
    if dose is None or frequency is None:
        raise ValueError("a draft's amounts are in standard words")
    further = [piece for piece in pieces(draft) if not dispensing(piece)]
    spoken = " ".join(part for part in (draft.dose, draft.route, draft.frequency, draft.duration) if part)
    instruction: Resource = {"text": "; ".join([spoken, *further])}
    extra = [*_beside(frequency), *further]
    if extra:
        instruction["additionalInstruction"] = [{"text": text} for text in extra]
    if repeat := repeat_of(frequency, draft.duration):
        instruction["timing"] = {"repeat": repeat}
    if frequency.as_needed:
        instruction["asNeededBoolean"] = True
    if draft.route:
        instruction["route"] = {"text": draft.route}
    if amount := _dose_and_rate(dose):
        instruction["doseAndRate"] = [amount]
    if most := _most(further):
        instruction["maxDosePerPeriod"] = most
    return instruction


def dispense_of(draft: Prescription) -> Resource:
    """What is handed out, where that was said."""
    request: Resource = {}
    for piece in pieces(draft):
        if match := _GIVEN.fullmatch(piece):
            request["quantity"] = {"value": int(match["n"])}
        elif match := _REFILLS.fullmatch(piece):
            request["numberOfRepeatsAllowed"] = 0 if match["n"] == "no" else int(match["n"])
        elif match := _SUPPLY.fullmatch(piece):
            request["expectedSupplyDuration"] = length(match["n"], match["unit"])
    return request


def pieces(draft: Prescription) -> list[str]:
    return [piece for part in draft.notes.split(";") if (piece := part.strip())]


def dispensing(piece: str) -> bool:
    """Whether it is said elsewhere than in the instruction."""
    return any(pattern.fullmatch(piece) for pattern in (_GIVEN, _REFILLS, _SUPPLY))


def quantity(value: Decimal, unit: str) -> Resource:
    """An amount with its unit in words, and the unit's code where that is certain."""
    shown: Resource = {"value": Decimal(written(value)), "unit": named(unit, value)}
    base, *per = unit.split("/")
    if base in _CODES and set(per) <= _WEIGHED | _FLOWING:
        shown |= {"system": UCUM, "code": "/".join([_CODES[base], *per])}
    return shown


def _dose_and_rate(dose: Dose) -> Resource | None:
    """One amount, or one speed. Parts of a combination, strengths and amounts for a whole day are words alone."""
    whole = dose.total()
    if whole is None or len(whole.amounts) != 1 or whole.unit in ("%", "x"):
        return None
    per = whole.unit.split("/")[1:]
    if not set(per) <= _WEIGHED | _FLOWING:
        return None
    if per and per[-1] in _FLOWING:
        return {"rateQuantity": quantity(whole.amounts[0], whole.unit)} if whole.most is None else None
    low = quantity(whole.amounts[0], whole.unit)
    if whole.most is None:
        return {"doseQuantity": low}
    return {"doseRange": {"low": low, "high": quantity(whole.most, whole.unit)}}


def _most(further: list[str]) -> Resource | None:
    """The most of a day. Two limits, or one that counts doses, stay in words."""
    limits = [match["dose"] for piece in further if (match := _MOST.fullmatch(piece))]
    dose = parse_dose(limits[0]) if len(limits) == 1 else None
    amount = _dose_and_rate(dose) if dose else None
    if amount is None or "doseQuantity" not in amount:
        return None
    return {"numerator": amount["doseQuantity"], "denominator": length("24", "hour")}


def _beside(frequency: Frequency) -> Iterator[str]:
    """Moments that no code of a timing says."""
    yield from (moment for moment in frequency.moments if moment not in WHEN)
