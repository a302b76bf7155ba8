"""Which amount belongs to which drug, by position. An amount that could belong to two drugs belongs to none."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from docgemma.entities.amounts.frequencies import adjacent
from docgemma.entities.model import Entities, Mention

_OF = re.compile(r"\s{0,2}(?:of\s{1,2})?(?:(?:tab|cap|inj|syp|syr)\w{0,6}\.?\s{1,2})?", re.IGNORECASE)
RIGHT_AFTER = re.compile(r"[\s,(:-]{0,4}")
_NEXT_ITEM = re.compile(r"(?<!\w)(?:and|plus|then)\s{1,2}$", re.IGNORECASE)
_AFTER_COMMA = re.compile(r",\s{0,2}$")
_LOOK_BACK = 8
CONTEXT = re.compile(
    r"(?<!\w)(?:she|he|they|who|is|are|was|takes?|taking|has|have|had|since|because|given|allerg\w{1,8}|currently|already"
    r"|instead|not|no|without|avoid|despite|except|until|till|after|before|than|rather|interacts?|if|when|while|says?|tolerat\w{1,5})(?!\w)",
    re.IGNORECASE,
)
"""Words that make what follows the background of an order, not a part of it."""

_SHARED_BEFORE = re.compile(
    r"(?<!\w)(?P<who>both|each|all)(?:\s{1,2}(?:of\sthem|to\sbe|taken|given|are|at|drugs|meds))?[\s,:(-]{1,3}$",
    re.IGNORECASE,
)
_SHARED_AFTER = re.compile(
    r"[\s,(-]{1,3}(?:(?:for|of)\s{1,2})?(?P<who>both|each|all)(?!\w|\s{1,2}(?:eye|ear|nostril|side|knee|hand|f[eo]{2}t|leg|arm))",
    re.IGNORECASE,
)
_SHARED_REACH = 24
_BREATH = 120
Owner = Callable[[str, Mention, Mention | None, Mention | None, bool], Mention | None]


def within(mentions: Sequence[Mention], start: int, end: int) -> Sequence[Mention]:
    """Those that begin inside; `mentions` are in order."""
    return mentions[_place(mentions, start) : _place(mentions, end)]


def _place(mentions: Sequence[Mention], start: int) -> int:
    return bisect_left(mentions, start, key=lambda mention: mention.start)


def bound(text: str, drugs: Sequence[Mention], amounts: Sequence[Mention], owner: Owner) -> dict[int, list[Mention]]:
    """The amounts of each drug, by where the drug begins."""
    found: dict[int, list[Mention]] = {}
    ahead = bool(amounts and drugs and amounts[0].start < drugs[0].start)
    for amount in amounts:
        place = _place(drugs, amount.start)
        before = drugs[place - 1] if place else None
        after = drugs[place] if place < len(drugs) else None
        if (drug := owner(text, amount, before, after, ahead)) is not None:
            found.setdefault(drug.start, []).append(amount)
    return found


def dose_owner(text: str, dose: Mention, before: Mention | None, after: Mention | None, ahead: bool) -> Mention | None:
    """The drug before it, or the one right after it: "10 mg of lisinopril". `ahead`: the list gives doses first."""
    if before is None or after is None:
        return before or after
    leads = _OF.fullmatch(text, dose.end, after.start)
    follows = RIGHT_AFTER.fullmatch(text, before.end, dose.start)
    return after if leads and (ahead or not follows) else before


def frequency_owner(
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


def detail_owner(
    text: str, detail: Mention, before: Mention | None, after: Mention | None, ahead: bool
) -> Mention | None:
    """A route, duration or reason: of the drug it leads ("oral metformin"), else of the one before it."""
    if after is not None and _OF.fullmatch(text, detail.end, after.start):
        return after
    if before is None or CONTEXT.search(text, max(before.end, detail.start - _BREATH), detail.start):
        return None
    return before


def shared(text: str, drugs: Sequence[Mention], amounts: Sequence[Mention]) -> list[Mention]:
    """Amounts that the user gives to all drugs before them: "both daily", "10 mg each", and what follows those."""
    found: list[Mention] = []
    ends: set[int] = set()
    starts = {amount.start for amount in amounts}
    for amount in amounts:
        count = _place(drugs, amount.start)
        said = _SHARED_BEFORE.search(text, max(0, amount.start - _SHARED_REACH), amount.start)
        said = said or _said_after(text, amount, starts, only=amount is amounts[0])
        for_all = said is not None and count > 1 and (count == 2 or said["who"].lower() != "both")
        if count == len(drugs) and (for_all or adjacent(text, amount.start, ends)):
            found.append(amount)
            ends.add(amount.end)
    return found


def _said_after(text: str, amount: Mention, starts: set[int], *, only: bool) -> re.Match[str] | None:
    """ "Daily for both". In "5 mg both daily" it belongs to what follows, unless it is the first: "10 mg each"."""
    match = _SHARED_AFTER.match(text, amount.end)
    if match is None or match.start("who") in starts:
        return None
    follows = any(match.end() + gap in starts for gap in (1, 2))
    return None if follows and not (only and match["who"].lower() == "each") else match


def amounts_within(found: Entities, start: int, end: int) -> list[Mention]:
    """Everything that says how much, how often, which way and how long, in order."""
    kinds = (found.doses, found.frequencies, found.routes, found.durations)
    return sorted((item for kind in kinds for item in within(kind, start, end)), key=lambda item: item.start)
