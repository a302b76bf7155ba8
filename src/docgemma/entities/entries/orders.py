"""Which drugs a prescription request orders, and which amounts belong to which of them.

Amounts are bound by position; one serves several drugs only when the user says so ("both daily").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from docgemma.entities.amounts.durations import parse_duration
from docgemma.entities.amounts.frequencies import adjacent
from docgemma.entities.amounts.indications import find_indications
from docgemma.entities.amounts.kidneys import find_kidney_values
from docgemma.entities.entries.binding import (
    CONTEXT,
    RIGHT_AFTER,
    amounts_within,
    bound,
    detail_owner,
    dose_owner,
    frequency_owner,
    shared,
    within,
)
from docgemma.entities.entries.slips import last_said
from docgemma.entities.model import Entities, Mention, Order, WriteRequest
from docgemma.entities.words import replaced

__all__ = ["find_orders", "within"]

_FORM = r"(?:(?:tab|cap|inj|syp|syr|susp|oint)\w{0,9}\.?\s{1,2})?"
_NUMBERED = r"\(?\d{1,2}[.)]\s{0,3}"
_JOINT = re.compile(
    r"(?:(?:[,;&+\n]|(?<!\w)(?:and|plus|then|also|as\swell\sas))\s{0,4}"
    rf"(?:(?:a|an|some|the|of|also|then|and|[-*•])\s{{1,2}}){{0,3}}(?:{_NUMBERED})?{_FORM}|(?:^|[\s.]){_NUMBERED}{_FORM}"
    r"|(?:^|\s)(?:tab|cap|inj|syp|syr)\w{0,6}\.?\s{1,2})$",
    re.IGNORECASE,
)
_WITH = re.compile(r"(?<!\w)(?:along\s|together\s)?with\s{1,3}$", re.IGNORECASE)
_EITHER = re.compile(r"(?:(?<!\w)or(?!\w)|/)\s{0,3}(?:an?\s{1,2})?$", re.IGNORECASE)
_NEXT_IN_LIST = re.compile(rf"[\s.;,:]{{0,4}}{_NUMBERED}{_FORM}", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"(?<![\w-])\(?\d{1,2}$")
_ITEM_END = re.compile(r"[!?\n]|[.;](?=\s|$)|\s(?=\(?\d{1,2}[.)]\s)")
_SENTENCE_START = re.compile(r"(?:[.;!\n]\s{0,3}|[.;!\n]\s{0,3}(?:the|for)\s{1,2})$", re.IGNORECASE)
_LOOK_BACK = 8


def find_orders(text: str, found: Entities) -> tuple[Order, ...]:
    """The ordered drugs, each once, in order. Of "A or B" neither is ordered: only the user can say which."""
    found = replace(found, doses=last_said(text, found.doses), frequencies=last_said(text, found.frequencies))
    named = sorted((*found.drugs, *found.unlisted_drugs), key=lambda drug: drug.start)
    reacting = {substance.start for substance in found.substances}
    orders: dict[str, Order] = {}
    done = 0
    limits = [*(write.start for write in found.writes[1:]), len(text)]
    for told, limit in zip(found.writes, limits, strict=False):
        if told.kind != "prescribe":
            continue
        write = _with_list(text, told, limit, named, found)
        done = max(done, write.end)
        for order in _in_write(text, write, within(named, write.start, write.end), reacting, found):
            _keep(orders, order)
    if len(orders) == 1 and {drug.value for drug in named} == {*orders}:
        return (_alone(text, next(iter(orders.values())), found),)
    for order in _restated(text, done, named, found):
        if order.drug.value in orders:
            _keep(orders, order)
    return tuple(orders.values())


def _keep(orders: dict[str, Order], order: Order) -> None:
    """The same drug named twice is one order; two doses of it are then a contradiction that is asked about."""
    before = orders.get(order.drug.value)
    orders[order.drug.value] = (
        order
        if before is None
        else Order(
            before.drug,
            before.doses + order.doses,
            before.frequencies + order.frequencies,
            before.routes + order.routes,
            before.durations + order.durations,
            before.reasons + order.reasons,
        )
    )


def _with_list(text: str, write: WriteRequest, limit: int, named: Sequence[Mention], found: Entities) -> WriteRequest:
    """With the numbered items that follow it: the point of "2." ends no list."""
    starts = {item.start for item in (*within(named, write.end, limit), *within(found.doses, write.end, limit))}
    end = write.end
    while starts:
        number = _LIST_NUMBER.search(text, max(write.start, end - 3), end)
        begun = _NEXT_IN_LIST.match(text, number.start() if number else end, limit)
        if begun is None or begun.end() not in starts:
            break
        stop = _ITEM_END.search(text, begun.end(), limit)
        end = stop.start() if stop else limit
    return replace(write, end=end)


def _in_write(
    text: str, write: WriteRequest, drugs: Sequence[Mention], reacting: set[int], found: Entities
) -> list[Order]:
    ordered = _listed(text, [drug for drug in drugs if drug.start not in reacting], found)
    for_all = shared(text, drugs, amounts_within(found, write.start, write.end)) if len(drugs) > 1 else []
    taken = {amount.start for amount in for_all}

    def own(kind: Sequence[Mention]) -> list[Mention]:
        return [item for item in within(kind, write.start, write.end) if item.start not in taken]

    def common(kind: Sequence[Mention]) -> list[Mention]:
        return [item for item in within(kind, write.start, write.end) if item.start in taken]

    all_doses, all_often = common(found.doses), common(found.frequencies)
    all_routes, all_lasting = common(found.routes), common(found.durations)
    reasons = [
        reason
        for reason in (
            *find_indications(text, write.start, write.end),
            *find_kidney_values(text, write.start, write.end),
        )
        if not within(found.person_names, reason.start, reason.end)
    ]
    doses = bound(text, drugs, own(found.doses), dose_owner)
    often = bound(text, drugs, own(found.frequencies), frequency_owner)
    routes = bound(text, drugs, own(found.routes), detail_owner)
    lasting = bound(text, drugs, _without_people(own(found.durations), found), detail_owner)
    why = bound(text, drugs, reasons, detail_owner)
    return [
        Order(
            drug,
            (*doses.get(drug.start, ()), *all_doses),
            (*often.get(drug.start, ()), *all_often),
            (*routes.get(drug.start, ()), *all_routes),
            (*lasting.get(drug.start, ()), *all_lasting),
            tuple(why.get(drug.start, ())),
        )
        for drug in ordered
    ]


def _without_people(durations: Sequence[Mention], found: Entities) -> list[Mention]:
    """ "Until Friday abc-123" ends before the patient: notes name nobody."""
    kept: list[Mention] = []
    for item in durations:
        people = [*within(found.patient_ids, item.start, item.end), *within(found.person_names, item.start, item.end)]
        said = item.text[: min((who.start for who in people), default=item.end) - item.start].rstrip()
        if value := item.value if not people else parse_duration(said):
            kept.append(Mention(said, item.start, item.start + len(said), value))
    return kept


def _alone(text: str, order: Order, found: Entities) -> Order:
    """The only drug of the message: amounts in a later sentence are its own too."""
    start = next(write.start for write in found.writes if write.kind == "prescribe")
    ends = {item.end for item in amounts_within(found, start, len(text))}

    def later(kind: Sequence[Mention], known: Sequence[Mention]) -> tuple[Mention, ...]:
        """A way or a duration counts beside another amount: "cough for 3 days" is no part of the order."""
        own = {item.start for item in known}
        more = [item for item in kind if item.start >= start and adjacent(text, item.start, ends)]
        return (*known, *(item for item in _without_people(more, found) if item.start not in own))

    return replace(
        order,
        doses=tuple(item for item in found.doses if item.start >= start),
        frequencies=tuple(item for item in found.frequencies if item.start >= start),
        routes=later(found.routes, order.routes),
        durations=later(found.durations, order.durations),
    )


def _restated(text: str, done: int, named: Sequence[Mention], found: Entities) -> list[Order]:
    """Amounts given after the request, drug by drug: "Metformin 500 mg bd. Lisinopril 10 mg daily."."""
    orders: list[Order] = []
    later = within(named, done, len(text))
    for index, drug in enumerate(later):
        limit = later[index + 1].start if index + 1 < len(later) else len(text)
        stop = _ITEM_END.search(text, drug.end, limit)
        end = stop.start() if stop else limit
        doses = within(found.doses, drug.end, end)
        opens = _SENTENCE_START.search(text, max(0, drug.start - _LOOK_BACK), drug.start)
        stated = opens and doses and RIGHT_AFTER.fullmatch(text, drug.end, doses[0].start)
        if stated and not CONTEXT.search(text, drug.end, end):
            kinds = (
                doses,
                *(within(kind, drug.end, end) for kind in (found.frequencies, found.routes, found.durations)),
            )
            orders.append(Order(drug, *(tuple(kind) for kind in kinds)))
    return orders


def _listed(text: str, drugs: Sequence[Mention], found: Entities) -> list[Mention]:
    """The first drug and those joined to it."""
    ordered = list(drugs[:1])
    for one, other in pairwise(drugs):
        gap = _bare(text, one.end, other.start, found)
        if _EITHER.search(gap):
            return []
        dosed = any(
            RIGHT_AFTER.fullmatch(text, other.end, d.start) for d in within(found.doses, other.end, other.end + 5)
        )
        joined = not gap.strip() or _JOINT.search(gap) or (dosed and _WITH.search(gap))
        if not joined or CONTEXT.search(gap):
            break
        ordered.append(other)
    return ordered


def _bare(text: str, start: int, end: int, found: Entities) -> str:
    """What stands between two drugs besides amounts and people."""
    kinds = (amounts_within(found, start, end), found.patient_ids, found.person_names)
    inside = sorted(
        (item.start - start, item.end - start) for kind in kinds for item in within(kind, start, end) if item.end <= end
    )
    return replaced(text[start:end], ((begin, stop, " ") for begin, stop in inside))
