"""People as short rows: the demonstration patients, and others that a test invents in their likeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docgemma.ehr import demo
from docgemma.ehr.contract import Resource
from docgemma.ehr.demo.loading import MRN_SYSTEM


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    mrn: str
    given: tuple[str, ...]
    family: str
    sex: Literal["female", "male"]
    born: str
    about: str = ""
    suffix: str = ""
    written: str = ""

    @property
    def name(self) -> str:
        return self.written or " ".join(part for part in (*self.given, self.family, self.suffix) if part)


def person(patient: Resource) -> Person:
    """The row of a Patient resource."""
    (name,) = patient["name"]
    return Person(
        id=patient["id"],
        mrn=patient["identifier"][0]["value"],
        given=tuple(name["given"]),
        family=name["family"],
        sex=patient["gender"],
        born=patient["birthDate"],
        suffix=" ".join(name.get("suffix", ())),
        written=name["text"],
    )


PEOPLE = tuple(map(person, demo.patients()))


def patient_resource(someone: Person) -> Resource:
    """A demonstration Patient like the shipped ones, but for who it is."""
    like = demo.patients()[0]
    name = {"use": "official", "text": someone.name, "family": someone.family, "given": list(someone.given)}
    if someone.suffix:
        name["suffix"] = [someone.suffix]
    number = {**like["identifier"][0], "system": MRN_SYSTEM, "value": someone.mrn}
    own = {"id": someone.id, "name": [name], "identifier": [number], "gender": someone.sex, "birthDate": someone.born}
    return {**like, **own}
