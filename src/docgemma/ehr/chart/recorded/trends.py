"""One series as a line: the newest value with its date and judgement, and how it came to be there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal

from docgemma.ehr.chart.model import Entry
from docgemma.ehr.chart.recorded.observations import Series, observed_on
from docgemma.ehr.chart.recorded.plain import counted, joined, plain, quoted
from docgemma.ehr.chart.recorded.shape import Node, code, identity, nodes
from docgemma.ehr.chart.recorded.values import Value, judgement, value_of
from docgemma.ehr.chart.recorded.when import day, moment, shown

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
