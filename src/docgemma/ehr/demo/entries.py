"""How entries of a demonstration chart are kept: their ids, their mark, and the visit they belong to.

An id follows from the patient, what it is and its date (`abc-123-hemoglobin-a1c-2026-03-02`), so that a chart that
gains an entry leaves all others as they are, and loading it again changes nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from docgemma.ehr.contract import Resource
from docgemma.ehr.demo.codes import HL7, HTEST, SNOMED, VISITS, concept
from docgemma.ehr.demo.people import Person, patient_resource

CLINIC = "demo-clinic"
DOCTOR = "demo-practitioner-1"


class Entries:
    """Collects the resources of one patient. Entries of a day belong to that day's visit, where there was one."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self._resources: dict[str, Resource] = {}
        self._visits: dict[str, str] = {}
        self._subject: Resource = {"reference": f"Patient/{person.id}"}
        self._keep(person.id, patient_resource(person))

    def resources(self) -> Iterable[Resource]:
        return self._resources.values()

    def visit(self, date: str, kind: str = "Check-up", *, why: str = "", place: str = "AMB", until: str = "") -> None:
        """Before the entries of that day, and of the last one. `place` is HL7's class: AMB, EMER, IMP or VR."""
        id_ = self._id("visit", date)
        self._visits |= {date: id_, until or date: id_}
        resource: Resource = {
            "resourceType": "Encounter",
            "status": "finished",
            "class": {"system": f"{HL7}v3-ActCode", "code": place},
            "type": [concept(kind, SNOMED, VISITS.get(kind))],
            "subject": self._subject,
            "participant": [{"individual": {"reference": f"Practitioner/{DOCTOR}"}}],
            "period": {"start": f"{date}T09:00:00+00:00", "end": f"{until or date}T09:30:00+00:00"},
            "serviceProvider": {"reference": f"Organization/{CLINIC}"},
        }
        if why:
            resource["reasonCode"] = [{"text": why}]
        self._keep(id_, resource)

    def _id(self, what: str, date: str) -> str:
        plain = unicodedata.normalize("NFKD", what.lower()).encode("ascii", "ignore").decode()
        words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
        room = 64 - len(self.person.id) - len(date) - 2
        return f"{self.person.id}-{'-'.join(words)[:room].strip('-')}-{date}"

    def _keep(self, id_: str, resource: Resource, link: str = "", date: str = "") -> str:
        if id_ in self._resources:
            raise ValueError(f"two demonstration entries share the id {id_}")
        if link and date in self._visits:
            resource[link] = {"reference": f"Encounter/{self._visits[date]}"}
        self._resources[id_] = marked(resource, id_)
        return id_


def marked(resource: Resource, id_: str) -> Resource:
    """With its id, and tagged as data about nobody."""
    kind = resource.pop("resourceType")
    return {"resourceType": kind, "id": id_, "meta": {"tag": [HTEST]}} | resource | {"id": id_}
