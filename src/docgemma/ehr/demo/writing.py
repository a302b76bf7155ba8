"""Writes one demonstration chart, entry by entry, the way a clinic would record it."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from docgemma.ehr.contract import Resource
from docgemma.ehr.demo.codes import (
    ALLERGIES,
    CVX,
    LOINC,
    MEDICINES,
    NOTE_TYPES,
    PROBLEMS,
    PROCEDURES,
    RXNORM,
    SNOMED,
    VACCINES,
    concept,
    status,
)
from docgemma.ehr.demo.entries import DOCTOR
from docgemma.ehr.demo.measuring import Measurements

NOTE_MARK = "Fictional demonstration note."


class Chart(Measurements):
    """Problems, allergies, medicines, notes and all else that a person decides or writes."""

    def problem(self, what: str, since: str, *, until: str = "", state: str = "", certainty: str = "confirmed") -> None:
        """Active, or resolved where it ended, unless `state` says otherwise."""
        resource: Resource = {
            "resourceType": "Condition",
            "clinicalStatus": status("condition-clinical", state or ("resolved" if until else "active")),
            "verificationStatus": status("condition-ver-status", certainty),
            "category": [status("condition-category", "problem-list-item")],
            "code": concept(what, SNOMED, PROBLEMS.get(what)),
            "subject": self._subject,
            "onsetDateTime": since,
        }
        if until:
            resource["abatementDateTime"] = until
        if len(since) == 10:
            resource["recordedDate"] = since
        self._keep(self._id(what, since), resource)

    def allergy(
        self,
        to: str,
        recorded: str,
        *,
        category: str = "",
        criticality: str = "",
        reaction: Sequence[str] = (),
        severity: str = "",
        state: str = "active",
        certainty: str = "confirmed",
        kind: str = "allergy",
        note: str = "",
    ) -> None:
        resource: Resource = {"resourceType": "AllergyIntolerance"}
        if certainty != "entered-in-error":  # R4 forbids a clinical status on what was never true
            resource["clinicalStatus"] = status("allergyintolerance-clinical", state)
        resource["verificationStatus"] = status("allergyintolerance-verification", certainty)
        if category:
            resource |= {"type": kind, "category": [category]}
        if criticality:
            resource["criticality"] = criticality
        resource |= {
            "code": concept(to, SNOMED, ALLERGIES.get(to)),
            "patient": self._subject,
            "recordedDate": recorded,
        }
        if note:
            resource["note"] = [{"text": note}]
        if reaction:
            manifested: Resource = {"manifestation": [{"text": sign} for sign in reaction]}
            if severity:
                manifested["severity"] = severity
            resource["reaction"] = [manifested]
        self._keep(self._id(f"allergy {to}", recorded), resource)

    def medicine(
        self, what: str, dosage: str, since: str, *, state: str = "active", why: str = "", as_needed: bool = False
    ) -> None:
        dose: Resource = {"text": dosage}
        if as_needed:
            dose["asNeededBoolean"] = True
        resource: Resource = {
            "resourceType": "MedicationRequest",
            "status": state,
            "intent": "order",
            "medicationCodeableConcept": concept(what, RXNORM, MEDICINES.get(what)),
            "subject": self._subject,
            "authoredOn": since,
            "requester": {"reference": f"Practitioner/{DOCTOR}"},
            "dosageInstruction": [dose],
        }
        if why:
            resource["reasonCode"] = [{"text": why}]
        self._keep(self._id(what, since), resource, "encounter", since)

    def takes(self, what: str, dosage: str, since: str) -> None:
        """What the patient says to take without a prescription of ours."""
        self._keep(
            self._id(f"takes {what}", since),
            {
                "resourceType": "MedicationStatement",
                "status": "active",
                "medicationCodeableConcept": concept(what, RXNORM, MEDICINES.get(what)),
                "subject": self._subject,
                "effectivePeriod": {"start": since},
                "informationSource": self._subject,
                "dosage": [{"text": dosage}],
            },
        )

    def note(self, kind: str, date: str, text: str) -> None:
        """A text note as a document, marked as fictional in its own first line."""
        data = base64.b64encode(f"{NOTE_MARK}\n{text}".encode()).decode()
        resource: Resource = {
            "resourceType": "DocumentReference",
            "status": "current",
            "type": concept(kind, LOINC, NOTE_TYPES.get(kind)),
            "category": [{"text": "Clinical note"}],
            "subject": self._subject,
            "date": f"{date}T10:00:00+00:00",
            "author": [{"reference": f"Practitioner/{DOCTOR}"}],
            "content": [{"attachment": {"contentType": "text/plain; charset=utf-8", "data": data, "title": kind}}],
        }
        if date in self._visits:
            resource["context"] = {"encounter": [{"reference": f"Encounter/{self._visits[date]}"}]}
        self._keep(self._id(kind, date), resource)

    def impression(self, date: str, summary: str) -> None:
        resource: Resource = {
            "resourceType": "ClinicalImpression",
            "status": "completed",
            "subject": self._subject,
            "effectiveDateTime": f"{date}T09:45:00+00:00",
            "date": f"{date}T09:45:00+00:00",
            "assessor": {"reference": f"Practitioner/{DOCTOR}"},
            "summary": summary,
        }
        self._keep(self._id("impression", date), resource, "encounter", date)

    def vaccine(self, what: str, *dates: str) -> None:
        for date in dates:
            resource: Resource = {
                "resourceType": "Immunization",
                "status": "completed",
                "vaccineCode": concept(what, CVX, VACCINES.get(what)),
                "patient": self._subject,
                "occurrenceDateTime": date,
                "primarySource": True,
            }
            self._keep(self._id(what, date), resource, "encounter", date)

    def procedure(self, what: str, date: str, *, outcome: str = "") -> None:
        resource: Resource = {
            "resourceType": "Procedure",
            "status": "completed",
            "code": concept(what, SNOMED, PROCEDURES.get(what)),
            "subject": self._subject,
            "performedDateTime": date,
        }
        if outcome:
            resource["outcome"] = {"text": outcome}
        self._keep(self._id(what, date), resource, "encounter", date)
