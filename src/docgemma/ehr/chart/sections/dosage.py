"""How a drug is to be taken: the prescriber's words, else the same put together from the coded parts."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.ehr.chart.recorded.codeable import concept, first_concept
from docgemma.ehr.chart.recorded.numbers import amount, exact, interval, number, ratio
from docgemma.ehr.chart.recorded.plain import joined, plain
from docgemma.ehr.chart.recorded.shape import Node, codes, listed, node, nodes
from docgemma.ehr.chart.recorded.when import ended, span

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
