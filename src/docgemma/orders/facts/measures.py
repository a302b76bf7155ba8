"""Weight, kidney function and pregnancy as an order needs them: a value, or why there is none, and how far it holds."""

from __future__ import annotations

import math
from datetime import date

from docgemma.ehr.chart.recorded.fields import joined
from docgemma.ehr.chart.recorded.when import days_between, whole_date
from docgemma.ehr.chart.sections.computed import FILTRATION, WEIGHT, Measure, Rate, kidneys, newest
from docgemma.ehr.chart.sections.pregnancy import ruled_out, signs
from docgemma.ehr.chart.view import View
from docgemma.orders.facts.model import Known

ADULT = 18
_OLD, _OLD_IN_A_CHILD = 365, 90
"""Days that a weight or a kidney value holds. Engineering proposal, not reviewed by a clinician."""

_OLDEST = 130
_MOST_SIGNS = 2


def age_on(born: object, today: date) -> float | None:
    """In years, exact at every month of life, so that a limit of six months holds from that day on."""
    birth = whole_date(born)
    if birth is None or birth > today:
        return None
    months = (today.year - birth.year) * 12 + today.month - birth.month - (today.day < birth.day)
    age = (months + (today.day - birth.day) % 31 / 32) / 12
    return age if age <= _OLDEST else None


def weight(view: View, age: float | None) -> Known:
    found = newest(view, WEIGHT)
    if not isinstance(found, Measure):
        return Known(words=found or "no weight is recorded")
    longest = _OLD if age is not None and age >= ADULT else _OLD_IN_A_CHILD
    return Known(round(found.value, 3), found.said, found.reference, _doubt(view, _age_of(found.on, view, longest)))


def kidney_function(view: View, *, pregnant: bool) -> tuple[Known, Known]:
    """eGFR and creatinine clearance. A laboratory's own eGFR counts where it is newer, or lower on the same day."""
    found = list(kidneys(view))
    rates = {rate.name: rate for rate in found if isinstance(rate, Rate)}
    why = next((each.rstrip(".").partition("not computed: ")[2] for each in found if isinstance(each, str)), "")
    computed = _of_rate(rates.get("eGFR"), why, view)
    clearance = _of_rate(rates.get("Creatinine clearance"), why, view)
    measured = newest(view, FILTRATION)
    if isinstance(measured, Measure):
        doubt = _age_of(measured.on, view, _OLD) or ("it is not valid in pregnancy" if pregnant else "")
        recorded = Known(_down(measured.value), measured.said, measured.reference, _doubt(view, doubt))
        rate = rates.get("eGFR")
        if rate is None or _is_better(recorded, measured.on, computed, rate.on):
            return recorded, clearance
    return computed, clearance


def pregnancy(view: View, sex: str) -> tuple[bool | None, Known]:
    """True where the record speaks of one, False only after a fresh "no", else unknown."""
    found = signs(view, measured=sex != "male")
    if found:
        return True, Known(words="; ".join(sign.text for sign in found[:_MOST_SIGNS]), reference=found[0].reference)
    out = None if view.record.missing("Condition", "Observation") else ruled_out(view)
    if out is not None:
        return False, Known(words=out.text, reference=out.reference)
    return None, Known()


def _of_rate(rate: Rate | None, why: str, view: View) -> Known:
    if rate is None:
        return Known(words=why)
    return Known(_down(rate.value), rate.text, rate.reference, _doubt(view, *rate.doubts))


def _is_better(recorded: Known, on: str, computed: Known, computed_on: str) -> bool:
    if on[:10] != computed_on[:10]:
        return on[:10] > computed_on[:10]
    return recorded.value is not None and computed.value is not None and recorded.value < computed.value


def _down(value: float) -> float:
    """To one place, never up: 29.96 is below a limit of 30."""
    return math.floor(value * 10) / 10


def _doubt(view: View, *doubts: str) -> str:
    """Where observations are missing, a newer value may be among them."""
    unread = "observations were not read completely" if view.record.missing("Observation") else ""
    return joined(*doubts, unread, by="; ")


def _age_of(on: str, view: View, longest: int) -> str:
    days = days_between(on, view.today.isoformat())
    if days is not None and days <= longest:
        return ""
    return "it is more than a year old" if longest == _OLD else f"it is more than {longest} days old"
