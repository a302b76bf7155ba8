"""All demonstration resources, in the order in which one refers to the other. The same on every machine."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.ehr.contract import Resource
from docgemma.ehr.demo.charts import CHARTS
from docgemma.ehr.demo.entries import CLINIC, DOCTOR, marked
from docgemma.ehr.demo.people import PEOPLE, Person
from docgemma.ehr.demo.writing import Chart


def patients() -> tuple[Person, ...]:
    """Who is there: for a list, and for the documentation."""
    return PEOPLE


def resources() -> Iterator[Resource]:
    """The clinic and its doctor, then chart after chart."""
    yield from surroundings()
    for person in PEOPLE:
        chart = Chart(person)
        CHARTS[person.id](chart)
        yield from chart.resources()


def surroundings() -> Iterator[Resource]:
    """What all charts refer to."""
    yield marked({"resourceType": "Organization", "active": True, "name": "Example Clinic (fictional)"}, CLINIC)
    yield marked(
        {
            "resourceType": "Practitioner",
            "active": True,
            "name": [{"family": "Example", "given": ["Alex"], "prefix": ["Dr."]}],
        },
        DOCTOR,
    )
