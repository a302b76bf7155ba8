"""An order against the allergy list, entry by entry, so that the entry itself can be shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docgemma.drugs.rules.allergy import check_allergy
from docgemma.drugs.rules.outcome import Finding, resting_on
from docgemma.orders.checks.lines import in_record, line, listed
from docgemma.orders.facts import Facts, Recorded
from docgemma.orders.model import Check, Prescription


def check_allergies(draft: Prescription, facts: Facts) -> Iterator[Check]:
    """Every entry that counts; those that are over as a warning; and the list as a whole."""
    if not draft.ingredients:
        yield from _bare(check_allergy((), ()))
        return
    found = [*_against_current(draft, facts), *_against_past(draft, facts)]
    yield from found
    yield from (line("allergy", "not_checked", text) for text in facts.contradictions)
    if "AllergyIntolerance" in facts.gaps:
        return
    if not facts.allergies:
        stated = [statement.reference for statement in facts.statements if statement.state in ("all", "medication")]
        for finding in check_allergy(draft.ingredients, (), stated_none=facts.stated_none):
            yield line("allergy", finding.outcome, finding.text, *stated, finding.basis)
    elif not found and not facts.contradictions:
        yield _passed(draft, facts)


def _against_current(draft: Prescription, facts: Facts) -> Iterator[Check]:
    """What concerns no single entry, as a medicine of no class, is told once for all of them."""
    general: dict[str, Finding] = {}
    for entry in facts.allergies:
        for finding in check_allergy(draft.ingredients, entry.names):
            if finding.outcome == "passed":
                continue
            if not finding.text.startswith("Recorded allergy"):
                general[finding.text] = finding
            else:
                text = f"{finding.text} {in_record(entry)}" if finding.outcome != "not_checked" else finding.text
                yield line("allergy", finding.outcome, text, entry.reference, finding.basis)
    yield from _bare(general.values())


def _against_past(draft: Prescription, facts: Facts) -> Iterator[Check]:
    """What was resolved may come back, and what is inactive may only have been filed so."""
    for entry in facts.past_allergies:
        for finding in check_allergy(draft.ingredients, entry.names):
            if finding.outcome in ("hard_stop", "warning"):
                text = f"Recorded as {entry.state}, no longer as active. {finding.text} {in_record(entry)}"
                yield line("allergy", "warning", text, entry.reference, finding.basis)


def _bare(findings: Iterable[Finding]) -> Iterator[Check]:
    for finding in findings:
        yield line("allergy", finding.outcome, finding.text, finding.basis)


def _passed(draft: Prescription, facts: Facts) -> Check:
    count = len(facts.allergies)
    said = "The recorded allergy does not concern" if count == 1 else f"None of {count} recorded allergies concerns"
    text = f"{said} {listed(draft.ingredients)}."
    return line("allergy", "passed", text, *_references(facts.allergies), resting_on("shipped tables"))


def _references(entries: tuple[Recorded, ...]) -> list[str]:
    return [entry.reference for entry in entries if entry.reference][:8]
