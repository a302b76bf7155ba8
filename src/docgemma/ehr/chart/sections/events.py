"""What happened: encounters one by one; procedures and immunisations by name with their dates; newest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import chain

from docgemma.ehr.chart.model import Entry, Part, sentence
from docgemma.ehr.chart.recorded.codeable import concept, first_concept
from docgemma.ehr.chart.recorded.fields import Node, code, identity, joined, node, plain
from docgemma.ehr.chart.recorded.numbers import number
from docgemma.ehr.chart.recorded.when import begun, day, in_words, instant, shown, span, when
from docgemma.ehr.chart.view import View

_VOID = frozenset({"entered-in-error"})
_SETTINGS = {
    "amb": "ambulatory", "emer": "emergency", "imp": "inpatient", "acute": "inpatient", "obsenc": "observation",
    "hh": "at home", "vr": "virtual", "ss": "short stay", "nonac": "inpatient", "prenc": "before admission",
}  # fmt: skip
_HOSPITAL = frozenset({"inpatient", "emergency", "observation", "short stay"})
_EARLIER = 5
_LATEST = 5
"""Encounters that answer "the last visit": a few, as the newest may have been a telephone call."""

_Dated = tuple[str, str, Node]


def encounters(view: View) -> Part:
    """Each with its kind, setting and reason; what did not take place says so. Asked for a stay, stays come first."""
    found = _newest_first(view.record.of("Encounter"), lambda one: begun(one.get("period")))
    left_out = _withdrawn("Encounters", len(view.record.of("Encounter")) - len(found))
    if view.ask.admitted:
        found.sort(key=lambda each: _setting(each[2]) not in _HOSPITAL)
    most = _LATEST if view.ask.latest else None
    coming = view.ask.coming and view.ask.wants("encounters")
    about = [sentence("Appointments to come are not read: these are encounters.")] if coming else []
    entries = chain(about, (_encounter(one, view) for _, _, one in found[:most]))
    advice = "those in hospital first" if view.ask.admitted else "newest first"
    return Part("encounters", entries, len(found), advice, left_out)


def procedures(view: View) -> Part:
    found = _newest_first(view.record.of("Procedure"), lambda one: when(one, "performed"))
    groups = _by_name(found, _procedure_name)
    kinds = len(groups)
    if view.aside("procedures"):
        groups = {name: group for name, group in groups.items() if view.mentioned(name)}
    left_out = _withdrawn("Procedures", len(view.record.of("Procedure")) - len(found))
    entries = (_repeated(name, group, view.today, _outcome) for name, group in _named_first(groups, view))
    return Part("procedures", entries, kinds, left_out=left_out)


def immunisations(view: View) -> Part:
    """A dose that was not given is a line of its own: it is no protection."""
    found = _newest_first(view.record.of("Immunization"), lambda one: when(one, "occurrence"))
    groups = _by_name(found, _vaccine_name)
    left_out = _withdrawn("Immunisations", len(view.record.of("Immunization")) - len(found))
    entries = (_repeated(name, group, view.today, _dose) for name, group in _named_first(groups, view))
    return Part("immunisations", entries, len(groups), left_out=left_out)


def _newest_first(resources: Iterable[Node], date_of: Callable[[Node], str]) -> list[_Dated]:
    found = [(date_of(one), identity(one), one) for one in resources if code(one.get("status")) not in _VOID]
    found.sort(key=lambda each: (instant(each[0]), each[1]), reverse=True)
    return found


def _withdrawn(title: str, void: int) -> tuple[str, ...]:
    return (f"{title}: {void} entered in error, not shown.",) if void else ()


def _setting(one: Node) -> str:
    setting = code(node(one.get("class")).get("code"))
    return _SETTINGS.get(setting, plain(setting, 30))


def _encounter(one: Node, view: View) -> Entry:
    on = begun(one.get("period"))
    status = code(one.get("status"))
    reason = first_concept(one.get("reasonCode"), 100)
    dates = span(one.get("period")).removeprefix("since ")
    text = joined(
        f"{dates or 'undated'}: {first_concept(one.get('type'), 100) or 'Encounter'}",
        _setting(one),
        f"reason {reason}" if reason else "",
        "" if status == "finished" else plain(status, 20) or "status not recorded",
        view.named(one.get("serviceProvider"), one),
    )
    return Entry(text, day(on), identity(one))


def _procedure_name(one: Node) -> str:
    name = concept(one.get("code")) or "A procedure entry that cannot be read"
    status = code(one.get("status"))
    if status == "completed":
        return name
    mark = "NOT DONE" if status == "not-done" else plain(status, 20) or "status not recorded"
    return f"{name} [{mark}]"


def _vaccine_name(one: Node) -> str:
    name = concept(one.get("vaccineCode")) or "A vaccination entry that cannot be read"
    status = code(one.get("status"))
    if status == "completed":
        return name
    reason = concept(one.get("statusReason"), 60)
    mark = "NOT GIVEN" if status == "not-done" else plain(status, 20) or "status not recorded"
    return f"{name} [{joined(mark, reason, by=': ')}]"


def _outcome(one: Node) -> str:
    outcome, site = concept(one.get("outcome"), 80), first_concept(one.get("bodySite"), 60)
    return joined(site, f"outcome {outcome}" if outcome else "")


def _dose(one: Node) -> str:
    protocol = node(one.get("protocolApplied"))
    dose = number(protocol.get("doseNumberPositiveInt")) or plain(protocol.get("doseNumberString"), 20)
    return f"dose {dose}" if dose else ""


def _by_name(found: list[_Dated], name_of: Callable[[Node], str]) -> dict[str, list[_Dated]]:
    groups: dict[str, list[_Dated]] = {}
    for dated in found:
        groups.setdefault(name_of(dated[2]), []).append(dated)
    return groups


def _named_first(groups: dict[str, list[_Dated]], view: View) -> Iterator[tuple[str, list[_Dated]]]:
    """What the question names comes first; the order is otherwise kept."""
    if not view.ask.stems:
        yield from groups.items()
        return
    yield from sorted(groups.items(), key=lambda item: not view.ask.names(item[0]))


def _repeated(name: str, group: list[_Dated], today: date, about: Callable[[Node], str]) -> Entry:
    """ "Influenza: 2025-10-02 (dose 1); earlier 2024-10-05, 2023-09-30 and 4 more"."""
    on, reference, newest = group[0]
    first = (
        shown(on, today) if day(on) else in_words(newest, "occurrence") or in_words(newest, "performed") or "undated"
    )
    detail = about(newest)
    earlier = [day(each[0]) or "undated" for each in group[1 : _EARLIER + 1]]
    more = len(group) - 1 - len(earlier)
    before = joined(f"earlier {', '.join(earlier)}" if earlier else "", f"{more} more" if more else "", by=" and ")
    text = joined(f"{name}: {first}{f' ({detail})' if detail else ''}", before, by="; ")
    return Entry(text, day(on), reference)
