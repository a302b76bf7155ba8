"""From a record to the facts that an order is weighed against."""

from __future__ import annotations

from datetime import date

from docgemma.ehr.chart.gaps import not_read
from docgemma.ehr.chart.recorded.fields import code, nodes
from docgemma.ehr.chart.recorded.when import day
from docgemma.ehr.chart.view import View
from docgemma.ehr.contract import VITAL, Record
from docgemma.ehr.patients.person import person_of
from docgemma.orders.facts.allergies import allergies
from docgemma.orders.facts.measures import age_on, kidney_function, pregnancy, weight
from docgemma.orders.facts.medicines import medicines
from docgemma.orders.facts.model import Facts
from docgemma.orders.facts.versions import of_allergies, of_everything, of_patient

NEEDED = (*VITAL, "Observation")
"""What is read of a chart for a prescription."""


def facts_of(record: Record, *, today: date) -> Facts:
    """Resources of somebody else are left out of a record and make a gap where the list is in doubt for it."""
    view = View(record, today)
    patient = record.patient
    person = person_of(patient)
    age = age_on(patient.get("birthDate"), today)
    pregnant, speaking = pregnancy(view, person.sex or "")
    filtration, clearance = kidney_function(view, pregnant=pregnant is True)
    weighed = weight(view, age)
    current, forbidden = medicines(view)
    listed = allergies(view)
    return Facts(
        person=person,
        patient_version=of_patient(record),
        allergy_version=of_allergies(record),
        version=of_everything(record, (weighed.value, filtration.value, clearance.value, pregnant)),
        age=age,
        sex=person.sex or "",
        died=day(patient.get("deceasedDateTime")),
        merged=any(code(link.get("type")) == "replaced-by" for link in nodes(patient.get("link"))),
        retired=patient.get("active") is False,
        strangers=record.strangers,
        weight=weighed,
        filtration=filtration,
        clearance=clearance,
        pregnant=pregnant,
        pregnancy=speaking,
        allergies=listed.current,
        past_allergies=listed.past,
        refuted=listed.refuted,
        statements=listed.statements,
        contradictions=listed.contradictions,
        medications=current,
        forbidden=forbidden,
        unread=tuple(said.rstrip(".") for said in not_read(record, *VITAL)),
        gaps=frozenset(gap.kind for gap in record.gaps),
    )
