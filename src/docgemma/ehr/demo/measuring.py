"""What is measured: labs with their usual range, panels, reports and vital signs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from docgemma.ehr.contract import Resource
from docgemma.ehr.demo.codes import (
    DIASTOLIC,
    LABS,
    LOINC,
    PANELS,
    SNOMED,
    SYSTOLIC,
    UCUM,
    VITALS,
    Measured,
    concept,
    status,
)
from docgemma.ehr.demo.entries import Entries


class Measurements(Entries):
    """Observations and the reports that gather them."""

    def lab(self, test: str, date: str, value: str, *, ranged: bool = True) -> str:
        """One result; its id, for a report. The usual range is an adult's: a child's result goes without."""
        measured = LABS[test]
        resource = self._observation("laboratory", measured, date, value)
        if ranged and (measured.low or measured.high):
            limits = {side: _quantity(limit, measured.unit) for side, limit in _limits(measured)}
            resource["referenceRange"] = [limits]
            flag = _flag(Decimal(value), measured)
            if flag:
                resource["interpretation"] = [status("v3-ObservationInterpretation", flag)]
        return self._keep(self._id(measured.name, date), resource, "encounter", date)

    def trend(self, test: str, values: dict[str, str]) -> None:
        for date, value in values.items():
            self.lab(test, date, value)

    def panel(self, name: str, date: str, values: dict[str, str], *, conclusion: str = "") -> None:
        """A report of several results taken together."""
        ids = [self.lab(test, date, value) for test, value in values.items()]
        self.report(name, date, conclusion=conclusion, results=ids)

    def report(
        self, name: str, date: str, *, conclusion: str = "", results: Sequence[str] = (), of: str = "LAB"
    ) -> None:
        """`of` is the department: LAB, RAD or PAT."""
        resource: Resource = {
            "resourceType": "DiagnosticReport",
            "status": "final",
            "category": [status("v2-0074", of)],
            "code": concept(name, LOINC, PANELS.get(name)),
            "subject": self._subject,
            "effectiveDateTime": f"{date}T08:00:00+00:00",
        }
        if results:
            resource["result"] = [{"reference": f"Observation/{id_}"} for id_ in results]
        if conclusion:
            resource["conclusion"] = conclusion
        self._keep(self._id(name, date), resource, "encounter", date)

    def vital(self, sign: str, date: str, value: str) -> None:
        measured = VITALS[sign]
        resource = self._observation("vital-signs", measured, date, value)
        self._keep(self._id(measured.name, date), resource, "encounter", date)

    def pressure(self, date: str, systolic: int, diastolic: int) -> None:
        resource = self._observed("vital-signs", Measured("Blood pressure", "", "55284-4", "Blood Pressure"), date)
        resource["component"] = [
            {"code": _measured_concept(part), "valueQuantity": _quantity(str(value), part.unit)}
            for part, value in ((SYSTOLIC, systolic), (DIASTOLIC, diastolic))
        ]
        self._keep(self._id("blood pressure", date), resource, "encounter", date)

    def smoking(self, date: str, state: str) -> None:
        coded = {"Never smoker": "266919005", "Former smoker": "8517006"}[state]
        smoking = Measured("Tobacco smoking status", "", "72166-2", "Tobacco smoking status NHIS")
        resource = self._observed("social-history", smoking, date)
        resource["valueCodeableConcept"] = concept(state, SNOMED, (coded, state))
        self._keep(self._id("smoking", date), resource, "encounter", date)

    def blood_group(self, date: str, group: str) -> None:
        resource = self._observed("laboratory", Measured("Blood group", ""), date)
        resource["valueCodeableConcept"] = {"text": group}
        self._keep(self._id("blood group", date), resource, "encounter", date)

    def due(self, date: str, delivery: str) -> None:
        """When a child is expected, as it was reckoned on that visit."""
        resource = self._observed("exam", Measured("Estimated delivery date", ""), date)
        resource["valueDateTime"] = delivery
        self._keep(self._id("due", date), resource, "encounter", date)

    def _observation(self, category: str, measured: Measured, date: str, value: str) -> Resource:
        resource = self._observed(category, measured, date)
        resource["valueQuantity"] = _quantity(value, measured.unit)
        return resource

    def _observed(self, category: str, measured: Measured, date: str) -> Resource:
        return {
            "resourceType": "Observation",
            "status": "final",
            "category": [status("observation-category", category)],
            "code": _measured_concept(measured),
            "subject": self._subject,
            "effectiveDateTime": f"{date}T08:00:00+00:00",
        }


def _measured_concept(measured: Measured) -> Resource:
    return concept(measured.name, LOINC, (measured.code, measured.display) if measured.code else None)


def _quantity(value: str, unit: str) -> Resource:
    return {"value": Decimal(value), "unit": unit, "system": UCUM, "code": unit}


def _limits(measured: Measured) -> list[tuple[str, str]]:
    return [(side, limit) for side, limit in (("low", measured.low), ("high", measured.high)) if limit]


def _flag(value: Decimal, measured: Measured) -> str:
    if measured.low and value < Decimal(measured.low):
        return "L"
    return "H" if measured.high and value > Decimal(measured.high) else ""
