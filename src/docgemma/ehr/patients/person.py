"""Who a Patient resource is about, in one line that a clinician checks before trusting an answer."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from docgemma.ehr.contract import Resource
from docgemma.ehr.patients.identifiers import record_number
from docgemma.ehr.patients.shapes import part, parts, text, texts

NO_NAME = "No name recorded"
_LONGEST_NAME = 80
_USES = ("official", "usual", "", "temp", "anonymous", "nickname", "maiden", "old")
_SEXES = frozenset({"male", "female", "other"})
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_TITLE = re.compile(r"(?:mr|mrs|ms|miss|mx|dr|prof|smt|shri|sr|sra)\.?", re.IGNORECASE)
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TEST_DATA = ("http://terminology.hl7.org/CodeSystem/v3-ActReason", "HTEST")


@dataclass(frozen=True, slots=True)
class Person:
    """One patient as shown to people. Nothing here is cut from the record without need: it tells twins apart."""

    id: str
    name: str
    birth_date: str | None = None
    sex: str | None = None
    mrn: str | None = None
    deceased: bool = False
    fictional: bool = False

    @property
    def mrn_tail(self) -> str | None:
        """The end of the record number: enough to tell two people apart, too little to copy."""
        bare = "".join(letter for letter in self.mrn or "" if letter.isalnum())
        return bare[-4:] if len(bare) >= 7 else bare[-3:] or None

    def banner(self) -> str:
        """Name with two identifiers, so that twins in name are told apart."""
        facts = (
            f"born {self.birth_date}" if self.birth_date else None,
            self.sex,
            f"MRN …{self.mrn_tail}" if self.mrn_tail else None,
            "deceased" if self.deceased else None,
            "FICTIONAL" if self.fictional else None,
        )
        return ", ".join([self.name, *(fact for fact in facts if fact)])


def person_of(patient: Resource) -> Person:
    """What can be read of the resource. A field of an odd shape is left out, never guessed."""
    birth_date = text(patient.get("birthDate"))
    sex = text(patient.get("gender"))
    return Person(
        id=text(patient.get("id")),
        name=_name(patient) or NO_NAME,
        birth_date=birth_date if _DATE.fullmatch(birth_date) else None,
        sex=sex if sex in _SEXES else None,
        mrn=one_line(record_number(patient), 40) or None,
        deceased=has_died(patient),
        fictional=any(
            (tag.get("system"), tag.get("code")) == _TEST_DATA for tag in parts(part(patient.get("meta")).get("tag"))
        ),
    )


def has_died(patient: Resource) -> bool:
    return patient.get("deceasedBoolean") is True or isinstance(patient.get("deceasedDateTime"), str)


def one_line(written: str, most: int) -> str:
    """The text without line breaks, direction marks and whatever else cannot be seen, and not longer than `most`."""
    seen = []
    for letter in written[: 4 * most]:
        kind = unicodedata.category(letter)
        if kind[0] == "Z" or kind == "Cc":
            seen.append(" ")
        elif kind[0] != "C":
            seen.append(letter)
    line = unicodedata.normalize("NFC", " ".join("".join(seen).split()))
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _name(patient: Resource) -> str:
    """The name in use now. An earlier or a pet name only when there is no other."""
    names = sorted(parts(patient.get("name")), key=_rank)
    return next((line for name in names if (line := one_line(_spoken(name), _LONGEST_NAME))), "")


def _rank(name: dict[str, Any]) -> tuple[bool, int]:
    use = text(name.get("use"))
    over = bool(part(name.get("period")).get("end"))
    return over, _USES.index(use) if use in _USES else _USES.index("")


def _spoken(name: dict[str, Any]) -> str:
    """As it is spoken, with what tells namesakes apart (Jr, III). The family name comes first where it does so in the
    language, or in the written-out text; else that text is for names without parts.
    """
    given, family = " ".join(texts(name.get("given"))), text(name.get("family"))
    if not (given.strip() or family.strip()):
        return text(name.get("text"))
    family_first = _EAST_ASIAN.search(family) or text(name.get("text")) == f"{family} {given}"
    called = (family, given) if family_first else (given, family)
    prefix = [one for one in texts(name.get("prefix")) if not _TITLE.fullmatch(one.strip())]
    return " ".join([*prefix, *called, *texts(name.get("suffix"))])
