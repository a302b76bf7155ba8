"""ICD-10-CM: what a code is called, from the tabular list. The names serve to find the code of a known condition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO
from xml.etree.ElementTree import iterparse

from docgemma.terminology.sources.record import Record, well_formed

_NOT_CONDITIONS = "VWXYZU"
"""External causes, contacts with health services and provisional codes."""


def codes(file: IO[bytes]) -> Iterator[Record]:
    """One record for each code. The file comes out of a wheel whose hash was checked: it is no user's XML."""
    for _, element in iterparse(file):  # noqa: S314
        if element.tag == "diag":
            code, name = element.findtext("name", ""), element.findtext("desc", "")
            if name and code[:1] not in _NOT_CONDITIONS and well_formed("ICD10CM", code):
                yield Record("ICD10CM", "ICD10CM", code, " ".join(name.split()), (), (), "Condition")
            for child in list(element):
                if child.tag != "name":
                    element.remove(child)
