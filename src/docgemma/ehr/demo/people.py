"""Who the demonstration patients are. The names are ordinary ones, the people are invented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docgemma.ehr.contract import Resource

MRN_SYSTEM = "urn:docgemma:demo:mrn"
"""Marks a patient as ours: a real one that happens to have the same id carries another."""

FICTIONAL = "Fictional demonstration patient. Not a real person; not reviewed by a clinician."


@dataclass(frozen=True, slots=True)
class Person:
    """One row of the table of demonstration patients. `about` says what the chart is there to show."""

    id: str
    mrn: str
    given: tuple[str, ...]
    family: str
    sex: Literal["female", "male"]
    born: str
    about: str
    suffix: str = ""
    died: str = ""
    city: str = "Anytown"
    family_first: bool = False

    @property
    def name(self) -> str:
        if self.family_first:
            return " ".join((self.family, *self.given))
        return " ".join(part for part in (*self.given, self.family, self.suffix) if part)


PEOPLE: tuple[Person, ...] = (
    Person("abc-123", "7001234", ("John",), "Smith", "male", "1958-04-12", "type 2 diabetes, metformin, HbA1c rising"),
    Person("def-456", "7004561", ("Maria",), "Garcia", "female", "1961-07-03", "kidney disease that gets worse"),
    Person("ghi-789", "7007892", ("Maria",), "Garcia", "female", "1994-11-21", "pregnancy; no known allergy"),
    Person(
        "jkl-012", "7000123", ("James",), "Wilson", "male", "1949-02-09",
        "atrial fibrillation, warfarin and INR; penicillin anaphylaxis; father of the next", suffix="Sr.",
    ),
    Person(
        "mno-345", "7003454", ("James",), "Wilson", "male", "1979-02-09",
        "asthma; no allergy entry at all; same day and month of birth as his father", suffix="Jr.",
    ),
    Person(
        "pqr-678", "7006785", ("James",), "Wilson", "male", "1949-09-02",
        "14 active orders, omeprazole twice and two statins; born in the same year as the unrelated James Wilson Sr.",
    ),
    Person(
        "stu-901", "7009016", ("Thị", "Mai"), "Nguyễn", "female", "1972-03-14",
        "breast cancer under treatment, screened for a trial", city="Hà Nội", family_first=True,
    ),
    Person(
        "vwx-234", "7002347", ("Thi", "Mai"), "Nguyen", "female", "1972-03-14",
        "underactive thyroid; same name without accents and same birth date, another record number",
        family_first=True,
    ),
    Person(
        "yza-567", "7005678", ("Márta",), "Kovács", "female", "1955-12-30",
        "heart failure watched from home: about 2,000 entries", city="Győr",
    ),
    Person(
        "bcd-890", "7008909", ("José", "Miguel"), "Hernández", "male", "2019-06-18",
        "a child: weights over time, ear infections, peanut allergy",
    ),
    Person(
        "cde-321", "7003210", ("Fatima",), "Al-Haddad", "female", "1990-01-25",
        "migraine; a note that holds text written to mislead a program",
    ),
    Person(
        "efg-654", "7006541", ("Kwame",), "Mensah", "male", "1967-08-07",
        "hypertension and gout; angioedema from an ACE inhibitor", city="Kumasi",
    ),
    Person(
        "fgh-987", "7009872", ("Priya",), "Raghunathan", "female", "1983-10-02",
        "several allergies: confirmed, unconfirmed, refuted, inactive and one entered in error", city="Chennai",
    ),
    Person(
        "hij-246", "7002463", ("Olúwaṣeun",), "Adéyẹmí", "male", "2001-05-16",
        "sickle cell disease with pain crises", city="Ibadan",
    ),
    Person(
        "klm-135", "7001354", ("Arthur", "Reginald"), "Pemberton", "male", "1938-03-22",
        "died in 2026; COPD and osteoporosis", died="2026-02-11", city="Leeds",
    ),
    Person(
        "nop-864", "7008645", ("Siân",), "O'Hara-Lloyd", "female", "1976-09-09",
        "depression, contraception, a clear allergy statement of both kinds: one drug, nothing else", city="Swansea",
    ),
)  # fmt: skip
"""Twins in name on purpose: two Maria Garcia, three James Wilson, and one name and birth date under two records."""


def patient_resource(person: Person) -> Resource:
    """The Patient itself. The mark stands in its text too, for readers that do not look at tags."""
    name: Resource = {"use": "official", "text": person.name, "family": person.family, "given": list(person.given)}
    if person.suffix:
        name["suffix"] = [person.suffix]
    resource: Resource = {
        "resourceType": "Patient",
        "id": person.id,
        "text": {"status": "generated", "div": f'<div xmlns="http://www.w3.org/1999/xhtml">{FICTIONAL}</div>'},
        "identifier": [
            {
                "use": "usual",
                "type": {
                    "coding": [
                        {
                            "system": "http://terminology.hl7.org/CodeSystem/v2-0203",
                            "code": "MR",
                            "display": "Medical Record Number",
                        }
                    ],
                    "text": "Medical Record Number",
                },
                "system": MRN_SYSTEM,
                "value": person.mrn,
            }
        ],
        "active": not person.died,
        "name": [name],
        "gender": person.sex,
        "birthDate": person.born,
        "address": [{"use": "home", "city": person.city}],
    }
    if person.died:
        resource["deceasedDateTime"] = person.died
    return resource
