"""What was observed: the value of an observation or of one of its components, as recorded, and how it was judged."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from docgemma.ehr.chart.recorded.codeable import coded, concept
from docgemma.ehr.chart.recorded.numbers import amount, comparator, exact, interval, number, ratio, unit_key, unit_of
from docgemma.ehr.chart.recorded.plain import joined, plain
from docgemma.ehr.chart.recorded.shape import Node, node, nodes
from docgemma.ehr.chart.recorded.when import day, span

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
