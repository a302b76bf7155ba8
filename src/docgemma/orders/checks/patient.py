"""Whether an entry may be made for this patient at all, and whether the chart says what it has to."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.orders.checks.lines import in_record, line
from docgemma.orders.facts import Facts
from docgemma.orders.model import Check, CheckOutcome, Prescription


def check_patient(facts: Facts, *, gravest: CheckOutcome) -> Iterator[Check]:
    """`gravest`: what a death or a record that was merged away means for this kind of entry."""
    record = f"Patient/{facts.person.id}"
    if facts.person.deceased:
        on = f" on {facts.died}" if facts.died else ""
        yield line("patient", gravest, f"The record says that this patient has died{on}.", record)
    if facts.merged:
        text = "This patient's record was merged into another one: allergies and medicines may stand there."
        yield line("patient", gravest, text, record)
    if facts.retired and not facts.person.deceased:
        yield line("patient", "warning", "This patient's record is marked as no longer in use.", record)
    if facts.strangers:
        text = "The record system also sent entries of somebody else, which were left out."
        yield line("patient", "warning", text)


def check_unread(facts: Facts) -> Iterator[Check]:
    """What was not read has not been compared with anything."""
    for what in facts.unread:
        yield line("patient", "not_checked", f"{what}.")


def check_forbidden(draft: Prescription, facts: Facts) -> Iterator[Check]:
    """An entry that says not to give this medicine."""
    for entry in facts.forbidden:
        if not set(entry.ingredients).isdisjoint(draft.ingredients):
            text = f"The record says not to give {entry.name}. {in_record(entry)}"
            yield line("patient", "hard_stop", text, entry.reference)
        elif entry.unknown:
            text = f"The record says not to give “{entry.name}”, which is not a name we know."
            yield line("patient", "not_checked", text, entry.reference)
