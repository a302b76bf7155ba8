"""An order against what is already ordered or taken: the same medicine twice, or another of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.drugs.rules.duplicates import check_duplicate
from docgemma.drugs.rules.outcome import resting_on
from docgemma.orders.checks.lines import in_record, line, quoted
from docgemma.orders.facts import Facts, Recorded
from docgemma.orders.model import Check, Prescription

MEDICINES = frozenset({"MedicationRequest", "MedicationStatement"})
UNCLEAR = "the name is not, or only in part, known here"


def check_duplicates(draft: Prescription, facts: Facts) -> Iterator[Check]:
    """Each medicine of the list by itself, so that its entry can be shown."""
    known = [entry for entry in facts.medications if entry.ingredients]
    found = [check for entry in known for check in _against(draft, entry)]
    unclear = [entry for entry in facts.medications if entry.unknown]
    if unclear:
        text = f"Whether it is the same medicine as {names_of(unclear)} is not checked: {UNCLEAR}."
        found.append(line("duplicate", "not_checked", text, *references_of(unclear), gap=unnamed(unclear)))
    yield from found
    if found or facts.gaps & MEDICINES:
        return
    pairs = [(entry.name, entry.ingredients) for entry in known]
    basis = resting_on("shipped tables") if known else ""
    for finding in check_duplicate(draft.ingredients, pairs, name=draft.medication):
        yield line("duplicate", finding.outcome, finding.text, finding.basis, basis)


def _against(draft: Prescription, entry: Recorded) -> Iterator[Check]:
    if not draft.ingredients:
        return
    called = f"{entry.name} ({entry.state})" if entry.state else entry.name
    for finding in check_duplicate(draft.ingredients, [(called, entry.ingredients)], name=draft.medication):
        if finding.outcome != "passed":
            text = f"{finding.text} {in_record(entry)}"
            yield line("duplicate", finding.outcome, text, entry.reference, finding.basis)


def unnamed(entries: list[Recorded]) -> str:
    """Why nothing is compared with these."""
    return f"Not checked with {names_of(entries)}: {UNCLEAR}."


def names_of(entries: list[Recorded]) -> str:
    return quoted(list(dict.fromkeys(entry.name for entry in entries)))


def references_of(entries: list[Recorded]) -> list[str]:
    return [entry.reference for entry in entries if entry.reference]
