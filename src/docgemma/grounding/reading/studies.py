"""Studies as ClinicalTrials.gov gives them: version 2 and the older shape, alone, in a page, in an array.

Age and sex of the registry's own fields become criteria too: many studies state them nowhere else. Their text is the
field's name and value as the registry writes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgemma.grounding.reading.blocks import split_block
from docgemma.grounding.reading.contract import Piece, Refused
from docgemma.grounding.reading.records import folded

_PAGES = ("studies", "fullstudies")
_WRAPPERS = ("study", "fullstudiesresponse", "studyfieldsresponse")
_LIMITS = (("minimumage", "Minimum Age", "minimum-age"), ("maximumage", "Maximum Age", "maximum-age"))
_NO_LIMIT = frozenset({"", "na", "nolimit", "none"})
_NO_SEX = frozenset({"", "all", "both"})


def part(record: Any, *path: str) -> Any:
    """What lies there, whatever the case of the names; None where nothing does."""
    for name in path:
        if not isinstance(record, Mapping):
            return None
        record = next((value for key, value in record.items() if isinstance(key, str) and folded(key) == name), None)
    return record


def is_study(record: Any) -> bool:
    return isinstance(part(record, "protocolsection"), Mapping)


def studies(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]] | None:
    """The studies of a record: itself, the one that it wraps, those of its page. None where it is something else."""
    if is_study(record):
        return iter((record,))
    for name in _WRAPPERS:
        if isinstance(inner := part(record, name), Mapping):
            return studies(inner)
    for name in _PAGES:
        page = part(record, name)
        if isinstance(page, Sequence) and not isinstance(page, str):
            return (one for each in page if isinstance(each, Mapping) for one in studies(each) or ())
    return None


def study_pieces(study: Mapping[str, Any], line: int) -> Iterator[Piece]:
    """Its criteria in their order, then age and sex. Raises Refused where it has none of them."""
    section = part(study, "protocolsection")
    number = part(section, "identificationmodule", "nctid")
    protocol = number if isinstance(number, str) and number.isprintable() and len(number) <= 40 else ""
    module = part(section, "eligibilitymodule")
    text = part(module, "eligibilitycriteria")
    made = split_block(text) if isinstance(text, str) else iter(())
    empty = True
    for piece in (*made, *_structured(module)):
        yield replace(piece, line=line, protocol=protocol, fresh=empty)
        empty = False
    if empty:
        raise Refused(f"The study {protocol or 'without a number'} has no eligibility criteria in this file.")


def _structured(module: Any) -> Iterator[Piece]:
    for name, title, slug in _LIMITS:
        value = part(module, name)
        if isinstance(value, str) and folded(value) not in _NO_LIMIT:
            yield Piece(0, f"{title}: {' '.join(value.split())}", "inclusion", name=slug)
    sex = part(module, "sex") or part(module, "gender")
    if isinstance(sex, str) and folded(sex) not in _NO_SEX:
        yield Piece(0, f"Sex: {' '.join(sex.split()).capitalize()}", "inclusion", name="sex")
