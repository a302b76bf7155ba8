"""What the rules say of the medicine itself, its amount and its way, for somebody like this patient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from docgemma.drugs.rules.age import check_age
from docgemma.drugs.rules.dose import check_dose, check_route
from docgemma.drugs.rules.outcome import Finding
from docgemma.drugs.rules.pregnancy import check_pregnancy
from docgemma.drugs.rules.renal import check_renal
from docgemma.drugs.rules.tables import about
from docgemma.drugs.rules.weekly import check_weekly
from docgemma.drugs.rules.weight import check_weight
from docgemma.entities.amounts.doses import Dose, parse_dose
from docgemma.entities.amounts.frequencies import Frequency, parse_frequency
from docgemma.entities.amounts.kidneys import Measure, parse_kidney_value
from docgemma.orders.checks.lines import NOTE, ended, line, merged
from docgemma.orders.facts import Facts, Known
from docgemma.orders.model import Check, Prescription

_MOST_PARTS = 3


@dataclass(frozen=True, slots=True)
class _Order:
    """A draft with its amounts read; None where they cannot be."""

    draft: Prescription
    dose: Dose | None
    frequency: Frequency | None


_ORDINARY = frozenset({"", "by mouth"})


def check_amounts(draft: Prescription, facts: Facts) -> Iterator[Check]:
    """Every rule for every ingredient; one that knows nothing of the medicine says so."""
    if not draft.ingredients:
        yield line("dose", "not_checked", "Without known ingredients no rule can be applied.")
        return
    order = _Order(draft, parse_dose(draft.dose), parse_frequency(draft.frequency))
    yield from _dose(order, facts)
    yield from merged(_weekly(order))
    yield from merged(_routes(draft))
    yield from merged(_by_weight(order, facts))
    yield from merged(_renal(draft, facts))
    yield from merged(finding for part in draft.ingredients for finding in check_age(part, facts.age))
    yield from merged(_pregnancy(draft, facts))


def _dose(order: _Order, facts: Facts) -> Iterator[Check]:
    if order.dose is None:
        yield line("dose", "not_checked", f"How much “{order.draft.dose}” is cannot be worked out.")
        return
    yield from merged(
        _too_much_together(order, order.dose, facts) or _doses(order.draft.ingredients, order.dose, order, facts)
    )


def _doses(parts: tuple[str, ...], dose: Dose, order: _Order, facts: Facts) -> tuple[Finding, ...]:
    route = order.draft.route
    return check_dose(parts, dose, order.frequency, route=route, age=facts.age, weight=facts.weight_kg)


def _too_much_together(order: _Order, dose: Dose, facts: Facts) -> tuple[Finding, ...]:
    """ "8750/1250 mg": which number is whose is not certain, so that only what is too much either way is a stop."""
    parts = order.draft.ingredients
    if not 1 < len(parts) == len(dose.amounts) <= _MOST_PARTS or dose.each or dose.most:
        return ()
    ways = []
    for amounts in permutations(dose.amounts):
        found = [
            finding
            for part, amount in zip(parts, amounts, strict=True)
            for finding in _doses((part,), Dose((amount,), dose.unit), order, facts)
        ]
        ways.append(tuple(finding for finding in found if finding.outcome == "hard_stop"))
    return ways[0] if all(ways) else ()


def _weekly(order: _Order) -> Iterator[Finding]:
    for part in order.draft.ingredients:
        yield check_weekly(part, order.frequency, route=order.draft.route, dose=order.dose)


def _by_weight(order: _Order, facts: Facts) -> Iterator[Finding]:
    for part in order.draft.ingredients:
        found = check_weight(part, order.dose, order.frequency, age=facts.age, weight=facts.weight_kg)
        if facts.weight_kg is None and found.outcome == "not_checked":
            yield _with(found, _why(facts.weight))
        elif " kg is " in found.text:
            yield _resting(found, facts.weight)
        else:
            yield found


def _stated(draft: Prescription) -> dict[Measure, float]:
    """Kidney values that the order itself states. They count beside the chart's: whoever wrote them saw something."""
    found = (parse_kidney_value(piece) for piece in draft.notes.split(";"))
    return {measure: float(value) for measure, value in filter(None, found)}


def _renal(draft: Prescription, facts: Facts) -> Iterator[Finding]:
    stated = _stated(draft)
    for part in draft.ingredients:
        if stated:
            found = check_renal(part, stated.get("egfr"), stated.get("crcl"))
            yield _with(found, "As stated with the order, not from the record", "the order's own words")
        found = check_renal(part, facts.egfr, facts.crcl)
        if " is needed." in found.text:
            yield _with(found, _why(facts.filtration))
            continue
        used = [known for known in (facts.filtration, facts.clearance) if _is_used(found, known)]
        yield _resting(found, used[0]) if used else found


def _pregnancy(draft: Prescription, facts: Facts) -> Iterator[Finding]:
    said = f"In the record: {ended(facts.pregnancy.words)}" if facts.pregnancy.words else ""
    for part in draft.ingredients:
        found = check_pregnancy(part, facts.pregnant, facts.sex, facts.age)
        yield _with(found, said, facts.pregnancy.reference)


def _resting(found: Finding, known: Known) -> Finding:
    """With the value it rests on. What passed on a value that may not hold has not been checked."""
    if known.doubt and found.outcome == "passed":
        found = replace(found, outcome="not_checked")
    doubt = f" Not to be relied on: {known.doubt}." if known.doubt and known.doubt not in known.words else ""
    return _with(found, f"From {ended(known.words)}{doubt}", known.reference)


def _is_used(found: Finding, known: Known) -> bool:
    return known.value is not None and f" {known.value:g} mL/min" in found.text


def _why(known: Known) -> str:
    return f"Why it is not known: {ended(known.words)}" if known.words else ""


def _with(found: Finding, more: str, reference: str = "") -> Finding:
    """With what it rests on, which is told once where two ingredients rest on the same."""
    text = f"{found.text}{NOTE}{more}" if more else found.text
    return replace(found, text=text, basis="; ".join(part for part in (reference, found.basis) if part))


def _routes(draft: Prescription) -> Iterator[Finding]:
    """The table names routes that must never be. Where it names none, the ordinary way needs no word of its own."""
    for part in draft.ingredients:
        if draft.route not in _ORDINARY or about("routes", part):
            yield check_route(part, draft.route)
