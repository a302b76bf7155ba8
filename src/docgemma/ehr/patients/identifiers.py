"""Record numbers: which of a patient's identifiers is one, and whether it is the one that was written."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Literal

from docgemma.ehr.contract import Params, Resource
from docgemma.ehr.patients.shapes import codes, part, parts, text

Held = Literal["current", "earlier", "other"]
"""How a patient holds a number: as one of theirs now, as one they had, or as a number of civil life."""

_PRIVATE = frozenset({"SS", "DL", "PPN", "TAX"})
_PRIVATE_SYSTEM = re.compile(r"ssn|social-?security|licen[cs]e|passport", re.IGNORECASE)
_RECORD_SYSTEM = re.compile(r"(?:mrn|medical-?record(?:-?number)?|patient-?(?:id|number))/?$", re.IGNORECASE)
_RECORD_TEXT = re.compile(r"medical record|\bmrn\b|hospital (?:number|no)|\buhid\b", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s./-]+")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_WRITTEN = re.compile(r"[^\W_][\w./ -]{0,63}")
_LOGICAL = re.compile(r"[A-Za-z0-9\-.]{1,64}")
_HEX = re.compile(r"[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:urn:uuid:|(?:\S{0,200}/)?Patient/)(?P<id>[A-Za-z0-9\-.]{1,64})(?:/_history/\S{1,64})?")
_MARK = re.compile(
    r"(?:(?:(?:patients?|pts?|mrn|m\.r\.n|uhid|urn|crn|hn|pid|empi|nhs|chi|ids?|nos?|nr|num|number|identifier|record|mr|ur"
    r"|medical\srecord|med\srec|hosp|hospital|unit|chart|file|case|reg|regn|registration|ipd?|opd?|cr|account|acct|with|is)"
    r"(?=[\s:#=.])|(?:mrn|uhid)(?=-)|[#:=.\s-]))*",
    re.IGNORECASE,
)
_TEN_DIGITS = re.compile(r"([0-9]{3})([0-9]{3})([0-9]{4})")


def record_number(patient: Resource) -> str:
    """The medical record number, the current one first. A social security or licence number is never shown as one."""
    known = [one for one in parts(patient.get("identifier")) if text(one.get("value")).strip()]
    for is_one in (_is_typed, _is_named):
        found = sorted((one for one in known if is_one(one)), key=lambda one: one.get("use") == "old")
        if found:
            return text(found[0].get("value")).strip()
    return ""


def _is_typed(identifier: dict[str, Any]) -> bool:
    return "MR" in codes(identifier.get("type"))


def _is_named(identifier: dict[str, Any]) -> bool:
    if _is_private(identifier):
        return False
    named = _RECORD_TEXT.search(text(part(identifier.get("type")).get("text")))
    return bool(named or _RECORD_SYSTEM.search(text(identifier.get("system"))))


def _is_private(identifier: dict[str, Any]) -> bool:
    private = not _PRIVATE.isdisjoint(codes(identifier.get("type")))
    return private or _PRIVATE_SYSTEM.search(text(identifier.get("system"))) is not None


def ids_written(written: str) -> tuple[str, ...]:
    """What may be meant as an id: as written and without the words before it. Text that is no id gives none."""
    line = unicodedata.normalize("NFKC", written[:300]).translate(_DASHES).strip().rstrip("?!,;:")
    if address := _ADDRESS.fullmatch(line):
        return (address["id"],)
    mark = _MARK.match(line)
    bare = line[mark.end() :] if mark else line
    return tuple(dict.fromkeys(one.strip() for one in (line, bare) if _WRITTEN.fullmatch(one.strip())))


def logical_ids(written: tuple[str, ...]) -> tuple[str, ...]:
    """Ids under which the patient may be stored. People do not keep case, servers do."""
    found: dict[str, None] = {}
    for one in written:
        if _LOGICAL.fullmatch(one):
            found |= dict.fromkeys((one, one.lower()) if _HEX.fullmatch(one) else (one, one.lower(), one.upper()))
    return tuple(found)


def values_written(written: tuple[str, ...]) -> tuple[str, ...]:
    """The ways a server may have the number: as written, in other case, without or with the usual separators."""
    found: dict[str, None] = {}
    for one in written:
        bare = _SEPARATORS.sub("", one)
        found |= dict.fromkeys((one, one.upper(), one.lower(), bare, bare.upper(), bare.lower()))
        if ten := _TEN_DIGITS.fullmatch(bare):
            found |= dict.fromkeys((" ".join(ten.groups()), "-".join(ten.groups())))
    return tuple(found)


def identifier_queries(written: tuple[str, ...]) -> tuple[Params, ...]:
    """One query for all forms. The second is for servers to which a number without a system is one that has none."""
    values = values_written(written)
    if not values:
        return ()
    return [("identifier", ",".join(values))], [("identifier", ",".join(f"|{value}" for value in values))]


def held(patient: Resource, written: tuple[str, ...]) -> Held | None:
    """Whether the patient has that number, compared in whole: a part of a number is another number."""
    asked = {_bare(one) for one in written}
    best: Held | None = None
    for identifier in parts(patient.get("identifier")):
        if _bare(text(identifier.get("value"))) not in asked:
            continue
        if _is_private(identifier):
            best = best or "other"
        elif identifier.get("use") == "old":
            best = "earlier" if best != "current" else best
        else:
            best = "current"
    return best


def _bare(value: str) -> str:
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", value).translate(_DASHES)).casefold()
