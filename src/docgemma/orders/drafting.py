"""From the arguments of a request to a draft in standard words, or to exactly what has to be cleared up first.

The agent asks about most of it before; other programs do not. Whatever cannot be read for certain ends here: a drug is
never corrected, an amount never rounded, and nothing that was said is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from docgemma.drugs.rxnorm import rxnorm_of
from docgemma.entities.amounts.doses import parse_dose
from docgemma.entities.amounts.frequencies import parse_frequency
from docgemma.entities.amounts.traps import check_amounts
from docgemma.entities.drugs.spelling import Resolution, resolve
from docgemma.orders.details import read_details
from docgemma.orders.model import Allergy, Note, Prescription
from docgemma.orders.note_types import read_note_type
from docgemma.orders.substances import read_substance
from docgemma.orders.unclear import Unclear as Unclear
from docgemma.orders.unclear import amount, fault, has_unseen

Severity = Literal["mild", "moderate", "severe", ""]
Criticality = Literal["high", "low", ""]

_WHY = {
    "disguised": "“{name}” is written with characters that look like others.",
    "shorthand": "“{name}” is shorthand, and shorthand is misread.",
}
_SEVERITIES: dict[str, tuple[Severity, Criticality]] = {
    "": ("", ""),
    "mild": ("mild", ""),
    "moderate": ("moderate", ""),
    "severe": ("severe", ""),
    "life-threatening": ("severe", "high"),
    "life threatening": ("severe", "high"),
    "anaphylaxis": ("severe", "high"),
    "anaphylactic": ("severe", "high"),
    "fatal": ("severe", "high"),
    "high-risk": ("", "high"),
    "high risk": ("", "high"),
    "low-risk": ("", "low"),
    "low risk": ("", "low"),
}
"""Which word means how much: an engineering proposal, not reviewed by a clinician."""

_UNKNOWN = re.compile(
    r"(?:(?:the )?reaction )?(?:is |was )?(?:unknown|not known|unsure|not sure|unclear|unspecified|not recorded"
    r"|not documented|not stated|n/?a|\?)(?: reaction)?",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:none|nil|no|nothing|nkd?a|no (?:known )?(?:drug )?(?:allerg|reaction|symptom|problem)\w*.{0,80}"
    r"|(?:is |was )?not allergic.{0,80}|den(?:y|ies|ied) .{1,80}|tolerat(?:es|ed|ing).{0,80}|no longer .{1,80}"
    r"|nothing happened|ruled out|did ?n['o]?t react.{0,80}|not an? allergy.{0,80})",
    re.IGNORECASE,
)
_ANAPHYLAXIS = re.compile(r"(?<!no )(?<!not )(?<!without )(?<!\w)anaphyla(?:xis|ctic)", re.IGNORECASE)


def prescription(
    patient_id: str, medication_name: str, dosage: str, frequency: str, notes: str | None = None
) -> Prescription | Unclear:
    """A medication order, every amount read and written in standard words."""
    if has_unseen(medication_name):
        return _unseen_name("medication_name", medication_name)
    given = {
        "patient_id": patient_id,
        "medication_name": medication_name,
        "dosage": dosage,
        "frequency": frequency,
        "notes": notes or "",
    }
    unclear = fault(given, optional=("notes",)) or _unsafe(medication_name, dosage, frequency)
    if unclear:
        return unclear
    details = read_details(notes or "")
    if isinstance(details, Unclear):
        return details
    dose, often = _dose(dosage), _often(frequency, details.often)
    if isinstance(dose, Unclear):
        return dose
    if isinstance(often, Unclear):
        return often
    drug = resolve(medication_name)
    return Prescription(
        patient_id=patient_id.strip(),
        medication=drug.name,
        ingredients=drug.ingredients,
        dose=dose,
        frequency=often,
        route=details.route,
        duration=details.duration,
        reason=details.reason,
        notes=details.rest,
        rxnorm=rxnorm_of(drug.ingredients),
    )


def allergy(
    patient_id: str, substance: str, reaction: str, severity: str | None = None, *, confirmed: Collection[str] = ()
) -> Allergy | Unclear:
    """An allergy. `confirmed` are names the user stands by though no list knows them."""
    if has_unseen(substance):
        return _unseen_name("substance", substance)
    given = {"patient_id": patient_id, "substance": substance, "reaction": reaction, "severity": severity or ""}
    unclear = fault(given, optional=("severity",)) or _denied(substance, reaction) or _ungraded(severity or "")
    if unclear:
        return unclear
    found = read_substance(substance, confirmed)
    if isinstance(found, Unclear):
        return found
    grade, risk = _SEVERITIES[_plain(severity or "")]
    said = " ".join(reaction.split())
    return Allergy(
        patient_id=patient_id.strip(),
        substance=found.name,
        reaction="unknown" if _UNKNOWN.fullmatch(said) else said,
        severity=grade,
        category=found.category,
        criticality=risk or ("high" if _ANAPHYLAXIS.search(said) else ""),
        ingredients=found.ingredients,
        rxnorm=rxnorm_of(found.ingredients) if found.is_drug else "",
    )


def note(patient_id: str, note_type: str, note_text: str, *, by_model: bool = False) -> Note | Unclear:
    """A note in the user's own words; only line ends are made uniform."""
    text = note_text.replace("\r\n", "\n").strip()
    unclear = fault({"patient_id": patient_id, "note_type": note_type, "note_text": text})
    if unclear:
        return unclear
    kind, loinc = read_note_type(note_type)
    return Note(patient_id=patient_id.strip(), note_type=kind, text=text, loinc=loinc, by_model=by_model)


def _unsafe(medication_name: str, dosage: str, frequency: str) -> Unclear | None:
    """The first of name and amounts that only the user can clear up; the drug before its amounts."""
    drug = resolve(medication_name)
    unsafe = check_amounts(medication_name, dosage, frequency)
    if unsafe is not None and unsafe[0] == "medication_name":
        meant = unsafe[1].meaning
        return _which_drug("medication_name", unsafe[1].question, (meant,) if meant else drug.suggestions)
    if drug.kind == "unknown":
        why = f"“{medication_name}” is not a drug name I know, so it cannot be checked. What is its generic name?"
        return _which_drug("medication_name", why)
    if drug.kind != "known":
        return _offered("medication_name", medication_name, drug)
    if unsafe is not None:
        field, trap = unsafe
        return amount(field, trap.question, (trap.meaning,) if trap.meaning else ())
    return None


def _dose(dosage: str) -> str | Unclear:
    """Only what its own standard wording is read back as: a person approves the words, the chart gets the number."""
    dose = parse_dose(dosage)
    if dose is None or not any(dose.amounts) or parse_dose(dose.render()) != dose:
        return amount("dosage", f"“{dosage.strip()}” is not one dose with a unit. What is the dose?")
    return dose.render()


def _often(frequency: str, further: str) -> str | Unclear:
    stated = parse_frequency(frequency)
    if stated is None or parse_frequency(stated.render()) != stated:
        return amount("frequency", f"“{frequency.strip()}” is not clear. How often is it taken?")
    if not further:
        return stated.render()
    both = parse_frequency(f"{stated.render()} {further}")
    if both is None or (stated.often and both.often != stated.often) or parse_frequency(both.render()) != both:
        said = f"“{stated.render()}” and “{further}” do not go together. How often is it taken?"
        return amount("frequency", said)
    return both.render()


def _denied(substance: str, reaction: str) -> Unclear | None:
    """What says that there is no allergy is not recorded as one."""
    if _DENIED.fullmatch(_plain(substance)):
        return Unclear("invalid_args", ("substance",), "That names no substance. What is the allergy to?")
    if _DENIED.fullmatch(_plain(reaction)):
        said = "That says there was no reaction. What was the reaction? “Unknown” is an answer too."
        return Unclear("invalid_args", ("reaction",), said)
    return None


def _ungraded(severity: str) -> Unclear | None:
    if _plain(severity) in _SEVERITIES:
        return None
    grades = ("mild", "moderate", "severe")
    return Unclear("invalid_args", ("severity",), "How severe was it: mild, moderate or severe?", grades)


def _unseen_name(field: str, name: str) -> Unclear:
    """The name itself is not repeated: it would not be seen as it is."""
    why = "The name is written with characters that cannot be seen."
    found = resolve(name)
    if found.kind == "disguised":
        return _which_drug(field, f"{why} Did you mean {found.name}?", found.suggestions)
    return _which_drug(field, f"{why} Type it again.")


def _offered(field: str, name: str, found: Resolution) -> Unclear:
    why = _WHY.get(found.kind, "“{name}” is not a drug name I know.").format(name=name)
    names = found.suggestions or (found.name,)
    return _which_drug(field, f"{why} Did you mean {' or '.join(names)}?", names)


def _which_drug(field: str, question: str, suggestions: tuple[str, ...] = ()) -> Unclear:
    return Unclear("ambiguous_drug_name", (field,), question, suggestions)


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .,;:!")
