"""Small patient registers that search as real servers do, each in its own way. In memory, and counting requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from docgemma.ehr.contract import CHART, EhrError, Hits, Params, Record, Resource
from docgemma.ehr.folding import fold

Style = Literal["embedded", "medplum", "router", "ignores_name", "no_birthdate"]
STYLES: tuple[Style, ...] = ("embedded", "medplum", "router", "ignores_name", "no_birthdate")

MR = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "MR"}]}


def patient(id_: str, given: str = "", family: str = "", born: str = "", **more: Any) -> Resource:
    """A Patient as a hospital would register it. `given` holds one given name a word; `mrn` is its record number."""
    name: dict[str, Any] = {"use": "official"}
    if given:
        name["given"] = given.split()
    if family:
        name["family"] = family
    if suffix := more.pop("suffix", None):
        name["suffix"] = [suffix]
    resource: Resource = {"resourceType": "Patient", "id": id_, "name": [name, *more.pop("other_names", [])]}
    if born:
        resource["birthDate"] = born
    if mrn := more.pop("mrn", None):
        resource["identifier"] = [{"type": MR, "system": "urn:example:hospital", "value": mrn}]
    return {**resource, **more}


class Register:
    """An `Ehr` over a list of patients.

    embedded: folded words by their beginning, in any order. medplum: words by their beginning, accents matter, whole
    dates only. router: any piece of a part of the name, accents matter, an unknown parameter finds nobody.
    ignores_name: everybody, whoever is asked for. no_birthdate: as medplum, and refuses to be asked for a date.
    """

    def __init__(self, patients: Sequence[Resource], style: Style = "embedded") -> None:
        self.patients = list(patients)
        self.style = style
        self.asked: list[Params] = []
        self.reads: list[str] = []
        self._compared: dict[str, str] = {}

    async def folds_names(self) -> bool:
        return self.style == "embedded"

    async def read(self, kind: str, id_: str) -> Resource | None:
        self.reads.append(id_)
        return next((one for one in self.patients if one["id"] == id_), None)

    async def record(self, patient_id: str, kinds: Sequence[str] = CHART) -> Record | None:
        raise NotImplementedError

    async def search(self, kind: str, params: Params, *, most: int = 200) -> Hits:
        assert kind == "Patient"
        assert most > 0
        self.asked.append(params)
        found = self.patients
        for name, value in params:
            fits = self._condition(name, value)
            found = [one for one in found if fits(one)]
        return Hits(tuple(found[:most]), complete=len(found) <= most)

    def _condition(self, name: str, value: str) -> Callable[[Resource], bool]:
        assert not re.search(r"[\\$\x00-\x1f\ud800-\udfff]", value), "a value that means something to a server"
        values = value.split(",")
        if name == "name":
            return self._named(values)
        if name == "identifier":
            return lambda one: any(_numbered(one, text) for text in values)
        if name == "birthdate" and self.style != "no_birthdate":
            return self._born(value)
        if self.style == "router":
            return lambda one: False
        raise EhrError("invalid_args", "Unknown search parameter.")

    def _named(self, values: Sequence[str]) -> Callable[[Resource], bool]:
        if self.style == "ignores_name":
            return lambda one: True
        if self.style == "router":
            return lambda one: any(text.lower() in self._kept(one) for text in values)
        alternatives = [[f" {word}" for word in self._split(text).split()] for text in values]
        return lambda one: any(all(word in self._kept(one) for word in words) for words in alternatives)

    def _split(self, text: str) -> str:
        return fold(text) if self.style == "embedded" else re.sub(r"[\s'’-]+", " ", text.lower())

    def _kept(self, one: Resource) -> str:
        """All that this server compares, worked out once: the words after a space, or the parts between lines."""
        if one["id"] not in self._compared:
            parts = [part for name in one.get("name", []) for part in _parts(name)]
            router = self.style == "router"
            text = "\n".join(parts).lower() if router else " " + " ".join(map(self._split, parts))
            self._compared[one["id"]] = text
        return self._compared[one["id"]]

    def _born(self, value: str) -> Callable[[Resource], bool]:
        prefix, date = (value[:2], value[2:]) if value[:2] in ("ge", "le") else ("", value)
        if self.style == "medplum" and not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
            raise EhrError("invalid_args", "Not a date.")

        def fits(one: Resource) -> bool:
            recorded: str = one.get("birthDate", "")
            if not recorded or not prefix:
                return bool(recorded) and recorded.startswith(date)
            return recorded >= date[: len(recorded)] if prefix == "ge" else recorded <= date

        return fits


def _numbered(one: Resource, text: str) -> bool:
    system, bar, number = text.rpartition("|")
    return any(
        identifier.get("value") == number and (not bar or identifier.get("system", "") == system)
        for identifier in one.get("identifier", [])
    )


def _parts(name: dict[str, Any]) -> list[str]:
    return [*name.get("given", []), *(name[key] for key in ("family", "text") if key in name)]
