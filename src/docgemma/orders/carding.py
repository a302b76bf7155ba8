"""What a person reads before deciding: the entry in standard words, and what each check found, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docgemma.drugs.rules.outcome import UNREVIEWED
from docgemma.orders.model import Allergy, Check, Draft, Kind, Note, Prescription
from docgemma.orders.standing import MARKS

TITLES: dict[Kind, str] = {"prescription": "Prescription", "allergy": "Allergy", "note": "Clinical note"}

_ORDER = tuple(MARKS)
_NAMES = {
    "patient": "the patient",
    "duplicate": "the same treatment twice",
    "renal": "kidney function",
    "weekly": "daily or weekly",
}


def title(draft: Draft) -> str:
    """The entry in one line, without the patient."""
    match draft:
        case Prescription():
            rest = (draft.route, draft.duration)
            return " ".join([f"{draft.medication} {draft.dose} {draft.frequency}", *(part for part in rest if part)])
        case Allergy():
            grave = f", {draft.severity}" if draft.severity else ""
            return f"{draft.substance} (reaction: {draft.reaction}{grave})"
        case Note():
            return f"{draft.note_type}, {len(draft.text.split())} words"


def card_text(draft: Draft, banner: str) -> str:
    """The canonical text that is approved: one fact a line, every field that would be written."""
    lines = [f"{name}: {value}" for name, value in fields(draft)]
    return "\n".join([f"{TITLES[draft.kind]} for {banner}", *lines])


def fields(draft: Draft) -> tuple[tuple[str, str], ...]:
    """Every field that would be written, by its name."""
    return tuple((name, value) for name, value in _lines(draft) if value)


def _lines(draft: Draft) -> Iterator[tuple[str, str]]:
    match draft:
        case Prescription():
            yield "Medication", draft.medication
            yield "Ingredients", _other_than(draft.medication, draft.ingredients)
            yield "Dose", draft.dose
            yield "How often", draft.frequency
            yield "Route", draft.route
            yield "How long", draft.duration
            yield "Reason", draft.reason
            yield "Notes", draft.notes
        case Allergy():
            yield "Substance", draft.substance
            yield "Ingredients", _other_than(draft.substance, draft.ingredients)
            yield "Kind", draft.category
            yield "Reaction", draft.reaction
            yield "Severity", draft.severity
            yield "Risk of a severe reaction", draft.criticality
        case Note():
            yield "Type", draft.note_type
            yield "Written by", "a language model, to be checked" if draft.by_model else ""
            yield "Text", draft.text


def _other_than(name: str, ingredients: Sequence[str]) -> str:
    """The ingredients, unless the name says them."""
    named = " + ".join(ingredients)
    return named if named.casefold() != name.casefold() else ""


def gravest(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Hard stops first, then what could not be checked, then warnings, then what passed."""
    return tuple(sorted(checks, key=lambda check: _ORDER.index(check.outcome)))


def grouped(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The gravest first; what was not checked for one and the same reason in one line: six alike are not read."""
    found: dict[str, list[Check]] = {}
    for check in gravest(checks):
        found.setdefault(check.gap or check.model_dump_json(), []).append(check)
    return tuple(
        same[0].model_copy(update={"name": ", ".join(dict.fromkeys(map(called, same))), "detail": same[0].gap})
        if len(same) > 1
        else same[0]
        for same in found.values()
    )


def called(check: Check) -> str:
    """What was checked, in words that need no explanation."""
    return _NAMES.get(check.name, check.name)


def check_lines(checks: Sequence[Check]) -> tuple[str, ...]:
    """One line for each check that did not pass: how it ended, what was found, what that rests on. Then the others."""
    open_ = {check.name for check in checks if check.outcome != "passed"}
    fine = [called(check) for check in checks if check.outcome == "passed" and check.name not in open_]
    passed = ", ".join(dict.fromkeys(fine))  # of two ingredients one alone may have passed, and that is not enough
    lines = [_line(check) for check in grouped(checks) if check.outcome != "passed"]
    lines += [f"Passed: {passed}."] if passed else []
    return (*lines, *([f"* {UNREVIEWED}"] if rests_on_tables(checks) else []))


def _line(check: Check) -> str:
    return f"{MARKS[check.outcome]} {called(check)}: {check.detail}{in_brackets(check.basis)}"


def in_brackets(basis: str) -> str:
    """What a check rests on. That nobody reviewed it is marked, and said once below."""
    short = basis.replace(f"; {UNREVIEWED}", "*").replace(UNREVIEWED, "*")
    return f" [{short}]" if short else ""


def rests_on_tables(checks: Sequence[Check]) -> bool:
    """Whether the card has to say that nobody with a licence has looked at what it rests on."""
    return any(UNREVIEWED in check.basis for check in checks)


def still_needed(checks: Sequence[Check]) -> str:
    """What approving this card takes, in one sentence."""
    stops = sum(check.outcome == "hard_stop" for check in checks)
    unchecked = sum(check.outcome == "not_checked" for check in checks)
    parts = [
        *(["a typed reason (override)"] if stops else []),
        *(["an acknowledgement of what was not checked"] if unchecked else []),
    ]
    return f"To approve it needs {' and '.join(parts)}." if parts else ""
