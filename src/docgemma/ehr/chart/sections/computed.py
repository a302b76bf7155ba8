"""Values that are computed and not recorded. Each names its formula and inputs with their dates, or says why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docgemma.ehr.chart.model import Entry, Part, sentence
from docgemma.ehr.chart.recorded.shape import code
from docgemma.ehr.chart.recorded.when import age_in_words, day, days_between, whole_date, years
from docgemma.ehr.chart.sections.measures import CREATININE, HEIGHT, WEIGHT, Measure, newest
from docgemma.ehr.chart.sections.pregnancy import may_be_pregnant
from docgemma.ehr.chart.sections.renal import Sex, bedside_schwartz, ckd_epi_2021, cockcroft_gault
from docgemma.ehr.chart.view import View

_ADULT, _INFANT = 18, 1
_OLDEST = 120
_APART, _APART_GROWING = 365, 90
"""Days that two inputs may lie apart: in an adult, and in a child, who grows."""

_STABLE = "assumes a stable creatinine"
_IN_PREGNANCY = "NOT VALID IN PREGNANCY, and the record speaks of one"


@dataclass(frozen=True, slots=True)
class Rate:
    """How much the kidneys filter, in mL/min. `text` names formula and inputs, `doubts` why it may not hold."""

    name: Literal["eGFR", "Creatinine clearance"]
    value: float
    text: str
    on: str
    reference: str
    doubts: tuple[str, ...]


def computed(view: View) -> Part:
    """Age; body mass index; and where there is a creatinine, the function of the kidneys."""
    entries = [*_age(view), *_body_mass(view), *_kidneys(view)]
    total = sum(not entry.own_words for entry in entries)
    return Part("computed", entries, total, "in this order")


def _age(view: View) -> Iterator[Entry]:
    patient = view.record.patient
    born = whole_date(patient.get("birthDate"))
    died = whole_date(patient.get("deceasedDateTime"))
    if born is None:
        year = day(patient.get("birthDate"))
        yield sentence(
            f"Age not computed: {'only ' + year + ' is recorded as' if year else 'there is no'} date of birth."
        )
        return
    if died or not patient.get("deceasedBoolean"):
        said = age_in_words(born, died or view.today)
        if said:
            yield Entry(f"Age{' at death' if died else ''}: {said} (from the date of birth)")


def _body_mass(view: View) -> Iterator[Entry]:
    weight, height = newest(view, WEIGHT), newest(view, HEIGHT)
    asked = any(test.name == "BMI" for test in view.ask.tests)
    if not isinstance(weight, Measure) or not isinstance(height, Measure):
        if asked:
            why = " and ".join(
                _missing(one, name)
                for one, name in ((weight, "weight"), (height, "height"))
                if not isinstance(one, Measure)
            )
            yield sentence(f"Body mass index not computed: {why}.")
        return
    apart = _too_far_apart(view, weight, height, adult_height=True)
    if apart:
        if asked:
            yield sentence(f"Body mass index not computed: {apart}.")
        return
    index = weight.value / (height.value / 100) ** 2
    yield Entry(
        f"Body mass index: {index:.1f} kg/m² (weight ÷ height²; {weight.said}, {height.said})",
        day(weight.on),
        weight.reference,
    )


def _kidneys(view: View) -> Iterator[Entry]:
    for found in kidneys(view, asked=view.ask.wants("computed")):
        if isinstance(found, Rate):
            yield Entry(found.text, day(found.on), found.reference)
        else:
            yield sentence(found)


def kidneys(view: View, *, asked: bool = True) -> Iterator[Rate | str]:
    """What can be computed, and a sentence on what cannot; where nobody asked, only on what one would expect."""
    creatinine = newest(view, CREATININE)
    if not isinstance(creatinine, Measure):
        if creatinine or asked:
            yield f"eGFR not computed: {_missing(creatinine, 'creatinine')}."
        return
    age, sex = _age_at(view, creatinine.on), _sex(view)
    if age is None or not 0 <= age <= _OLDEST:
        yield "eGFR not computed: the age at the time of the creatinine is not known."
    elif age >= _ADULT:
        yield from _adult(view, creatinine, age, sex, asked)
    else:
        yield from _child(view, creatinine, age)


def _adult(view: View, creatinine: Measure, age: int, sex: Sex | None, asked: bool) -> Iterator[Rate | str]:
    if sex is None:
        yield "eGFR and creatinine clearance not computed: the equations need a recorded sex of female or male."
        return
    doubts = tuple(_doubts(view, creatinine))
    caution = "; ".join([_STABLE, *doubts])
    rate = ckd_epi_2021(creatinine.value, age, sex)
    inputs = f"{creatinine.said}, age {age}, {sex}"
    text = f"eGFR: {rate:.0f} mL/min/1.73 m² (CKD-EPI 2021; {inputs}; {caution})"
    yield Rate("eGFR", rate, text, creatinine.on, creatinine.reference, doubts)
    weight = newest(view, WEIGHT)
    why = _missing(weight, "weight") if not isinstance(weight, Measure) else _too_far_apart(view, weight, creatinine)
    if not isinstance(weight, Measure) or why:
        if asked:
            yield f"Creatinine clearance not computed: {why}."
        return
    clearance = cockcroft_gault(creatinine.value, age, sex, weight.value)
    text = f"Creatinine clearance: {clearance:.0f} mL/min (Cockcroft–Gault, actual {weight.said}; {inputs}; {caution})"
    yield Rate("Creatinine clearance", clearance, text, creatinine.on, creatinine.reference, doubts)


def _child(view: View, creatinine: Measure, age: int) -> Iterator[Rate | str]:
    if age < _INFANT:
        yield "eGFR not computed: the bedside Schwartz equation is meant for children from 1 year of age."
        return
    height = newest(view, HEIGHT)
    why = _missing(height, "height") if not isinstance(height, Measure) else _too_far_apart(view, height, creatinine)
    if not isinstance(height, Measure) or why:
        yield f"eGFR not computed: {why}."
        return
    rate = bedside_schwartz(creatinine.value, height.value)
    doubts = tuple(_doubts(view, creatinine))
    caution = "; ".join([_STABLE, *doubts])
    text = f"eGFR: {rate:.0f} mL/min/1.73 m² (bedside Schwartz; {creatinine.said}, {height.said}; {caution})"
    yield Rate("eGFR", rate, text, creatinine.on, creatinine.reference, doubts)


def _doubts(view: View, creatinine: Measure) -> Iterator[str]:
    old = days_between(creatinine.on, view.today.isoformat())
    if old is not None and old > _APART:
        yield "the creatinine is more than a year old"
    if _sex(view) != "male" and may_be_pregnant(view):
        yield _IN_PREGNANCY


def _missing(measure: Measure | str | None, name: str) -> str:
    return measure if isinstance(measure, str) else f"no {name} is recorded"


def _too_far_apart(view: View, one: Measure, other: Measure, *, adult_height: bool = False) -> str:
    """Why these two do not belong together; empty when they do. The height of an adult does not age."""
    born = whole_date(view.record.patient.get("birthDate"))
    ages = [years(born, on) for measure in (one, other) if born and (on := whole_date(measure.on))]
    grown = len(ages) == 2 and min(ages) >= _ADULT
    if grown and adult_height:
        return ""
    gap = days_between(one.on, other.on)
    if gap is None or gap > (_APART if grown else _APART_GROWING):
        return f"{one.said} and {other.said} lie too far apart"
    return ""


def _age_at(view: View, on: str) -> int | None:
    born, at = whole_date(view.record.patient.get("birthDate")), whole_date(on)
    return years(born, at) if born and at and at >= born else None


def _sex(view: View) -> Sex | None:
    found = code(view.record.patient.get("gender"))
    return "female" if found == "female" else "male" if found == "male" else None
