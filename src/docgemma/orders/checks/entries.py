"""An allergy or a note before it is written: what the chart already says of it."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.drugs.rules.allergens import read_allergen
from docgemma.drugs.rules.allergy import check_allergy
from docgemma.ehr.folding import fold
from docgemma.entities.substances import SINGULAR
from docgemma.orders.checks.lines import in_record, line
from docgemma.orders.checks.taken import MEDICINES
from docgemma.orders.facts import Facts
from docgemma.orders.model import Allergy, Check

_STATES = {"refuted": "was recorded and then refuted", "": "is already recorded"}


def check_new_allergy(draft: Allergy, facts: Facts) -> Iterator[Check]:
    """Recorded before, said not to be there, or taken at this moment: each is for a person to weigh."""
    found = [*_recorded(draft, facts), *_denied(draft, facts), *_taken(draft, facts)]
    yield from found
    unread = "AllergyIntolerance" in facts.gaps
    if unread:
        yield line("allergy", "not_checked", f"Whether “{draft.substance}” is already recorded is not known.")
    if facts.gaps & MEDICINES:
        yield line("allergy", "not_checked", f"Whether “{draft.substance}” is taken now is not known.")
    elif not _is_compared(draft) and facts.medications:
        text = f"“{draft.substance}” is not a name we know: whether a medicine that is taken holds it is not checked."
        yield line("allergy", "not_checked", text)
    if not found and not unread:
        yield line("allergy", "passed", f"“{draft.substance}” is not on the allergy list yet.")


def _recorded(draft: Allergy, facts: Facts) -> Iterator[Check]:
    meant = _meanings(draft.substance) | set(draft.ingredients)
    for entry in (*facts.allergies, *facts.past_allergies, *facts.refuted):
        if any(not meant.isdisjoint(_meanings(name)) for name in entry.names):
            said = _STATES.get(entry.state, f"is recorded as {entry.state}")
            yield line("allergy", "warning", f"“{draft.substance}” {said}. {in_record(entry)}", entry.reference)


def _denied(draft: Allergy, facts: Facts) -> Iterator[Check]:
    """A statement that the new entry would make wrong. It stays in the chart until somebody takes it out."""
    for statement in facts.statements:
        if statement.state == "all" or not draft.category or statement.state == draft.category:
            text = f"The record states “{statement.name}”, which would no longer be true. {in_record(statement)}"
            yield line("allergy", "warning", text, statement.reference)


def _taken(draft: Allergy, facts: Facts) -> Iterator[Check]:
    """Medicines that hold it, are of its kind or cross-react with it."""
    substances = [draft.substance, *draft.ingredients]
    for entry in facts.medications:
        for finding in check_allergy(entry.ingredients, substances):
            if entry.ingredients and finding.outcome in ("hard_stop", "warning"):
                why = finding.text.partition(": ")[2].replace("is what was recorded", "is the same substance")
                text = f"The patient takes {entry.name} now: {why} {in_record(entry)}"
                yield line("allergy", "warning", text, entry.reference, finding.basis)
                break


def _is_compared(draft: Allergy) -> bool:
    """Whether it is a drug or something else that we know; then medicines could be looked through."""
    return bool(draft.ingredients) or read_allergen(draft.substance).is_known


def _meanings(text: str) -> set[str]:
    """What a name stands for, so that "Penicillins" and "penicillin", or "eggs" and "Egg", are found to be one."""
    read = read_allergen(text)
    others = {SINGULAR.get(other, other) for other in read.others}
    return {*read.ingredients, *read.classes, *others, " ".join(fold(text).split())}
