"""What can be searched for: one table, per kind of resource, of names, types and the elements they look at.

The names are those of FHIR R4. What is not in the table is refused, never ignored: a search that drops a condition
would answer with other people's data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from docgemma.entities.tables import rows

ParamType = Literal["string", "token", "reference", "date", "quantity", "uri", "flag"]

_ENTRY = re.compile(
    r"(?P<name>[\w-]+)(?:=(?P<paths>[\w.|]+))?(?:\[(?P<field>\w+)=(?P<value>\w+)\])?(?:>(?P<target>\w+))?"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One search parameter. `paths` are the elements it looks at; the rest is as in the table."""

    name: str
    type: ParamType
    paths: tuple[tuple[str, ...], ...]
    only: tuple[str, str] | None = None
    target: str = ""
    owner: bool = False

    @property
    def shown_type(self) -> str:
        """The type in FHIR's own words."""
        return "token" if self.type == "flag" else self.type


def parameters_of(kind: str) -> dict[str, Parameter]:
    """By name. A kind that is not in the table has what every kind has."""
    known = tables()
    return known.get(kind, known["*"])


@cache
def tables() -> dict[str, dict[str, Parameter]]:
    """The whole table, read once: kind, then name. `*` is for the kinds that it does not name."""
    read: dict[str, dict[str, Parameter]] = {}
    for kind, label, entries in rows("docgemma.ehr", "search_parameters.tsv"):
        known = read.setdefault(kind, dict(read.get("*", {})))
        for entry in entries.split():
            parameter = _parameter(label, entry)
            known[parameter.name] = parameter
    return read


def _parameter(label: str, entry: str) -> Parameter:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise ValueError(f"The table of search parameters has an unreadable entry: {entry}")
    paths = (found["paths"] or found["name"]).split("|")
    return Parameter(
        name=found["name"],
        type=cast("ParamType", "reference" if label == "owner" else label),
        paths=tuple(tuple(path.split(".")) for path in paths),
        only=(found["field"], found["value"]) if found["field"] else None,
        target=found["target"] or "",
        owner=label == "owner",
    )
