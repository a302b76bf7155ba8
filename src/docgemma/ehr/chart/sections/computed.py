"""Values that are computed and not recorded. Each names its formula and inputs with their dates, or says why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docgemma.ehr.chart.gaps import not_read
from docgemma.ehr.chart.model import Entry, Part, sentence
from docgemma.ehr.chart.recorded.fields import Node, code, identity
from docgemma.ehr.chart.recorded.observations import Bucket, observed_on
from docgemma.ehr.chart.recorded.values import Value, mark, value_of
from docgemma.ehr.chart.recorded.when import age_in_words, day, days_between, is_future, whole_date, years
from docgemma.ehr.chart.sections.lab_names import test_called
from docgemma.ehr.chart.sections.pregnancy import may_be_pregnant
from docgemma.ehr.chart.view import View

Sex = Literal["female", "male"]

MICROMOLES_PER_MILLIGRAM = 88.4
"""µmol/L of creatinine in 1 mg/dL."""


def ckd_epi_2021(creatinine: float, age: int, sex: Sex) -> float:
    """mL/min/1.73 m², from 18 years of age."""
    kappa, alpha, factor = (0.7, -0.241, 1.012) if sex == "female" else (0.9, -0.302, 1.0)
    ratio = creatinine / kappa
    return float(142 * min(ratio, 1) ** alpha * max(ratio, 1) ** -1.200 * 0.9938**age * factor)


def bedside_schwartz(creatinine: float, height: float) -> float:
    """mL/min/1.73 m², from 1 to 17 years of age; height in cm."""
    return 0.413 * height / creatinine


def cockcroft_gault(creatinine: float, age: int, sex: Sex, weight: float) -> float:
    """mL/min, in adults; weight in kg."""
    return (140 - age) * weight / (72 * creatinine) * (0.85 if sex == "female" else 1.0)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is measured, in which units (by factor to the one we count in), and between which bounds it can be true."""

    name: str
    buckets: tuple[Bucket, ...]
    units: dict[str, float]
    least: float
    most: float


CREATININE = Kind(
    "creatinine",
    ("labs", "other"),
    {"mg/dl": 1.0, "umol/l": 1 / MICROMOLES_PER_MILLIGRAM},
    0.1,
    25.0,
)
WEIGHT = Kind(
    "weight",
    ("vitals", "other"),
    {"kg": 1.0, "g": 0.001, "[lb_av]": 0.45359237, "lb": 0.45359237, "lbs": 0.45359237},
    0.3,
    400.0,
)
HEIGHT = Kind(
    "height",
    ("vitals", "other"),
    {"cm": 1.0, "m": 100.0, "[in_i]": 2.54, "in": 2.54},
    25.0,
    250.0,
)
FILTRATION = Kind(
    "eGFR",
    ("labs", "other"),
    dict.fromkeys(("ml/min/{1.73_m2}", "ml/min/1.73m2", "ml/min/1.73m²", "ml/min/{1.73m2}", "ml/min/1.73_m2"), 1.0),
    0.5,
    300.0,
)
"""As the laboratory computed it, by an equation that it seldom names."""


@dataclass(frozen=True, slots=True)
class Measure:
    """`value` in our unit; `said` as recorded, with its date."""

    value: float
    said: str
    on: str
    reference: str


def newest(view: View, kind: Kind) -> Measure | str | None:
    """The newest measurement; a sentence on why it cannot be used; None when there is none at all.

    An older value never stands in for a newer one that cannot be used.
    """
    found = _newest_valued(view, kind)
    if found is None:
        unread = not_read(view.record, "Observation")
        return f"observations were not read completely, and no {kind.name} was found" if unread else None
    resource, value = found
    on = observed_on(resource)
    said = f"{kind.name} {value.text} of {on[:10] or 'unknown date'}"
    if whole_date(on) is None or is_future(on, view.today):
        return f"the date of {said} is not usable"
    if value.number is None:
        return f"{said} is not a plain number"
    factor = kind.units.get(_unit(value.unit))
    if factor is None:
        return f"the unit of {said} is not known"
    amount = float(value.number) * factor
    if not kind.least <= amount <= kind.most:
        return f"{said} is implausible; check value and unit"
    status = mark(resource)
    return Measure(amount, f"{said}{f' ({status})' if status else ''}", on, identity(resource))


def _newest_valued(view: View, kind: Kind) -> tuple[Node, Value] | None:
    """Points without any value are passed over: nothing was measured."""
    points = [
        point for series in view.findings.called(test_called(kind.name), *kind.buckets) for point in series.points[:5]
    ]
    points.sort(key=lambda point: (point[0], point[1]), reverse=True)
    for _, _, resource in points:
        value = value_of(resource)
        if value.bare:
            return resource, value
    return None


def _unit(written: str) -> str:
    return written.replace("µ", "u").replace("μ", "u").replace(" ", "").casefold()


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
