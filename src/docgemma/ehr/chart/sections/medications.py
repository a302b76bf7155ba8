"""Medications: what is ordered or taken now, each order on a line of its own, and what is over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from docgemma.ehr.chart.gaps import with_gaps
from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.recorded.codeable import called, concept, first_concept, full_concept
from docgemma.ehr.chart.recorded.fields import Node, code, codes, identity, joined, listed, node, nodes, plain, quoted
from docgemma.ehr.chart.recorded.numbers import amount, exact, interval, number, ratio
from docgemma.ehr.chart.recorded.when import day, ended, instant, is_past, shown, span, when
from docgemma.ehr.chart.view import View

_TEXT = 300
_MOST = 6
_UNITS = {"s": "second", "min": "minute", "h": "hour", "d": "day", "wk": "week", "mo": "month", "a": "year"}
_OFTEN = {"1": "once", "2": "twice"}
_WHEN = {
    "hs": "at bedtime", "wake": "on waking", "c": "with meals", "cm": "with breakfast", "cd": "with lunch",
    "cv": "with supper", "ac": "before meals", "acm": "before breakfast", "acd": "before lunch",
    "acv": "before supper", "pc": "after meals", "pcm": "after breakfast", "pcd": "after lunch", "pcv": "after supper",
    "morn": "in the morning", "noon": "at noon", "aft": "in the afternoon", "eve": "in the evening",
    "night": "at night",
}  # fmt: skip


def directions(instructions: object) -> str:
    """All instructions in order; empty when none says anything."""
    steps = nodes(instructions)
    steps.sort(key=lambda one: exact(one.get("sequence")) or 0)
    said = [text for one in steps[:_MOST] if (text := _instruction(one))]
    more = len(steps) - _MOST
    return joined("; then ".join(said), f"and {more} more instructions" if more > 0 else "", by="; ")


def end_of_course(instructions: object) -> str:
    """The last day on which it was to be taken, where the instructions name one for each of them."""
    ends = [ended(node(node(one.get("timing")).get("repeat")).get("boundsPeriod")) for one in nodes(instructions)]
    return max(ends) if ends and all(ends) else ""


def _instruction(one: Node) -> str:
    """Words without a figure in them ("as directed") do not make the coded dose superfluous."""
    text = plain(one.get("text"), _TEXT)
    if not text:
        return _composed(one)
    if not any(letter.isdigit() for letter in text):
        return joined(text, _composed(one), by="; ")
    asked = _as_needed(one)
    said = text.casefold()
    return joined(text, "" if "need" in said or "prn" in said else asked)


def _composed(one: Node) -> str:
    also = [concept(extra, 120) for extra in listed(one.get("additionalInstruction"))[:3]]
    return joined(
        _dose(one),
        concept(one.get("route"), 60),
        concept(one.get("site"), 60),
        _timing(node(one.get("timing"))),
        _as_needed(one),
        f"at most {most}" if (most := ratio(one.get("maxDosePerPeriod"))) else "",
        f"at most {most} each time" if (most := amount(one.get("maxDosePerAdministration"))) else "",
        *also,
        plain(one.get("patientInstruction"), 120),
    )


def _dose(one: Node) -> str:
    """ "5 mg", "1–2 tablets", with the rate of an infusion. A bare number says that its unit is not recorded."""
    said = []
    for dose in nodes(one.get("doseAndRate"))[:3] or [one]:
        quantity, spread = dose.get("doseQuantity"), node(dose.get("doseRange"))
        text = amount(quantity) or interval(spread.get("low"), spread.get("high"))
        if text and text == amount(quantity, unit=False):
            text = f"dose {text} (unit not recorded)"
        speed = node(dose.get("rateRange"))
        rate = amount(dose.get("rateQuantity")) or ratio(dose.get("rateRatio"))
        rate = rate or interval(speed.get("low"), speed.get("high"))
        said.append(joined(text, f"at {rate}" if rate else ""))
    return joined(*said, by=" or ")


def _timing(timing: Node) -> str:
    repeat = node(timing.get("repeat"))
    coded = concept(timing.get("code"), 60)
    moments = [_WHEN.get(one, one) for one in codes(repeat.get("when"))[:6]]
    days = codes(repeat.get("dayOfWeek"))[:7]
    hours = codes(repeat.get("timeOfDay"))[:8]
    total = number(repeat.get("count"))
    return joined(
        _frequency(repeat) or coded,
        *(plain(one, 30) for one in moments),
        f"on {'/'.join(plain(one, 10) for one in days)}" if days else "",
        f"at {'/'.join(plain(one, 5) for one in hours)}" if hours else "",
        f"{total} times in all" if total else "",
        *_bounds(repeat),
    )


def _frequency(repeat: Node) -> str:
    """ "twice a day", "every 6 hours", "once every 2 weeks"."""
    often, most = number(repeat.get("frequency")), number(repeat.get("frequencyMax"))
    every, longest = number(repeat.get("period")), number(repeat.get("periodMax"))
    unit = _UNITS.get(plain(repeat.get("periodUnit"), 10), plain(repeat.get("periodUnit"), 10))
    if not every or not unit:
        return f"{often} times, period not recorded" if often else ""
    times = f"{often}–{most} times" if often and most else _OFTEN.get(often or "1", f"{often} times")
    if every == "1" and not longest:
        return f"{times} {'an' if unit == 'hour' else 'a'} {unit}"
    length = f"every {every}{f'–{longest}' if longest else ''} {unit}s"
    return length if times == "once" else f"{times} {length}"


def _bounds(repeat: Node) -> Iterator[str]:
    length, spread = amount(repeat.get("boundsDuration")), node(repeat.get("boundsRange"))
    if length:
        yield f"for {length}"
    elif between := interval(spread.get("low"), spread.get("high")):
        yield f"for {between}"
    yield span(repeat.get("boundsPeriod"))


def _as_needed(one: Node) -> str:
    reason = first_concept(one.get("asNeededCodeableConcept"), 80)
    if reason:
        return f"as needed for {reason}"
    return "as needed" if one.get("asNeededBoolean") is True else ""


NONE_RECORDED = "No active medication is recorded. Medicines bought without prescription may be missing."
_KINDS = ("MedicationRequest", "MedicationStatement")
_OVER = {
    "completed": "completed",
    "stopped": "stopped",
    "cancelled": "cancelled",
    "not-taken": "recorded as not taken",
}
_STANDING = {
    "active": "",
    "on-hold": "ON HOLD",
    "draft": "DRAFT, not ordered yet",
    "intended": "intended, not started",
    "unknown": "status unknown",
}
_INTENTS = {"proposal": "proposal, not an order", "plan": "plan, not an order", "option": "one option of several"}


@dataclass(frozen=True, slots=True)
class Medication:
    """One order or statement. `since` is when it was written."""

    resource: Node
    name: str
    status: str
    since: str


def medications(view: View) -> Part:
    """Always whole, what the question names first. The same drug twice stays twice: it may be a duplicate that a
    clinician must see.
    """
    current = sorted(taken(view), key=lambda one: (one.name.casefold(), one.since, identity(one.resource)))
    current.sort(key=lambda one: not view.ask.names(one.name))
    entries = with_gaps([entry(one, view) for one in current], view.record, *_KINDS, nothing=NONE_RECORDED)
    void = sum(1 for one in _resources(view) if code(one.get("status")) == "entered-in-error")
    left_out = (f"Medications: {void} entered in error, not shown.",) if void else ()
    return Part("medications", entries, len(entries), left_out=left_out)


def past_medications(view: View) -> Part:
    """Newest first, those that the question names before all others; unless the past is asked for, only those."""
    over = [_read(one, view) for one in _resources(view) if code(one.get("status")) in _OVER]
    over.sort(key=lambda one: (instant(one.since), identity(one.resource)), reverse=True)
    named = [one for one in over if view.ask.names(one.name)]
    rest = [one for one in over if one not in named] if view.ask.wants("past_medications") else []
    return Part("past_medications", (entry(one, view) for one in (*named, *rest)), len(over))


def _resources(view: View) -> Iterator[Node]:
    for kind in _KINDS:
        yield from view.record.of(kind)


def taken(view: View) -> Iterator[Medication]:
    """A status that nobody understands does not make a drug a past one."""
    for resource in _resources(view):
        status = code(resource.get("status"))
        if status not in _OVER and status != "entered-in-error":
            yield _read(resource, view)


def _read(resource: Node, view: View) -> Medication:
    authored = resource.get("authoredOn") or resource.get("dateAsserted")
    since = authored if isinstance(authored, str) and instant(authored) else when(resource, "effective")
    return Medication(resource, _name(resource, view), code(resource.get("status")), since)


def _name(resource: Node, view: View) -> str:
    """Coded, referred to, contained, or only displayed; else words that say that there is one."""
    name = full_concept(resource.get("medicationCodeableConcept"))
    reference = node(resource.get("medicationReference"))
    drug = view.follow(reference, "Medication", resource) if reference and not name else {}
    name = name or full_concept(drug.get("code")) or plain(reference.get("display")) or _ingredients(drug)
    if name.startswith("code "):
        return f"a medication given only as {name}"
    return name or f"A medication entry that cannot be read ({identity(resource) or 'without an id'})"


def names(one: Medication, view: View) -> tuple[str, ...]:
    """Every name that the entry gives for its drug, and those of what the drug is made of."""
    reference = node(one.resource.get("medicationReference"))
    drug = view.follow(reference, "Medication", one.resource) if reference else {}
    parts = [called(part.get("itemCodeableConcept")) for part in nodes(drug.get("ingredient"))]
    given = [called(one.resource.get("medicationCodeableConcept")), called(drug.get("code")), *parts]
    shown = plain(reference.get("display"))
    return tuple(dict.fromkeys([name for each in given for name in each] + ([shown] if shown else []))) or (one.name,)


def is_forbidden(one: Medication) -> bool:
    """An order not to give the drug."""
    return one.resource.get("doNotPerform") is True


def _ingredients(drug: Node) -> str:
    listed = nodes(drug.get("ingredient"))[:8]
    return joined(*(full_concept(one.get("itemCodeableConcept")) for one in listed), by=" + ")


def entry(one: Medication, view: View) -> Entry:
    resource = one.resource
    instructions = resource.get("dosageInstruction") or resource.get("dosage")
    marks = joined(*_marks(one, view))
    forbidden = "DO NOT GIVE: " if is_forbidden(one) else ""
    dose = directions(instructions) or "dose not recorded"
    reason = first_concept(resource.get("reasonCode"), 80) or _reason(resource, view)
    said = "ordered" if "authoredOn" in resource else "recorded"
    text = joined(
        f"{forbidden}{one.name}: {dose}",
        f"for {reason}" if reason else "",
        f"[{marks}]" if marks else "",
        f"{said} {shown(one.since, view.today)}" if one.since else "undated",
        next((text for note in nodes(resource.get("note")) if (text := quoted(note.get("text"), 120))), ""),
        by="; ",
    )
    short = joined(f"{forbidden}{one.name}", plain(dose, 80), f"[{marks}]" if marks else "")
    return Entry(text, day(one.since), identity(resource), short)


def _reason(resource: Node, view: View) -> str:
    for reference in nodes(resource.get("reasonReference"))[:1]:
        found = view.follow(reference, "Condition", resource)
        return plain(reference.get("display"), 80) or first_concept(found.get("code"), 80)
    return ""


def _marks(one: Medication, view: View) -> Iterator[str]:
    """Whatever makes this less, or more, than an order that is being followed."""
    resource = one.resource
    if one.status in _OVER:
        yield _OVER[one.status]
    elif one.status in _STANDING:
        yield _STANDING[one.status]
    else:
        yield "status not understood" if one.status else "status not recorded"
    yield _INTENTS.get(code(resource.get("intent")), "")
    if resource.get("resourceType") == "MedicationStatement":
        yield "as reported"
    course = end_of_course(resource.get("dosageInstruction") or resource.get("dosage"))
    end = course or ended(resource.get("effectivePeriod"))
    if one.status not in _OVER and is_past(end, view.today):
        yield f"its course ended {day(end)}, yet the status is {plain(one.status, 20) or 'not recorded'}"
    valid = ended(node(resource.get("dispenseRequest")).get("validityPeriod"))
    if one.status not in _OVER and is_past(valid, view.today):
        yield f"the prescription was valid until {day(valid)}"
