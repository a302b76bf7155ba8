"""Patients who are easily taken for one another, each with a word in the chart that stands in no other chart."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docgemma.config import Settings
from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.storage.store import FhirStore
from tests.support.charts import put_demo_charts
from tests.support.people import PEOPLE, Person, patient_resource

TWINS: tuple[Person, ...] = (
    Person("ber-101", "8001011", ("Anna",), "Berg", "female", "1980-05-05", "same name, same birth date"),
    Person("ber-102", "8001022", ("Anna",), "Berg", "female", "1980-05-05", "same name, same birth date"),
    Person("ber-103", "8001033", ("Anna",), "Berg-Lund", "female", "1980-05-06", "has all words of the others' name"),
    Person("rki-201", "8002011", ("Robert",), "King", "male", "1950-03-03", "grandfather", suffix="Sr."),
    Person("rki-202", "8002022", ("Robert",), "King", "male", "1980-03-03", "father", suffix="Jr."),
    Person("rki-203", "8002033", ("Robert",), "King", "male", "2008-03-03", "son", suffix="III"),
    Person(
        "tja-301", "8003011", ("Thomas",), "James", "male", "1966-06-06", "the next one's names the other way round"
    ),
    Person(
        "jth-302", "8003022", ("James",), "Thomas", "male", "1971-07-07", "the last one's names the other way round"
    ),
    Person("5550001", "8004011", ("Nils",), "Holm", "male", "1949-10-01", "stored under the next one's record number"),
    Person("gho-402", "5550001", ("Greta",), "Holm", "female", "1952-11-02", "has the last one's id as record number"),
    Person("lvo-501", "6660002", ("Lena",), "Voss", "female", "1988-08-08", "shares a record number"),
    Person("tvo-502", "6660002", ("Tariq",), "Voss", "male", "1991-09-09", "shares a record number"),
    Person("mil-601", "8006011", ("Robert",), "Miller", "male", "1970-12-12", "the next one's name in full"),
    Person("mil-602", "8006022", ("Bob",), "Miller", "male", "1972-02-20", "the last one's name in short"),
)
EVERYBODY = (*PEOPLE, *TWINS)
BY_ID = {person.id: person for person in EVERYBODY}
CANARIES = {person.id: f"Quelbane{number:02}" for number, person in enumerate(EVERYBODY)}
"""An invented allergen each. Allergies stand in whatever is shown of a chart."""

_GENERATIONS = {"jr", "sr", "iii"}


def put_namesakes(home: Path) -> Path:
    """The embedded store of this home with the demonstration patients, the twins, and a canary in every chart."""
    file = Settings(home=home).charts_file
    file.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(_made(), file))


@cache
def _made() -> Path:
    file = put_demo_charts(Path(tempfile.mkdtemp(prefix="docgemma-namesakes-")))

    async def add() -> None:
        async with FhirStore(file) as store:
            await store.put_many([*map(patient_resource, TWINS), *_canaries()])

    asyncio.run(add())
    return file


def _canaries() -> Iterator[Resource]:
    for id_, canary in CANARIES.items():
        yield {
            "resourceType": "AllergyIntolerance",
            "id": f"{id_}-canary",
            "clinicalStatus": {"coding": [{"code": "active"}]},
            "code": {"text": canary},
            "patient": {"reference": f"Patient/{id_}"},
        }


def shown_in(text: str) -> set[str]:
    """Whose charts have been read out in this text."""
    return {id_ for id_, canary in CANARIES.items() if canary.casefold() in text.casefold()}


def numbered(written: str) -> frozenset[str]:
    """Everybody this id or record number may mean."""
    low = written.casefold()
    return frozenset(person.id for person in EVERYBODY if low in (person.id.casefold(), person.mrn.casefold()))


def named_exactly(name: str) -> frozenset[str]:
    """Everybody whose first given name and whole family name are said, with nothing that is not theirs.

    "AlHaddad" is "Al-Haddad" too.
    """
    said = words(name)
    generations, rest = said & _GENERATIONS, said - _GENERATIONS

    def fits(person: Person) -> bool:
        cores = (words(person.given[0], person.family), words(person.given[0], person.family.replace("-", "")))
        whole = any(core <= rest <= core | words(*person.given) for core in cores)
        return whole and generations <= words(person.suffix)

    return frozenset(person.id for person in EVERYBODY if fits(person))


def named_in_part(name: str) -> frozenset[str]:
    """Everybody to whose name all these words belong."""
    said = words(name)
    return frozenset(person.id for person in EVERYBODY if said <= words(*person.given, person.family, person.suffix))


def words(*names: str) -> set[str]:
    return {word for name in names for word in _folded(name)}


@cache
def _folded(name: str) -> tuple[str, ...]:
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    return tuple(re.findall(r"\w+", bare.replace("'", "").casefold()))
