"""Orders and charts for the tests of the checks, and a quick way to ask for one check of one order."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import date
from functools import cache
from typing import Any

from docgemma.drugs.checks import DrugChecks
from docgemma.ehr import demo
from docgemma.ehr.contract import Record, Resource
from docgemma.entities.amounts.doses import parse_dose
from docgemma.entities.drugs.names import ingredients
from docgemma.orders.checks import OrderChecks
from docgemma.orders.facts import NEEDED, Facts, facts_of
from docgemma.orders.model import Check, Prescription
from docgemma.sources.row import Chain
from docgemma.sources.starter import StarterPack
from tests.support import chart_records as chart

TODAY = date(2026, 10, 28)
OFFLINE = OrderChecks(DrugChecks(Chain((), (StarterPack(),))))
NONE_KNOWN = chart.allergy("No known allergy", id="nka")


def facts(*resources: Resource, **more: Any) -> Facts:
    """Of a woman born in 1971 unless told otherwise. Her allergy list says "none" where a test gives no allergy."""
    has_list = any(one["resourceType"] == "AllergyIntolerance" for one in resources) or "gaps" in more
    given = resources if has_list else (*resources, dict(NONE_KNOWN))
    return facts_of(chart.record(*given, **more), today=TODAY)


def order(medication: str, dose: str = "", frequency: str = "once daily", route: str = "by mouth") -> Prescription:
    parts = ingredients(medication)
    assert parts, medication
    assert not dose or parse_dose(dose)
    return Prescription(
        patient_id="p1", medication=medication, ingredients=parts, dose=dose, frequency=frequency, route=route
    )


async def checked(draft: Prescription, of: Facts, checks: OrderChecks = OFFLINE) -> tuple[Check, ...]:
    return await checks.prescription(draft, of, ends_at=asyncio.get_running_loop().time() + 60)


async def lines(name: str, draft: Prescription, of: Facts, checks: OrderChecks = OFFLINE) -> tuple[Check, ...]:
    return tuple(check for check in await checked(draft, of, checks) if check.name == name)


async def outcomes(name: str, draft: Prescription, of: Facts) -> set[str]:
    return {check.outcome for check in await lines(name, draft, of)}


@cache
def demo_facts() -> dict[str, Facts]:
    """Every fictional patient, read as an order reads a chart."""
    people: dict[str, Resource] = {}
    of: dict[str, dict[str, list[Resource]]] = defaultdict(lambda: defaultdict(list))
    for resource in demo.resources():
        kind = resource["resourceType"]
        if kind == "Patient":
            people[resource["id"]] = resource
        elif kind in NEEDED:
            about = (resource.get("subject") or resource["patient"])["reference"]
            of[about.removeprefix("Patient/")][kind].append(resource)
    return {
        id_: facts_of(Record(person, {kind: tuple(found) for kind, found in of[id_].items()}), today=TODAY)
        for id_, person in people.items()
    }
