"""What was observed: the value of an observation or of one of its components, as recorded, and how it was judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from docgemma.ehr.chart.model import Entry
from docgemma.ehr.chart.recorded.codeable import coded, concept
from docgemma.ehr.chart.recorded.fields import Node, code, counted, identity, joined, node, nodes, plain, quoted
from docgemma.ehr.chart.recorded.numbers import amount, comparator, exact, interval, number, ratio, unit_key, unit_of
from docgemma.ehr.chart.recorded.observations import Series, observed_on
from docgemma.ehr.chart.recorded.when import day, moment, shown, span

_TEXT = 200
_MOST_COMPONENTS = 12
_FLAGS = {
    "h": "high", "l": "low", "hh": "critically high", "ll": "critically low", "hu": "significantly high",
    "lu": "significantly low", "a": "abnormal", "aa": "critically abnormal", "n": "normal", "pos": "positive",
    "neg": "negative", "r": "resistant", "s": "susceptible", "i": "intermediate", "ind": "indeterminate",
}  # fmt: skip
_SYSTOLIC, _DIASTOLIC = "8480-6", "8462-4"


@dataclass(frozen=True, slots=True)
class Value:
    """`text` with its unit, `bare` without; `number` only where it can be compared: known and without a comparator."""

    text: str
    bare: str = ""
    number: Decimal | None = None
    unit: str = ""


def value_of(observed: Node) -> Value:
    """Never empty: where there is no value, the words say so."""
    quantity = observed.get("valueQuantity")
    if quantity is not None and amount(quantity):
        known = node(quantity)
        digits = None if comparator(known) else exact(known.get("value"))
        return Value(amount(known), amount(known, unit=False), digits, unit_key(known))
    text = _other_value(observed)
    if text:
        return Value(text, text)
    parts = nodes(observed.get("component"))
    if parts:
        return _of_components(parts)
    absent = concept(observed.get("dataAbsentReason"), 60)
    if absent:
        return Value(f"no value ({absent})")
    members = len(nodes(observed.get("hasMember")))
    return Value(f"a panel of {members}" if members else "no value recorded")


def _other_value(observed: Node) -> str:
    """The value in every form but a quantity."""
    yes = observed.get("valueBoolean")
    period = observed.get("valueRange")
    return (
        concept(observed.get("valueCodeableConcept"), _TEXT)
        or plain(observed.get("valueString"), _TEXT)
        or ("yes" if yes is True else "no" if yes is False else "")
        or number(observed.get("valueInteger"))
        or interval(node(period).get("low"), node(period).get("high"))
        or ratio(observed.get("valueRatio"))
        or day(observed.get("valueDateTime"))
        or span(observed.get("valuePeriod"))
        or plain(observed.get("valueTime"), 12)
        or ("a series of samples, not shown" if observed.get("valueSampledData") else "")
    )


def _of_components(parts: list[Node]) -> Value:
    pressure = _blood_pressure(parts)
    if pressure:
        return pressure
    said = [f"{concept(part.get('code'), 60) or 'unnamed'} {value_of_part(part)}" for part in parts[:_MOST_COMPONENTS]]
    if len(parts) > _MOST_COMPONENTS:
        said.append(f"{len(parts) - _MOST_COMPONENTS} more")
    return Value("; ".join(said))


def value_of_part(part: Node) -> str:
    """A component carries no components of its own."""
    value = value_of({key: found for key, found in part.items() if key not in ("component", "hasMember")})
    return joined(value.text, judgement(part, value))


def _blood_pressure(parts: list[Node]) -> Value | None:
    """ "138/85 mmHg", the way it is said, where both are there in one unit."""
    upper, lower = _component(parts, _SYSTOLIC, "systolic"), _component(parts, _DIASTOLIC, "diastolic")
    if len(parts) != 2 or not upper or not lower or unit_key(upper) != unit_key(lower):
        return None
    bare = f"{amount(upper, unit=False)}/{amount(lower, unit=False)}"
    return Value(f"{bare} {unit_of(upper)}".rstrip(), bare, None, unit_key(upper))


def _component(parts: list[Node], loinc: str, word: str) -> Node:
    for part in parts:
        if loinc in coded(part.get("code")) or word in concept(part.get("code")).casefold():
            quantity = node(part.get("valueQuantity"))
            return quantity if amount(quantity) else {}
    return {}


def judgement(observed: Node, value: Value) -> str:
    """The flag the laboratory gave, and where the value lies in the range that was recorded with it."""
    return joined(_flag(observed), _in_range(observed, value))


def _flag(observed: Node) -> str:
    for one in nodes(observed.get("interpretation")):
        for known in coded(one):
            return f"flagged {_FLAGS[known]}" if known in _FLAGS else f"flagged {concept(one, 40)}"
        text = concept(one, 40)
        if text:
            return f"flagged {text}"
    return ""


def _in_range(observed: Node, value: Value) -> str:
    """Compared only with a single range in the very unit of the value; otherwise the range is only shown."""
    ranges = nodes(observed.get("referenceRange"))
    said = [text for one in ranges[:3] if (text := _range_text(one))]
    if not said:
        return ""
    if len(ranges) > 1:
        return f"recorded ranges {'; '.join(said)}"
    low, high = node(ranges[0].get("low")), node(ranges[0].get("high"))
    units = {key for one in (low, high) if one and (key := unit_key(one))}
    bottom, top = exact(low.get("value")), exact(high.get("value"))
    if value.number is None or units - {value.unit} or not (bottom is not None or top is not None):
        return f"recorded range {said[0]}"
    where = "within"
    if bottom is not None and value.number < bottom:
        where = "below"
    elif top is not None and value.number > top:
        where = "above"
    return f"{where} the recorded range {said[0]}"


def _range_text(one: Node) -> str:
    text = interval(one.get("low"), one.get("high")) or plain(one.get("text"), 60)
    whom = concept(node(one.get("appliesTo")), 40)
    return f"{text} ({whom})" if text and whom else text


FEW, MANY = 3, 8
"""How many values a trend shows: in a summary, and where it was asked for."""

_MARKS = {
    "final": "",
    "preliminary": "preliminary",
    "amended": "amended",
    "corrected": "corrected",
    "registered": "registered, no final result yet",
    "unknown": "status unknown",
}


def line(series: Series, today: date, *, points: int, note: Callable[[Node], str] | None = None) -> Entry:
    """ "HbA1c: 9.1 % (2026-09-01), above the recorded range 4.0–5.6 %; trend 7.9 (2026-03-01) → 9.1 (2026-09-01)".

    `note` adds what a kind of value needs beside its date, such as the age of a child.
    """
    newest = series.newest
    value = value_of(newest)
    on = observed_on(newest)
    date_and_mark = joined(shown(on, today), note(newest) if note else "", mark(newest))
    said = joined(f"{value.text} ({date_and_mark})", judgement(newest, value))
    remark = next((text for one in nodes(newest.get("note")) if (text := quoted(one.get("text"), 120))), "")
    text = joined(f"{series.name}: {said}", _trend(series, value, points), remark, by="; ")
    return Entry(text, day(on), identity(newest))


def mark(observation: Node) -> str:
    """What its status says beyond a final result."""
    status = code(observation.get("status"))
    return _MARKS.get(status, "status not understood" if status else "status not recorded")


def _trend(series: Series, value: Value, points: int) -> str:
    """Earlier values beside the newest. Numbers only in one unit; nothing is converted."""
    if points < 2 or len(series.points) < 2 or not value.bare:
        return ""
    same: list[tuple[Node, Value]] = [(series.newest, value)]
    other_unit = 0
    for _, _, resource in series.points[1:]:
        earlier = value_of(resource)
        if not earlier.bare:
            continue
        if earlier.unit != value.unit:
            other_unit += 1
            continue
        same.append((resource, earlier))
        if len(same) == points:
            break
    aside = f"{counted(other_unit, 'value')} in another unit not compared" if other_unit else ""
    if len(same) == 1:
        return aside
    more = (
        f"the newest {len(same)} of {counted(len(series.points), 'value')}"
        if len(same) == points < len(series.points)
        else ""
    )
    if value.number is None and len({earlier.bare for _, earlier in same}) == 1:
        return joined(f"the same in {counted(len(same), 'entry', 'entries')} since {_day(same[-1][0])}", more, aside)
    return joined(f"trend {_steps(same)}", _direction([earlier.number for _, earlier in same]), more, aside)


def _day(resource: Node) -> str:
    return day(observed_on(resource)) or "an unknown date"


def _steps(newest_first: Sequence[tuple[Node, Value]]) -> str:
    days = [day(observed_on(resource)) for resource, _ in newest_first]
    several_a_day = len(set(days)) < len(days)
    steps = []
    for (resource, value), on in zip(reversed(newest_first), reversed(days), strict=True):
        at = moment(observed_on(resource)) if several_a_day else on
        steps.append(f"{plain(value.bare, 60)} ({joined(at or 'undated', mark(resource))})")
    return " → ".join(steps)


def _direction(newest_first: Sequence[Decimal | None]) -> str:
    """A plain comparison of numbers; it does not say that a change matters."""
    known = [one for one in newest_first if one is not None]
    if len(known) != len(newest_first):
        return ""
    pairs = list(zip(known[1:], known, strict=False))
    if len(set(known)) == 1:
        return "unchanged"
    rising = all(before <= after for before, after in pairs)
    falling = all(before >= after for before, after in pairs)
    if len(known) == 2:
        return "higher than before" if rising else "lower than before"
    return "rising" if rising else "falling" if falling else "no steady direction"
