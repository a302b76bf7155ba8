"""FHIR R4's own definitions, as they lie in a package of another server, cut back to what HL7 published.

The package carries HL7's files of version 4.0.1, with elements of its maker and of later versions among them. Two files
were left alone, and decide: the list of resource types, and `dataelements.json`, which holds every element without
parts. Its ids are cut at 64 characters, so that an element with a longer one is taken from the profiles as it stands.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docgemma.ehr.fhir_json import loads
from scripts.wheels import Unusable

FOLDER = "package/dist/fhir/r4/"
FILES = ("profiles-types", "profiles-resources", "dataelements", "valuesets", "v3-codesystems")
RESOURCE_TYPES = "http://hl7.org/fhir/resource-types"
FHIR_TYPE = "http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type"
LONGEST_ID = 64 - len("de-")

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its own name, cardinality, types, and the value set whose codes alone it may hold."""

    name: str
    least: int
    most: str
    types: tuple[str, ...]
    binding: str | None = None


@dataclass(slots=True)
class Structure:
    """A resource, a data type or a part of one: what it is built on, and the elements it adds."""

    base: str
    elements: list[Element] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Definitions:
    structures: Mapping[str, Structure]
    kinds: tuple[str, ...]
    code_systems: Mapping[str, Raw]
    value_sets: Mapping[str, Raw]


def read(package: Path) -> Definitions:
    """The definitions in this archive."""
    found = dict(zip(FILES, resources(package, *FILES), strict=True))
    terms = [*found["valuesets"], *found["v3-codesystems"]]
    systems = {one["url"]: one for one in reversed(terms) if one["resourceType"] == "CodeSystem"}
    sets = {one["url"]: one for one in reversed(terms) if one["resourceType"] == "ValueSet"}
    kinds = {concept["code"] for concept in systems[RESOURCE_TYPES]["concept"]}
    leaves = {one["snapshot"]["element"][0]["path"]: one["snapshot"]["element"][0] for one in found["dataelements"]}
    structures: dict[str, Structure] = {}
    for definition in [*found["profiles-types"], *found["profiles-resources"]]:
        if definition["kind"] == "complex-type" or definition["name"] in kinds:
            structures |= _structures(definition, leaves)
    concrete = tuple(sorted(kinds - {"Resource", "DomainResource"}))
    return Definitions(structures, concrete, systems, sets)


def resources(package: Path, *names: str) -> Iterator[list[Raw]]:
    """What lies in these files of the archive, capability statements and the like left out."""
    kept = ("StructureDefinition", "CodeSystem", "ValueSet")
    with tarfile.open(package) as archive:
        for name in names:
            file = archive.extractfile(f"{FOLDER}{name}.json")
            if file is None:
                raise Unusable(f"The package holds no {name}.json: not the one we know.")
            found = (entry["resource"] for entry in loads(file.read())["entry"])
            yield [resource for resource in found if resource["resourceType"] in kept]


def _structures(definition: Raw, leaves: Mapping[str, Raw]) -> Iterator[tuple[str, Structure]]:
    """The structure itself and every part of it, under its path."""
    name = definition["name"]
    listed = {raw["path"]: raw for raw in definition["snapshot"]["element"]}
    listed |= {path: raw for path, raw in leaves.items() if path not in listed and path.rpartition(".")[0] in listed}
    root = definition["type"]
    base = definition.get("baseDefinition", "").rsplit("/", 1)[-1]
    made = {root: Structure(base)}
    real = _real(listed, leaves)
    for path, raw in listed.items():
        own = raw["base"]["path"] == path
        narrowed = (raw["min"], raw["max"]) != (raw["base"]["min"], raw["base"]["max"])
        parent, _, last = path.rpartition(".")
        if parent not in made or not (path in real if own else narrowed):
            continue
        if _is_parent(path, listed):
            made[path] = Structure(raw["type"][0]["code"])
            element = Element(last, raw["min"], raw["max"], (path,))
        else:
            element = _leaf(last, raw, leaves.get(path, raw))
        made[parent].elements.append(element)
    for path, structure in made.items():
        yield name if path == root else path, structure


def _real(listed: Mapping[str, Raw], leaves: Mapping[str, Raw]) -> set[str]:
    """The paths that R4 has. A part is real when one of its elements is; where all ids were cut, it is believed."""
    real: set[str] = set()
    for path in sorted(listed, key=lambda path: -path.count(".")):
        if _is_parent(path, listed):
            own = [child for child in _children(path, listed) if listed[child]["base"]["path"] == child]
            plain = [child for child in own if len(child) <= LONGEST_ID and "contentReference" not in listed[child]]
            holds = any(child in real for child in plain) if plain else True
        else:
            holds = path in leaves or len(path) > LONGEST_ID or "contentReference" in listed[path]
        if holds:
            real.add(path)
    return real


def _is_parent(path: str, listed: Mapping[str, Raw]) -> bool:
    return any(True for _ in _children(path, listed))


def _children(path: str, listed: Mapping[str, Raw]) -> Iterator[str]:
    return (other for other in listed if other.rpartition(".")[0] == path)


def _leaf(name: str, profile: Raw, leaf: Raw) -> Element:
    if "contentReference" in profile:
        types: tuple[str, ...] = (profile["contentReference"].removeprefix("#"),)
    else:
        types = tuple(_type(leaf["path"], one) for one in leaf["type"])
    binding = leaf.get("binding", {})
    bound = binding["valueSet"].partition("|")[0] if binding.get("strength") == "required" else None
    return Element(name, profile["min"], profile["max"], types, bound)


def _type(path: str, raw: Raw) -> str:
    """A type's name: references with the resource types they may point to, quantities by their narrower profile."""
    if raw["code"].startswith("http://hl7.org/fhirpath/"):
        told = [one["valueUrl"] for one in raw.get("extension", []) if one["url"] == FHIR_TYPE]
        return "id" if path == "Resource.id" else str(told[0])
    profiles = [url.rsplit("/", 1)[-1] for url in raw.get("profile", [])]
    if raw["code"] == "Quantity" and profiles:
        return str(profiles[0])
    targets = sorted({url.rsplit("/", 1)[-1] for url in raw.get("targetProfile", [])})
    if raw["code"] == "Reference" and targets and targets != ["Resource"]:
        return f"Reference({','.join(targets)})"
    return str(raw["code"])
