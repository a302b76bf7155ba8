"""Which drugs a prescription request orders, and which amounts belong to which of them.

Amounts are bound by position and never shared: a dose that could belong to two drugs belongs to none and is asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise

from docgemma.entities.model import Entities, Mention, Order, WriteRequest
from docgemma.entities.words import replaced

_JOINT = re.compile(
    r"(?:[,;&+\n]|(?<!\w)(?:and|plus|then|also|as\swell\sas))\s{0,4}(?:(?:a|an|some|the|of|also|then|and|[-*•])\s{1,2}){0,3}$",
    re.IGNORECASE,
)
_WITH = re.compile(r"(?<!\w)(?:along\s|together\s)?with\s{1,3}$", re.IGNORECASE)
_EITHER = re.compile(r"(?:(?<!\w)or(?!\w)|/)\s{0,3}(?:an?\s{1,2})?$", re.IGNORECASE)
_CONTEXT = re.compile(
    r"(?<!\w)(?:she|he|they|who|is|are|was|takes?|taking|has|have|had|since|because|given|allerg\w{1,8}|currently|already"
    r"|instead|not|no|without|avoid|despite|after|before|than|rather|interacts?|if|when|while|says?|tolerat\w{1,5})(?!\w)",
    re.IGNORECASE,
)
"""Words that make what follows the background of an order, not a part of it."""

_OF = re.compile(r"\s{0,2}(?:of\s{1,2})?", re.IGNORECASE)
_RIGHT_AFTER = re.compile(r"[\s,(:-]{0,4}")
_NEXT_ITEM = re.compile(r"(?<!\w)(?:and|plus|then)\s{1,2}$", re.IGNORECASE)
_AFTER_COMMA = re.compile(r",\s{0,2}$")
_LOOK_BACK = 8

_Owner = Callable[[str, Mention, Mention | None, Mention | None, bool], Mention | None]


def find_orders(text: str, found: Entities) -> tuple[Order, ...]:
    """The ordered drugs, each once, in order. Of "A or B" neither is ordered: only the user can say which."""
    named = sorted((*found.drugs, *found.unlisted_drugs), key=lambda drug: drug.start)
    reacting = {substance.start for substance in found.substances}
    orders: dict[str, Order] = {}
    for write in found.writes:
        if write.kind != "prescribe":
            continue
        for order in _in_write(text, write, within(named, write.start, write.end), reacting, found):
            before = orders.get(order.drug.value)
            orders[order.drug.value] = _merged(before, order) if before else order
    if len(orders) == 1 and {drug.value for drug in named} == {*orders}:
        return (_alone(next(iter(orders.values())), found),)
    return tuple(orders.values())


def within(mentions: Sequence[Mention], start: int, end: int) -> Sequence[Mention]:
    """Those that begin inside; `mentions` are in order."""
    return mentions[_place(mentions, start) : _place(mentions, end)]


def _place(mentions: Sequence[Mention], start: int) -> int:
    return bisect_left(mentions, start, key=lambda mention: mention.start)


def _in_write(
    text: str, write: WriteRequest, drugs: Sequence[Mention], reacting: set[int], found: Entities
) -> list[Order]:
    ordered = _listed(text, [drug for drug in drugs if drug.start not in reacting], found)
    doses = _bound(text, drugs, within(found.doses, write.start, write.end), _dose_owner)
    often = _bound(text, drugs, within(found.frequencies, write.start, write.end), _frequency_owner)
    return [Order(drug, tuple(doses.get(drug.start, ())), tuple(often.get(drug.start, ()))) for drug in ordered]


def _merged(one: Order, other: Order) -> Order:
    """The same drug named twice is one order; two doses of it are then a contradiction that is asked about."""
    return Order(one.drug, one.doses + other.doses, one.frequencies + other.frequencies)


def _alone(order: Order, found: Entities) -> Order:
    """The only drug of the message: amounts in a later sentence are its own too."""
    start = next(write.start for write in found.writes if write.kind == "prescribe")
    later = [[item for item in kind if item.start >= start] for kind in (found.doses, found.frequencies)]
    return Order(order.drug, tuple(later[0]), tuple(later[1]))


def _listed(text: str, drugs: Sequence[Mention], found: Entities) -> list[Mention]:
    """The first drug and those joined to it."""
    ordered = list(drugs[:1])
    for one, other in pairwise(drugs):
        gap = _bare(text, one.end, other.start, found)
        if _EITHER.search(gap):
            return []
        dosed = any(
            _RIGHT_AFTER.fullmatch(text, other.end, d.start) for d in within(found.doses, other.end, other.end + 5)
        )
        joined = not gap.strip() or _JOINT.search(gap) or (dosed and _WITH.search(gap))
        if not joined or _CONTEXT.search(gap):
            break
        ordered.append(other)
    return ordered


def _bare(text: str, start: int, end: int, found: Entities) -> str:
    """What stands between two drugs besides amounts and people."""
    kinds = (found.doses, found.frequencies, found.patient_ids, found.person_names)
    inside = sorted(
        (item.start - start, min(item.end, end) - start) for kind in kinds for item in within(kind, start, end)
    )
    return replaced(text[start:end], ((begin, stop, " ") for begin, stop in inside))


def _bound(text: str, drugs: Sequence[Mention], amounts: Sequence[Mention], owner: _Owner) -> dict[int, list[Mention]]:
    found: dict[int, list[Mention]] = {}
    ahead = bool(amounts and drugs and amounts[0].start < drugs[0].start)
    for amount in amounts:
        place = _place(drugs, amount.start)
        before = drugs[place - 1] if place else None
        after = drugs[place] if place < len(drugs) else None
        if (drug := owner(text, amount, before, after, ahead)) is not None:
            found.setdefault(drug.start, []).append(amount)
    return found


def _dose_owner(text: str, dose: Mention, before: Mention | None, after: Mention | None, ahead: bool) -> Mention | None:
    """The drug before it, or the one right after it: "10 mg of lisinopril". `ahead`: the list gives doses first."""
    if before is None or after is None:
        return before or after
    leads = _OF.fullmatch(text, dose.end, after.start)
    follows = _RIGHT_AFTER.fullmatch(text, before.end, dose.start)
    return after if leads and (ahead or not follows) else before


def _frequency_owner(
    text: str, often: Mention, before: Mention | None, after: Mention | None, ahead: bool
) -> Mention | None:
    """The drug before it; "and twice daily metformin" begins the next item, after a comma it could be either."""
    if before is None or after is None:
        return before or after
    if text[often.end : after.start].strip():
        return before
    lead = text[max(before.end, often.start - _LOOK_BACK) : often.start]
    if _NEXT_ITEM.search(lead):
        return after
    return None if _AFTER_COMMA.search(lead) else before
