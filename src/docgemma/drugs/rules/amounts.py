"""Comparing a dose with a limit: in one unit, as far as both are of one kind."""

from __future__ import annotations

from decimal import Decimal

from docgemma.entities.amounts.doses import Dose
from docgemma.entities.amounts.numbers import written
from docgemma.entities.amounts.units import COUNTED, scaled

PER_KG = "/kg"


def most(dose: Dose) -> Dose | None:
    """The largest amount that a dose can mean, in one number: two tablets of 5 mg are 10 mg, 5-10 mg are 10 mg.

    None where it is a number of pieces without a strength, or a combination.
    """
    if dose.most is not None:
        if len(dose.amounts) > 1:
            return None
        dose = Dose((dose.most,), dose.unit, None, dose.each)
    whole = dose.total()
    return whole if whole and len(whole.amounts) == 1 and whole.unit not in COUNTED and whole.unit != "%" else None


def in_unit(dose: Dose, unit: str) -> Decimal | None:
    """A dose of one amount in another unit; None where that is another kind: grams are no units of insulin."""
    amount, small = scaled(dose.amounts[0], dose.unit)
    factor, wanted = scaled(Decimal(1), unit)
    return amount / factor if small == wanted else None


def by_weight(dose: Dose, kilograms: Decimal) -> Dose:
    """What "15 mg/kg" is for this weight; any other dose stays as it is."""
    if PER_KG not in dose.unit:
        return dose
    return Dose((dose.amounts[0] * kilograms,), dose.unit.replace(PER_KG, "", 1))


def shown(number: Decimal, unit: str) -> str:
    """For a person to read: no exponent, no long tail of digits."""
    return f"{written(round(number, 4))} {unit}"
