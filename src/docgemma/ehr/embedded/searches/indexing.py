"""What the store keeps in its index, so that a search without a patient need not read every resource."""

from __future__ import annotations

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import IndexEntry
from docgemma.ehr.embedded.searches.elements import local, referred, texts, tokens, values
from docgemma.ehr.embedded.searches.parameters import Parameter, parameters_of
from docgemma.ehr.folding import fold_words

EDITION = 1
"""Of what `entries` makes. Raise it with every change there: stores then make their index anew when they are opened."""

_LONGEST = 200
_EVERY_KIND = ("identifier",)
_BY_KIND = {
    "Patient": ("name", "family", "given", "birthdate"),
    "Practitioner": ("name", "family", "given"),
    "RelatedPerson": ("name",),
    "Organization": ("name",),
    "Location": ("name",),
    "Provenance": ("target", "patient"),
}


def indexed(kind: str, name: str) -> bool:
    """Whether the index knows this parameter of this kind."""
    return name in _EVERY_KIND or name in _BY_KIND.get(kind, ())


def entries(resource: Resource) -> list[IndexEntry]:
    """Everything this resource is found by, each once, in a stable order."""
    kind = str(resource.get("resourceType", ""))
    known = parameters_of(kind)
    found: dict[IndexEntry, None] = {}
    for name in (*_EVERY_KIND, *_BY_KIND.get(kind, ())):
        for value in _keys(resource, known[name]):
            found[IndexEntry(name, value)] = None
    return list(found)


def clipped(value: str) -> str:
    """Long values are kept by their beginning. A search clips in the same way and then compares in full."""
    return value[:_LONGEST]


def _keys(resource: Resource, parameter: Parameter) -> list[str]:
    found = values(resource, parameter)
    if not found:
        return []
    match parameter.type:
        case "string":
            return [clipped(word) for value in found for text in texts(value) for word in fold_words(text)]
        case "token":
            pairs = [pair for value in found for pair in tokens(value)]
            return [clipped(f"{owner}|{code}") for system, code in pairs for owner in dict.fromkeys((system or "", ""))]
        case "reference":
            written = [referred(value) for value in found]
            return [clipped(place) for one in written if one is not None and (place := local(one)) is not None]
        case _:
            return [clipped(value) for value in found if isinstance(value, str)]
