"""What keeps a request from becoming a draft, said so that the person can mend it. No door gets past it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from docgemma.clinical import ErrorType


@dataclass(frozen=True, slots=True)
class Unclear:
    """A question instead of a draft. `missing` are the arguments it is about, `suggestions` what may be meant."""

    error_type: ErrorType
    missing: tuple[str, ...]
    question: str
    suggestions: tuple[str, ...] = ()


LIMITS = {
    "patient_id": 64,
    "medication_name": 120,
    "dosage": 60,
    "frequency": 60,
    "notes": 500,
    "substance": 120,
    "reaction": 120,
    "severity": 30,
    "note_type": 60,
    "note_text": 20_000,
}
_NAMES = {
    "patient_id": "the patient's id",
    "medication_name": "the drug",
    "dosage": "the dose",
    "frequency": "how often it is taken",
    "notes": "the further details",
    "substance": "the substance",
    "reaction": "the reaction",
    "severity": "the severity",
    "note_type": "the kind of note",
    "note_text": "the text of the note",
}
_QUESTIONS = {
    "patient_id": "Which patient is it for?",
    "medication_name": "Which drug is it?",
    "dosage": "What is the dose?",
    "frequency": "How often is it taken?",
    "substance": "What is the allergy to?",
    "reaction": "What was the reaction? “Unknown” is an answer too.",
    "note_type": "What kind of note is it?",
    "note_text": "What shall the note say?",
}
_NO_MARK = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Letters and marks that show nothing, though their category says otherwise."""

_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")


def has_unseen(text: str, *, lines: bool = False) -> bool:
    """Whether a character shows nothing, turns the reading direction or means nothing. Line ends pass in a note."""
    if text.isascii() and text.isprintable():
        return False
    allowed = "\n\t" if lines else ""
    return any(
        character not in allowed and (character in _BLANK or unicodedata.category(character) in _NO_MARK)
        for character in text
    )


def fault(fields: Mapping[str, str], optional: Collection[str] = ()) -> Unclear | None:
    """The first thing that no field may have: missing, too long, or characters that nobody sees."""
    absent = tuple(name for name, value in fields.items() if name not in optional and not value.strip())
    if absent:
        question = _QUESTIONS[absent[0]] if len(absent) == 1 else f"Still needed: {_listed(absent)}."
        return Unclear("missing_required_args", absent, question)
    for name, value in fields.items():
        if has_unseen(value, lines=name == "note_text"):
            said = f"{_NAMES[name].capitalize()} is written with characters that cannot be seen. Type it again."
            return Unclear("invalid_args", (name,), said)
        if len(value) > LIMITS[name]:
            said = f"{_NAMES[name].capitalize()} is longer than {LIMITS[name]:,} characters. Say it in fewer words."
            return Unclear("invalid_args", (name,), said)
    if not _ID.fullmatch(fields["patient_id"].strip()):
        return Unclear("invalid_args", ("patient_id",), "That is not an id of the record system. Which patient is it?")
    return None


def amount(field: str, question: str, suggestions: tuple[str, ...] = ()) -> Unclear:
    """An amount that only the user can clear up."""
    return Unclear("unclear_amount", (field,), question, suggestions)


def _listed(names: Collection[str]) -> str:
    *rest, last = (_NAMES[name] for name in names)
    return f"{', '.join(rest)} and {last}"
